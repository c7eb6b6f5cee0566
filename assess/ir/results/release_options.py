"""What a release of qrels is made of: which judgments, which topics, and how judgments become grades."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from assess.ir.common.rows import OUTCOMES
from assess.ir.results.retention import ADDITIONAL, KINDS, TEST

Judges = Literal["official", "adjudicated", "round", "assessor", "two_assessors"]
Aggregation = Literal["max", "mean", "min"]
JUDGES: tuple[Judges, ...] = get_args(Judges)
AGGREGATIONS: tuple[Aggregation, ...] = get_args(Aggregation)


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """The defaults give the official qrels: what the official assessors graded, without topics that were removed."""

    judges: Judges = "official"
    """Whose judgments: the official ones; these with grades that an expert settled in place of others (adjudicated);
    those of one round or of one assessor; or the sum of two assessors (NTCIR: relevant 2, partially relevant 1)."""
    round: int | None = None
    """The number of the round, from 1 in the order in which the rounds of the pool were opened."""
    assessor: str = ""
    """The user name of the one assessor."""
    excluded: tuple[str, ...] = ()
    """User names of assessors whose judgments do not count, sorted."""
    topics: tuple[str, ...] = (TEST, ADDITIONAL)
    """The kinds of topics that are released (`retention.KINDS`), in their order there."""
    min_relevant: int = 0
    """Topics with fewer relevant units are removed."""
    aggregation: Aggregation = "max"
    """The grade of a visually distinct formula from those of its instances: the highest (ARQMath), the mean, rounded
    half up, or the lowest."""
    outcomes_as_zero: tuple[str, ...] = ()
    """The outcomes that count as grade 0; with others the document is unjudged (ARQMath-1 to 3)."""
    written_outcomes_as_zero: tuple[str, ...] = OUTCOMES
    """The same for written answers, of which all count 0 (ARQMath-3)."""
    visual_ids: int | None = None
    """The number of the version of the visual ids; None for the one in force."""

    @property
    def is_sum(self) -> bool:
        """Whether grades are sums of two assessors, 0 to 4."""
        return self.judges == "two_assessors"

    def relevant_level(self, level: int) -> int:
        """The lowest relevant grade of the release, where the protocol says ``level``: 3 for sums (NTCIR)."""
        return SUM_LEVEL if self.is_sum else level

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> "ReleaseOptions":
        """The inverse of ``to_dict``; what is missing has its default. Raises ``ValueError`` naming the wrong field."""
        names = {field.name for field in fields(cls)}
        for name in options:
            if name not in names:
                raise ValueError(f"{name}: no such option; the options are {', '.join(sorted(names))}")
        check(options)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
        }
        return cls(**values)


SUM_LEVEL = 3
CHOICES: dict[str, tuple[str, ...]] = {"judges": JUDGES, "aggregation": AGGREGATIONS}
SUBSETS: dict[str, tuple[str, ...]] = {
    "topics": tuple(KINDS),
    "outcomes_as_zero": OUTCOMES,
    "written_outcomes_as_zero": OUTCOMES,
}


def check(options: Mapping[str, Any]) -> None:
    """Raises ``ValueError`` for the first option with an impossible value."""
    for name, choices in CHOICES.items():
        if name in options and options[name] not in choices:
            raise ValueError(f"{name}: choose {' or '.join(choices)}, found {options[name]!r}")
    for name, choices in SUBSETS.items():
        wrong = [value for value in options.get(name, ()) if value not in choices]
        if wrong:
            raise ValueError(f"{name}: choose among {', '.join(choices)}, found {wrong[0]!r}")
    if "topics" in options and not options["topics"]:
        raise ValueError("topics: choose at least one kind of topics")
    least = options.get("min_relevant", 0)
    if type(least) is not int or least < 0:
        raise ValueError(f"min_relevant: a whole number is needed, 0 or more, found {least!r}")
    check_together(options)


def check_together(options: Mapping[str, Any]) -> None:
    """Options that depend on each other: a round and an assessor are named if, and only if, they are asked for."""
    judges = options.get("judges", "official")
    if (judges == "round") != (options.get("round") is not None):
        raise ValueError("round: name one if the judgments of one round are released, and only then")
    if (judges == "assessor") != bool(options.get("assessor")):
        raise ValueError("assessor: name one if the judgments of one assessor are released, and only then")
