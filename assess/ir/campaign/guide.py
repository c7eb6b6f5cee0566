"""The version of the words by which a campaign's assessors judge."""

import json
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256

from assess.ir.campaign.presets import Protocol
from assess.ir.campaign.words import GRADES, OUTCOME_LABELS, OUTCOME_MEANINGS, QUESTIONS, outcomes

MOST_RULINGS = 99_999
"""The most that a version counts."""


@lru_cache(maxsize=100)
def words_version(rules: Protocol, language: str = "en", say: Callable[[str], str] = str) -> str:
    """Ten hexadecimal digits of the hash of question, grades, outcomes and guidelines, as assessors read them in the
    ``language`` into which ``say`` puts them."""
    words = [
        say(QUESTIONS[rules.task]),
        [(one.grade, say(one.name), say(one.definition)) for one in GRADES[rules.task]],
        [(say(OUTCOME_LABELS[one]), say(OUTCOME_MEANINGS[one])) for one in outcomes(rules.task)],
        [say(text) for text in rules.guidelines],
    ]
    return sha256(json.dumps(words).encode()).hexdigest()[:10]


def guide_version(words: str, rulings: int) -> str:
    """What stood beside an item: the version of the words, and how many rulings had been made for the topic, at most
    99,999: "3fa9c1d20b.2". Superseded rulings count, so the number tells which ones its assessor had been shown."""
    return f"{words}.{min(rulings, MOST_RULINGS)}"


def rulings_known(version: str) -> int:
    """How many rulings of the topic there were; 0 of an empty version, which is from before there were any."""
    return int(version.rpartition(".")[2] or 0)
