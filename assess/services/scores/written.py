"""Measures of written answers that rankings and qrels don't give: LO from texts, MG and UI from assessors' replies."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from assess.ir.collection.html import plain_text
from assess.ir.common.ids import abbreviated
from assess.ir.common.problems import refuse
from assess.ir.common.rows import ScoreRow
from assess.ir.formats.scores import read_scores
from assess.ir.pool.pooling import prefixes
from assess.ir.scores.definitions import CS, LO, MG, UI
from assess.ir.scores.lexical_overlap import Answer, Overlaps, references
from assess.models import Campaign, Pool, Post, PostTask, Qrels, QrelsLine, Run, WrittenAnswer
from assess.services.desk.post_tasks import replies_of
from assess.services.pool.pools import as_pooled
from assess.services.pool.reports import runs_in_pool
from assess.services.runs import runs

Document = tuple[str, str]
"""A topic and a document's id."""


def score_written(
    release: Qrels, entered: Iterable[Run], names: Collection[str], level: int, imported: Sequence[ScoreRow] = ()
) -> dict[int, list[ScoreRow]]:
    """The values of LO, MG, UI and imported measures, as far as they are asked for, by run: of the runs of written
    answers. Imported values of LO take the place of those from our tokens. MG and UI: 1 for each answer that its
    official assessor took for machine-generated, or saw unrelated information in, 0 for others with replies."""
    written = {
        run: list(runs.load_ranking(run).filter(rank=1).select("topic_id", "doc_id").iter_rows())
        for run in entered
        if run.is_written
    }
    values: defaultdict[int, list[ScoreRow]] = defaultdict(list)
    for run in written:
        values[run.pk] += [row for row in imported if row.run == run.name]
    if {MG, UI} & set(names) and written:
        replies = {(reply.topic_id, reply.doc_id): reply for reply in replies_of(release.pool)}
        for run, documents in written.items():
            for reply in (replies[document] for document in documents if document in replies):
                for name, said in ((MG, reply.machine), (UI, reply.unrelated)):  # “cannot tell” counts 0
                    value = float(said == PostTask.Reply.YES)
                    values[run.pk].append(ScoreRow(run.name, reply.topic_id, name, value))
    if LO in names and all(row.measure != LO for row in imported) and written:
        stored = WrittenAnswer.objects.filter(topic__campaign=release.pool.campaign)
        bodies = stored.values_list("topic__topic_id", "doc_id", "body")
        texts = {(topic, doc): plain_text(body) for topic, doc, body in bodies}
        overlaps = Overlaps(known_answers(release, texts, level))
        for run, documents in written.items():
            answers = [Answer(document[0], texts[document]) for document in documents if document in texts]
            values[run.pk] += overlaps.score(run.name, answers, run.team)
    return {run: [row for row in rows if row.measure in names] for run, rows in values.items()}


def read_imported(path: Path, name: str, campaign: Campaign) -> list[ScoreRow]:
    """Values of CS or LO that were computed elsewhere, of runs of written answers. Raises BadInput for other measures,
    and for runs and topics that the campaign lacks."""
    with path.open("rb") as source:
        rows = read_scores(source, name)
    written = campaign.runs.filter(format=Run.Format.TASK3)
    fields = [
        ("run", {row.run for row in rows}, set(written.values_list("name", flat=True))),
        ("topic", {row.topic_id for row in rows}, set(campaign.topics.values_list("topic_id", flat=True))),
        ("measure", {row.measure for row in rows}, {LO, CS}),
    ]
    for kind, sent, stored in fields:
        if unknown := sorted(sent - stored):
            expected = abbreviated(sorted(stored)) or "none"
            raise refuse(name, f"unknown {kind} {abbreviated(unknown)}: written answers here have {expected}")
    return rows


def known_answers(release: Qrels, texts: Mapping[Document, str], level: int) -> list[Answer]:
    """The relevant written answers, and the relevant answers of the collection that are not longer than those may be;
    each with the teams whose runs brought it into the pool."""
    written, posts = (
        [(line.topic_id, line.unit_id) for line in release.lines_of(unit) if line.grade >= level]
        for unit in (QrelsLine.Unit.WRITTEN, QrelsLine.Unit.POST)
    )
    teams = contributors(release.pool)
    stored = Post.objects.filter(collection=release.pool.campaign.collection, post_id__in={doc for _, doc in posts})
    bodies = {post_id: plain_text(body) for post_id, body in stored.values_list("post_id", "body")}
    return references(
        [Answer(each[0], texts[each], teams.get(each, frozenset())) for each in written if each in texts],
        [Answer(topic, bodies[doc], teams.get((topic, doc), frozenset())) for topic, doc in posts if doc in bodies],
    )


def contributors(pool: Pool) -> dict[Document, frozenset[str]]:
    """The teams whose runs brought each document into the pool, by the depth of their role; baselines are a team, too.
    Empty if the runs of the pool are unknown."""
    entered = runs_in_pool(pool)
    if not entered:
        return {}
    pooled = as_pooled(pool.campaign, pool.rules, entered, lambda *_: None, pool.visual_map)
    teams: defaultdict[Document, set[str]] = defaultdict(set)
    for (run, _), part in zip(entered, prefixes(pooled, pool.rules), strict=True):
        for document in part.select("topic_id", "doc_id").iter_rows():
            teams[document].add(run.team)
    return {document: frozenset(names) for document, names in teams.items()}
