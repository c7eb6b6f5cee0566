"""Regression on qrels: what a model is trained on, what it scores, and that it finds what is there."""

from typing import Any

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import Qrel
from assess.ir.runs.fusion.lists import Lists, stack
from assess.ir.runs.fusion.methods import method
from tests.ir.runs.fusion.lists import order_of, ranked

TOPICS = [f"A.{number}" for number in range(1, 7)]
GRADES = {"1": 3, "2": 2, "3": 1, "4": 0}


def lists(topics: list[str] = TOPICS) -> Lists:
    """The first run has the documents in the order of their grades, the second in the opposite order."""
    good = {doc: float(grade) for doc, grade in GRADES.items()}
    bad = {doc: -float(grade) for doc, grade in GRADES.items()}
    return stack([ranked("good", dict.fromkeys(topics, good)), ranked("bad", dict.fromkeys(topics, bad))])


def qrels(*topics: str) -> list[Qrel]:
    return [Qrel(topic, doc, grade) for topic in topics for doc, grade in GRADES.items()]


def models(*judged: str, **options: Any) -> list[dict[str, Any]]:
    fitted: list[dict[str, Any]] = method("regression", options, qrels(*judged)).fuse(lists()).facts["models"]
    return fitted


def test_it_trusts_the_run_that_agrees_with_the_qrels_by_the_normal_equations() -> None:
    fused = method("regression", {"folds": 3}, qrels(*TOPICS)).fuse(lists())
    assert order_of(fused) == ["1", "2", "3", "4"] * 6
    scores = fused.lines.filter(topic_id="A.1")["score"].to_list()
    assert scores == pytest.approx([3, 2, 1, 0], abs=1e-6)  # the grades are a linear function of the scores
    # Scores and ranks of one run are 0 for the documents of the other
    first = ranked("a", {topic: {"1": 4, "2": 3, "3": 0} for topic in ("A.1", "A.2")})
    second = ranked("b", {topic: {"4": 2, "5": 1} for topic in ("A.1", "A.2")})
    judged = [Qrel("A.1", doc, grade) for doc, grade in (("1", 3), ("2", 1), ("3", 0), ("4", 2), ("5", 0))]
    facts = method("regression", {"training": ["A.1"]}, judged).fuse(stack([first, second])).facts
    [model] = facts["models"]
    s1, r1, s2, r2 = model["weights"]
    intercept = model["intercept"]
    predicted = [intercept + s1 + r1, intercept + 0.75 * s1 + r1 / 2, intercept + r1 / 3]
    predicted += [intercept + s2 + r2, intercept + r2 / 2]
    assert predicted == pytest.approx([3, 1, 0, 2, 0], abs=1e-6)


def test_no_topic_is_scored_by_a_model_that_was_trained_on_it() -> None:
    fitted = models(*TOPICS[:5], folds=2)
    assert sorted(topic for model in fitted for topic in model["scored"]) == TOPICS
    for model in fitted:
        assert not set(model["training"]) & set(model["scored"])
        assert model["units"] == 4 * len(model["training"])
    assert {"training": TOPICS[:5], "scored": ["A.6"]}.items() <= fitted[-1].items()
    assert [len(model["scored"]) for model in models(*TOPICS, folds=99)] == [1] * 6
    assert models(*TOPICS, folds=2, seed=1) == models(*reversed(TOPICS), folds=2, seed=1)
    assert models(*TOPICS, folds=2, seed=1) != models(*TOPICS, folds=2, seed=2)
    [model] = models(*TOPICS, training=["A.2", "A.1"])
    assert (model["training"], model["scored"]) == (["A.1", "A.2"], TOPICS[2:])


@pytest.mark.parametrize(
    ("judged", "options", "reason"),
    [
        (["A.1"], {}, "fewer than two topics"),
        (["A.1", "A.2"], {"training": ["A.1", "A.3"]}, "no judged document for A.3"),
        (TOPICS, {"training": TOPICS}, "none is left to score"),
        (["B.1", "B.2"], {}, "fewer than two topics"),
    ],
)
def test_a_split_that_leaves_nothing_is_refused(judged: list[str], options: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        models(*judged, **options)


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("rrf", {"alpha": 0.5}, "rrf: alpha: leave it out; this method takes k"),
        ("rrf", {"k": -1}, r"k: a number from 0 to 1e\+09 is needed, found -1"),
        ("modified-rrf", {"k": float("nan")}, "k: a number from .* found nan"),
        ("interpolation", {"alpha": 1.5}, "alpha: a number from 0 to 1 is needed, found 1.5"),
        ("hybrid", {"top": 1001}, "top: a whole number from 1 to 1,000 is needed, found 1001"),
        ("regression", {"folds": 1}, "folds: a whole number from 2 to 1,000 is needed, found 1"),
        ("ensemble", {"last_key": "date"}, "last key: choose name or list, found 'date'"),
        ("sum", {"normalization": ""}, "normalization: choose min-max or none, found ''"),
    ],
)
def test_options_are_those_of_the_method_and_in_their_bounds(name: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        method(name, options)
