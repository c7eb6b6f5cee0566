"""Runs commands and captures their output. The tests of these commands request no database, so pytest-django makes any
use of one fail."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import call_command


class Printed(NamedTuple):
    out: str
    err: str

    @property
    def header(self) -> list[str]:
        return self.out.splitlines()[0].split("\t")

    @property
    def rows(self) -> list[list[str]]:
        return [line.split("\t") for line in self.out.splitlines()[1:]]


def run(*words: object) -> Printed:
    out, err = StringIO(), StringIO()
    call_command(*map(str, words), stdout=out, stderr=err, no_color=True)
    return Printed(out.getvalue(), err.getvalue())


def refused(*words: object) -> str:
    """The error message of a refused command, which prints nothing else and ends with exit code 2."""
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command(*map(str, words), stdout=out, stderr=err, no_color=True)
    assert (stopped.value.code, out.getvalue()) == (2, "")
    return err.getvalue().strip()


COMMANDS = """
import json, sys
from django.core.management import execute_from_command_line
for command in json.loads(sys.argv[1]):
    execute_from_command_line(["manage.py", *command.split()])
    print(end="\\f")
"""


def printed_by_process(folder: Path, *commands: str, **changed: str) -> list[str]:
    """What each command prints in a process of all, on the data in a folder; and then the errors of all."""
    environment = {**os.environ, "ASSESS_VAR": str(folder), "DATABASE_URL": "", **changed}
    process = [sys.executable, "-c", COMMANDS, json.dumps(commands)]
    done = subprocess.run(process, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return [*done.stdout.split("\f")[:-1], done.stderr]
