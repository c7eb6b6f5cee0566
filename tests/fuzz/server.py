"""Damaged files and hostile requests through a real server: ``python -m tests.fuzz.server 8000`` (make fuzz).

On SQLite and on PostgreSQL, each with gunicorn, a Celery worker and a Redis of its own. Some state of a campaign is
made anew for every few requests. The exit code is 0 only if there was no answer 500 or none at all, no job that ended
with an unexpected error or took over a minute, and if nothing was stored of what was refused. The same number gives the
same requests again.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.browsing import Browser
from benchmarks.measuring import ROOT, environment_of
from tests import servers

ENGINES = ["SQLite", "PostgreSQL"]


@contextmanager
def installation(engine: str, work: Path) -> Iterator[dict[str, str]]:
    """The environment of the processes: an empty database, and a Redis."""
    with ExitStack() as stack:
        port = stack.enter_context(servers.own_redis())
        url = ""
        if engine == "PostgreSQL":
            address = f"postgresql://postgres@{servers.HOST}:{stack.enter_context(servers.own_postgres()).port}"
            subprocess.run(["psql", "-q", f"{address}/postgres", "-c", "CREATE DATABASE fuzz"], check=True)
            url = f"{address}/fuzz"
        own = {"REDIS_URL": f"redis://{servers.HOST}:{port}/0", "ALLOWED_HOSTS": "testserver"}
        yield environment_of(work, url) | own


def fuzzed(engine: str, number: int, seed: int) -> bool:
    """Prints what happened on an engine; whether all was well."""
    with tempfile.TemporaryDirectory(prefix="assess-fuzz-") as folder:
        work = Path(folder)
        how: dict[str, Any] = {"cwd": ROOT, "stdin": subprocess.DEVNULL}
        with installation(engine, work) as environment, ExitStack() as stack:
            manage = partial(subprocess.run, check=True, env=environment, **how)
            manage([sys.executable, "manage.py", "migrate", "--verbosity", "0"])
            manage([sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"])
            web, worker, socket = work / "web.log", work / "worker.log", work / "web.socket"
            gunicorn = ["gunicorn", "assess.wsgi", "--config", "python:assess.gunicorn", "--bind", f"unix:{socket}"]
            celery = ["celery", "-A", "assess", "worker", "-P", "threads", "-c", "1", "-l", "info"]
            for command, ready, log in (
                (gunicorn, Browser(socket).is_answered, web),
                (celery, lambda: b"ready" in worker.read_bytes(), worker),
            ):
                stack.enter_context(
                    servers.running([sys.executable, "-m", *command], ready, log, env=environment, **how)
                )
            attacks = [sys.executable, "-m", "tests.fuzz.attacks", str(socket), str(number), str(seed)]
            done = subprocess.run(attacks, env=environment, stdout=subprocess.PIPE, text=True, check=False, **how)
            errors = web.read_text(errors="replace").split("Traceback")[1:] if done.returncode else []
    print(f"On {engine}:\n{done.stdout}", *[error[-2000:] for error in errors[:5]], sep="\n", flush=True)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.server", description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=8000, help="of requests to each database")
    parser.add_argument("--seed", type=int, default=1, help="another number makes other requests")
    parser.add_argument("--engine", choices=ENGINES, help="only this one")
    asked = parser.parse_args(arguments)
    engines = [asked.engine] if asked.engine else ENGINES
    with ThreadPoolExecutor(len(engines)) as threads:
        well = list(threads.map(lambda engine: fuzzed(engine, asked.number, asked.seed), engines))
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
