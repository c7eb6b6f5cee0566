"""What a release of qrels is made of: which judgments, which topics, and how judgments become grades."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assess.ir.common.options import option, options_in, wrong_value
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


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions:
    """The defaults give the official qrels: what the official assessors graded, without topics that were removed. Form,
    check, words, API and command line of each option come from here."""

    judges: str = option(str, "official", "Whose judgments", choices=JUDGES)
    """With settled grades: those that an expert settled replace the official ones. Sum: relevant 2, partially 1."""
    round: int | None = option(int, None, "Round", "For one round.", least=1, most=10_000)
    """Its number, from 1 in the order in which the rounds of the pool were opened."""
    assessor: str = option(str, "", "Assessor", "For one assessor.")
    excluded: tuple[str, ...] = option(str, (), "Leave out the judgments of", is_list=True)
    """User names, sorted."""
    topics: tuple[str, ...] = option(
        str,
        (TEST, ADDITIONAL),
        "Kinds of topics",
        "The labs publish test topics in one file, additional and removed ones in another.",
        choices=KINDS,
        least=1,
        is_list=True,
    )
    """In the order of `KINDS`."""
    min_relevant: int = option(
        int,
        0,
        "Minimum of relevant units per topic",
        "Topics with fewer are removed. 0 keeps all judged topics.",
        least=0,
        most=10_000,
    )
    """The labs' rule since ARQMath-2 is two, for answers (71 of 81 topics stay) and formulas (58 of 60); ARQMath-3
    removes A.335 and A.367, with one relevant answer each, and no formula topic. Without a relevant unit a topic cannot
    distinguish systems; one makes MAP' coarse. ARQMath-1 states no rule: all its topics stay, also B.32 with one
    relevant visual id (of V3)."""
    aggregation: str = option(str, "max", "Grade of a formula, from its instances", choices=AGGREGATIONS)
    """ARQMath takes the highest."""
    outcomes_as_zero: tuple[str, ...] = option(str, (), "Counted as grade 0", is_list=True)
    """With other outcomes the document is unjudged (ARQMath-1 to 3)."""
    written_outcomes_as_zero: tuple[str, ...] = option(str, OUTCOMES, "Written answers, grade 0", is_list=True)
    """Of written answers all outcomes count 0 (ARQMath-3)."""
    visual_ids: int | None = option(
        int, None, "Visual ids", "Formulas count under the visual ids of this version.", least=0, most=2**31 - 1
    )
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
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> "ReleaseOptions":
        """The inverse of ``to_dict``; what is missing has its default. Raises ``ValueError``, beginning with the name
        of an option that is none, has an impossible value, or lacks another one: round and assessor are named if, and
        only if, they are asked for."""
        for name, value in options.items():
            if name not in OPTIONS:
                raise ValueError(f"{name}: no such option; the options are {', '.join(sorted(OPTIONS))}")
            if reason := wrong_value(OPTIONS[name], value):
                raise ValueError(f"{name}: {reason}")
        given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in options.items()}
        made = cls(**given)
        for name in ("round", "assessor"):
            if (made.judges == name) != (getattr(made, name) not in (None, "")):
                instead = f"no {name}, or release the judgments of one {name}"
                raise ValueError(f"{name}: choose {f'the {name}' if made.judges == name else instead}.")
        return made

    def in_words(self, name: str) -> str:
        """The value of an option as its choices call it; of one round or one assessor also which."""
        value, labels = getattr(self, name), OPTIONS[name].choices
        words = [labels.get(part, part) for part in (value if OPTIONS[name].is_list else [value])]
        if name.endswith("as_zero"):  # words of outcomes
            words = [word.replace("_", " ").capitalize() for word in words]
        which = self.assessor or (f"number {self.round}" if self.round else "")
        return ", ".join(words) + (f": {which}" if name == "judges" and which else "")


OPTIONS = options_in(ReleaseOptions)


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
