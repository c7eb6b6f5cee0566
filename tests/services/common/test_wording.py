"""Names in messages."""

from assess.services.common.wording import listed, shares


def test_a_few_names_are_listed_of_many_the_first() -> None:
    assert [listed(names) for names in ("", "a", "ab", "abcde")] == ["", "a", "a and b", "a, b, c, d and e"]
    assert listed("abcdef") == "a, b, c, d, e and 1 more"


def test_things_are_listed_by_person() -> None:
    assert (
        shares([("A.1", "ada"), ("A.2", "emmy"), ("A.4", "ada"), ("A.1", "ada")]) == "A.1 and A.4 to ada; A.2 to emmy"
    )
    assert shares([("A.1", person) for person in "abcdefg"], "from").endswith("; A.1 from e; and 2 more")
