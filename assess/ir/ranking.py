"""The order of a run, and what is taken out of a ranking before it is measured. Each rule has one place."""

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby, islice
from operator import attrgetter

from assess.ir.rows import Order, Qrel, Retrieved, RunLine

LIMIT = 1000
"""Documents that count for each topic; the labs cut before unjudged documents are removed."""


def order(lines: Iterable[RunLine], by: Order = "score") -> list[Retrieved]:
    """The ranking of a run, topic by topic: at most ``LIMIT`` documents each, ``rank`` from 1 without gaps.

    By score descending, as trec_eval does (it ignores the rank column), or by the rank column ascending; ties
    by document id as text, descending. Of a document repeated in a topic the first line of the file counts.
    ``unit_id`` is the document itself until ``resolve`` says otherwise. Scores are compared as they are;
    trec_eval rounds them to 32 bits first, which makes ties of scores that differ in the eighth digit.
    """
    kept = list({(line.topic_id, line.doc_id): line for line in reversed(list(lines))}.values())
    kept.sort(key=attrgetter("doc_id"), reverse=True)
    kept.sort(key=(lambda line: -line.score) if by == "score" else attrgetter("rank"))
    kept.sort(key=attrgetter("topic_id"))
    return [
        Retrieved(topic_id, rank, line.doc_id, line.doc_id, line.score)
        for topic_id, group in groupby(kept, attrgetter("topic_id"))
        for rank, line in enumerate(islice(group, LIMIT), start=1)
    ]


def resolve(ranking: Iterable[Retrieved], units: Mapping[str, str] | None) -> list[Retrieved]:
    """The ranking with the unit of each document: the document itself without a map, else its visual id
    (formula id -> visual id), empty where the map has none."""
    if units is None:
        return [row._replace(unit_id=row.doc_id) for row in ranking]
    return [row._replace(unit_id=units.get(row.doc_id, "")) for row in ranking]


def first_of_each_unit(ranking: Iterable[Retrieved]) -> list[Retrieved]:
    """From the top down the first document of each unit; documents without a unit are skipped."""
    firsts: dict[tuple[str, str], Retrieved] = {}
    for row in ranking:
        if row.unit_id:
            firsts.setdefault((row.topic_id, row.unit_id), row)
    return list(firsts.values())


def judged_only(ranking: Iterable[Retrieved], qrels: Collection[Qrel]) -> list[Retrieved]:
    """The prime (′) of a measure: the ranking without unjudged units (Sakai and Kando 2008)."""
    judged = {(qrel.topic_id, qrel.unit_id) for qrel in qrels}
    return [row for row in ranking if (row.topic_id, row.unit_id) in judged]


def prime(ranking: Iterable[Retrieved], qrels: Collection[Qrel], by: Order = "score") -> list[Retrieved]:
    """What is measured: the first of each unit with its score, without unjudged units, ranked anew.

    Ties in score go by unit id descending, since trec_eval sees units and not documents; a ranking by the
    rank column stays in its order.
    """
    kept = judged_only(first_of_each_unit(ranking), qrels)
    if by == "score":
        kept.sort(key=attrgetter("unit_id"), reverse=True)
        kept.sort(key=lambda row: (row.topic_id, -row.score))
    return [
        row._replace(rank=rank)
        for _, group in groupby(kept, attrgetter("topic_id"))
        for rank, row in enumerate(group, start=1)
    ]


def pack(rows: Sequence[Retrieved]) -> bytes:
    """A ranking as one compressed Parquet file, for one field of the database."""
    import polars

    target = io.BytesIO()
    columns = list(zip(*rows, strict=True)) or [()] * len(Retrieved._fields)
    schema = {"topic_id": polars.String, "rank": polars.Int32, "doc_id": polars.String}
    schema |= {"unit_id": polars.String, "score": polars.Float64}
    frame = polars.DataFrame(dict(zip(Retrieved._fields, columns, strict=True)), schema=schema)
    frame.write_parquet(target, compression="zstd")
    return target.getvalue()


def unpack(data: bytes) -> list[Retrieved]:
    """The rows that ``pack`` was given."""
    import polars

    return [Retrieved(*row) for row in polars.read_parquet(io.BytesIO(data)).iter_rows()]
