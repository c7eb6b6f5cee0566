"""Tables of judged formula instances with the grades of their visually distinct formulas."""

from typing import BinaryIO

from assess.ir.common.problems import Problems
from assess.ir.common.rows import Qrel
from assess.ir.formats.table import expect_header, parse_float, read_table

COLUMNS = ("topic", "formula_id", "instance_score", "visual_id", "visual_score")


def read_instances(source: BinaryIO, name: str) -> tuple[list[Qrel], list[Qrel], dict[str, str]]:
    """The grades by instance, those by visual id, and the visual id of each formula. Raises ``BadInput`` without this
    header, and for what is no grade."""
    problems = Problems(name)
    by_instance, by_visual, units = [], [], {}
    for at, (topic, formula, score, visual, whole) in expect_header(read_table(source, name), name, COLUMNS):
        grades = parse_float(score), parse_float(whole)
        if None in grades:
            problems.add(at, f"the grades must be numbers, found {score!r} and {whole!r}")
            continue
        by_instance.append(Qrel(topic, formula, int(grades[0] or 0)))
        by_visual.append(Qrel(topic, visual, int(grades[1] or 0)))
        units[formula] = visual
    problems.check()
    return by_instance, by_visual, units
