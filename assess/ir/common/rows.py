"""The rows that pass between the steps of a campaign, and their ids: text (``A.301`` is not a number), which becomes
part of addresses and of tab-separated files."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeVar

Key = TypeVar("Key")
Part = TypeVar("Part")
Value = TypeVar("Value")

PoolTask = Literal["answers", "formulas", "documents"]
Task = Literal["answers", "formulas", "documents", "written"]
PoolRole = Literal["primary", "alternate", "none", "1", "2", "3", "4", "5"]
"""The digits are priorities, which teams give to their runs."""
PRIORITIES = ("1", "2", "3", "4", "5")
Order = Literal["score", "rank"]

OUTCOMES = SYSTEM_FAILURE, DO_NOT_KNOW, NOT_MATCHING = ("system_failure", "do_not_know", "not_matching")
GRADES = (3, 2, 1, 0)
RELEVANT = 2
"""The lowest relevant grade unless a protocol says otherwise: high and medium are relevant (H+M)."""


class Scale(NamedTuple):
    """The grades of a campaign, the highest first, the lowest relevant one, and what the relevant ones are called
    together."""

    values: tuple[int, ...] = GRADES
    level: int = RELEVANT
    relevant: str = "relevance"


LABS = Scale()
LONGEST_TEXT = 1_000_000
"""The most characters of the HTML of a post, comment or topic; those of the labs have up to some 100,000."""
LONGEST_ID, LONGEST_NAME = 200, 120
"""The most characters of an id, and of the name of a campaign, collection, run, team or author."""


class TopicRow(NamedTuple):
    """A topic of the lab's file; ``title`` and ``body`` are its HTML, not yet sanitized, and so are ``fields``, its
    other texts by name."""

    topic_id: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    formula_id: str = ""
    latex: str = ""
    fields: Mapping[str, str] = MappingProxyType({})


class PostRow(NamedTuple):
    """A question or an answer of a collection; ``thread_id`` is the id of the question. Or a document of another one,
    which is a thread of its own; ``url`` and ``language`` (of BCP 47) may be empty."""

    post_id: str
    kind: Literal["question", "answer", "document"]
    thread_id: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    score: int | None = None
    created: str = ""
    owner: str = ""
    accepted_id: str = ""
    url: str = ""
    language: str = ""


class CommentRow(NamedTuple):
    comment_id: str
    post_id: str
    text: str
    score: int | None = None
    created: str = ""
    owner: str = ""


class FormulaRow(NamedTuple):
    """One formula instance of a collection. ``visual_id`` is empty in V1 of the index. A spurious one is in no post."""

    formula_id: str
    post_id: str
    thread_id: str
    kind: str
    visual_id: str
    latex: str
    comment_id: str = ""
    issue: str = ""
    spurious: bool = False


class RunLine(NamedTuple):
    """One line of a run file. ``text`` is the written answer of Task 3."""

    topic_id: str
    doc_id: str
    rank: int
    score: float
    tag: str = ""
    post_id: str = ""
    text: str = ""


class Qrel(NamedTuple):
    """A judged unit: (topic, unit, grade)."""

    topic_id: str
    unit_id: str
    grade: int


class PoolLine(NamedTuple):
    """One document to judge. ``votes``: the sum of reciprocal ranks over the whole lists of all pooled runs."""

    topic_id: str
    unit_id: str
    doc_id: str
    votes: float
    runs: int


class JudgmentRow(NamedTuple):
    """One assessor's decision on one document: a grade 0-3, or an outcome and no grade. Judgments are compared within
    their ``round``; ``week`` is that of the decision, as in 2022-W07. Both may be empty."""

    assessor: str
    topic_id: str
    unit_id: str
    doc_id: str
    grade: int | None
    outcome: str = ""
    round: str = ""
    week: str = ""

    @property
    def decision(self) -> str:
        return self.outcome if self.grade is None else str(self.grade)


class SourceRow(NamedTuple):
    """A judgment made elsewhere of a document or unit. ``labeller``: who or what judged, may be empty."""

    topic_id: str
    item_id: str
    grade: int | None
    outcome: str = ""
    labeller: str = ""
    comment: str = ""


class ScoreRow(NamedTuple):
    """The value of a measure for a run on a topic."""

    run: str
    topic_id: str
    measure: str
    value: float


class MeanScore(NamedTuple):
    """The mean of a measure over ``topics`` topics."""

    run: str
    measure: str
    value: float
    topics: int


CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NEVER = re.compile(r"[\x00\ud800-\udfff]")
"""What no text can hold: PostgreSQL refuses NUL and half surrogates, which JSON can have."""


def wrong_id(text: str) -> str:
    """Why a text cannot be an id, to follow "the id"; empty if it can."""
    if not text:
        return "is empty"
    if len(text) > LONGEST_ID:
        return f"has {len(text):,} characters, at most {LONGEST_ID} are allowed"
    if CONTROL.search(text) or NEVER.search(text):
        return "contains a control character, such as NUL or a line break"
    return ""


def natural(text: str) -> list[tuple[int, str]]:
    """A key for sorting: numbers in ids by value, so that A.2 comes before A.100."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", text)]


def abbreviated(ids: Sequence[str]) -> str:
    """The first five ids or names."""
    return ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")


def tie_break(seed: int, topic_id: str, doc_id: str) -> bytes:
    """A sort key by which ties are broken at random, but in the same way on every machine."""
    return sha256(f"{seed}\t{topic_id}\t{doc_id}".encode()).digest()


def grouped(pairs: Iterable[tuple[Key, Value]]) -> defaultdict[Key, list[Value]]:
    """The values of each key, in their order."""
    groups: defaultdict[Key, list[Value]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups


def nested(triples: Iterable[tuple[Key, Part, Value]]) -> defaultdict[Key, dict[Part, Value]]:
    """The values of each key by part; of those with the same part, the last."""
    table: defaultdict[Key, dict[Part, Value]] = defaultdict(dict)
    for key, part, value in triples:
        table[key][part] = value
    return table
