"""How two releases differ: in topics, in judgments, and in each run's score and place."""

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, TextField
from django.db.models.functions import Cast

from assess.ir.common.ids import natural
from assess.ir.common.rows import MeanScore, Qrel
from assess.ir.releases.differences import ChangedLine, Move, changed_lines, moves
from assess.models import Evaluation, Instance, JudgmentEvent, Qrels, QrelsLine
from assess.services.scores.evaluation import usual_average


def line_changes(first: Qrels, second: Qrels, unit: str) -> list[ChangedLine]:
    """The lines of one file that differ. The database leaves out equal ones, which are most."""
    return changed_lines(unlike(first, second, unit), unlike(second, first, unit), unit)


def unlike(release: Qrels, other: Qrels, unit: str) -> list[Qrel]:
    """The lines of a file that the other release does not have, or has with another grade."""
    names = Qrel._fields
    same = other.lines.filter(unit=unit, **{name: OuterRef(name) for name in names})
    return [Qrel(*row) for row in release.lines.filter(~Exists(same), unit=unit).values_list(*names)]


def topic_changes(first: Qrels, second: Qrels, unit: str) -> tuple[list[str], list[str]]:
    """The topics that only the first and only the second release has in one file, in natural order."""
    before, after = (
        set(release.lines.filter(unit=unit).values_list("topic_id", flat=True).distinct())
        for release in (first, second)
    )
    return sorted(before - after, key=natural), sorted(after - before, key=natural)


TopicUnit = tuple[str, str]
"""A topic and a unit."""


class JudgedDocument(NamedTuple):
    """A document that somebody has judged, by the key of its instance."""

    instance: int
    doc_id: str


def judged_documents(
    pair: Collection[Qrels], file: str, units: Collection[TopicUnit]
) -> dict[TopicUnit, list[JudgedDocument]]:
    """The judged documents behind these units of a file, in two queries; a visually distinct formula has those of both
    releases. A unit that was judged elsewhere only has none."""
    topics, wanted = {topic for topic, _ in units}, {unit for _, unit in units}
    is_visual = file == QrelsLine.Unit.VISUAL
    # As an expression, or SQLite looks for each of these documents in each entry.
    rows = Instance.objects.annotate(document=Cast("doc_id", TextField())).order_by("doc_id")
    rows = rows.filter(entry__pool__in={release.pool_id for release in pair}, entry__topic__topic_id__in=topics)
    rows = rows.filter(instances_of(pair, wanted) if is_visual else Q(document__in=wanted))
    pooled = list(rows.values_list("pk", "doc_id", "entry__topic__topic_id", "entry__unit_id"))
    events = JudgmentEvent.objects.filter(instance__in=[pk for pk, *_ in pooled])
    judged = set(events.values_list("instance", flat=True))
    documents: defaultdict[TopicUnit, list[JudgedDocument]] = defaultdict(list)
    for pk, document, topic, unit in pooled:
        places = {release.units.get(document, unit) for release in pair} if is_visual else {document}
        for place in places if pk in judged else ():
            documents[topic, place].append(JudgedDocument(pk, document))
    return {unit: documents[unit] for unit in units if unit in documents}


def instances_of(pair: Collection[Qrels], visual_ids: set[str]) -> Q:
    """Those that the pool, or one of the releases, has under these visual ids."""
    moved = {document for release in pair for document, unit in release.units.items() if unit in visual_ids}
    return Q(entry__unit_id__in=visual_ids) | Q(document__in=moved)


class RunChanges(NamedTuple):
    """The moves of the runs between the latest evaluations of two releases with the same mean. ``lacking``: the
    releases that have to be evaluated first, each with the mean that is needed."""

    moves: list[Move]
    lacking: list[tuple[Qrels, str]]

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(move.measure for move in self.moves))

    def of(self, measure: str) -> list[Move]:
        return [move for move in self.moves if move.measure == measure]


def run_changes(first: Qrels, second: Qrels) -> RunChanges:
    """Stored evaluations are compared; none is made."""
    before, after = (latest_by_options(release) for release in (first, second))
    common = [options for options in after if options in before]
    if common:
        return RunChanges(moves(means_of_runs(before[common[0]]), means_of_runs(after[common[0]])), [])
    average = next((options[0] for options in (*after, *before)), usual_average(second))
    averages = {release.pk: {options[0] for options in known} for release, known in ((first, before), (second, after))}
    lacking = [release for release in (first, second) if average not in averages[release.pk]]
    return RunChanges([], [(release, average) for release in lacking or (first, second)])


Options = tuple[str, str, str]
"""How an evaluation was made: the average, the gain and the order. The lowest relevant grade is the release's."""


def latest_by_options(release: Qrels) -> dict[Options, Evaluation]:
    """The latest evaluation with each of the options, the latest first."""
    latest: dict[Options, Evaluation] = {}
    for evaluation in release.evaluations.filter(level=release.protocol["level"]).order_by("-pk"):
        latest.setdefault((evaluation.average, evaluation.gain, evaluation.order), evaluation)
    return latest


def means_of_runs(evaluation: Evaluation) -> list[MeanScore]:
    """Under the present names of the runs."""
    names = dict(evaluation.campaign.runs.values_list("pk", "name"))
    return [MeanScore(names[row["run_id"]], row["measure"], row["value"], row["topics"]) for row in evaluation.means]
