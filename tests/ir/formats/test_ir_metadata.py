"""What a run says of itself."""

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats.ir_metadata import IrMetadata, head_metadata, read_ir_metadata
from tests.real import data_file


def test_the_file_of_a_real_run_names_team_run_and_method() -> None:
    data = data_file("labs/spot-check/tira-run/ir-metadata.yml").read_bytes()
    assert read_ir_metadata(data, "ir-metadata.yml") == IrMetadata(
        "spot-check baseline",
        "PL2 over page contents",
        "Documents ranked by PL2 over the content field of a web index.",
    )


def test_comments_at_the_head_of_a_run_are_read_and_its_tag_is_its_name() -> None:
    head = b"# ir_metadata.start\r\n# tag: bm25-1\r\n# actor:\r\n#   team: A\r\n# method:\r\n#   automatic: false\r\n"
    assert head_metadata(head + b"# ir_metadata.end\r\n1 Q0 d 1 2 t\r\n", "run") == IrMetadata(
        "A", "bm25-1", "", "manual"
    )
    assert head_metadata(b"# a comment\n1 Q0 d 1 2 t\n", "run") is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"- a\n", "has no keys such as actor and method"),
        (b"a: b\nc: [\n", "x.yml:3: is not valid YAML"),
        (b"actor: A\n", "actor must have keys such as team"),
        (b"team: [A, B]\n", "team must be a text"),
        (b"x: " + b"y" * 100_000, "has more than 100,000 bytes"),
        (b"[" * 5_000, "is not valid YAML"),
        (b"\xff", "is not valid YAML"),
        (b"!!python/object/apply:os.system [ls]", "is not valid YAML"),
    ],
)
def test_other_files_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(BadInput, match=reason.replace("(", r"\(")):
        read_ir_metadata(data, "x.yml")
