"""The metadata of run files, which organizers give one by one or in a table."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import BinaryIO, NamedTuple

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import CONTROL, LONGEST_NAME
from assess.ir.formats.ir_metadata import LONGEST_FILE, IrMetadata, head_metadata
from assess.ir.formats.packed import unpacked
from assess.ir.formats.table import as_meant, read_table
from assess.models import Run
from assess.services.common.errors import Refused


class RunMeta(NamedTuple):
    """What an organizer says about a run file. An empty name means the tag in the file, an empty pool role the
    default for the kind (``role``). ``note``: a description, which joins the notes on the file."""

    file: str
    team: str
    name: str = ""
    kind: str = Run.Kind.PRIMARY
    method: str = Run.Method.AUTOMATIC
    data: str = Run.Data.BOTH
    pool_role: str = ""
    order: str = Run.Order.SCORE
    format: str = ""
    answers: str = Run.Answers.EXTRACTED
    note: str = ""

    @property
    def role(self) -> str:
        """The pool role as given, else by kind: only alternate runs are pooled to the alternate depth."""
        is_alternate = self.kind == Run.Kind.ALTERNATE
        return self.pool_role or (Run.PoolRole.ALTERNATE if is_alternate else Run.PoolRole.PRIMARY)


def described(meta: RunMeta, found: IrMetadata | None) -> RunMeta:
    """With what the run says of itself (`assess.ir.formats.ir_metadata`), if the organizer did not say it."""
    if found is None:
        return meta
    more = {"team": meta.team or found.team, "name": meta.name or found.name, "note": meta.note or found.description}
    return meta._replace(**more, method=found.method or meta.method)


def read_head(source: BinaryIO, name: str) -> IrMetadata | None:
    """What a run file, perhaps packed, says of itself in its head."""
    try:
        return head_metadata(unpacked(source, name).read(LONGEST_FILE), name)
    finally:
        source.seek(0)


def described_run(source: BinaryIO, name: str, about: Mapping[str, str]) -> RunMeta:
    """What is said ``about`` a run file (`RunMeta`), then what its head says. Raises Refused without a team."""
    meta = described(RunMeta(name, ""), read_head(source, name))._replace(**about)
    if not meta.team:
        raise Refused(f"team: say whose run {name} is.")
    return meta


CHOICES = {
    "kind": Run.Kind,
    "method": Run.Method,
    "data": Run.Data,
    "answers": Run.Answers,
    "pool_role": Run.PoolRole,
    "order": Run.Order,
    "format": Run.Format,
}


def read_metadata(source: BinaryIO, name: str) -> dict[str, RunMeta]:
    """A table of runs with a header: ``file``, ``team`` and any other fields of RunMeta. A blank or missing cell means
    the default. The keys of the result are file names without folders. Raises BadInput."""
    problems, metas = Problems(name), {}
    table = read_table(source, name, RunMeta._fields)
    rows = table.rows()
    at, header = (table.header_line, table.header) if table.header else next(rows)
    if not {"file", "team"} <= set(header) or not set(header) <= set(RunMeta._fields):
        others = ", ".join(RunMeta._fields[2:])
        raise refuse(name, f"the first line must name the columns: file, team, then any of {others}", at)
    for number, cells in rows:
        row = {field: as_meant(cell) for field, cell in zip(header, cells, strict=False) if cell}
        if reason := wrong_row(row, cells, header):
            problems.add(number, reason)
        else:
            metas[PurePosixPath(row["file"]).name] = RunMeta(**row)
    problems.check()
    return metas


def wrong_row(row: dict[str, str], cells: Sequence[str], header: Sequence[str]) -> str:
    """Why a line of the table is refused; empty if it is valid."""
    if any(cells[len(header) :]):
        return f"expected at most {len(header)} fields, found {len(cells)}"
    if missing := [field for field in ("file", "team") if field not in row]:
        return f"{' and '.join(missing)} must not be empty"
    for field, value in row.items():
        if CONTROL.search(value):
            return f"{field} contains a control character, such as NUL or a line break"
    for field, choices in CHOICES.items():
        if field in row and row[field] not in choices.values:
            return f"{field} is {row[field]!r}: use one of {', '.join(choices.values)}"
    is_long = max(len(row[field]) for field in {"team", "name"} & row.keys()) > LONGEST_NAME
    return f"names have at most {LONGEST_NAME} characters" if is_long else ""
