"""Tables of scores."""

import io

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.common.rows import ScoreRow
from assess.ir.formats.scores import read_means, read_scores
from assess.ir.formats.table import write_table

PRINTED = "run\tmeasure\tvalue\ttopics\na\tAR\t1.5\t2\nb\tAR\t—\t0\n"
MEANS = {"AR": {"a": 1.5}}


def test_means_are_read_from_what_score_prints_and_from_tables() -> None:
    as_json = '[{"run": "a", "measure": "AR", "value": 1.5}, {"run": "b", "measure": "AR", "value": null}]'
    for text in (PRINTED, as_json, "run\tAR\na\t1.5\nb\t\n", "run,AR,LO\na,1.5,\n"):
        assert {name: of for name, of in read_means(io.BytesIO(text.encode()), "m").items() if of} == MEANS


def test_the_apostrophe_before_the_name_of_a_run_is_none_of_it() -> None:
    table = write_table([("run", "AR"), ("+rm3", 1.5)])
    assert read_means(io.BytesIO(table.encode()), "m") == {"AR": {"+rm3": 1.5}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("run\tAR\na\tx\n", "m:2: the value of AR must be a finite number, found 'x'"),
        ("run\tAR\na\t1\na\t1\n", "m:3: a already has a value of AR: keep one"),
        ("run\tAR\na\n", "m:2: expected 2 fields (run, AR), found 1"),
        ("run\ttopic\tmeasure\tvalue\na\tA.1\tAR\t1\n", "m:1: these are values of topics: print means"),
        ('[{"run": "a"}]', "m: expected a list of objects with run, measure and value"),
        ("team\tAR\na\t1\n", "m:1: expected a column run and one for each measure"),
    ],
)
def test_other_tables_are_refused(text: str, reason: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read_means(io.BytesIO(text.encode()), "m")
    assert str(refusal.value).startswith(reason)


def test_values_of_topics() -> None:
    text = "run\ttopic\tmeasure\tvalue\na\tA.1\tCS\t0.9\n"
    assert read_scores(io.BytesIO(text.encode()), "s") == [ScoreRow("a", "A.1", "CS", 0.9)]
    with pytest.raises(BadInput) as refusal:
        read_scores(io.BytesIO(f"{text}a\tA.1\tCS\t0.8\na\tA.2\tCS\tnan\na\t\tCS\t1\nb\n".encode()), "s")
    assert str(refusal.value).splitlines() == [
        "s:3: a A.1 CS is already in line 2: keep one of them",
        "s:4: the value must be a finite number, found 'nan'",
        "s:5: run and topic and measure must not be empty",
        "s:6: expected 4 fields (run, topic, measure, value), found 1: separate them by tabs, or as other lines do",
    ]
