"""How a campaign pools, judges and selects topics: what differs between labs."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from assess.ir.campaign.kinds import KINDS, DocumentKind
from assess.ir.campaign.scale import LEAST_GRADE, MOST_GRADE, STEPS, Grade, Outcome, Words, refuse_scale
from assess.ir.common.options import option, options_in, wrong_value
from assess.ir.common.rows import CONTROL, PRIORITIES, PoolTask, Scale

InstanceRule = Literal["most_runs", "reciprocal_rank_vote"]
PoolRule = Literal["depth", "rank_by_rank", "votes"]
Unit = Literal["visual", "document"]
OfficialGrade = Literal["highest", "first", "sum"]

DEPTHS = ("primary_depth", "alternate_depth")
UNITS = ("pool_size",)
MOST_RULINGS = 99_999
"""The most that a version counts."""


def whole(default: int, label: str, help: str, least: int, most: int) -> Any:
    return option(int, default, label, help, least=least, most=most)


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """The rules of a campaign; frozen with its pool. The options without a label are edited in forms of their own."""

    preset: str
    task: PoolTask
    """What is judged: `assess.ir.campaign.kinds`."""
    edition: str = ""
    primary_depth: int = whole(20, "Primary depth", "Units pooled from each primary run.", 1, 1000)
    alternate_depth: int = whole(20, "Alternate depth", "Units pooled from each alternate run.", 1, 1000)
    priorities: int = whole(
        5,
        "Priorities",
        "Runs up to this priority are pooled: those with 1 to the primary depth, others to the alternate depth.",
        1,
        5,
    )
    pool_rule: PoolRule = option(
        str,
        "depth",
        "Pooling rule",
        "",
        choices={
            "depth": "To the depth of each run's role (ARQMath, NTCIR-12)",
            "rank_by_rank": "One rank at a time until a topic has enough units (NTCIR-10)",
            "votes": "The units with the most votes (NTCIR-11; our rule, the lab published none)",
        },
    )
    """How deep the lists are pooled: to the depth of the run's role; one rank at a time over all runs until a topic has
    ``pool_size`` units; or the ``pool_size`` units with the most votes."""
    pool_size: int = whole(0, "Units per topic", "", 0, 10_000)
    unit: Unit = option(
        str,
        "visual",
        "What counts as one formula",
        choices={"visual": "All formulas that look the same (ARQMath)", "document": "Each instance separately (NTCIR)"},
    )
    max_instances: int = whole(5, "Maximum of instances", "Judged for each formula.", 1, 1000)
    instance_rule: InstanceRule = option(
        str,
        "reciprocal_rank_vote",
        "Instance rule",
        "Which instances of a formula are judged.",
        choices={
            "reciprocal_rank_vote": "Highest sum of reciprocal ranks (ARQMath-2 and 3)",
            "most_runs": "Retrieved by the most runs (ARQMath-1)",
        },
    )
    written: bool = option(
        bool, False, "Written answers", "Task 3: answers written by systems are judged in the same pool."
    )
    assessors: int = whole(1, "Assessors of each topic", "How many people judge each topic in the main round.", 1, 20)
    official_grade: OfficialGrade = option(
        str,
        "highest",
        "Official grade",
        "If several judged a document: the settled grade, else what most say, else by this rule.",
        choices={"highest": "Highest", "first": "That of the first assessor", "sum": "Sum of two assessors (NTCIR)"},
    )
    level: int = whole(2, "Relevant from grade", "The lowest grade that is relevant.", LEAST_GRADE, MOST_GRADE)
    min_relevant: int = whole(
        2, "Minimum of relevant units", "Topics with fewer are left out of the qrels. 0 keeps all.", 0, 1000
    )
    words: Words = field(default_factory=Words)
    question: str = ""
    grades: tuple[Grade, ...] = ()
    """The scale, the highest grade first."""
    outcomes: tuple[Outcome, ...] = ()
    guidelines: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    """The official ones, the first one first; none for those of the application."""
    topic_fields: tuple[str, ...] = ()
    """The fields of topics that are shown beside title and body, in this order; none for all that there are."""
    folded_fields: tuple[str, ...] = ()
    """Those of them that stand folded."""

    @property
    def sizes(self) -> tuple[str, ...]:
        """The fields that set how much is pooled: the depths, or the number of units."""
        return DEPTHS if self.pool_rule == "depth" else UNITS

    @property
    def left_out(self) -> tuple[str, ...]:
        """The roles of runs that are not pooled."""
        return "none", *PRIORITIES[self.priorities :]

    @property
    def kind(self) -> DocumentKind:
        return KINDS[self.task]

    @property
    def run_formats(self) -> frozenset[str]:
        return frozenset(self.kind.run_formats) | ({"task3"} if self.written else frozenset())

    @property
    def has_visual_ids(self) -> bool:
        """Whether units are visually distinct formulas; otherwise each document is a unit."""
        return self.kind.has_formulas and self.unit == "visual"

    @cached_property
    def names(self) -> dict[str, str]:
        """What each grade and each outcome is called: "3" is "High"."""
        of_grades = {str(grade.value): grade.name for grade in self.grades}
        return of_grades | {each.word: each.name for each in self.outcomes}

    @cached_property
    def commented(self) -> frozenset[str]:
        return frozenset(each.word for each in self.outcomes if each.needs_comment)

    @property
    def values(self) -> tuple[int, ...]:
        """The grades, the highest first."""
        return tuple(grade.value for grade in self.grades)

    @property
    def scale(self) -> Scale:
        return Scale(self.values, self.level, self.relevant_label)

    @property
    def rule_of_grades(self) -> str:
        """Which grade counts of a document that several assessors judge; empty if one does."""
        return self.official_grade if self.assessors > 1 else ""

    @property
    def counted_values(self) -> tuple[int, ...]:
        """The grades that documents end up with, the highest first: those of the scale, or sums of two assessors."""
        return (4, 3, 2, 1, 0) if self.rule_of_grades == "sum" else self.values

    @property
    def least_positive(self) -> int:
        """The lowest grade above 0."""
        return min(value for value in self.values if value > 0)

    @property
    def relevant_label(self) -> str:
        return self.label_from(self.level)

    def label_from(self, level: int) -> str:
        """What the grades from a level up are called together: H+M; if they have no short names, "relevant" or, for
        another level than the protocol's, "grade 1+"."""
        shorts = [grade.short for grade in self.grades if grade.value >= level]
        return "+".join(shorts) if shorts and all(shorts) else "relevant" if level == self.level else f"grade {level}+"

    @property
    def partial_label(self) -> str:
        """What the grades above 0 that are not relevant are called together: L; empty if there are none."""
        partial = [grade for grade in self.grades if 0 < grade.value < self.level]
        shorts = [grade.short for grade in partial]
        return ("+".join(shorts) if all(shorts) else "lower grades") if partial else ""

    @property
    def ways_label(self) -> str:
        """What a comparison over all grades is called."""
        return f"{len(self.grades)}-way"

    def step(self, grade: int) -> int:
        """How far from 0 a grade is shown, in shade and shape: the highest `STEPS` above, the lowest as many below."""
        alike = sorted((value for value in self.values if value * grade > 0), key=abs)
        return round(STEPS * (alike.index(grade) + 1) / len(alike)) * (1 if grade > 0 else -1) if alike else 0

    def to_dict(self) -> dict[str, Any]:
        as_json: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return as_json

    @classmethod
    def from_dict(cls, rules: Mapping[str, Any]) -> "Protocol":
        """The inverse of ``to_dict``; what is missing has its default. Raises ``ValueError`` with the name of the wrong
        field."""
        for name in ("preset", "task"):
            if name not in rules:
                raise ValueError(f"{name}: missing")
        for name in rules:
            if name not in FIELDS:
                raise ValueError(f"{name}: no such field; the fields are {', '.join(sorted(FIELDS))}")
        values = {name: read(name, rules[name]) for name, read in READERS.items() if name in rules}
        values |= {name: rules[name] for name in rules if name not in READERS}
        refuse_impossible(values)
        made = cls(**values)
        refuse_contradiction(made)
        return made


FIELDS = frozenset(field.name for field in fields(Protocol))
OPTIONS = options_in(Protocol)
Row = TypeVar("Row", Grade, Outcome)


def values_of(kind: type, place: str, table: Any) -> dict[str, Any]:
    """The values for a dataclass. Raises ``ValueError`` with the place and the wrong key."""
    expected: dict[str, Any] = get_type_hints(kind)
    if not isinstance(table, Mapping):
        raise ValueError(f"{place}: a table is needed, with {', '.join(expected)}")
    for key in table:
        if key not in expected:
            raise ValueError(f"{place}: no such key {key}; the keys are {', '.join(expected)}")
    known = {key: each for key, each in table.items() if each is not None}
    for key, needed in expected.items():
        if key not in known and key in ("value", "word", "name"):
            raise ValueError(f"{place}: {key} is missing")
        if key in known and key != "reasons" and type(known[key]) not in (needed, *get_args(needed)):
            needs = {str: "a text", bool: "true or false"}.get(needed, "a whole number")
            raise ValueError(f"{place}: {key} must be {needs}, found {known[key]!r}")
    return known | ({"reasons": texts_of(place, known["reasons"])} if "reasons" in known else {})


def rows_of(kind: type[Row], name: str, tables: Any) -> tuple[Row, ...]:
    if not isinstance(tables, list | tuple):
        raise ValueError(f"{name}: a list of tables is needed, each with {', '.join(get_type_hints(kind))}")
    return tuple(kind(**values_of(kind, f"{name}[{place}]", each)) for place, each in enumerate(tables, start=1))


def texts_of(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{name}: a list of texts is needed")
    return tuple(value)


READERS: dict[str, Callable[[str, Any], Any]] = {
    "words": lambda name, value: Words.completed(values_of(Words, name, value)),
    "grades": lambda name, value: rows_of(Grade, name, value),
    "outcomes": lambda name, value: rows_of(Outcome, name, value),
    **dict.fromkeys(("guidelines", "measures", "topic_fields", "folded_fields"), texts_of),
}


def refuse_impossible(rules: Mapping[str, Any]) -> None:
    """Raises ``ValueError`` for the first field with an impossible value."""
    for name in ("preset", "edition", "question"):
        if not isinstance(rules.get(name, ""), str) or CONTROL.search(rules.get(name, "")):
            raise ValueError(f"{name}: a text is needed, found {rules[name]!r}")
    if not rules["preset"].strip():
        raise ValueError("preset: a text is needed, found an empty one")
    if rules["task"] not in [*KINDS]:
        raise ValueError(f"task: choose {' or '.join(KINDS)}, found {rules['task']!r}")
    for name, each in OPTIONS.items():
        if reason := wrong_value(each, rules.get(name, each.default)):
            raise ValueError(f"{name}: {reason}")


def refuse_contradiction(rules: Protocol) -> None:
    """Raises ``ValueError`` for the first field that the others don't allow."""
    if rules.pool_rule != "depth" and not rules.pool_size:
        raise ValueError(f"pool_rule: {rules.pool_rule} needs a pool_size, the number of units of each topic")
    refuse_scale(rules.grades, rules.level)
    words = [outcome.word for outcome in rules.outcomes]
    for word in words:
        if not word.isidentifier() or len(word) > 20 or words.count(word) > 1:
            raise ValueError(f"outcomes: {word!r} must be one word of at most 20 letters and underscores, once")
    for outcome in rules.outcomes:
        if outcome.qrels not in (None, 0):
            raise ValueError(f"outcomes: qrels of {outcome.word} is 0 or left out (unjudged), found {outcome.qrels}")
    if rules.official_grade == "sum" and rules.assessors > 2:
        raise ValueError(f"official_grade: the sum is that of two assessors, but assessors is {rules.assessors}")


@lru_cache(maxsize=100)
def words_version(rules: Protocol, language: str = "en", translate: Callable[[str], str] = str) -> str:
    """Ten hexadecimal digits of the hash of question, grades, outcomes and guidelines, in the ``language`` into which
    ``translate`` puts them."""
    texts = [
        translate(rules.question),
        [(grade.value, translate(grade.name), translate(grade.definition)) for grade in rules.grades],
        [(translate(outcome.name), translate(outcome.meaning)) for outcome in rules.outcomes],
        [translate(text) for text in rules.guidelines],
    ]
    return sha256(json.dumps(texts).encode()).hexdigest()[:10]


def guide_version(version: str, rulings: int) -> str:
    """The version of the words and the number of rulings made for the topic by then, at most 99,999: "3fa9c1d20b.2".
    Superseded rulings count, so the number identifies the rulings that the assessor had been shown."""
    return f"{version}.{min(rulings, MOST_RULINGS)}"


def rulings_known(version: str) -> int:
    """The number of rulings made by then; 0 for an empty version, which is older than all of them."""
    return int(version.rpartition(".")[2] or 0)
