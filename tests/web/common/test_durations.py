import pytest

from assess.web.common.durations import about_duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (5, "about 1 min"),
        (200, "about 3 min"),
        (12 * 60, "about 10 min"),
        (58 * 60, "about 1 h"),
        (62 * 60, "about 1 h"),
        (128 * 60, "about 2 h 10 min"),
        (40 * 3600, "about 40 h"),
    ],
)
def test_estimates_are_rounded_coarsely(seconds: float | None, words: str) -> None:
    assert about_duration(seconds) == words
