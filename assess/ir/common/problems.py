"""What is wrong with a file, for the person who can fix it. Functions named ``wrong_…`` say why a value or a row is
refused; an empty text means that it is not."""

import re
from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

SHOWN = 20
EACH = 3
"""Up to so many problems of a kind are listed one by one."""
LONGEST = 300
"""The characters of a reason. A cell of a file, which it may quote, has any length, and the time to find its values
grows with the square."""
VALUE = re.compile(r"""'[^']*'|"[^"]*"|\S*\d\S*""")
"""What differs between problems of a kind: quoted text, numbers and ids."""


class Problem(NamedTuple):
    """A problem with a file: its name (empty if it is with none), the 1-based line (0 for the whole file), the reason
    and how to fix it; of how many it is the first, which is listed for all."""

    file: str
    line: int
    reason: str
    times: int = 1

    def __str__(self) -> str:
        if not self.file:
            return self.reason
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


class BadInput(ValueError):
    """A file is refused as a whole. ``problems`` holds the first twenty problems, ``more`` is how many there are
    besides; ``found``: what was found in it, as JSON, if somebody can say what it means."""

    def __init__(self, problems: list[Problem], more: int = 0, found: Mapping[str, Any] = MappingProxyType({})) -> None:
        self.problems = problems[:SHOWN]
        self.more = more + sum(problem.times for problem in problems[SHOWN:])
        self.found = dict(found)
        super().__init__(str(self))

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if self.more:
            lines.append(f"… and {self.more:,} more problems")
        return "\n".join(lines)


class Problems:
    """Collects problems while a file is read; ``check`` refuses the file if there are any. The same problem in many
    lines is listed once, with their number."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.kinds: dict[str, list[Problem]] = {}
        self.counts: Counter[str] = Counter()
        self.others = 0

    def add(self, line: int, reason: str) -> None:
        reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]}…"
        kind = VALUE.sub("…", reason)
        if kind not in self.kinds and len(self.kinds) == SHOWN:
            self.others += 1
            return
        self.counts[kind] += 1
        if len(first := self.kinds.setdefault(kind, [])) < EACH:
            first.append(Problem(self.file, line, reason))

    def check(self, **found: Any) -> None:
        if self.counts:
            problems = sorted((problem for kind in self.kinds for problem in self.of_kind(kind)), key=itemgetter(1))
            raise BadInput(problems, self.others, found)

    def of_kind(self, kind: str) -> list[Problem]:
        """Each, or the first one with their number."""
        first = self.kinds[kind]
        if self.counts[kind] <= EACH:
            return first
        lines = list(dict.fromkeys(problem.line for problem in first))
        where = f": lines {', '.join(map(str, lines))}, …" if len(lines) > 1 else ""
        reason = f"{first[0].reason} ({self.counts[kind]:,} times{where})"
        return [first[0]._replace(reason=reason, times=self.counts[kind])]


def refuse(file: str, reason: str, line: int = 0) -> BadInput:
    """The error for a file with a single problem; the caller raises it."""
    return BadInput([Problem(file, line, reason)])
