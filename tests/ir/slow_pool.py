"""A slow, independent implementation of pooling: plain lists and fractions, no code of the project."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any

Run = dict[str, Any]
Rules = Mapping[str, Any]
Row = tuple[int, str, str]

HEADER = "topic\tunit\tdoc\tvotes\truns\n"


def slow_pool(
    runs: Sequence[Run], rules: Rules, seed: int, posts: Mapping[str, str], answers: Iterable[tuple[str, str]] = ()
) -> str:
    """The text of a pool file.

    ``runs``: dictionaries with ``role``, ``written``, ``baseline`` and ``lists`` (topic -> [(document, unit)], best
    first; the unit may be empty). ``rules``: the fields of a protocol. ``posts``: document -> post.
    ``answers``: (topic, post) of the pool of answers.
    """
    pooled = [run for run in runs if run["role"] != "none"]
    topics = sorted({topic for run in pooled for topic in run["lists"]})
    lines: list[tuple[str, str, str, float, int]] = []
    for topic in topics:
        in_answers = {
            post for other, post in answers if rules["seed_from_task1"] and other == topic.replace("B.", "A.")
        }
        seeded = {doc for doc, post in posts.items() if post in in_answers}
        lines += of_topic(topic, pooled, rules, seed, posts, seeded)
    lines.sort(key=lambda line: (line[0], -line[3], line[1], line[2]))
    return HEADER + "".join(
        f"{topic}\t{unit}\t{doc}\t{votes:.15g}\t{count}\n" for topic, unit, doc, votes, count in lines
    )


def of_topic(
    topic: str, runs: Sequence[Run], rules: Rules, seed: int, posts: Mapping[str, str], seeded: set[str]
) -> Iterator[tuple[str, str, str, float, int]]:
    lists = [run["lists"].get(topic, []) for run in runs]
    parts = brought_in(runs, lists, rules)
    for whole, part in zip(lists, parts, strict=True):
        part += [row for row in numbered(whole) if row[1] in seeded and row[2] and row not in part]
    units = {doc: unit for part in parts for _, doc, unit in part}
    votes: dict[str, Fraction] = {}
    counts: dict[str, int] = {}
    prefixes: dict[str, int] = {}
    best: dict[str, int] = {}
    for doc in units:
        ranks = []
        for run, whole, part in zip(runs, lists, parts, strict=True):
            if run["baseline"] and not rules["baselines_vote"]:
                continue
            counted = numbered(whole) if rules["votes_from"] == "whole" else part
            ranks += [rank for rank, other, _ in counted if other == doc]
        votes[doc], counts[doc] = sum((Fraction(1, rank) for rank in ranks), Fraction(0)), len(ranks)
        places = [rank for part in parts for rank, other, _ in part if other == doc]
        prefixes[doc], best[doc] = len(places), min(places)
    if rules["pool_rule"] == "votes":
        total = {unit: sum(votes[doc] for doc in units if units[doc] == unit) for unit in set(units.values())}
        ranked = sorted(total, key=lambda unit: (-total[unit], tie_break(seed, topic, unit)))
        taken = ranked[: rules["pool_size"]]
        units = {doc: unit for doc, unit in units.items() if unit in taken or doc in seeded}
    strength: Callable[[str], Any] = {
        "reciprocal_rank_vote": lambda doc: votes[doc],
        "most_runs": lambda doc: prefixes[doc],
        "rank_first": lambda doc: -best[doc],
        "random": lambda doc: 0,
    }[rules["instance_rule"]]
    for unit in sorted(set(units.values())):
        documents = [doc for doc in units if units[doc] == unit]
        documents.sort(key=lambda doc: (-strength(doc), tie_break(seed, topic, doc)))
        kept: list[str] = []
        for doc in documents:
            is_repeated = rules["one_per_post"] and posts[doc] in {posts[other] for other in kept}
            if len(kept) < rules["max_instances"] and not is_repeated:
                kept.append(doc)
        for doc in kept:
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
