"""What is wrong with a file, for the person who can fix it."""

from typing import NamedTuple

SHOWN = 20


class Problem(NamedTuple):
    """A problem with a file: its name, the 1-based line (0 for the whole file), the reason and how to fix it."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


class BadInput(ValueError):
    """A file is refused as a whole. ``problems`` holds the first twenty problems, ``count`` is their number."""

    def __init__(self, problems: list[Problem], count: int | None = None) -> None:
        self.problems = problems[:SHOWN]
        self.count = len(problems) if count is None else count
        super().__init__(str(self))

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if self.count > len(lines):
            lines.append(f"… and {self.count - len(lines)} more problems")
        return "\n".join(lines)


class Problems:
    """Collects problems while a file is read; ``check`` refuses the file if there are any."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.first: list[Problem] = []
        self.count = 0

    def add(self, line: int, reason: str) -> None:
        self.count += 1
        if len(self.first) < SHOWN:
            self.first.append(Problem(self.file, line, reason))

    def check(self) -> None:
        if self.count:
            raise BadInput(self.first, self.count)


def refuse(file: str, reason: str, line: int = 0) -> BadInput:
    """The error for a file with a single problem; the caller raises it."""
    return BadInput([Problem(file, line, reason)])
