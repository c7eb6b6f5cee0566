"""Sources of judgments made elsewhere: imported whole or not at all, never changed, deleted only while nothing uses
them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from assess.ir.common.options import Option, option, options_in
from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME, NEVER, SourceRow
from assess.ir.formats.source_files import LEAVE_OUT, LEFT_OUT, Meanings, read_source
from assess.ir.formats.source_records import Columns
from assess.ir.releases.aggregation import combine_labellers
from assess.models import Action, Campaign, Instance, Job, JudgmentSource, OnProgress, Pool, PoolEntry, SourceLine
from assess.services.common import bulk, history
from assess.services.common.errors import Refused
from assess.services.common.wording import number
from assess.services.jobs import job_queue

Items = JudgmentSource.Items
MOST_KEPT = 1000
"""Labels that a campaign remembers."""


@dataclass(frozen=True, kw_only=True)
class SourceMeta:
    """What an organizer says about a file with judgments; ``columns`` are `source_records.Columns`."""

    file: str
    name: str = option(str, "", "Name", "By default that of the file.", most=LONGEST_NAME)
    kind: str = option(str, MISSING, "Judged by", choices=dict(JudgmentSource.Kind.choices))
    items: str = option(
        str,
        Items.DOCUMENT.value,
        "What was judged",
        "What the ids in the file are: nothing in it tells.",
        choices={"": "Choose …", **dict(Items.choices)},
    )
    note: str = option(str, "", "Note", "Where it comes from.", most=2000)
    columns: Sequence[str] = Columns()


LABELS = Columns("Topic", "Document", "Grade", "Who judged", "Comment")
COLUMNS = {f"{name}_column": Option(str, "", label, most=LONGEST_NAME) for name, label in LABELS._asdict().items()}
"""The columns of a file; those that nobody names are recognized."""
OPTIONS = options_in(SourceMeta) | COLUMNS


def columns_in(given: Mapping[str, str]) -> list[str]:
    return [given.get(name, "") for name in COLUMNS]


def describe_source(campaign: Campaign, file: str, given: Mapping[str, str]) -> SourceMeta:
    """What was said about a file, by the names of `OPTIONS`. Raises Refused for a name that is taken, and for formulas
    if nobody says what the ids are."""
    about = {name: value for name, value in given.items() if name not in COLUMNS}
    name = about.get("name") or PurePosixPath(file).stem[:LONGEST_NAME]
    refuse_known_name(campaign, name)
    if campaign.has_visual_ids and not about.get("items"):
        raise Refused("items: say what the ids in the file are, documents or visual ids; nothing in a file tells.")
    return SourceMeta(file=file, columns=columns_in(given), **about | {"name": name})


def meanings_in(campaign: Campaign, labels: Mapping[str, str]) -> Meanings:
    grades = {grade.value: grade.name for grade in campaign.rules.grades}
    return Meanings(grades, {row.word: row.name for row in campaign.rules.outcomes}, labels)


def readings(campaign: Campaign, texts: Iterable[str], labels: Mapping[str, str]) -> dict[str, str]:
    """How texts of a file are read: a grade, an outcome or `LEAVE_OUT`; empty if nobody has said what they mean."""
    meanings = meanings_in(campaign, labels)
    words: dict[Any, str] = {LEFT_OUT: LEAVE_OUT} | {(grade, ""): str(grade) for grade in meanings.grades}
    return {text: words.get(decision := meanings.decision(text)) or (decision or LEFT_OUT)[1] for text in texts}


@transaction.atomic
def remember_labels(campaign: Campaign, words: Any, by: User) -> Action | None:
    """Keep what labels mean in this and later files of the campaign: each a grade, an outcome or `LEAVE_OUT`. What the
    names of the scale say anyway is not kept; None if nothing new was said. Raises Refused for anything else."""
    names = campaign.rules.names | {LEAVE_OUT: "left out"}
    if not isinstance(words, dict) or not all(isinstance(text, str) and text in names for text in words.values()):
        raise Refused(f"labels: a table of labels is needed, each with one of {', '.join(names)}.")
    before = Campaign.objects.select_for_update().get(pk=campaign.pk).labels
    is_wrong = any(not 0 < len(label) <= LONGEST_NAME or NEVER.search(label) for label in words)
    if is_wrong or len(before | words) > MOST_KEPT:
        raise Refused(f"labels: at most {MOST_KEPT:,} labels of at most {LONGEST_NAME} characters can be kept.")
    usual = readings(campaign, words, {})
    campaign.labels = {label: word for label, word in (before | words).items() if word != usual.get(label)}
    if campaign.labels == before:
        return None
    campaign.save(update_fields=["labels"])
    named = [f"{label} – {names[word]}" for label, word in words.items() if word != before.get(label, usual[label])]
    return history.note(by, "Meaning of labels", campaign, named, page="judgment_sources")


def refuse_known_name(campaign: Campaign, name: str) -> None:
    if campaign.judgment_sources.filter(name=name).exists():
        raise Refused(f"There is already a source with the name {name}. Choose another name.")


def import_source(
    campaign: Campaign, path: Path, meta: SourceMeta, by: User, on_progress: OnProgress, job: Job | None = None
) -> JudgmentSource:
    """Read a file and store its judgments. Raises BadInput, and Refused for a name or a file that is there already."""
    refuse_known_name(campaign, meta.name)
    on_progress(0, 2, "reading the file")
    digest = sha256(path.read_bytes()).hexdigest()
    if imported := campaign.judgment_sources.filter(sha256=digest).first():
        raise Refused(
            f"{meta.file} has already been imported, as {imported}. To import it again, delete that source first."
        )
    run_format, meanings = "task3" if campaign.rules.written else "task1", meanings_in(campaign, campaign.labels)
    with path.open("rb") as source:
        file = read_source(source, meta.file, Columns(*meta.columns), run_format, meanings)  # type: ignore[arg-type]
    on_progress(1, 2, f"storing {number(len(file.rows), 'judgment')}")
    source_row = JudgmentSource(
        campaign=campaign,
        name=meta.name,
        kind=meta.kind,
        items=meta.items if campaign.has_visual_ids else Items.DOCUMENT,
        format=file.format,
        file_name=meta.file[:LONGEST_ID],
        sha256=digest,
        note=meta.note,
        counts=counts_of(file.rows),
        notes=[str(note) for note in file.notes],
        imported_by=by,
        job=job,
    )
    return store_source(source_row, file.rows)


def name_columns(job: Job, given: Mapping[str, str]) -> None:
    """Which columns a job that was refused reads when it is started again."""
    job.params["meta"] |= {"columns": columns_in(given)}
    Job.objects.filter(pk=job.pk, state__in=Job.UNDONE).update(params=job.params)


def counts_of(rows: Sequence[SourceRow]) -> dict[str, Any]:
    return {
        "lines": len(rows),
        "items": len({row[:2] for row in rows}),
        "topics": len({row.topic_id for row in rows}),
        "grades": Counter(row.outcome or str(row.grade) for row in rows),
        "labellers": dict(sorted(Counter(row.labeller for row in rows if row.labeller).items())),
    }


@transaction.atomic
def store_source(source: JudgmentSource, rows: Iterable[SourceRow]) -> JudgmentSource:
    source.save()
    bulk.insert(SourceLine, ("source", *SourceRow._fields), ((source.pk, *row) for row in rows))
    return source


def combined_rows(source: JudgmentSource) -> list[SourceRow]:
    """What each item of a source has, its labellers combined (`ir.releases.aggregation.combine_labellers`)."""
    return combine_labellers(SourceRow(*row) for row in source.lines.order_by().values_list(*SourceRow._fields))


def uses(source: JudgmentSource) -> list[str]:
    """What depends on a source, as the end of "it is used by"."""
    rounds, reports = Pool.every.filter(judgment_source=source).count(), source.second_opinions.count()
    texts = {
        number(rounds, "training or qualification round"): rounds,
        f"{number(reports, 'report')} on agreement": reports,
    }
    return [text for text, count in texts.items() if count]


@transaction.atomic
def delete_source(source: JudgmentSource, by: User) -> Action:
    """Delete a source with what was scored with it. Raises Refused while anything else uses it."""
    job_queue.require_free(source.campaign, {"sources"}, reads=())
    if used := uses(source):
        raise Refused(f"{source} can't be deleted: it is used by {' and '.join(used)}.")
    source.delete()
    return history.note(by, f"{source} deleted", source.campaign, page="judgment_sources")


def coverage(source: JudgmentSource, pool: Pool) -> dict[str, int]:
    """How many items are pooled, how many of them a source has judged, and how many it has ``beyond`` the pool."""
    pooled: QuerySet[Any] = Instance.objects.filter(entry__pool=pool)
    same = {"item_id": OuterRef("doc_id"), "topic_id": OuterRef("entry__topic__topic_id")}
    if source.items == Items.UNIT:
        pooled = PoolEntry.objects.filter(pool=pool)
        same = {"item_id": OuterRef("unit_id"), "topic_id": OuterRef("topic__topic_id")}
    judged = pooled.filter(Exists(source.lines.filter(**same))).count()
    return {"pooled": pooled.count(), "judged": judged, "beyond": source.counts["items"] - judged}


def usable_sources(campaign: Campaign) -> QuerySet[JudgmentSource]:
    """Those that judged some of the campaign's topics."""
    here = SourceLine.objects.filter(source=OuterRef("pk"), topic_id__in=campaign.topics.values("topic_id"))
    return campaign.judgment_sources.filter(Exists(here))


def topics_here(source: JudgmentSource) -> int:
    topics = source.campaign.topics.values("topic_id")
    return source.lines.filter(topic_id__in=topics).order_by().values("topic_id").distinct().count()
