"""One formula that stands for a question, for engines that search with a formula alone."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from assess.ir.collection.html import formulas
from assess.ir.common.rows import TopicRow
from assess.ir.common.tie_break import tie_break
from assess.ir.formulas.slt import NoTree, from_latex, walk

HEADER = ("id", "topic_id", "thread_id", "type", "formula")
"""The columns of the labs' files of topic formulas; the thread of a topic is not known here and stays empty."""


class QueryFormula(NamedTuple):
    """The formula chosen for a topic. ``kind``: where it stands, title or question; ``nodes``: the nodes of its
    Symbol Layout Tree."""

    topic_id: str
    formula_id: str
    kind: str
    latex: str
    nodes: int


def tree_size(latex: str) -> int:
    """The nodes of the Symbol Layout Tree; 0 where the LaTeX makes none."""
    try:
        return sum(1 for _ in walk(from_latex(latex)))
    except NoTree:
        return 0


def choose(topics: Iterable[TopicRow], seed: int, nodes: Callable[[str], int] = tree_size) -> list[QueryFormula]:
    """One formula for each topic that has any: from the title if there is one, else from the body; among several the
    one with the most nodes, among equals by chance (ARQMath-3 overview, 4.3, Tangent-S).

    ``topics``: title and body are canonical HTML. The choice for a topic depends on the seed and the topic, not on the
    other topics.
    """
    return [found for topic in topics if (found := of_topic(topic, nodes, seed))]


def of_topic(topic: TopicRow, nodes: Callable[[str], int], seed: int) -> QueryFormula | None:
    for kind, html in (("title", topic.title), ("question", topic.body)):
        there = [(formula_id, latex) for formula_id, latex in formulas(html) if latex.strip()]
        found = [QueryFormula(topic.topic_id, formula_id, kind, latex, nodes(latex)) for formula_id, latex in there]
        if found:
            return min(found, key=lambda one: (-one.nodes, tie_break(seed, topic.topic_id, one.formula_id)))
    return None


def query_file(chosen: Iterable[QueryFormula]) -> str:
    """The choice as the labs publish the formulas of topics, tab-separated with a header; white space in LaTeX becomes
    one space, since a line is a formula."""
    rows = [(one.formula_id, one.topic_id, "", one.kind, " ".join(one.latex.split())) for one in chosen]
    return "".join("\t".join(row) + "\n" for row in (HEADER, *rows))
