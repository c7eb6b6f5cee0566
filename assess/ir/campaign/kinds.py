"""The kinds of documents that are judged: what differs between them, in one place."""

from dataclasses import dataclass
from typing import Literal

from assess.ir.common.rows import PoolTask

Average = Literal["qrels", "run"]
"""The topics of a mean: all of the qrels, where a missing one counts 0; or those for which the run has a value."""


@dataclass(frozen=True, kw_only=True)
class DocumentKind:
    """``instance``: the kind of each document in a pool; ``unit``: that of the lines of qrels; ``run_formats``: what
    runs can be in; ``average``: over which topics means are computed by default; ``letter``: of the labs' topic ids;
    ``made_format``: that of runs made here; ``post``: the kind of posts that are searched; ``baselines``: what can be
    made here (`services.runs.baselines`). ``has_threads``: documents stand in threads of posts; ``has_formulas``: they
    are formulas in such posts."""

    instance: str
    unit: str
    run_formats: frozenset[str]
    average: Average
    has_threads: bool = False
    has_formulas: bool = False
    letter: str = ""
    made_format: str = "task1"
    post: str = "answer"
    baselines: tuple[str, ...] = ("tfidf", "linked", "tuples")


KINDS: dict[PoolTask, DocumentKind] = {
    "answers": DocumentKind(
        instance="post",
        unit="post",
        run_formats=frozenset({"task1", "trec"}),
        average="qrels",
        has_threads=True,
        letter="A",
    ),
    "formulas": DocumentKind(
        instance="formula",
        unit="visual",
        run_formats=frozenset({"task2"}),
        average="run",
        has_threads=True,
        has_formulas=True,
        letter="B",
        made_format="task2",
        baselines=("formulas",),
    ),
    "documents": DocumentKind(
        instance="document",
        unit="document",
        run_formats=frozenset({"trec"}),
        average="qrels",
        made_format="trec",
        post="document",
        baselines=("documents",),
    ),
}
