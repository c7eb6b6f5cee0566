"""Child processes that are started and ended together."""

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from django.core.management.base import CommandError

GRACE_SECONDS = 10
PR_SET_PDEATHSIG = 1


class Child(NamedTuple):
    """A child process, with its name for messages and its log file."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path


def start(name: str, command: Sequence[str], log: Path, pass_fds: Sequence[int] = ()) -> Child:
    """Starts a program in its own session, so that Ctrl-C reaches only the supervisor."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=pass_fds,
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
    return Child(name, process, log)


def end_with_parent() -> None:
    """Has the kernel end a child whose supervisor was killed; otherwise it would go on unnoticed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """An event that is set by SIGINT and SIGTERM."""
    event = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda *_: event.set())
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def watch(children: Sequence[Child], stop: threading.Event, until: Callable[[], bool] = lambda: False) -> None:
    """Returns when ``stop`` is set or ``until`` returns true; raises if a child ends first."""
    while not until() and not stop.wait(0.2):
        for child in children:
            if child.process.poll() is not None:
                raise CommandError(
                    f"The {child.name} has stopped (exit code {child.process.returncode}), so everything is "
                    f"being stopped. For the reason see the end of {child.log}"
                )


def end(children: Sequence[Child], grace: float = GRACE_SECONDS) -> None:
    """Terminates all, waits up to ``grace`` seconds altogether, then kills the rest."""
    deadline = time.monotonic() + grace
    for child in children:
        child.process.terminate()
    for child in children:
        try:
            child.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.process.pid, signal.SIGKILL)
            child.process.wait()


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Holds a lock that is released when this process ends, in whatever way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CommandError(
                f"Assess is already running on {path.parent} (process {file.read().strip()}). Stop it first, or set "
                "ASSESS_VAR to another folder."
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
