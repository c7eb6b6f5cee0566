import pytest

from assess.ir.common.figures import percent


@pytest.mark.parametrize(
    ("part", "whole", "digits", "shown"),
    [
        (309, 310, 1, 99.7),  # 99.677
        (1, 127, 1, 0.8),  # 0.787
        (1, 16, 1, 6.3),  # 6.25
        (143, 1033, 0, 14.0),
        (310, 310, 1, 100.0),
        (0, 0, 1, 0.0),
        (99_999, 100_000, 0, 99.0),  # only the whole is a hundred percent
        (99_999, 100_000, 1, 99.9),
    ],
)
def test_percentages_are_rounded_half_up(part: int, whole: int, digits: int, shown: float) -> None:
    assert percent(part, whole, digits) == shown
