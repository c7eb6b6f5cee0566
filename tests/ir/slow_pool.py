"""A slow, independent implementation of pooling: plain lists and fractions, no code of the project."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any

Run = dict[str, Any]
Rules = Mapping[str, Any]
Row = tuple[int, str, str]

HEADER = "topic\tunit\tdoc\tvotes\truns\n"


def slow_pool(runs: Sequence[Run], rules: Rules, seed: int) -> str:
    """The text of a pool file.

    ``runs``: dictionaries with ``role``, ``written`` and ``lists`` (topic -> [(document, unit)], best first; the unit
    may be empty). ``rules``: the fields of a protocol.
    """
    pooled = [run for run in runs if run["role"] != "none"]
    topics = sorted({topic for run in pooled for topic in run["lists"]})
    lines: list[tuple[str, str, str, float, int]] = []
    for topic in topics:
        lines += of_topic(topic, pooled, rules, seed)
    lines.sort(key=lambda line: (line[0], -line[3], line[1], line[2]))
    return HEADER + "".join(
        f"{topic}\t{unit}\t{doc}\t{votes:.15g}\t{count}\n" for topic, unit, doc, votes, count in lines
    )


def of_topic(topic: str, runs: Sequence[Run], rules: Rules, seed: int) -> Iterator[tuple[str, str, str, float, int]]:
    lists = [run["lists"].get(topic, []) for run in runs]
    parts = brought_in(runs, lists, rules)
    units = {doc: unit for part in parts for _, doc, unit in part}
    votes: dict[str, Fraction] = {}
    counts: dict[str, int] = {}
    prefixes: dict[str, int] = {}
    for doc in units:
        ranks = [rank for whole in lists for rank, other, _ in numbered(whole) if other == doc]
        votes[doc], counts[doc] = sum((Fraction(1, rank) for rank in ranks), Fraction(0)), len(ranks)
        prefixes[doc] = sum(other == doc for part in parts for _, other, _ in part)
    if rules["pool_rule"] == "votes":
        total = {unit: sum(votes[doc] for doc in units if units[doc] == unit) for unit in set(units.values())}
        ranked = sorted(total, key=lambda unit: (-total[unit], tie_break(seed, topic, unit)))
        taken = ranked[: rules["pool_size"]]
        units = {doc: unit for doc, unit in units.items() if unit in taken}
    strength: Mapping[str, Any] = prefixes if rules["instance_rule"] == "most_runs" else votes
    for unit in sorted(set(units.values())):
        documents = [doc for doc in units if units[doc] == unit]
        documents.sort(key=lambda doc: (-strength[doc], tie_break(seed, topic, doc)))
        for doc in documents[: rules["max_instances"]]:
            yield topic, unit, doc, round(float(votes[doc]), 12), counts[doc]


def brought_in(runs: Sequence[Run], lists: Sequence[Sequence[tuple[str, str]]], rules: Rules) -> list[list[Row]]:
    """The pooled part of each list, as (rank, document, unit)."""
    whole = [[row for row in numbered(entries) if row[2]] for entries in lists]
    if rules["pool_rule"] == "votes":
        return whole
    if rules["pool_rule"] == "rank_by_rank":
        last = 0
        while len({unit for part in whole for rank, _, unit in part if rank <= last}) < rules["pool_size"]:
            if last > max((rank for part in whole for rank, _, _ in part), default=0):
                break
            last += 1
        return [[row for row in part if row[0] <= last] for part in whole]
    parts = []
    for run, rows in zip(runs, whole, strict=True):
        depth = rules["primary_depth"] if run["role"] == "primary" else rules["alternate_depth"]
        part: list[Row] = []
        seen: list[str] = []
        for row in rows:
            if not run["written"] and len(seen) == depth:
                break
            part.append(row)
            if row[2] not in seen:
                seen.append(row[2])
        parts.append(part)
    return parts


def numbered(entries: Sequence[tuple[str, str]]) -> list[Row]:
    return [(rank, doc, unit) for rank, (doc, unit) in enumerate(entries, start=1)]


def tie_break(seed: int, topic: str, name: str) -> bytes:
    return sha256(f"{seed}\t{topic}\t{name}".encode()).digest()
