import pytest

from assess.ir.results.stability import AtSize, SwapStep, safe_difference, sizes_of, stability

CLEAR = {"best": {f"A.{n}": 0.5 for n in range(10)}, "last": {f"A.{n}": 0.4 for n in range(10)}}


def test_a_difference_that_is_the_same_on_all_topics_never_swaps() -> None:
    report = stability(CLEAR, 7)
    assert {size[1:] for size in report.sizes} == {(1.0, 1.0, 1.0, 0.0)}
    assert report.sizes[-1].topics == 5
    assert [step for step in report.steps if step.pairs] == [SwapStep(0.1, 0.11, 100, 0)]
    assert (report.topics, report.trials, report.safe, report.reason) == (10, 100, 0.1, "")


def test_runs_that_win_one_topic_each_always_swap() -> None:
    report = stability({"one": {"A.1": 0.9, "A.2": 0.0}, "other": {"A.1": 0.0, "A.2": 0.9}}, 7, trials=20)
    assert report.sizes == [AtSize(1, -1.0, -1.0, -1.0, 1.0)]
    assert report.steps[-1] == SwapStep(0.2, None, 20, 20)
    assert report.steps[-1].rate == 1.0
    assert report.safe is None


def test_ties_are_no_swaps_and_leave_tau_undefined() -> None:
    report = stability({"one": dict(CLEAR["best"]), "other": dict(CLEAR["best"])}, 7, trials=5)
    assert report.sizes[-1] == AtSize(5, None, None, None, 0.0)
    assert report.steps[0] == SwapStep(0.0, 0.01, 5, 0)


def test_the_seed_decides_and_the_order_of_runs_and_topics_does_not() -> None:
    values = {name: {f"A.{n}": (n * k % 7) / 7 for n in range(30)} for name, k in (("a", 1), ("b", 2), ("c", 3))}
    turned = {name: dict(reversed(row.items())) for name, row in reversed(values.items())}
    assert stability(values, 7) == stability(turned, 7) != stability(values, 8)


def test_a_run_counts_on_the_topics_that_it_has() -> None:
    values = CLEAR | {"short": {"A.0": 0.1}}
    report = stability(values, 7, trials=10)
    # short has a mean on one of two halves of five topics, so it is never compared
    assert {size[1:] for size in report.sizes} == {(1.0, 1.0, 1.0, 0.0)}
    assert report.sizes[-1].topics == 5
    assert sum(step.pairs for step in report.steps) == 10


@pytest.mark.parametrize(
    ("values", "reason"),
    [({}, "fewer than two runs"), ({"a": {"A.1": 1.0}, "b": {"A.1": 0.0}}, "fewer than two topics")],
)
def test_too_few_runs_or_topics_are_no_ranking(values: dict[str, dict[str, float]], reason: str) -> None:
    assert stability(values, 7).reason == reason


def test_sizes_go_up_to_half_of_the_topics() -> None:
    assert sizes_of(77) == [5, 9, 14, 19, 23, 28, 33, 38]
    assert sizes_of(9) == [1, 2, 3, 4]
    assert sizes_of(3) == [1]


def test_a_difference_is_safe_if_no_larger_one_errs_more_often() -> None:
    steps = [
        SwapStep(0.0, 0.1, 100, 50),
        SwapStep(0.1, 0.2, 100, 5),
        SwapStep(0.2, 0.3, 100, 6),
        SwapStep(0.3, None, 100, 0),
    ]
    assert safe_difference(steps) == 0.3
    assert safe_difference(steps[:2]) == 0.1
    assert safe_difference(steps[:1]) is None
    assert safe_difference([*steps[:2], SwapStep(0.2, None, 0, 0)]) == 0.1
