"""The metadata of run files, which organizers give one by one or in a table."""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import LONGEST_NAME
from assess.ir.formats.text import lines
from assess.models import Run


class RunMeta(NamedTuple):
    """What an organizer says about a run file. An empty name means the tag in the file, an empty pool role the
    default for the kind (``role``)."""

    file: str
    team: str
    name: str = ""
    kind: str = Run.Kind.PRIMARY
    method: str = Run.Method.AUTOMATIC
    data: str = Run.Data.BOTH
    pool_role: str = ""
    order: str = Run.Order.SCORE
    format: str = ""

    @property
    def role(self) -> str:
        """The pool role as given, else by kind: only alternate runs are pooled to the alternate depth."""
        is_alternate = self.kind == Run.Kind.ALTERNATE
        return self.pool_role or (Run.PoolRole.ALTERNATE if is_alternate else Run.PoolRole.PRIMARY)


def alike(teams: Iterable[str]) -> list[str]:
    """A hint for each team name that differs from another only in case: they count as two teams."""
    firsts: dict[str, str] = {}
    pairs = [(name, firsts.setdefault(name.casefold(), name)) for name in sorted(set(teams))]
    return [f"team {name} differs from {first} only in case" for name, first in pairs if name != first]


CHOICES = {
    "kind": Run.Kind.values,
    "method": Run.Method.values,
    "data": Run.Data.values,
    "pool_role": ["", *Run.PoolRole.values],
    "order": Run.Order.values,
    "format": ["", *Run.Format.values],
}


def read_metadata(source: BinaryIO, name: str) -> dict[str, RunMeta]:
    """A tab-separated table of runs with a header: ``file``, ``team`` and any other fields of RunMeta. The keys of the
    result are file names without folders. Raises BadInput."""
    problems, metas = Problems(name), {}
    numbered = list(lines(source, name))
    header = numbered[0][1].split("\t") if numbered else []
    if not {"file", "team"} <= set(header) or not set(header) <= set(RunMeta._fields):
        others = ", ".join(RunMeta._fields[2:])
        raise refuse(name, f"the first line must name the columns: file, team, then any of {others}", 1)
    for number, line in numbered[1:]:
        row = dict(zip(header, line.split("\t"), strict=False))
        wrong = next((field for field, values in CHOICES.items() if field in row and row[field] not in values), None)
        if len(row) < len(header):
            problems.add(number, f"expected {len(header)} fields, found {len(row)}")
        elif wrong:
            allowed = ", ".join(filter(None, CHOICES[wrong]))
            problems.add(number, f"{wrong} is {row[wrong]!r}: use one of {allowed}")
        elif max(len(row[name]) for name in {"team", "name"} & row.keys()) > LONGEST_NAME:
            problems.add(number, f"names have at most {LONGEST_NAME} characters")
        else:
            metas[PurePosixPath(row["file"]).name] = RunMeta(**row)
    problems.check()
    return metas
