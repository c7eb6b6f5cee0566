"""The kinds of documents that are judged: what differs between them, in one place."""

from dataclasses import dataclass
from typing import Literal

from assess.ir.common.rows import PoolTask

Average = Literal["qrels", "run"]
"""The topics of a mean: all of the qrels, where a missing one counts 0; or those for which the run has a value."""


@dataclass(frozen=True, kw_only=True)
class DocumentKind:
    """``instance``: the kind of each document in a pool; ``unit``: that of the lines of qrels; ``run_formats``: what
    runs can be in, first those made here; ``average``: over which topics means are computed by default; ``letter``: of
    the labs' topic ids; ``post``: the kind of posts that are searched; ``baselines``: what can be made here
    (`services.runs.baselines`). ``has_threads``: documents stand in threads of posts; ``has_formulas``: they are
    formulas in such posts."""

    instance: str
    unit: str
    run_formats: tuple[str, ...]
    average: Average = "qrels"
    has_threads: bool = False
    has_formulas: bool = False
    letter: str = ""
    post: str = "answer"
    baselines: tuple[str, ...] = ("tfidf", "linked", "tuples")

    @property
    def made_format(self) -> str:
        return self.run_formats[0]


KINDS: dict[PoolTask, DocumentKind] = {
    "answers": DocumentKind(instance="post", unit="post", run_formats=("task1", "trec"), has_threads=True, letter="A"),
    "formulas": DocumentKind(
        instance="formula",
        unit="visual",
        run_formats=("task2",),
        average="run",
        has_threads=True,
        has_formulas=True,
        letter="B",
        baselines=("formulas",),
    ),
    "documents": DocumentKind(
        instance="document", unit="document", run_formats=("trec",), post="document", baselines=("documents",)
    ),
}
