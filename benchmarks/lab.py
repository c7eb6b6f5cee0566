"""A lab from the invitations to the qrels: ``python -m benchmarks.lab`` (some minutes).

Nine simulated assessors with known rates of error judge the labs' real answers, with the official qrels as the truth:
a qualification round, three training rounds, a main round of four weeks, a dual round and the adjudication. One of them
is careless. Everything goes through a server, by the pages and the
API as people of each role may use them; the clock is set forward from week to week. The script keeps its own log of
what was judged, computes kappas from it with scikit-learn, and compares. ``--quick`` takes fewer answers, under 50
seconds; the exit code is 0 only if everything holds.
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import options_of, prepare_django


class Size(NamedTuple):
    """Topics of the main round, with at most so many answers each; topics and answers of each in the rounds before, 0
    for all answers; how many topics everybody judges that another has judged."""

    topics: int
    entries: int
    round_topics: int
    round_items: int
    dual: int


FULL = Size(72, 100, 7, 0, 7)
QUICK = Size(36, 20, 3, 6, 3)


def run(size: Size) -> bool:
    """Prints a line for each check; whether all hold. Needs Django with an empty database."""
    from benchmarks.lab_checks import checks
    from benchmarks.simulation import Simulation, server

    with server() as (address, clock):
        simulation = Simulation(address, clock, size)
        simulation.play()
        print(f"{len(simulation.log):,} judgments of {len(simulation.people)} people")
        held = list(map(report, checks(simulation)))
    return all(held)


def report(check: tuple[str, bool]) -> bool:
    text, holds = check
    print(f"  {'yes' if holds else 'NO '} {text}", flush=True)
    return holds


def main(arguments: list[str]) -> int:
    parser = options_of("lab", __doc__, "fewer answers, under 50 seconds")
    size = QUICK if parser.parse_args(arguments).quick else FULL
    with tempfile.TemporaryDirectory(prefix="assess-lab-") as folder:
        prepare_django(Path(folder))
        return 0 if run(size) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
