"""A worker that comes to a stop, so that it can be killed there: every job is done by a process of its own, up to the
first step at which it is not told to go on.

Steps are the beginning and the end of a transaction, the renaming of files, the end of the job, and of the reports of
progress and the removals of files the first, second, fourth, eighth …; each has its number ("commit 2"). Before a step
the process says so and waits; nothing else of the product is different. Processes are forked from one that has imported
everything, for an import takes longer than the jobs of the tests.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PATIENCE = 300
ENDED = "ended"


class Attempt(NamedTuple):
    """What became of a job: before which step it has stopped; ``ENDED`` where it was told to go on at all of them."""

    pid: int
    step: str

    def kill(self) -> None:
        """End the process and those that it started, as the kernel does it where memory runs out."""
        os.killpg(self.pid, signal.SIGKILL)


@contextmanager
def workers(environment: dict[str, str], log: Path) -> Iterator[Callable[[int, list[str]], Attempt]]:
    """Gives a function that has a new worker do the job with an id, which goes on at the steps that it is told."""
    from assess.management.supervision import end_with_parent

    pipe = subprocess.PIPE
    command = [sys.executable, "-m", __name__]
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=errors, env=environment, preexec_fn=end_with_parent, text=True
        ) as process,
    ):

        def attempt(job_id: int, passed: list[str]) -> Attempt:
            print(json.dumps([job_id, passed]), file=process.stdin, flush=True)
            assert select.select([process.stdout], [], [], PATIENCE)[0], f"nothing after {PATIENCE} s"
            said = process.stdout.readline().split(maxsplit=1)
            assert said, log.read_text()
            return Attempt(int(said[0]), said[1].strip())

        try:
            yield attempt
        finally:
            process.stdin.close()


class Steps:
    """Counts the steps of the job and stops before the first that is not to be passed."""

    def __init__(self, passed: list[str]) -> None:
        self.passed = passed
        self.counts = Counter[str]()

    def before(self, owner: Any, name: str, step: str, counts: Callable[..., bool] = lambda *_: True) -> None:
        """Makes the calls of a function such steps; with ``counts`` only those with such arguments."""
        original = getattr(owner, name)

        def stopping(*args: Any, **kwargs: Any) -> Any:
            if counts(*args):
                self.reach(step)
            return original(*args, **kwargs)

        setattr(owner, name, stopping)

    def reach(self, step: str) -> None:
        self.counts[step] += 1
        number = self.counts[step]
        is_skipped = step in ("report", "remove") and number & (number - 1)
        if not is_skipped and f"{step} {number}" not in self.passed:
            say(f"{step} {number}")
            while True:
                signal.pause()


def say(step: str) -> None:
    print(os.getpid(), step, flush=True)


def work(job_id: int, passed: list[str]) -> None:
    """Do a job as a worker of Celery does, but only up to a step."""
    import shutil

    from django.db.backends.base.base import BaseDatabaseWrapper

    from assess import tasks
    from assess.services.jobs import job_queue

    steps = Steps(passed)
    steps.before(job_queue.ProgressReporter, "__call__", "report")
    steps.before(BaseDatabaseWrapper, "set_autocommit", "begin", lambda _, is_on: not is_on)
    steps.before(BaseDatabaseWrapper, "commit", "commit")
    steps.before(Path, "rename", "rename")
    steps.before(shutil, "rmtree", "remove")
    steps.before(job_queue, "finish", "finish")
    tasks.run_job(job_id)
    say(ENDED)


def main() -> None:
    import django

    django.setup()
    from assess import tasks  # noqa: F401 - so that it is there in every process
    from assess.management.supervision import end_with_parent

    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            end_with_parent()
            os.setpgid(0, 0)
            work(*json.loads(line))
            os._exit(0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
