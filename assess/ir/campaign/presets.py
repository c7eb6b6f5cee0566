"""Protocols of the ARQMath and NTCIR labs, and the version of the instructions by which their assessors judge.

Depths and rules: B. Mansouri et al., overviews of ARQMath-1 (CLEF 2020), ARQMath-2 (CLEF 2021) and ARQMath-3
(CLEF 2022); for NTCIR-10 to 12 B. Mansouri's dissertation (2022), section 3.1.2.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, get_args

from assess.ir.campaign import words
from assess.ir.common.rows import RELEVANT

PoolTask = Literal["answers", "formulas"]
InstanceRule = Literal["most_runs", "reciprocal_rank_vote"]
PoolRule = Literal["depth", "rank_by_rank", "votes"]
Unit = Literal["visual", "document"]

DEPTHS = ("primary_depth", "alternate_depth")
UNITS = ("pool_size",)


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How a campaign pools, judges and selects topics; frozen with the pool."""

    preset: str
    edition: str
    task: PoolTask
    primary_depth: int
    """Units pooled from each list of a primary run; likewise ``alternate_depth``."""
    alternate_depth: int
    max_instances: int = 5
    """The most documents judged of each unit."""
    instance_rule: InstanceRule = "reciprocal_rank_vote"
    """Which documents of a unit: those with the most votes, or from the most runs."""
    pool_rule: PoolRule = "depth"
    """How deep the lists are pooled: to the depth of the run's role; one rank at a time over all runs until a topic has
    ``pool_size`` units; or the ``pool_size`` units with the most votes."""
    pool_size: int = 0
    """Units per topic, for the rules that need it."""
    unit: Unit = "visual"
    """What counts as one formula: all that look the same, or each formula of each document separately (NTCIR)."""
    written: bool = False
    """Written answers (Task 3) are judged in the same pool."""
    level: int = RELEVANT
    """The lowest grade that is relevant."""
    min_relevant: int = 2
    """Topics with fewer relevant units are not used."""
    guidelines: tuple[str, ...] = ()

    @property
    def sizes(self) -> tuple[str, ...]:
        """The fields that set how much is pooled: the depths, or the number of units."""
        return DEPTHS if self.pool_rule == "depth" else UNITS

    @property
    def has_visual_ids(self) -> bool:
        """Whether units are visually distinct formulas; otherwise each document is a unit."""
        return self.task == "formulas" and self.unit == "visual"

    @property
    def changes(self) -> list[str]:
        """What differs from the preset, in words."""
        preset = PRESETS.get(self.preset, self)
        names = [field.name for field in fields(self) if getattr(self, field.name) != getattr(preset, field.name)]
        values = ((name.replace("_", " "), getattr(self, name), getattr(preset, name)) for name in names)
        return [name if name == "guidelines" else f"{name} {value}, not {usual}" for name, value, usual in values]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"guidelines": list(self.guidelines)}

    @classmethod
    def from_dict(cls, rules: Mapping[str, Any]) -> "Protocol":
        """The inverse of ``to_dict``. Raises ``ValueError`` with the name of the wrong field."""
        required = ("preset", "edition", "task", *DEPTHS)
        for name in required:
            if name not in rules:
                raise ValueError(f"{name}: missing")
        for name in rules:
            if name not in FIELDS:
                raise ValueError(f"{name}: no such field; the fields are {', '.join(sorted(FIELDS))}")
        refuse_impossible(rules)
        return cls(**{**rules, "guidelines": tuple(rules.get("guidelines", ()))})


FIELDS = frozenset(field.name for field in fields(Protocol))
CHOICES: dict[str, tuple[str, ...]] = {
    "task": get_args(PoolTask),
    "instance_rule": get_args(InstanceRule),
    "pool_rule": get_args(PoolRule),
    "unit": get_args(Unit),
}
DEPTH = (1, 1000)
RANGES = {"primary_depth": DEPTH, "alternate_depth": DEPTH, "max_instances": DEPTH, "pool_size": (0, 10_000)}
RANGES |= {"level": (1, 3), "min_relevant": (0, 1000)}
"""The least and the greatest value of each number."""


def refuse_impossible(rules: Mapping[str, Any]) -> None:
    """Raises ``ValueError`` for the first field with an impossible value."""
    for name in ("preset", "edition"):
        if not isinstance(rules[name], str) or not rules[name].strip():
            raise ValueError(f"{name}: a text is needed, found {rules[name]!r}")
    for name, choices in CHOICES.items():
        if name in rules and rules[name] not in choices:
            raise ValueError(f"{name}: choose {' or '.join(choices)}, found {rules[name]!r}")
    for name, (least, most) in RANGES.items():
        value = rules.get(name, least)
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{name}: a whole number from {least} to {most} is needed, found {value!r}")
    if not isinstance(rules.get("written", False), bool):
        raise ValueError(f"written: true or false is needed, found {rules['written']!r}")
    guidelines = rules.get("guidelines", ())
    if not isinstance(guidelines, list | tuple) or not all(isinstance(text, str) for text in guidelines):
        raise ValueError("guidelines: a list of texts is needed")
    if rules.get("pool_rule", "depth") != "depth" and not rules.get("pool_size"):
        raise ValueError(f"pool_rule: {rules['pool_rule']} needs a pool_size, the number of units of each topic")


def arqmath(edition: int, task: PoolTask, primary: int, alternate: int, *added: str, **rules: Any) -> Protocol:
    """A protocol of ARQMath; ``added`` are appended to the guidelines of the task."""
    guidelines = words.ANSWER_GUIDELINES if task == "answers" else words.FORMULA_GUIDELINES
    return Protocol(
        preset=f"arqmath{edition}-task{1 if task == 'answers' else 2}",
        edition=f"ARQMath-{edition}",
        task=task,
        primary_depth=primary,
        alternate_depth=alternate,
        guidelines=(*guidelines, *added),
        **rules,
    )


def ntcir(name: str, edition: str, task: PoolTask, depth: int = 1, **rules: Any) -> Protocol:
    """A protocol of NTCIR, which had one role of runs and judged each formula of each document separately. NTCIR-11
    published only that 50 units of the union were chosen; choosing them by votes is our rule."""
    return Protocol(
        preset=name,
        edition=edition,
        task=task,
        primary_depth=depth,
        alternate_depth=depth,
        max_instances=1,
        unit="document",
        guidelines=words.FORMULA_GUIDELINES if task == "formulas" else words.ANSWER_GUIDELINES,
        **rules,
    )


PRESETS: dict[str, Protocol] = {
    protocol.preset: protocol
    for protocol in (
        arqmath(1, "answers", 50, 20, min_relevant=0),
        arqmath(1, "formulas", 25, 10, words.SAME_IS_HIGH, instance_rule="most_runs", min_relevant=0),
        arqmath(2, "answers", 45, 15),
        arqmath(2, "formulas", 20, 10, words.SAME_BY_CONTEXT),
        arqmath(3, "answers", 45, 20, words.PARTS, written=True),
        arqmath(3, "formulas", 25, 15, words.SAME_BY_CONTEXT),
        ntcir("ntcir10-formula", "NTCIR-10", "formulas", pool_rule="rank_by_rank", pool_size=100),
        ntcir("ntcir10-text", "NTCIR-10", "answers", pool_rule="rank_by_rank", pool_size=100),
        ntcir("ntcir11-main", "NTCIR-11", "answers", pool_rule="votes", pool_size=50),
        ntcir("ntcir12-formula", "NTCIR-12", "formulas", depth=20),
        ntcir("ntcir12-text", "NTCIR-12", "answers", depth=20),
    )
}
MOST_RULINGS = 99_999
"""The most that a version counts."""


@lru_cache(maxsize=100)
def words_version(rules: Protocol, language: str = "en", translate: Callable[[str], str] = str) -> str:
    """Ten hexadecimal digits of the hash of question, grades, outcomes and guidelines, in the ``language`` into which
    ``translate`` puts them."""
    texts = [
        translate(words.QUESTIONS[rules.task]),
        [(grade.grade, translate(grade.name), translate(grade.definition)) for grade in words.GRADES[rules.task]],
        [
            (translate(words.OUTCOME_LABELS[outcome]), translate(words.OUTCOME_MEANINGS[outcome]))
            for outcome in words.outcomes(rules.task)
        ],
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
