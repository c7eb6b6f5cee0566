"""What a release of qrels is made of: which judgments, which topics, and how judgments become grades."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from assess.ir.common.rows import OUTCOMES

TEST, ADDITIONAL, REMOVED = "test", "additional", "removed"
KINDS = {TEST: "Test", ADDITIONAL: "Additional", REMOVED: "Removed"}
"""Additional topics are judged for training systems, besides the test set or after it (ARQMath-2)."""

JUDGES = {
    "official": "Official judgments",
    "adjudicated": "Official judgments, with settled grades",
    "round": "One round",
    "assessor": "One assessor",
    "two_assessors": "Sum of two assessors, 0 to 4",
}
AGGREGATIONS = {"max": "Highest", "mean": "Mean, rounded half up", "min": "Lowest"}


def option(default: Any, label: str, help_text: str = "", choices: Mapping[str, str] | None = None) -> Any:
    """A field with what forms and pages say of it. ``choices``: the label of each possible value, or part of it."""
    return field(default=default, metadata={"label": label, "help_text": help_text, "choices": choices or {}})


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """The defaults give the official qrels: what the official assessors graded, without topics that were removed. From
    here come form, check and words of each option."""

    judges: str = option("official", "Whose judgments", choices=JUDGES)
    """With settled grades: those that an expert settled replace the official ones. Sum: relevant 2, partially 1."""
    round: int | None = option(None, "Round", "For one round.")
    """Its number, from 1 in the order in which the rounds of the pool were opened."""
    assessor: str = option("", "Assessor", "For one assessor.")
    excluded: tuple[str, ...] = option((), "Leave out the judgments of")
    """User names, sorted."""
    topics: tuple[str, ...] = option(
        (TEST, ADDITIONAL),
        "Kinds of topics",
        "The labs publish test topics in one file, additional and removed ones in another.",
        KINDS,
    )
    """In the order of `KINDS`."""
    min_relevant: int = option(
        0, "Minimum of relevant units per topic", "Topics with fewer are removed. 0 keeps all judged topics."
    )
    """The labs' rule since ARQMath-2 is two, for answers (71 of 81 topics stay) and formulas (58 of 60); ARQMath-3
    removes A.335 and A.367, with one relevant answer each, and no formula topic. Without a relevant unit a topic cannot
    distinguish systems; one makes MAP' coarse. ARQMath-1 states no rule: all its topics stay, also B.32 with one
    relevant visual id (of V3)."""
    aggregation: str = option("max", "Grade of a formula, from its instances", choices=AGGREGATIONS)
    """ARQMath takes the highest."""
    outcomes_as_zero: tuple[str, ...] = option((), "Counted as grade 0")
    """With other outcomes the document is unjudged (ARQMath-1 to 3)."""
    written_outcomes_as_zero: tuple[str, ...] = option(OUTCOMES, "Written answers, grade 0")
    """Of written answers all outcomes count 0 (ARQMath-3)."""
    visual_ids: int | None = option(None, "Visual ids", "Formulas count under the visual ids of this version.")
    """The number of the version; None for the one in force."""

    @property
    def is_sum(self) -> bool:
        """Whether sums of any two assessors were asked for, 0 to 4."""
        return self.judges == "two_assessors"

    def rule_of_grades(self, of_protocol: str) -> str:
        """By which rule the judgments of a document count (`aggregation.counted_rows`), where the protocol has this one
        for several official judgments; empty if only one can count."""
        if self.is_sum:
            return "sum"
        return of_protocol if self.judges in ("official", "adjudicated") else ""

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> "ReleaseOptions":
        """The inverse of ``to_dict``; what is missing has its default. Raises ``ValueError`` naming the wrong field."""
        check_options(options)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
        }
        return cls(**values)

    def in_words(self, name: str) -> str:
        """The value of an option as its choices call it; of one round or one assessor also which."""
        labels = OPTIONS[name]["choices"]
        words = [labels.get(value, value) for value in values_of(getattr(self, name))]
        if name.endswith("as_zero"):  # words of outcomes
            words = [word.replace("_", " ").capitalize() for word in words]
        which = self.assessor or (f"number {self.round}" if self.round else "")
        return ", ".join(words) + (f": {which}" if name == "judges" and which else "")


OPTIONS: dict[str, Mapping[str, Any]] = {each.name: each.metadata for each in fields(ReleaseOptions)}
"""What is said of each option, by its name."""


def values_of(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def check_options(options: Mapping[str, Any]) -> None:
    """Raises ``ValueError`` for the first option that is none, has an impossible value, or lacks another one: a round
    and an assessor are named if, and only if, they are asked for."""
    for name, value in options.items():
        if name not in OPTIONS:
            raise ValueError(f"{name}: no such option; the options are {', '.join(sorted(OPTIONS))}")
        choices = OPTIONS[name]["choices"]
        if wrong := [each for each in values_of(value) if choices and each not in choices]:
            raise ValueError(f"{name}: choose among {', '.join(choices)}, found {wrong[0]!r}")
    if "topics" in options and not options["topics"]:
        raise ValueError("topics: choose at least one kind of topics")
    least = options.get("min_relevant", 0)
    if type(least) is not int or least < 0:
        raise ValueError(f"min_relevant: a whole number is needed, 0 or more, found {least!r}")
    judges = options.get("judges", "official")
    for name in ("round", "assessor"):
        if (judges == name) != (options.get(name) not in (None, "")):
            raise ValueError(f"{name}: name one if the judgments of one {name} are released, and only then")


def kinds_of_judged(
    judged: Iterable[str], relevant: Mapping[str, int], min_relevant: int, chosen: Mapping[str, str]
) -> dict[str, str]:
    """The kind of each judged topic, sorted by topic: by the rule, unless the organizers have chosen one. ``relevant``
    counts the relevant units of each topic."""
    of_rule = {topic: TEST if relevant.get(topic, 0) >= min_relevant else REMOVED for topic in sorted(set(judged))}
    return {topic: chosen.get(topic) or kind for topic, kind in of_rule.items()}


def removed(
    judged: Iterable[str], relevant: Mapping[str, int], min_relevant: int, chosen: Mapping[str, str]
) -> list[str]:
    """The judged topics that the rule or the organizers remove, sorted."""
    kinds = kinds_of_judged(judged, relevant, min_relevant, chosen)
    return [topic for topic, kind in kinds.items() if kind == REMOVED]
