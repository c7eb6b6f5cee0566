"""Runs and qrels in all the shapes that people and tools give them: read with the right values, or refused."""

import csv
import io
from contextlib import suppress
from io import BytesIO
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput
from assess.ir.formats.columns import names_of
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.runs import read_run
from tests.real import data_file

Row = dict[str, str]
IDS = st.sampled_from(["11", "d-2", "b_3", "4", "NTCIR/5", "x#6", "ä7"])
TOPICS = st.sampled_from(["A.1", "A.2", "301"])
MARKS = ["", "", "", "\ufeff", "\u00a0", "\u200b", " "]


def without_repeats(rows: list[Row]) -> list[Row]:
    return list({(row["topic"], row["document"]): row for row in rows}.values())


RUNS = st.lists(
    st.fixed_dictionaries(
        {
            "topic": TOPICS,
            "document": IDS,
            "rank": st.integers(0, 50).map(str),
            "score": st.sampled_from(["9.5", "1", "-2", "0.25", "1e-3"]),
            "run": st.just("team"),
        }
    ),
    min_size=1,
    max_size=6,
).map(without_repeats)
QREL = {"topic": TOPICS, "document": IDS, "iteration": st.just("0"), "grade": st.sampled_from("0123")}
QRELS = st.lists(st.fixed_dictionaries(QREL), min_size=1, max_size=6).map(without_repeats)


@st.composite
def files(draw: st.DrawFn, kind: st.SearchStrategy[list[Row]], layouts: list[list[str]]) -> tuple[list[Row], str]:
    """Rows, and a file with them: with or without a header, columns in any order below one, separated, quoted, with
    comments and marks."""
    rows = draw(kind)
    has_header = draw(st.booleans())
    columns = draw(st.sampled_from(layouts))
    columns = draw(st.permutations(columns)) if has_header else columns
    separator = draw(st.sampled_from("\t\t,; "))
    header = [draw(st.sampled_from([column, *names_of(column)[:3]])) for column in columns]
    body = [[value_of(row, column, draw) for column in columns] for row in rows]
    table = [header, *body] if has_header else body
    text = io.StringIO()
    if separator == " ":
        text.write("".join(" ".join(row) + "\n" for row in table))
    else:
        quoting: Literal[0, 1] = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
        csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\n").writerows(table)
    lines = text.getvalue().splitlines(keepends=True)
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), "# a comment, of two words\n")
    mark = draw(st.sampled_from(MARKS))
    place = draw(st.integers(0, len(lines) - 1))
    lines[place] = mark + lines[place]
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    return rows, "".join(lines).replace("\n", ending)


def value_of(row: Row, column: str, draw: st.DrawFn) -> str:
    if column == "iteration":
        return row.get(column, "Q0")
    return row[column] + (draw(st.sampled_from(["", "\u00a0"])) if column == "document" else "")


RUN_LAYOUTS = [
    ["topic", "document", "rank", "score", "run"],
    ["topic", "iteration", "document", "rank", "score", "run"],
    ["topic", "iteration", "document", "rank", "score"],
    ["topic", "document", "score"],
]
QREL_LAYOUTS = [
    ["topic", "iteration", "document", "grade"],
    ["topic", "document", "grade", "iteration"],
    ["topic", "document", "grade"],
]


@given(files(RUNS, RUN_LAYOUTS))
def test_a_run_is_read_right_or_refused(made: tuple[list[Row], str]) -> None:
    rows, text = made
    with suppress(BadInput):
        found = read_run(BytesIO(text.encode()), "x").lines.select("topic_id", "doc_id", "score").rows()
        assert found == [(row["topic"], row["document"], float(row["score"])) for row in rows]


@given(files(QRELS, QREL_LAYOUTS))
def test_qrels_are_read_right_or_refused(made: tuple[list[Row], str]) -> None:
    rows, text = made
    with suppress(BadInput):
        found = read_qrels(BytesIO(text.encode()), "x").qrels
        assert found == [(row["topic"], row["document"], int(row["grade"])) for row in rows]


@given(
    st.lists(
        st.text('#",;\n ax<', min_size=1, max_size=12).filter(lambda text: text.strip("\n ")), min_size=1, max_size=4
    ),
    st.permutations(["topic", "rank", "score", "run", "sources", "answer"]),
    st.sampled_from("\t,;"),
)
def test_what_an_answer_holds_is_never_a_comment_nor_another_row(
    answers: list[str], header: list[str], separator: str
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(header)
    for at, answer in enumerate(answers):
        row = {"topic": f"A.{at}", "rank": "1", "score": "1", "run": "t", "sources": "s", "answer": answer}
        writer.writerow(row[column] for column in header)
    file = read_run(BytesIO(f"# made by hand\n{text.getvalue()}".encode()), "x")
    assert list(file.lines["text"]) == [answer.strip("\n ") for answer in answers]


def test_every_qrels_and_run_file_of_the_labs_is_read_as_its_columns_say() -> None:
    """Split at white space: the labs' files are plain."""
    qrels = sorted(data_file("qrels").iterdir())
    for path in qrels:
        rows = [line.split() for line in path.read_text().splitlines()]
        with path.open("rb") as source:
            assert read_qrels(source, path.name).qrels == [(row[0], row[2], int(float(row[3]))) for row in rows], path
    runs = sorted(data_file("runs").rglob("*.tsv"))
    for path in runs:
        with path.open("rb") as source:
            file = read_run(source, path.name)
        ranked = [line.split() for line in path.read_text().splitlines()]
        document, score = (2, 4) if len(ranked[0]) == 6 and file.format == "trec" else (1, len(ranked[0]) - 2)
        expected = [(row[0], row[document], float(row[score])) for row in ranked]
        assert file.lines.select("topic_id", "doc_id", "score").rows() == expected, path
    assert (len(qrels), len(runs)) == (8, 8)
