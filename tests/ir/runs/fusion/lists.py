"""Short lists for the tests of fusion."""

from assess.ir.common.rows import Order, RunLine
from assess.ir.runs import ranking
from assess.ir.runs.fusion.lists import Fused, Lists, RankedList, stack

Scores = dict[str, float]


def ranked(
    name: str, topics: dict[str, Scores], order: Order = "score", units: dict[str, str] | None = None
) -> RankedList:
    """A list by topic, document and score; in the order given, for one that goes by rank."""
    rows = [
        RunLine(topic, doc, rank, score)
        for topic, scores in topics.items()
        for rank, (doc, score) in enumerate(scores.items(), start=1)
    ]
    return RankedList(name, ranking.resolve(ranking.order(ranking.as_lines(rows), order), units), order)


def one_topic(*scores: Scores) -> Lists:
    """Lists of a single topic, A.1."""
    return stack([ranked(f"run {number}", {"A.1": docs}) for number, docs in enumerate(scores)])


def order_of(fused: Fused, topic: str = "") -> list[str]:
    """The documents of a topic, or of all."""
    return [row[1] for row in fused.lines.select("topic_id", "doc_id").iter_rows() if topic in ("", row[0])]


def scores_of(fused: Fused) -> Scores:
    return {row[0]: row[1] for row in fused.lines.select("doc_id", "score").iter_rows()}
