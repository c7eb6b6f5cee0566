"""Real PostgreSQL and Redis for the tests: a server on the standard port, or else a temporary one."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg2
import redis as redis_client

from assess.management.supervision import end_with_parent

HOST = "127.0.0.1"
START_SECONDS = 90


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether something accepts connections on the port."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def answers(port: int) -> bool:
    """Whether our web server on the port is ready: it accepts connections before it has loaded its application."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def postgres() -> Iterator[str]:
    """The URL, without a database, of a server on which the tests may create databases."""
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield url.rsplit("/", 1)[0]
    elif user := usable_postgres(5432):
        yield f"postgresql://{user}@{HOST}:5432"
    else:
        with own_postgres() as own:
            yield f"postgresql://postgres@{HOST}:{own.port}"


@contextmanager
def redis() -> Iterator[str]:
    """The URL of a Redis server; on a shared one, test runs differ by the name of their queue."""
    if url := os.environ.get("TEST_REDIS_URL"):
        yield url
    elif usable_redis(6379):
        yield f"redis://{HOST}:6379/15"
    else:
        with own_redis() as port:
            yield f"redis://{HOST}:{port}/0"


def usable_postgres(port: int) -> str:
    """A user who may create databases without a password, or an empty string."""
    for user in ("postgres", pwd.getpwuid(os.geteuid()).pw_name):
        try:
            link = psycopg2.connect(host=HOST, port=port, user=user, dbname="postgres", connect_timeout=2)
        except psycopg2.OperationalError:
            continue
        with link.cursor() as cursor:
            cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
            (allowed,) = cursor.fetchone() or (False,)
        link.close()
        if allowed:
            return user
    return ""


def usable_redis(port: int) -> bool:
    """Whether Redis answers on the port without a password."""
    try:
        return bool(redis_client.Redis(host=HOST, port=port, socket_timeout=2).ping())
    except redis_client.RedisError:
        return False


def program(name: str) -> str:
    """The path of a server program; Debian's PostgreSQL is not in PATH."""
    newest_first = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    path = shutil.which(name) or next(map(str, newest_first), None)
    if not path:
        raise RuntimeError(f"{name} is not installed: see docs/operations.md, Tests")
    return path


def unprivileged() -> dict[str, Any]:
    """The user to start PostgreSQL as: it refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


class OwnPostgres(NamedTuple):
    """The port and the folder with the socket of a temporary PostgreSQL."""

    port: int
    folder: Path


@contextmanager
def own_postgres(*, durable: bool = False) -> Iterator[OwnPostgres]:
    """A PostgreSQL in a temporary folder. It does not flush to the disk, unless ``durable`` for benchmarks."""
    user, port = unprivileged(), free_port()
    folder = Path(tempfile.mkdtemp(prefix="assess-pg-"))
    if user:
        os.chown(folder, user["user"], user["group"])
    how: dict[str, Any] = {**user, "cwd": folder, "stdin": subprocess.DEVNULL}
    flags = [] if durable else [f"-c{name}=off" for name in ("fsync", "full_page_writes", "synchronous_commit")]
    try:
        create = [program("initdb"), "-D", "data", "-U", "postgres", "-A", "trust"]
        create += ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        subprocess.run(create, check=True, capture_output=True, **how)
        command = [program("postgres"), "-D", "data", "-p", str(port), "-k", str(folder), *flags]
        with running(command, lambda: bool(usable_postgres(port)), folder / "log", **how):
            yield OwnPostgres(port, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def own_redis() -> Iterator[int]:
    """A Redis that stores nothing on disk."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="assess-redis-") as folder:
        command = [program("redis-server"), "--port", str(port), "--bind", HOST, "--save", ""]
        with running(command, lambda: usable_redis(port), Path(folder) / "log", cwd=folder):
            yield port


@contextmanager
def running(
    command: list[str], ready: Callable[[], bool], log: Path, seconds: float = START_SECONDS, **how: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a server during the block, which begins once ``ready`` returns true; a failure shows the log."""
    with log.open("wb") as output:
        how.setdefault("preexec_fn", end_with_parent)  # even if the tests are killed
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, **how)
    try:
        wait_until(ready, process, log, seconds)
        yield process
    finally:
        stop(process)


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path, seconds: float) -> None:
    if not within(seconds, lambda: process.poll() is not None or ready()) or process.poll() is not None:
        raise RuntimeError(f"{process.args!r} did not start:\n{log.read_text(errors='replace')[-4000:]}")


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return holds


def stop(process: subprocess.Popen[bytes]) -> None:
    """Terminates a process, and kills it if it does not end."""
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
