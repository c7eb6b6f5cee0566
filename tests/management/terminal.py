"""Runs commands and captures their output. The tests of these commands request no database, so pytest-django makes any
use of one fail."""

from io import StringIO
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
