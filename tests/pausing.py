"""Workers that stop, so that they can be killed: a new process does each job up to the first step that it may not
pass.

Steps are the end of a transaction, the renaming of files, the end of the job, and the first report of progress and
removal of files; with --all also the beginning of a transaction, and the fourth, sixteenth … report and removal. Each
has its number ("commit 2"). Before such a step the process prints its name and waits; everything else is as usual.
Processes are forked from one that has imported everything, because an import takes longer than the jobs of the tests.
"""

import gc
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
COUNTED = (1, 4, 16, 64) if "ASSESS_EVERY_STEP" in os.environ else (1,)


class Attempt(NamedTuple):
    """The process that does a job, and the step before which it has stopped: ``ENDED`` if it has passed all."""

    pid: int
    step: str

    def kill(self) -> None:
        """End the process and those that it started, as the kernel does when memory runs out."""
        os.killpg(self.pid, signal.SIGKILL)


@contextmanager
def workers(environment: dict[str, str], log: Path) -> Iterator[Callable[[int, list[str]], Attempt]]:
    """A function that has a new worker do the job with this id and pass these steps."""
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
            line = process.stdout.readline()
            assert line, log.read_text()
            pid, step = line.strip().split(maxsplit=1)
            return Attempt(int(pid), step)

        try:
            yield attempt
        finally:
            process.stdin.close()


class Steps:
    """Counts the steps of the job and stops before the first that it may not pass."""

    def __init__(self, passed: list[str]) -> None:
        self.passed = passed
        self.counts = Counter[str]()

    def before(self, owner: Any, name: str, step: str, counts: Callable[..., bool] = lambda *_: True) -> None:
        """Make the calls of a function steps, or only those whose arguments count."""
        original = getattr(owner, name)

        def stopping(*args: Any, **kwargs: Any) -> Any:
            if counts(*args):
                self.reach(step)
            return original(*args, **kwargs)

        setattr(owner, name, stopping)

    def reach(self, step: str) -> None:
        self.counts[step] += 1
        number = self.counts[step]
        is_skipped = step in ("report", "remove") and number not in COUNTED
        if not is_skipped and f"{step} {number}" not in self.passed:
            report(f"{step} {number}")
            while True:
                signal.pause()


def report(step: str) -> None:
    print(os.getpid(), step, flush=True)


def work(job_id: int, passed: list[str]) -> None:
    """Do a job as a Celery worker does, but stop before the first step that is not passed."""
    import shutil

    from django.db.backends.base.base import BaseDatabaseWrapper

    from assess import tasks
    from assess.services.jobs import job_queue

    steps = Steps(passed)
    steps.before(job_queue.ProgressReporter, "__call__", "report")
    if "ASSESS_EVERY_STEP" in os.environ:
        steps.before(BaseDatabaseWrapper, "set_autocommit", "begin", lambda _, is_on: not is_on)
    steps.before(BaseDatabaseWrapper, "commit", "commit")
    steps.before(Path, "rename", "rename")
    steps.before(shutil, "rmtree", "remove")
    steps.before(job_queue, "finish", "finish")
    tasks.run_job(job_id)
    report(ENDED)


def main() -> None:
    import django

    django.setup()
    import scipy.stats  # noqa: F401 - imported once for all processes
    import sklearn.feature_extraction.text  # noqa: F401

    from assess import tasks
    from assess.management.supervision import end_with_parent
    from assess.services import job_kinds  # noqa: F401

    assert tasks.run_job.name  # makes Celery's class of tasks
    gc.freeze()  # the processes share what they don't touch

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
