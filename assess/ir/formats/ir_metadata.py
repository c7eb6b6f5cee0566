"""What a run says of itself in the ``ir_metadata`` format (https://www.ir-metadata.org): in a file beside it, as TIRA
writes it, or in comments at its head, from ``# ir_metadata.start`` to ``# ir_metadata.end``."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from assess.ir.common.problems import refuse
from assess.ir.common.rows import CONTROL, LONGEST_NAME

NAME = re.compile(r"\.?ir[-_]metadata(\.ya?ml)?", re.IGNORECASE)
HIDDEN = ".ir"
RUN_OF_TIRA = re.compile(r"run(\.txt)?(\.gz)?", re.IGNORECASE)
"""The name of every run there, which therefore says nothing."""
LONGEST_FILE, LONGEST_NOTE = 100_000, 1_000
START = re.compile(r"#\s*ir_metadata\.start[^\n]*\n")
END = re.compile(r"^#\s*ir_metadata\.end", re.MULTILINE)


class IrMetadata(NamedTuple):
    """Of a run; what is not said is empty. ``method``: "automatic" or "manual"."""

    team: str = ""
    name: str = ""
    description: str = ""
    method: str = ""


def read_ir_metadata(data: bytes, name: str) -> IrMetadata:
    """Raises ``BadInput`` for a file that is no YAML with keys, is too large, or has a text where keys should be."""
    if len(data) > LONGEST_FILE:
        raise refuse(name, f"has more than {LONGEST_FILE:,} bytes; is this the metadata of a run?")
    try:
        found = yaml.safe_load(data) or {}
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", -1) + 1
        raise refuse(name, "is not valid YAML; correct it, or leave it out and fill in the form", line) from error
    if not isinstance(found, dict):
        raise refuse(name, "has no keys such as actor and method; is this the metadata of a run?")
    names = {key: cleaned(found, key, name) for key in ("team", "tag", "name")}
    team = cleaned(found, "actor.team", name) or names["team"]
    run = names["tag"] or cleaned(found, "method.name", name) or names["name"]
    description = cleaned(found, "method.description", name) or cleaned(found, "description", name)
    automatic = found["method"].get("automatic") if isinstance(found.get("method"), dict) else None
    method = {True: "automatic", False: "manual"}.get(automatic, "") if isinstance(automatic, bool) else ""
    return IrMetadata(team[:LONGEST_NAME], run[:LONGEST_NAME], description[:LONGEST_NOTE], method)


def cleaned(found: Mapping[str, Any], path: str, name: str) -> str:
    """The text at a path of keys, on one line; empty if there is none."""
    value: Any = found
    for key in path.split("."):
        if value is None:
            return ""
        if not isinstance(value, dict):
            raise refuse(name, f"{path.rpartition('.')[0]} must have keys such as {key}: correct it")
        value = value.get(key)
    if isinstance(value, dict | list):
        raise refuse(name, f"{path} must be a text: correct it")
    return "" if value is None else " ".join(CONTROL.sub(" ", str(value)).split())


def head_metadata(head: bytes, name: str) -> IrMetadata | None:
    """What the comments at the head of a run file say; None if there are none."""
    text = head.decode(errors="replace").replace("\r\n", "\n")
    start = START.search(text)
    end = END.search(text, start.end()) if start else None
    if not start or not end:
        return None
    lines = [line.removeprefix("#").removeprefix(" ") for line in text[start.end() : end.start()].split("\n")]
    return read_ir_metadata("\n".join(lines).encode(), name)
