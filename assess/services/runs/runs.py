"""Runs: read or made here, resolved to units, compared with the collection, stored."""

import hashlib
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.ir.collection.html import canonical, written_html
from assess.ir.common.problems import BadInput, Problem, refuse
from assess.ir.common.rows import abbreviated
from assess.ir.formats.run_columns import COLUMNS
from assess.ir.formats.runs import RunFile, read_run
from assess.ir.runs.ranking import RANKING, pack, unpack
from assess.models import Action, Campaign, Collection, Job, MadeFile, OnProgress, Ranking, Run, WrittenAnswer
from assess.models.run import LONGEST_FILE_NAME
from assess.services.campaign.campaigns import lock_for_change
from assess.services.common import history, workspace
from assess.services.common.errors import Refused
from assess.services.common.wording import listed
from assess.services.jobs import job_queue
from assess.services.runs import coverage
from assess.services.runs.metadata import RunMeta as RunMeta

TEAM = "Organizers"
"""Of runs that are made here."""
FOREIGN = "topics that the campaign does not have"
ABSENT = "topics of the campaign without results"
"""How the notes on such topics begin."""


class RunUpload(NamedTuple):
    """A run file on disk with its metadata; ``provenance`` if it was made here."""

    path: Path
    meta: RunMeta
    provenance: dict[str, Any] | None = None


class ParsedRun(NamedTuple):
    """A run that is not stored yet; its file, compressed, if it was made here."""

    run: Run
    ranking: pl.DataFrame
    answers: list[WrittenAnswer]
    file: bytes


def import_runs(
    campaign: Campaign, uploads: Sequence[RunUpload], on_progress: OnProgress, job: Job | None = None
) -> list[Run]:
    """Add all runs or none. Raises BadInput with all problems, Refused for runs to be pooled if the pool is frozen."""
    refuse_pooled_if_frozen(campaign, [upload.meta.role for upload in uploads])
    topics = dict(campaign.topics.values_list("topic_id", "pk"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            parsed = collect_parsed([pool.submit(parse_run, campaign, topics, each) for each in uploads], on_progress)
            on_progress(len(uploads), len(uploads), "looking up the documents")
            units = coverage.look_up_documents(campaign, [item.ranking for item in parsed if not item.run.is_written])
            packed = list(pool.map(lambda item: pack(coverage.resolve_run(item.run, item.ranking, units)), parsed))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    name_apart(parsed, uploads)
    for item in parsed:
        item.run.job = job
    store_runs(campaign, parsed, packed)
    return [item.run for item in parsed]


def name_apart(parsed: Sequence[ParsedRun], uploads: Sequence[RunUpload]) -> None:
    """Files whose runs have the same name, because a tool wrote it, name their runs."""
    names = Counter(item.run.name for item in parsed)
    for item, upload in zip(parsed, uploads, strict=True):
        if names[item.run.name] > 1 and not upload.meta.name:
            reason = f"{names[item.run.name]} files have the run name {item.run.name}: this run is named after its file"
            item.run.notes.append(reason)
            item.run.name = re.sub(r"(\.(gz|zip|txt|tsv|csv|run|res|trec))+$", "", upload.meta.file, flags=re.I)


def import_made(
    job: Job, text: str, record: dict[str, Any], on_progress: OnProgress, *, kind: str, **about: str
) -> Run:
    """Import the file of a run that a job has just made. ``record``: how, so that it can be made again; ``about``: more
    of its metadata. Raises Refused if the run is empty."""
    if not text:
        raise Refused("Nothing was retrieved for any topic, so there is no run.")
    campaign, name = job.campaign, job.params["name"]
    meta = RunMeta(f"{name}.tsv", TEAM, name, kind, format=campaign.rules.kind.made_format, **about)
    record |= {"job": job.pk, "seed": campaign.seed, "by": job.created_by.get_username()}
    path = workspace.new_path()
    try:
        path.write_text(text)
        return import_runs(campaign, [RunUpload(path, meta, record)], on_progress, job)[0]
    finally:
        path.unlink(missing_ok=True)


def collect_parsed(futures: Sequence[Future[ParsedRun]], on_progress: OnProgress) -> list[ParsedRun]:
    """The parsed runs. Raises BadInput with the problems of all files."""
    parsed: list[ParsedRun] = []
    errors: list[BadInput] = []
    for number, future in enumerate(futures, start=1):
        try:
            parsed.append(future.result())
        except BadInput as error:
            errors.append(error)
        on_progress(number, len(futures), "reading the files")
    if errors:
        raise BadInput([problem for error in errors for problem in error.problems], sum(error.more for error in errors))
    return parsed


def refuse_pooled_if_frozen(campaign: Campaign, roles: Iterable[str]) -> None:
    """A frozen pool takes no more runs, but late runs can be scored."""
    if campaign.frozen_pool() and any(role != Run.PoolRole.NONE for role in roles):
        raise Refused(
            "The pool is frozen, so imported runs cannot join it. To score a late run, import it with the pool role "
            "“Not pooled”. To have it judged too, extend the pool afterwards."
        )


def parse_run(campaign: Campaign, topics: Mapping[str, int], upload: RunUpload) -> ParsedRun:
    """Read and order a file; units and coverage come later. ``topics``: the campaign's, with their keys. Does not query
    the database, so several files can be read at the same time."""
    content, meta, taken = upload.path.read_bytes(), upload.meta, campaign.rules.run_formats
    file = read_run(io.BytesIO(content), meta.file, meta.format or None, taken)  # type: ignore[arg-type]
    file = as_taken(campaign, file, meta.file)
    check_topics(topics, file, meta.file)
    run = Run(
        campaign=campaign,
        pool_role=meta.role,
        **{field: getattr(meta, field) for field in ("team", "kind", "method", "data", "answers", "order")},
        name=meta.name or file.tag,
        format=file.format,
        file_name=meta.file[:LONGEST_FILE_NAME],
        sha256=hashlib.sha256(content).hexdigest(),
        lines=len(file.lines),
        topics=file.lines["topic_id"].n_unique(),
        notes=[*([f"description: {meta.note}"] if meta.note else []), *map(str, file.notes)],
        provenance=upload.provenance or {},
    )
    ranking = file.ranking(meta.order, meta.file)  # type: ignore[arg-type]
    of_campaign, of_run = set(topics), set(ranking["topic_id"].unique())
    differing = {f"{FOREIGN}, kept but not pooled": of_run - of_campaign, ABSENT: of_campaign - of_run}
    run.notes += [f"{what}: {len(found)} ({abbreviated(sorted(found))})" for what, found in differing.items() if found]
    texts = file.lines.select("topic_id", "doc_id", "text").iter_rows() if run.is_written else ()
    answers = [
        WrittenAnswer(topic_id=topics[topic_id], doc_id=doc_id, body=canonical(written_html(text)))
        for topic_id, doc_id, text in texts
    ]
    return ParsedRun(run, ranking, answers, zlib.compress(content) if upload.provenance else b"")


def as_taken(campaign: Campaign, file: RunFile, name: str) -> RunFile:
    """A run in a format that the campaign takes; TREC's is that of Task 1 and a constant. Raises BadInput."""
    fits = campaign.rules.run_formats
    if file.format in fits:
        return file
    if file.format == "task1" and "trec" in fits:
        return file._replace(format="trec")
    taken = " or ".join(f"{Run.Format(fit).label}: {' '.join(COLUMNS[fit])}" for fit in COLUMNS if fit in fits)
    raise refuse(name, f"this is a run of {Run.Format(file.format).label}; the campaign takes {taken}")


def check_topics(topics: Iterable[str], file: RunFile, name: str) -> None:
    """Written answers are stored with their topics, so these must exist; topics of other runs may come later."""
    if topics and not set(file.lines["topic_id"]) & set(topics):
        in_run, in_campaign = (abbreviated(sorted(names)) for names in (set(file.lines["topic_id"]), topics))
        reason = f"no topic in common with the campaign: {in_run} in the run, {in_campaign} in the campaign"
        raise refuse(
            name, f"{reason}. Choose the run for these topics, or import it into the campaign that has its own"
        )
    if file.format == "task3" and (foreign := set(file.lines["topic_id"]).difference(topics)):
        raise refuse(
            name, f"topics that the campaign does not have: {abbreviated(sorted(foreign))}. Import its topics first"
        )


def notes_on_topics(run: Run) -> list[str]:
    """Those on unknown topics, and on topics of the campaign that it lacks."""
    return [note for note in run.notes if note.startswith((FOREIGN, ABSENT))]


def refuse_repeated_runs(campaign: Campaign, new: Iterable[Run]) -> None:
    """Neither a file nor a name may be used twice, in the upload or the campaign."""
    stored = list(campaign.runs.all())
    names, files = {run.name for run in stored}, {run.sha256: run.name for run in stored}
    problems: list[Problem] = []
    for run in new:
        if run.sha256 in files:
            reason = f"the same file is already here as run {files[run.sha256]}: leave it out"
            problems.append(Problem(run.file_name, 0, reason))
        elif run.name in names:
            problems.append(Problem(run.file_name, 0, f"a run named {run.name} is already here: give it another name"))
        names.add(run.name)
        files[run.sha256] = run.name
    if problems:
        raise BadInput(problems)


@transaction.atomic
def store_runs(campaign: Campaign, parsed: Sequence[ParsedRun], packed: Sequence[bytes]) -> None:
    """Write runs in a short transaction."""
    Campaign.objects.select_for_update().get(pk=campaign.pk)  # Another import may be running.
    refuse_repeated_runs(campaign, [item.run for item in parsed])
    for (run, _, answers, file), data in zip(parsed, packed, strict=True):
        run.save()
        Ranking(run=run, packed=data).save(force_insert=True)
        if file:
            MadeFile(run=run, packed=file).save(force_insert=True)
        WrittenAnswer.objects.bulk_create(answers, ignore_conflicts=True)


def text_of_made_run(run: Run) -> str | None:
    stored = MadeFile.objects.filter(run=run).first()
    return zlib.decompress(stored.packed).decode() if stored else None


def load_ranking(run: Run) -> pl.DataFrame:
    return unpack(bytes(run.ranking.packed)).select(RANKING.names())


def load_poolable(runs: Sequence[Run], topics: Iterable[str]) -> list[pl.DataFrame]:
    """Of each ranking the rows of these topics that can be judged (``coverage.resolve_run``)."""
    wanted = pl.Series(topics, dtype=pl.String).implode()
    packed = Ranking.objects.filter(run__in=runs).values_list("run", "packed").iterator(chunk_size=1)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Unpacks one while the database reads the next.
        stored = dict(
            pool.map(lambda row: (row[0], unpack(bytes(row[1])).filter(pl.col("topic_id").is_in(wanted))), packed)
        )
    return [stored[run.pk].filter("can_pool").select(RANKING.names()) for run in runs]


def retrieved_formulas(collection: Collection) -> pl.Series:
    """The formulas that the runs of all campaigns on this collection retrieved."""
    runs = Run.objects.filter(campaign__collection=collection, format=Run.Format.TASK2).select_related("ranking")
    return pl.concat([RANKING.to_frame(), *map(load_ranking, runs)])["doc_id"].unique()


def refuse_taken_name(campaign: Campaign, name: str, run: Run | None = None) -> None:
    others = campaign.runs.exclude(pk=run.pk) if run else campaign.runs
    if others.filter(name=name).exists():
        raise Refused(f"Another run is named {name}. Choose another name.")


@transaction.atomic
def change_run(run: Run, meta: RunMeta, by: User, changed: Sequence[str] = ()) -> Action | None:
    """Change the metadata of a run, but not its file, format and order. Its role cannot change once the pool is
    frozen. ``changed``: the fields that differ, in words for the history."""
    refuse_taken_name(run.campaign, meta.name, run)
    if run.pool_role != meta.role:
        lock_for_change(run.campaign, "the roles of runs")
    run.pool_role = meta.role
    fields = ["team", "name", "kind", "method", "data", "answers"]
    for field in fields:
        setattr(run, field, getattr(meta, field))
    run.save(update_fields=["pool_role", *fields])
    if not changed:
        return None
    return history.note(by, f"Run {run.name} changed", run.campaign, [listed(changed)], page="run", pk=run.pk)


@transaction.atomic
def delete_run(run: Run, by: User) -> Action:
    """Delete a run that has no scores and is in no frozen pool. Raises Refused for others, and while a job reads it."""
    job_queue.require_free(run.campaign, {"runs"})
    if run.pool_role != Run.PoolRole.NONE:
        lock_for_change(run.campaign, "the pooled runs")
    if run.scores.exists():
        raise Refused("The run has been scored, and its scores would be lost. Withdraw it instead.")
    run.delete()
    return history.note(by, f"Run {run.name} deleted", run.campaign, page="runs")


@transaction.atomic
def withdraw_run(run: Run, by: User, is_withdrawn: bool = True) -> Action:
    """Take a run out of all tables of results, or bring it back. What it brought into the pool stays judged."""
    job_queue.require_free(run.campaign, {"runs"})
    Run.objects.filter(pk=run.pk).update(withdrawn=timezone.now() if is_withdrawn else None)
    action = f"Run {run.name} {'withdrawn' if is_withdrawn else 'brought back'}"
    return history.note(by, action, run.campaign, page="runs")
