"""Damaged files: a reason for the person who can fix them, in bounded memory."""

import gzip
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.problems import BadInput, Problem
from tests.archives import zipped
from tests.ir.formats.readers import READERS, TABLES, XML, read
from tests.real import data_file

ROOT = Path(__file__).resolve().parents[3]
HEADS = {"posts": "<posts>", "topics": "<Topics>", "formulas": "id\tpost_id\tthread_id\ttype\tformula\n"}
LARGE = 50_000
MEASURE = """
import os, resource, sys
from assess.ir.common.problems import BadInput
from tests.archives import zipped
from tests.ir.formats.readers import READERS
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
for kind in sys.argv[2:]:
    if os.fork():
        os.wait()
        continue
    before = peak()
    try:
        with open(os.path.join(sys.argv[1], kind), "rb") as source:
            READERS[kind].read(source, "large.file")
    except BadInput as error:
        print(kind, peak() - before, str(error).replace(chr(10), " "), flush=True)
    os._exit(0)
"""


def refusal(kind: str, content: bytes) -> str:
    with pytest.raises(BadInput) as caught:
        read(kind, content)
    assert str(caught.value).startswith(f"{kind}.file")
    return str(caught.value)


def measured_refusals(kinds: Iterable[str], folder: Path) -> Iterator[tuple[str, int, str]]:
    """How many MB a process for itself took to refuse the file of each kind in a folder, and its reason."""
    wanted = list(kinds)
    command = [sys.executable, "-c", MEASURE, str(folder), *wanted]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line.split(" ", 2) for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == wanted, done.stderr
    return ((kind, int(megabytes), reason) for kind, megabytes, reason in lines)


def rows_of(result: Any) -> Any:
    """Without notes, and with frames as rows."""
    if hasattr(result, "notes"):
        result = result._replace(notes=[])
    if hasattr(result, "lines"):
        return [*result._replace(lines=[]), *result.lines.iter_rows()]
    return result


def root_of(kind: str) -> str:
    return re.findall(r"<(\w+)>", READERS[kind].valid)[0]


def rows_or_problems(kind: str, content: bytes) -> tuple[Any, list[Problem]]:
    try:
        return read(kind, content), []
    except BadInput as error:
        return None, error.problems


@pytest.mark.parametrize("kind", XML)
def test_truncated_xml_is_refused(kind: str) -> None:
    whole = READERS[kind].valid.encode()
    for size in range(1, len(whole) - 2):
        assert "XML" in refusal(kind, whole[:size])


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_truncated_in_its_last_row_is_refused_with_the_line(kind: str) -> None:
    lines = READERS[kind].valid.splitlines()
    cut = "\n".join([*lines[:-1], lines[-1].rsplit("\t", 2)[0]])
    assert refusal(kind, cut.encode()).startswith(f"{kind}.file:{len(lines)}: expected ")


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_in_utf_8_with_or_without_a_mark(kind: str) -> None:
    valid = READERS[kind].valid
    for encoding in ("latin-1", "utf-16-le", "utf-16"):
        assert re.search("UTF-8|NUL", refusal(kind, valid.encode(encoding)))
    assert rows_of(read(kind, valid.encode("utf-8-sig"))) == rows_of(read(kind, valid.encode()))


@pytest.mark.parametrize("kind", READERS)
def test_a_packed_file_is_read_like_the_file_unless_it_is_damaged_or_one_of_two(kind: str) -> None:
    whole = READERS[kind].valid.encode()
    for packed in (gzip.compress(whole), zipped({"__MACOSX/x": whole, "folder/file.txt": whole})):
        assert rows_of(read(kind, packed)) == rows_of(read(kind, whole))
    packed = gzip.compress(whole * 20)
    for size in (5, len(packed) // 2, len(packed) - 4):
        assert "cannot be unpacked" in refusal(kind, packed[:size])
    assert "2 files (a, b" in refusal(kind, zipped({"a": whole, "b": whole}))


@pytest.mark.parametrize("kind", XML)
def test_xml_declares_its_encoding_or_is_refused(kind: str) -> None:
    valid = READERS[kind].valid
    bare = valid.partition("?>\n")[2] or valid
    if not bare.isascii():
        assert "not well-formed XML" in refusal(kind, bare.encode("latin-1"))
    declared = f'<?xml version="1.0" encoding="iso-8859-1"?>\n{bare}'.encode("latin-1")
    assert read(kind, declared) == read(kind, bare.encode("utf-16")) == read(kind, valid.encode())


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"PK\x03\x04" + bytes(range(256)), b"%PDF-1.7\n%\xe2\xe3\n"])
def test_binary_files_are_refused(kind: str, content: bytes) -> None:
    refusal(kind, content)


def large_bomb(kind: str) -> Iterator[bytes]:
    packer = zlib.compressobj(1, wbits=31)
    yield from (packer.compress(bytes(1_000_000)) for _ in range(150))
    yield packer.flush()


def entity_bomb(kind: str) -> Iterator[bytes]:
    name = root_of(kind)
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    yield f'<!DOCTYPE {name} [<!ENTITY e0 "{"lol" * 100}">{entities}]><{name}><row Id="&e11;"/></{name}>'.encode()


def long_line(kind: str) -> Iterator[bytes]:
    yield HEADS.get(kind, "").encode()
    yield f'<{root_of(kind)}><row Id="1" Body="'.encode() if kind in XML else b""
    yield from [b"x" * 1_000_000] * 40


@pytest.mark.parametrize(
    ("content", "kinds", "reasons", "most"),
    [
        (large_bomb, READERS, "200 times|XML|NUL|line of more|header", 250),
        (entity_bomb, XML, "DOCTYPE|entity|Entity", 50),
        (long_line, READERS, "^large.file", 100),
    ],
)
def test_what_is_large_or_grows_is_refused_in_little_memory(
    content: Callable[[str], Iterator[bytes]], kinds: Iterable[str], reasons: str, most: int, tmp_path: Path
) -> None:
    for kind in kinds:
        with (tmp_path / kind).open("wb") as file:
            file.writelines(content(kind))
    for kind, megabytes, reason in measured_refusals(kinds, tmp_path):
        assert re.search(reasons, reason), (kind, reason)
        assert megabytes < most, kind


@pytest.mark.parametrize("quoted", ['"' * 99, '"open', '"a"b"\t"', 'x"\n"y', '""\t""', '"' + "\n" * 600])
def test_stray_quotes_in_the_formula_index_do_not_swallow_other_rows(quoted: str) -> None:
    lines = f"7\t1\t1\tquestion\tx\n8\t1\t1\tquestion\t{quoted}\n9\t1\t1\tquestion\ty\n"
    content = (HEADS["formulas"] + lines).encode()
    rows, problems = rows_or_problems("formulas", content)
    assert all(problem.line > 2 for problem in problems)
    if not problems:
        assert [rows[0].formula_id, rows[-1].formula_id] == ["7", "9"]


@pytest.mark.parametrize("kind", READERS)
@given(data=st.data())
def test_random_damage_is_read_or_refused_but_never_crashes(kind: str, data: st.DataObject) -> None:
    content = bytearray(READERS[kind].valid.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 8))
        signs = st.sampled_from([b"\t", b"\n", b'"', b"\r\n", b"<", b"&#0;", b"\xff"])
        content[place : place + length] = data.draw(st.binary(max_size=6) | signs)
    _, problems = rows_or_problems(kind, bytes(content))
    assert len(problems) <= 20


def test_every_reader_reads_or_refuses_every_file_of_the_labs(pytestconfig: pytest.Config) -> None:
    """Of large tables the first lines, unless everything is tried."""
    contents = {path: path.read_bytes() for path in sorted(data_file("").rglob("*")) if path.is_file()}
    if not pytestconfig.getoption("--all"):
        tables = {path: text for path, text in contents.items() if path.suffix in (".tsv", ".txt", "")}
        contents |= {
            path: text[: 1 + text.rfind(b"\n", 0, LARGE)] for path, text in tables.items() if len(text) > LARGE
        }
    accepted = {
        kind: {path.name for path, text in contents.items() if rows_or_problems(kind, text)[0]} for kind in READERS
    }
    assert accepted["posts"] == {
        *("Posts.xml", "approach0_sample.xml", "indexTest.xml", "posts_character_reference.xml")
    }
    others = {"query-text.trec", "topics.tsv", "topics.jsonl", "topics.xml", "queries.jsonl"}
    assert accepted["topics"] == others | {path.name for path in (data_file("") / "topics").iterdir()}
    assert accepted["formulas"] == {path.name for path in (data_file("") / "formula-index").iterdir()}
    assert not {path.name for path in (data_file("") / "malformed").iterdir()} & set().union(*accepted.values())
