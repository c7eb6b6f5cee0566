"""The version of the instructions by which a campaign's assessors judge."""

import json
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

from assess.ir.campaign.presets import Protocol
from assess.ir.campaign.words import GRADES, OUTCOME_LABELS, OUTCOME_MEANINGS, QUESTIONS, outcomes

MOST_RULINGS = 99_999
"""The most that a version counts."""


@lru_cache(maxsize=100)
def words_version(rules: Protocol, language: str = "en", translate: Callable[[str], str] = str) -> str:
    """Ten hexadecimal digits of the hash of question, grades, outcomes and guidelines, in the ``language`` into which
    ``translate`` puts them."""
    words = [
        translate(QUESTIONS[rules.task]),
        [(grade.grade, translate(grade.name), translate(grade.definition)) for grade in GRADES[rules.task]],
        [
            (translate(OUTCOME_LABELS[outcome]), translate(OUTCOME_MEANINGS[outcome]))
            for outcome in outcomes(rules.task)
        ],
        [translate(text) for text in rules.guidelines],
    ]
    return sha256(json.dumps(words).encode()).hexdigest()[:10]


def guide_version(words: str, rulings: int) -> str:
    """The version of the words and the number of rulings made for the topic by then, at most 99,999: "3fa9c1d20b.2".
    Superseded rulings count, so the number identifies the rulings that the assessor had been shown."""
    return f"{words}.{min(rulings, MOST_RULINGS)}"


def rulings_known(version: str) -> int:
    """The number of rulings made by then; 0 for an empty version, which is older than all of them."""
    return int(version.rpartition(".")[2] or 0)
