"""Zip archives: what is extracted and what is refused."""

import io

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats import packed
from assess.ir.formats.qrels import read_qrels
from tests.archives import zipped

FILES = {"a.png": b"A", "sub/b.png": b"BB"}


def extracted(data: bytes, limit: int = 100) -> list[tuple[str, bytes]]:
    return list(packed.iter_files(io.BytesIO(data), "x.zip", limit))


def test_files_come_in_order_without_folders_and_hidden_files() -> None:
    hidden = {"sub/": b"", "__MACOSX/._a.png": b"x", "sub/.DS_Store": b"x", "a\\": b"x", "": b"x"}
    assert extracted(zipped(hidden | FILES)) == list(FILES.items())


def test_a_large_file_is_read_only_until_it_is_known_to_be_large() -> None:
    assert extracted(zipped({"bomb": bytes(1_000_000)}), limit=10) == [("bomb", bytes(11))]


def damaged() -> bytes:
    data = bytearray(zipped({"a.png": bytes(range(200))}))
    data[50] ^= 255  # in the compressed bytes
    return bytes(data)


def encrypted() -> bytes:
    data = bytearray(zipped({"a": b"A"}))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # local header, central directory
        data[data.index(signature) + flags] |= 1
    return bytes(data)


@pytest.mark.parametrize("data", [b"", b"no archive", zipped(FILES)[:-30], damaged(), encrypted()])
def test_damaged_and_encrypted_archives_are_refused_with_advice(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"x\.zip: cannot be unpacked .*; make a new archive without a password"):
        extracted(data)


def test_more_files_or_bytes_than_allowed_are_refused() -> None:
    for most, files, reason in ((1, 2, "split it"), (9, 1, "holds 2 files; upload at most 1")):
        with pytest.raises(BadInput, match=reason):
            list(packed.iter_files(io.BytesIO(zipped(FILES)), "x.zip", 100, most, files))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zipped({"a.zip": zipped({"b.txt": b"A.1\t0\t11\t3\n"})}), "this is packed twice; unpack it once"),
        (zipped({"a.pdf": b"%PDF-1.4\n"}), "this is a PDF"),
        (zipped({}), "this is an empty zip archive"),
        (b"BZh91AY&SY\0\1", "this is packed; pack it with gzip instead"),
        (zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}), "is a document of Office"),
    ],
)
def test_what_is_no_text_is_called_what_it_is(data: bytes, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read_qrels(io.BytesIO(data), "file.gz")
