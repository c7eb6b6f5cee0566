"""What the benchmarks share: steps in processes of their own, and figures with their limits."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryFile
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
Figures = dict[str, Any]


class Figure(NamedTuple):
    """A measured value with its limit, None for none."""

    name: str
    value: float
    limit: float | None = None
    is_minimum: bool = False

    @property
    def is_kept(self) -> bool:
        if self.limit is None:
            return True
        return self.value >= self.limit if self.is_minimum else self.value <= self.limit

    def __str__(self) -> str:
        bound = "" if self.limit is None else f" ({'at least' if self.is_minimum else 'at most'} {self.limit:g})"
        return f"{self.name}: {self.value:.4g}{bound}{'' if self.is_kept else '  MISSED'}"


def report_figures(figures: Iterable[Figure]) -> bool:
    """Prints a line for each; whether all keep their limits."""
    kept = []
    for figure in figures:
        print(f"  {figure}", flush=True)
        kept.append(figure.is_kept)
    return all(kept)


def p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[-1]


@contextmanager
def clocked(clock: Callable[[], float] = time.perf_counter) -> Iterator[Figures]:
    figures: Figures = {}
    start = clock()
    yield figures
    figures["seconds"] = clock() - start


def options_of(name: str, description: str | None, quick: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--quick", action="store_true", help=quick)
    return parser


def need_packages_of_tests(*names: str) -> None:
    """Says in a line what to run where packages are missing that only the tests bring."""
    if missing := [name for name in names if find_spec(name) is None]:
        raise SystemExit(f"This needs the tests' packages ({', '.join(missing)} missing). Run: tools/setup.sh --tests")


def environment_of(work: Path, database: str = "") -> dict[str, str]:
    """Of processes that keep everything below ``work``, on SQLite if no database is named."""
    own = {"ASSESS_VAR": str(work / "var"), "DATABASE_URL": database, "REDIS_URL": ""}
    return {**os.environ, **own, "DJANGO_SETTINGS_MODULE": "assess.settings"}


def run_step(name: str, environment: dict[str, str], *options: object) -> Figures:
    """A step of a benchmark in a process of its own, whose last line is JSON. Its figures and, as ``peak_mb``, the most
    memory that it and its children held."""
    printed, peak = run_program([sys.executable, "-m", f"benchmarks.{name}", *map(str, options)], environment)
    return {**json.loads(printed.splitlines()[-1]), "peak_mb": round(peak)}


def run_program(command: list[str], environment: dict[str, str], **how: Any) -> tuple[str, float]:
    """What a program prints, and the most memory that it and its children held, in MB."""
    peak = 0
    with TemporaryFile("w+") as output:
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, **how) as process:
            while process.poll() is None:
                peak = max(peak, memory_of(process.pid))
                time.sleep(0.05)
        if process.returncode:
            raise SystemExit(process.returncode)  # it has said why
        output.seek(0)
        return output.read(), peak / 1e6


def memory_of(pid: int) -> int:
    """Bytes that a process and its children hold, what they share counted once, without what they have given back and
    the kernel has not yet taken (Linux)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in lines if line.endswith("kB")}
    return sizes["Pss:"] - sizes["LazyFree:"] + sum(memory_of(int(child)) for child in children)


def prepare_django(work: Path, database: str = "") -> None:
    """Django in this process, with this new database or one of its own below ``work``, which the first step makes."""
    os.environ |= environment_of(work, database)
    import django
    from django.core.management import call_command

    (work / "var").mkdir(parents=True, exist_ok=True)
    django.setup()
    if not (work / "var" / "assess.sqlite3").exists():
        call_command("migrate", verbosity=0)


def silent(done: int, total: int = 0, message: str = "") -> None:
    """Nobody watches."""
