"""What the benchmarks share: a step in a process of its own, with its seconds and its memory."""

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Figures = dict[str, Any]


def need_packages_of_tests(*names: str) -> None:
    """Says in a line what to run where packages are missing that only the tests bring."""
    if missing := [name for name in names if find_spec(name) is None]:
        raise SystemExit(f"This needs the tests' packages ({', '.join(missing)} missing). Run: tools/setup.sh --tests")


def measured(module: str, step: str, work: Path, *options: object) -> Figures:
    """Do a step of a module, ``python -m MODULE --step STEP --work WORK OPTION …``, whose last line is JSON. Its
    figures and, as ``peak_mb``, the most memory that it and its children held."""
    command = [sys.executable, "-m", module, "--step", step, "--work", str(work), *map(str, options)]
    environment = {**os.environ, "ASSESS_VAR": str(work / "var"), "DATABASE_URL": ""}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        peak = 0
        while process.poll() is None:
            peak = max(peak, memory(process.pid))
            time.sleep(0.1)
        output = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise SystemExit(f"{step} failed")
    return {**json.loads(output.splitlines()[-1]), "peak_mb": round(peak / 1e6)}


def memory(pid: int) -> int:
    """Bytes that a process and its children hold, what they share counted once, without what they have given back and
    the kernel has not yet taken (Linux)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in lines if line.endswith("kB")}
    return sizes["Pss:"] - sizes["LazyFree:"] + sum(memory(int(child)) for child in children)


def prepare_django(work: Path) -> None:
    """Django with a database of its own below ``work``, which the first step makes."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "assess.settings"
    import django
    from django.core.management import call_command

    (work / "var").mkdir(parents=True, exist_ok=True)
    django.setup()
    if not (work / "var" / "assess.sqlite3").exists():
        call_command("migrate", verbosity=0)


def silent(done: int, total: int = 0, message: str = "") -> None:
    """Nobody watches."""
