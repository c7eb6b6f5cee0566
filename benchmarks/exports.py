"""What leaves the product, at the size of a lab: ``python -m benchmarks.exports`` (a minute).

All judgments, their history and the training triples of 35,000 judgments are exported in every format, and so are those
of a tenth as many. Each format must take at most ``SECONDS``, and the memory may not grow with the rows: by at most
``GROWTH_MB`` from the tenth to the whole. ``--quick`` takes a third of both. The exit code is 0 only if all that holds.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import Figures, measured, prepare_django
from benchmarks.releases import TOPICS

SMALL = 10
"""The small campaign has so many times fewer judgments."""
QUICK = 3
SECONDS, GROWTH_MB = 5.0, 30
KINDS = ("judgments", "history", "triples")


class Line(NamedTuple):
    """The exports of one kind: seconds by format, and megabytes for a tenth and for all of the judgments."""

    kind: str
    seconds: dict[str, float]
    small_mb: int
    large_mb: int

    @property
    def is_within(self) -> bool:
        return max(self.seconds.values()) <= SECONDS and self.large_mb - self.small_mb <= GROWTH_MB

    def __str__(self) -> str:
        times = "".join(f"{self.seconds[name]:>9.2f}" for name in self.seconds)
        mark = "" if self.is_within else "  TOO MUCH"
        return f"{self.kind:<12}{times}{self.small_mb:>10}{self.large_mb:>8}{mark}"


def step(kind: str, work: Path) -> Figures:
    """Export everything of a kind in every format."""
    prepare_django(work)
    from assess.ir.formats.judgment_export import EXPORT_FORMATS
    from assess.models import Campaign
    from assess.services.results import export

    campaign, seconds = Campaign.objects.get(), {}
    for file_format in EXPORT_FORMATS:
        begun = time.perf_counter()
        with (work / f"export.{file_format}").open("wb") as target:
            target.writelines(export.chunks(campaign, kind, file_format))
        seconds[file_format] = time.perf_counter() - begun
    return {"seconds": seconds}


def run(topics: int, work: Path) -> bool:
    """Export everything and print a line for each kind; whether all stayed within the limits."""
    sizes = {"small": topics // SMALL, "large": topics}
    made = {size: measured("benchmarks.releases", "make", work / size, "--topics", n) for size, n in sizes.items()}
    lines = [line_of(kind, work) for kind in KINDS]
    formats = "".join(f"{name:>9}" for name in lines[0].seconds)
    print(f"{made['large']['judgments']:,} judgments: seconds by format, MB for 1/{SMALL} and for all")
    print(f"{'':<12}{formats}{f'1/{SMALL}':>10}{'all':>8}    limits: {SECONDS:g} s, {GROWTH_MB} MB more")
    for line in lines:
        print(line, flush=True)
    return all(line.is_within for line in lines)


def line_of(kind: str, work: Path) -> Line:
    small, large = (measured("benchmarks.exports", kind, work / size) for size in ("small", "large"))
    return Line(kind, large["seconds"], small["peak_mb"], large["peak_mb"])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exports", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of the judgments, under 50 seconds")
    for name in ("--step", "--work"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.step:
        print(json.dumps(step(asked.step, Path(asked.work))))
        return 0
    with tempfile.TemporaryDirectory(prefix="assess-exports-") as folder:
        return 0 if run(TOPICS // (QUICK if asked.quick else 1), Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
