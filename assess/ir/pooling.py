"""Pools: which documents of which runs are judged. The same for answers, formulas and written answers."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from assess.ir.presets import Protocol
from assess.ir.ranking import LIMIT
from assess.ir.rows import PoolLine, PoolRole, Retrieved

WHOLE = math.lcm(*range(1, LIMIT + 1))
SHARES = [0, *(WHOLE // rank for rank in range(1, LIMIT + 1))]
"""1/rank in units of 1/WHOLE: sums of votes are exact, so 1/3 + 1/6 ties with 1/2."""
DECIMALS = 12


class PooledRun(NamedTuple):
    """A run as the pool sees it. ``written``: its answers were written for the topics, all are pooled."""

    name: str
    role: PoolRole
    ranking: Sequence[Retrieved]
    written: bool = False


class Candidate:
    """A document in a pooled prefix, and what counts for it."""

    __slots__ = ("doc_id", "prefixes", "runs", "topic_id", "unit_id", "votes")

    def __init__(self, row: Retrieved) -> None:
        self.topic_id, self.unit_id, self.doc_id = row.topic_id, row.unit_id, row.doc_id
        self.votes = 0
        """Sum of reciprocal ranks over the whole lists of all pooled runs, in units of 1/WHOLE."""
        self.runs = 0
        """Pooled runs that retrieved it at any rank."""
        self.prefixes = 0
        """Pooled runs that brought it into the pool."""

    def line(self) -> PoolLine:
        votes = round(self.votes / WHOLE, DECIMALS)
        return PoolLine(self.topic_id, self.unit_id, self.doc_id, votes, self.runs)


Candidates = dict[tuple[str, str], Candidate]


def build_pool(runs: Sequence[PooledRun], protocol: Protocol, seed: int) -> list[PoolLine]:
    """The documents to judge, in the order of a pool.

    A run is pooled down to its depth (``prefix``). Of each unit at most ``max_instances`` documents are kept:
    those with the most votes, or for the rule ``most_runs`` those brought in by the most runs (ARQMath-1);
    ties in an order drawn by the seed. Votes count the whole lists, not only the pooled parts (ARQMath-2).
    A run of role "none" neither pools nor votes. The order of the runs does not matter.
    """
    pooled = [run for run in runs if run.role != "none"]
    candidates: Candidates = {}
    for run in pooled:
        for row in prefix(run.ranking, depth(run, protocol)):
            candidates.setdefault((row.topic_id, row.doc_id), Candidate(row)).prefixes += 1
    for run in pooled:
        count_votes(run.ranking, candidates)
    return in_order(candidate.line() for candidate in chosen(candidates.values(), protocol, seed))


def in_order(lines: Iterable[PoolLine]) -> list[PoolLine]:
    """The order of a pool: by topic, then votes descending, then unit and document."""
    return sorted(lines, key=lambda line: (line.topic_id, -line.votes, line.unit_id, line.doc_id))


def depth(run: PooledRun, protocol: Protocol) -> int:
    """How many different units of the run are pooled for each topic; all of a run of written answers."""
    if run.written:
        return LIMIT
    return protocol.primary_depth if run.role == "primary" else protocol.alternate_depth


def prefix(ranking: Iterable[Retrieved], depth: int) -> Iterator[Retrieved]:
    """The pooled part of a run: each topic's list down to the first instance of the ``depth``-th different
    unit, the whole list where there are fewer. Documents without a unit are skipped."""
    for _, rows in groupby(ranking, attrgetter("topic_id")):
        seen: set[str] = set()
        for row in rows:
            if row.unit_id:
                seen.add(row.unit_id)
                yield row
            if len(seen) == depth:
                break


def count_votes(ranking: Iterable[Retrieved], candidates: Candidates) -> None:
    find = candidates.get
    for row in ranking:
        candidate = find((row.topic_id, row.doc_id))
        if candidate is not None:
            candidate.votes += SHARES[row.rank]
            candidate.runs += 1


def chosen(candidates: Iterable[Candidate], protocol: Protocol, seed: int) -> Iterator[Candidate]:
    """At most ``max_instances`` documents of each unit."""
    instances: defaultdict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        instances[candidate.topic_id, candidate.unit_id].append(candidate)
    strength = attrgetter("prefixes" if protocol.instance_rule == "most_runs" else "votes")

    def preference(candidate: Candidate) -> tuple[int, bytes]:
        return -strength(candidate), lot(seed, candidate.topic_id, candidate.doc_id)

    for group in instances.values():
        if len(group) > protocol.max_instances:
            group.sort(key=preference)
        yield from group[: protocol.max_instances]


def lot(seed: int, topic_id: str, doc_id: str) -> bytes:
    """The place of a document among equals: random, the same on every machine, whatever the input order."""
    return sha256(f"{seed}\t{topic_id}\t{doc_id}".encode()).digest()


def without_unit(runs: Iterable[PooledRun]) -> Counter[str]:
    """Of each run how many documents have no unit and are left out of the pool."""
    return Counter(run.name for run in runs for row in run.ranking if not row.unit_id)
