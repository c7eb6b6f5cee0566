"""A single formula that represents a question, for engines that search by formula only."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from assess.ir.collection.html import formulas
from assess.ir.common.ids import tie_break
from assess.ir.common.rows import TopicRow
from assess.ir.formulas.layout import walk
from assess.ir.formulas.slt import NoTree, from_latex

HEADER = ("id", "topic_id", "thread_id", "type", "formula")
"""The columns of the labs' files of topic formulas. The thread of a topic is unknown here, so it stays empty."""


class QueryFormula(NamedTuple):
    """The formula chosen for a topic. ``kind``: title or question; ``nodes``: the nodes of its Symbol Layout Tree."""

    topic_id: str
    formula_id: str
    kind: str
    latex: str
    nodes: int


def tree_size(latex: str) -> int:
    """The nodes of the Symbol Layout Tree; 0 for LaTeX that cannot be parsed."""
    try:
        return sum(1 for _ in walk(from_latex(latex)))
    except NoTree:
        return 0


def choose_formulas(
    topics: Iterable[TopicRow], seed: int, nodes: Callable[[str], int] = tree_size
) -> list[QueryFormula]:
    """A formula for each topic that has any: from the title if possible, else from the body; the one with the most
    nodes, ties broken at random (ARQMath-3 overview, 4.3, Tangent-S).

    ``topics``: title and body are canonical HTML. The choice depends on the seed and the topic, not on other topics.
    """
    return [chosen for topic in topics if (chosen := of_topic(topic, nodes, seed))]


def of_topic(topic: TopicRow, nodes: Callable[[str], int], seed: int) -> QueryFormula | None:
    for kind, html in (("title", topic.title), ("question", topic.body)):
        candidates = [
            QueryFormula(topic.topic_id, formula_id, kind, latex, nodes(latex))
            for formula_id, latex in formulas(html)
            if latex.strip()
        ]
        if candidates:
            return min(
                candidates, key=lambda formula: (-formula.nodes, tie_break(seed, topic.topic_id, formula.formula_id))
            )
    return None


def query_file(chosen: Iterable[QueryFormula]) -> str:
    """The formulas as the labs publish those of topics: tab-separated, with a header. White space in LaTeX becomes
    one space, so that each formula fits on a line."""
    rows = [(query.formula_id, query.topic_id, "", query.kind, " ".join(query.latex.split())) for query in chosen]
    return "".join("\t".join(row) + "\n" for row in (HEADER, *rows))
