"""Zip archives: what is taken out of them, and what is refused."""

import io
import zipfile

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats import archive

FILES = {"a.png": b"A", "sub/b.png": b"BB"}


def made(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return buffer.getvalue()


def taken_out(data: bytes, limit: int = 100) -> list[tuple[str, bytes]]:
    return list(archive.iter_files(io.BytesIO(data), "x.zip", limit))


def test_files_come_with_their_paths_in_order():
    assert taken_out(made(FILES)) == list(FILES.items())


def test_folders_and_hidden_files_are_left_out():
    assert taken_out(made({"sub/": b"", "__MACOSX/._a.png": b"x", "sub/.DS_Store": b"x", **FILES})) == list(
        FILES.items()
    )


def test_of_a_large_file_no_more_is_read_than_shows_that_it_is_large():
    assert taken_out(made({"bomb": bytes(1_000_000)}), limit=10) == [("bomb", bytes(11))]


def damaged() -> bytes:
    data = bytearray(made({"a.png": bytes(range(200))}))
    data[50] ^= 255  # in the compressed bytes
    return bytes(data)


@pytest.mark.parametrize("data", [b"", b"no archive", made(FILES)[:-30], damaged()])
def test_what_cannot_be_unpacked_is_refused_with_what_to_do(data):
    with pytest.raises(BadInput, match=r"x\.zip: cannot be unpacked .*; make a new zip archive"):
        taken_out(data)


def test_a_password_is_refused():
    data = bytearray(made({"a": b"A"}))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # local header, central directory
        data[data.index(signature) + flags] |= 1  # encrypted
    with pytest.raises(BadInput, match="without a password"):
        taken_out(bytes(data))


@pytest.mark.parametrize(
    ("limit", "reason"), [("MAX_FILES", "holds 2 files; give 1 at a time"), ("MAX_BYTES", "divide")]
)
def test_too_much_is_refused(monkeypatch, limit, reason):
    monkeypatch.setattr(archive, limit, 1)
    with pytest.raises(BadInput, match=reason):
        taken_out(made(FILES))
