"""Child processes that end with this one, in whatever way it ends."""

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

GRACE_SECONDS = 10
PR_SET_PDEATHSIG = 1
STOP = "Stop it first, or set ASSESS_VAR to another folder."
Children = dict[Path, subprocess.Popen[bytes]]


def end_with_parent() -> None:
    """Has the kernel end a child whose supervisor was killed; otherwise it would go on unnoticed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@contextmanager
def running_children(commands: Mapping[Path, Sequence[str]], pass_fds: Sequence[int]) -> Iterator[Children]:
    """Starts programs, by the files that they log to, in sessions of their own, so that Ctrl-C reaches only the
    supervisor. At the end of the block all are terminated, and killed if that takes too long."""
    children: Children = {}
    try:
        for log, command in commands.items():
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("ab") as output:
                children[log] = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=pass_fds,
                    env={"MALLOC_ARENA_MAX": "2", **os.environ},  # what one thread gave back is there for the others
                    start_new_session=True,
                    preexec_fn=end_with_parent,
                )
        yield children
    finally:
        deadline = time.monotonic() + GRACE_SECONDS
        for child in children.values():
            child.terminate()
        for child in children.values():
            try:
                child.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def watch_children(children: Children) -> None:
    """Raises as soon as one of them ends."""
    while True:
        for log, child in children.items():
            if child.poll() is not None:
                raise CommandError(
                    f"A process has stopped (exit code {child.returncode}), so everything is being stopped. For the "
                    f"reason see the end of {log}"
                )
        time.sleep(0.2)


@contextmanager
def only_one(path: Path, running: str = "Assess", remedy: str = STOP) -> Iterator[None]:
    """Holds a lock that is released when this process ends, in whatever way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CommandError(
                f"{running} is already running on {path.parent} (process {file.read().strip()}). {remedy}"
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
