"""The version of the words by which a campaign's assessors judge."""

import json
from functools import lru_cache
from hashlib import sha256

from assess.ir.presets import GRADES, OUTCOME_LABELS, OUTCOME_MEANINGS, QUESTIONS, Protocol, outcomes


@lru_cache(maxsize=100)
def words_version(rules: Protocol) -> str:
    """Ten hexadecimal digits of the hash of question, grades, outcomes and guidelines, as assessors read them."""
    words = [
        QUESTIONS[rules.task],
        GRADES[rules.task],
        [(OUTCOME_LABELS[one], OUTCOME_MEANINGS[one]) for one in outcomes(rules.task)],
        rules.guidelines,
    ]
    return sha256(json.dumps(words).encode()).hexdigest()[:10]


def guide_version(rules: Protocol, rulings: int) -> str:
    """What stood beside an item: the version of the words, and how many rulings had been made for the topic, at most
    99,999: "3fa9c1d20b.2". Superseded rulings count, so the number tells which rulings held."""
    return f"{words_version(rules)}.{min(rulings, 99_999)}"
