"""Labs as files: a protocol is read from TOML, those of published labs from the files beside this one.

Depths and rules: B. Mansouri et al., overviews of ARQMath-1 (CLEF 2020), ARQMath-2 (CLEF 2021) and ARQMath-3
(CLEF 2022); for NTCIR-10 to 12 B. Mansouri's dissertation (2022), section 3.1.2. NTCIR had one role of runs and judged
each formula of each document separately; that NTCIR-11 chose its 50 units by votes is our rule. The grades of ARQMath
are quoted from the overview of ARQMath-2, whose wording ARQMath-3 repeats; so is the question about formulas.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import tomli_w

from assess.ir.campaign.protocol import Protocol
from assess.ir.campaign.scale import Words
from assess.ir.common.problems import refuse

FOLDER = Path(__file__).parent / "presets"
OWN = "own"
"""The preset of a lab that is like none of the files."""
LAB = "campaign"
"""The table of a lab's file that names what its campaign begins with: topics, documents, runs, people."""
TASKS_OF_0_1 = {"answers": "arqmath3-task1", "formulas": "arqmath3-task2"}
"""Whose scale and words the protocols of 0.1.0 have, which had no others."""


def read_lab(text: str, name: str) -> tuple[Protocol, dict[str, Any]]:
    """The protocol of a lab's file, and its table `LAB`. Keys of the preset named by ``like`` hold unless the file has
    them, but not its edition, which is another lab's. Raises ``BadInput`` with the key, the reason and the remedy."""
    try:
        own = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise refuse(name, f"is not TOML: {error}") from error
    lab, like = own.pop(LAB, {}), own.pop("like", None)
    if not isinstance(lab, dict):
        raise refuse(name, f"{LAB}: must be a table; write [{LAB}] above its keys")
    if like is not None and like not in PRESETS:
        raise refuse(name, f"like: no such preset {like!r}; choose {', '.join(PRESETS)}")
    base = {"preset": OWN, "task": "documents"} if like is None else as_tables(PRESETS[like]) | {"edition": ""}
    try:
        return Protocol.from_dict(base | own), lab
    except ValueError as error:
        raise refuse(name, str(error)) from error


def as_tables(rules: Protocol) -> dict[str, Any]:
    """A protocol without what has its default, as TOML has it: values first, then tables."""
    written = rules.to_dict()
    kept = {each.name: written[each.name] for each in fields(rules) if getattr(rules, each.name) != each.default}
    for name in ("grades", "outcomes"):
        kept[name] = [{key: each[key] for key in each if each[key] not in ("", None, [])} for each in written[name]]
    tables = ("words", "grades", "outcomes")
    return dict(sorted(kept.items(), key=lambda pair: pair[0] in tables))


def groups_of_presets() -> dict[str, list[str]]:
    """The names of the presets by lab, those of no lab first."""
    groups: dict[str, list[str]] = {"Any lab": []}
    for name, rules in sorted(PRESETS.items()):
        groups.setdefault(rules.edition.partition("-")[0] or "Any lab", []).append(name)
    return groups


def write_lab(rules: Protocol) -> str:
    """The protocol as a file that `read_lab` reads."""
    return tomli_w.dumps(as_tables(rules))


def load_presets() -> dict[str, Protocol]:
    """Those of the files, by name; a file may be like one that is like none."""
    texts = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
    alike = {name: texts.get(text.pop("like", ""), {}) for name, text in texts.items()}
    return {name: Protocol.from_dict(alike[name] | text | {"preset": name}) for name, text in texts.items()}


PRESETS: dict[str, Protocol] = load_presets()


def stored_protocol(rules: Mapping[str, Any]) -> Protocol:
    """The protocol of a campaign or pool. Raises ``ValueError`` with the name of the wrong field."""
    return protocol_of_text(json.dumps(rules))


@lru_cache(maxsize=1000)  # because a judgment reads the rules five times
def protocol_of_text(text: str) -> Protocol:
    rules = json.loads(text)
    if "grades" not in rules:
        base = PRESETS[TASKS_OF_0_1.get(rules.get("task", ""), "arqmath3-task1")].to_dict()
        rules = {name: base[name] for name in ("words", "question", "grades", "outcomes")} | rules
    return Protocol.from_dict(rules)


def changes_from_preset(rules: Protocol) -> list[str]:
    """What differs from the preset, in words."""
    preset = PRESETS.get(rules.preset, rules)
    names = [each.name for each in fields(rules) if each.name != "edition"]  # which every campaign has for itself
    values = [(name.replace("_", " "), getattr(rules, name), getattr(preset, name)) for name in names]
    changed = [each for each in values if each[1] != each[2]]
    return [name if isinstance(value, tuple | Words) else f"{name} {value}, not {old}" for name, value, old in changed]
