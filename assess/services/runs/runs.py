"""Runs: read, resolved to units, counted against the collection, stored."""

import hashlib
import io
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from django.db import transaction

from assess.ir.collection.html import canonical
from assess.ir.collection.written import written_html
from assess.ir.common.problems import BadInput, Problem, refuse
from assess.ir.formats.runs import RunFile, read_run
from assess.ir.runs.ranking import RANKING, order, pack, unpack
from assess.models import Campaign, Collection, MadeFile, Ranking, Run, VisualMap, WrittenAnswer
from assess.services.campaign.campaigns import hold
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.jobs.job_queue import OnProgress
from assess.services.runs import coverage
from assess.services.runs.metadata import RunMeta as RunMeta


class Upload(NamedTuple):
    """A run file that lies on disk, what is said about it, and how it was made, if that was here."""

    path: Path
    meta: RunMeta
    provenance: dict[str, Any] | None = None


class Read(NamedTuple):
    """A run that has been read and not stored yet; its file, compressed, if it was made here."""

    run: Run
    ranking: pl.DataFrame
    answers: list[WrittenAnswer]
    file: bytes


def import_runs(campaign: Campaign, uploads: Sequence[Upload], on_progress: OnProgress) -> list[Run]:
    """Add runs, all of them or none. Raises BadInput with what is wrong in the files, Refused for runs that would be
    pooled where the pool is frozen."""
    require_place(campaign, [upload.meta for upload in uploads])
    topics = dict(campaign.topics.values_list("topic_id", "pk"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            read = gathered(
                pool.map(lambda upload: read_or_refused(campaign, topics, upload), uploads), uploads, on_progress
            )
            on_progress(len(uploads), len(uploads), "looking up the documents")
            known = coverage.look_up(campaign, [one.ranking for one in read if not one.run.is_written])
            packed = list(pool.map(lambda one: pack(coverage.resolved(one.run, one.ranking, known)), read))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    store(campaign, read, packed)
    return [one.run for one in read]


def gathered(results: Iterable[Read | BadInput], uploads: Sequence[Upload], on_progress: OnProgress) -> list[Read]:
    """The runs as they come from being read. Raises BadInput with what is wrong in all of the files together."""
    read: list[Read] = []
    refused: list[BadInput] = []
    for number, (upload, result) in enumerate(zip(uploads, results, strict=True), start=1):
        on_progress(number, len(uploads), f"reading {upload.meta.file}")
        if isinstance(result, BadInput):
            refused.append(result)
        else:
            read.append(result)
    if refused:
        raise BadInput([problem for one in refused for problem in one.problems], sum(one.count for one in refused))
    return read


def read_or_refused(campaign: Campaign, topics: Mapping[str, int], upload: Upload) -> Read | BadInput:
    """Without a look at the database, so that several files can be read at the same time."""
    try:
        return read_one(campaign, topics, upload)
    except BadInput as error:
        return error


def of_files(found: Iterable[Run], uploads: Sequence[Upload]) -> list[Run]:
    """Those of the runs found that were imported as these uploads; none unless all were."""
    there = {(run.sha256, run.file_name, run.team): run for run in found}
    keys = [(digest(one.path), one.meta.file, one.meta.team) for one in uploads] if there else []
    return [there[key] for key in keys] if set(keys) <= set(there) else []


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_place(campaign: Campaign, metas: Iterable[RunMeta]) -> None:
    """A frozen pool takes no more runs, but those that come late can be scored."""
    if campaign.frozen_pool() and any(meta.role != Run.PoolRole.NONE for meta in metas):
        raise Refused(
            "The pool is frozen, so no run can be added to it at import. A run that comes late can be scored: "
            "import it with the pool role “Not pooled”; then extend the pool if it should be judged, too."
        )


def read_one(campaign: Campaign, topics: Mapping[str, int], upload: Upload) -> Read:
    """A run as it will be stored, but for what the collection knows of it: the file read and ordered. ``topics``:
    those of the campaign with their keys."""
    data, meta = upload.path.read_bytes(), upload.meta
    file = read_run(io.BytesIO(data), meta.file, meta.format or None)  # type: ignore[arg-type]
    check_format(campaign, file, meta.file)
    check_topics(topics, file, meta.file)
    run = Run(
        campaign=campaign,
        pool_role=meta.role,
        **{field: getattr(meta, field) for field in ("team", "kind", "method", "data", "order")},
        name=meta.name or file.tag,
        format=file.format,
        file_name=meta.file,
        sha256=hashlib.sha256(data).hexdigest(),
        lines=len(file.lines),
        topics=file.lines["topic_id"].n_unique(),
        notes=[str(note) for note in file.notes],
        provenance=upload.provenance or {},
    )
    ranking = order(file.lines, meta.order)  # type: ignore[arg-type]
    run.notes += topic_notes(topics, ranking)
    answers = written_answers(topics, file) if run.is_written else []
    return Read(run, ranking, answers, zlib.compress(data) if upload.provenance else b"")


def written_answers(topics: Mapping[str, int], file: RunFile) -> list[WrittenAnswer]:
    return [
        WrittenAnswer(topic_id=topics[topic_id], doc_id=doc_id, body=canonical(written_html(text)))
        for topic_id, doc_id, text in file.lines.select("topic_id", "doc_id", "text").iter_rows()
    ]


def check_format(campaign: Campaign, file: RunFile, name: str) -> None:
    """A run of another task is a mistake of the person at the upload form: say so before anything is stored."""
    rules = campaign.rules
    fits = {"answers": {"task1", "trec"} | ({"task3"} if rules.written else set()), "formulas": {"task2"}}[rules.task]
    if file.format not in fits:
        labels = " or ".join(Run.Format(name).label for name in sorted(fits))
        raise refuse(name, f"this is a run of {Run.Format(file.format).label}; the campaign takes {labels}")


def check_topics(topics: Iterable[str], file: RunFile, name: str) -> None:
    """Written answers are kept below their topics, so these must be there; retrieved documents can wait for them."""
    if file.format == "task3" and (foreign := set(file.lines["topic_id"]).difference(topics)):
        raise refuse(name, f"topics that the campaign does not have: {some(sorted(foreign))}. Import its topics first")


def topic_notes(topics: Iterable[str], ranking: pl.DataFrame) -> list[str]:
    """Topics that only the run or only the campaign has."""
    ours, theirs = set(topics), set(ranking["topic_id"].unique())
    notes = []
    if foreign := sorted(theirs - ours):
        notes.append(f"topics that the campaign does not have, kept but not pooled: {len(foreign)} ({some(foreign)})")
    if absent := sorted(ours - theirs):
        notes.append(f"topics of the campaign without a result: {len(absent)} ({some(absent)})")
    return notes


def some(names: Sequence[str], shown: int = 5) -> str:
    return ", ".join(names[:shown]) + (" …" if len(names) > shown else "")


def lacking(run: Run, shown: int) -> list[str]:
    """The first documents of a run, in its order, that its coverage counts as not in the collection."""
    if not run.coverage or run.coverage["known"] == run.coverage["documents"]:
        return []
    ranking = load(run)
    known = coverage.look_up(run.campaign, [ranking])
    held = ranking.clear() if known is None else known
    documents = ranking.select("doc_id").unique(maintain_order=True)
    return list(documents.join(held, on="doc_id", how="anti", maintain_order="left")["doc_id"].head(shown))


def refuse_repeated(campaign: Campaign, runs: list[Run]) -> None:
    """The same file or the same name twice is refused, within the upload and against what is there."""
    there = list(campaign.runs.all())
    names, files = {run.name: run for run in there}, {run.sha256: run for run in there}
    found: list[Problem] = []
    for run in runs:
        if run.sha256 in files:
            found.append(
                Problem(
                    run.file_name, 0, f"the same file is already here as run {files[run.sha256].name}: leave it out"
                )
            )
        elif run.name in names:
            found.append(Problem(run.file_name, 0, f"a run named {run.name} is already here: give it another name"))
        names[run.name] = files[run.sha256] = run
    if found:
        raise BadInput(found)


@transaction.atomic
def store(campaign: Campaign, read: Sequence[Read], packed: Sequence[bytes]) -> None:
    """Write runs that are ready, so that the database is held for a moment only."""
    Campaign.objects.select_for_update().get(pk=campaign.pk)  # Another import may be at the same place.
    refuse_repeated(campaign, [one.run for one in read])
    for (run, _, answers, file), data in zip(read, packed, strict=True):
        run.save()
        Ranking(run=run, packed=data).save(force_insert=True)
        if file:
            MadeFile(run=run, packed=file).save(force_insert=True)
        WrittenAnswer.objects.bulk_create(answers, ignore_conflicts=True)


def file_of(run: Run) -> str | None:
    """The file of a run that was made here."""
    found = MadeFile.objects.filter(run=run).first()
    return zlib.decompress(found.packed).decode() if found else None


def load(run: Run) -> pl.DataFrame:
    """The ranking of a run."""
    return unpack(bytes(run.ranking.packed)).select(RANKING.names())


def load_poolable(runs: Sequence[Run], topics: Iterable[str]) -> list[pl.DataFrame]:
    """Of each run's ranking the rows of these topics that can be judged (``coverage.resolved``)."""
    wanted = pl.Series(topics, dtype=pl.String).implode()
    packed = Ranking.objects.filter(run__in=runs).values_list("run", "packed").iterator(chunk_size=1)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # One is unpacked while the database reads the next.
        stored = dict(
            pool.map(lambda row: (row[0], unpack(bytes(row[1])).filter(pl.col("topic_id").is_in(wanted))), packed)
        )
    return [poolable(run, stored[run.pk]) for run in runs]


def poolable(run: Run, ranking: pl.DataFrame) -> pl.DataFrame:
    if "can_pool" not in ranking.columns:  # Stored by a version of Assess that did not look.
        ranking = coverage.resolved(run, ranking, coverage.look_up(run.campaign, [ranking]))
    return ranking.filter("can_pool").select(RANKING.names())


def retrieved(collection: Collection) -> pl.Series:
    """The formulas that some run of a campaign on this collection retrieved."""
    found = Run.objects.filter(campaign__collection=collection, format=Run.Format.TASK2).select_related("ranking")
    rankings = [load(run) for run in found]
    return pl.concat([RANKING.to_frame(), *rankings])["doc_id"].unique()


class LookedUp(NamedTuple):
    """What becomes of a run, by its key: its coverage and its packed ranking."""

    run: int
    coverage: dict[str, Any]
    packed: bytes


def looked_up_again(campaign: Campaign, on_progress: OnProgress, version: VisualMap | None = None) -> list[LookedUp]:
    """All runs, with their packed rankings, brought up to date with a collection or visual ids that came or changed
    after them; not stored yet."""
    runs = list(campaign.runs.select_related("campaign__collection", "ranking"))
    known = coverage.look_up(campaign, [load(run) for run in runs if not run.is_written], version)
    found = []
    for number, run in enumerate(runs):
        on_progress(number, len(runs), f"looking up the documents of {run.name}")
        packed = pack(coverage.resolved(run, load(run), known))
        found.append(LookedUp(run.pk, run.coverage, packed))
    return found


@transaction.atomic
def store_again(found: Iterable[LookedUp]) -> None:
    for run, held, packed in found:
        Ranking.objects.filter(run=run).update(packed=packed)
        Run.objects.filter(pk=run).update(coverage=held)


def resolve_again(campaign: Campaign, on_progress: OnProgress) -> None:
    store_again(looked_up_again(campaign, on_progress))


def put_in_force(version: VisualMap, on_progress: OnProgress) -> None:
    """Apply a version of the visual ids, and with it bring the runs of all campaigns of formulas on the collection up
    to date. Raises Refused as ``formulas.apply`` does."""
    campaigns = [one for one in version.collection.campaigns.all() if one.is_formulas]
    found = [one for campaign in campaigns for one in looked_up_again(campaign, on_progress, version)]
    with transaction.atomic():
        visual_ids.apply(version)
        store_again(found)


@transaction.atomic
def change(run: Run, meta: RunMeta) -> None:
    """Change what is said about a run; its file, format and order stay as imported. Its role matters to the pool
    and stays once that is frozen."""
    if run.pool_role != meta.role:
        hold(run.campaign, "the roles of runs")
    run.pool_role = meta.role
    fields = ["team", "name", "kind", "method", "data"]
    for field in fields:
        setattr(run, field, getattr(meta, field))
    run.save(update_fields=["pool_role", *fields])


@transaction.atomic
def delete(run: Run) -> None:
    if run.pool_role != Run.PoolRole.NONE:
        hold(run.campaign, "the pooled runs")
    if run.scores.exists():
        raise Refused("The run has been scored. Its scores would be lost.")
    run.delete()
