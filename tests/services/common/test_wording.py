"""Names in messages."""

import pytest

from assess.services.common.wording import listed, shares


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("", ""),
        ("a", "a"),
        ("ab", "a and b"),
        ("abcde", "a, b, c, d and e"),
        ("abcdef", "a, b, c, d, e and 1 more"),
    ],
)
def test_a_few_names_are_listed_of_many_the_first(names: str, text: str) -> None:
    assert listed(names) == text


def test_things_are_listed_by_person() -> None:
    assert (
        shares([("A.1", "ada"), ("A.2", "emmy"), ("A.4", "ada"), ("A.1", "ada")]) == "A.1 and A.4 to ada; A.2 to emmy"
    )
    assert shares([("A.1", person) for person in "abcdefg"], "from").endswith("; A.1 from e; and 2 more")
