import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from assess.ir.common.rows import Order, Qrel, RunLine
from assess.ir.runs import ranking as r
from assess.ir.runs.ranking import LIMIT, as_lines, first_of_each_unit, judged_only, pack, resolve, unpack
from tests.rankings import Retrieved, as_ranking, as_rows


def line(doc: str, score: float, rank: int = 1, topic: str = "A.1") -> RunLine:
    return RunLine(topic, doc, rank, score, "run")


def order(lines: list[RunLine], by: Order = "score") -> pl.DataFrame:
    return r.order(as_lines(lines), by)


def prime(ranking: pl.DataFrame, qrels: list[Qrel], by: Order = "score") -> list[Retrieved]:
    return as_rows(r.prime(ranking, qrels, by))


def documents(ranking: pl.DataFrame) -> list[str]:
    return list(ranking["doc_id"])


def test_a_run_is_ordered_by_score_or_rank_and_cut_at_the_best_thousand() -> None:
    lines = [line("10", 1), line("9", 1), line("100", 1), line("b", 2)]
    assert documents(order(lines)) == ["b", "9", "100", "10"]
    lines = [line("c", 9, rank=7), line("a", 1, rank=0), line("b1", 5, rank=3), line("b2", 5, rank=3)]
    assert documents(order(lines, "rank")) == ["a", "b2", "b1", "c"]
    lines = [line("x", 1, topic="A.2"), line("y", 3, rank=40), line("z", -4, rank=50)]
    assert as_rows(order(lines)) == [
        Retrieved("A.1", 1, "y", "y", 3),
        Retrieved("A.1", 2, "z", "z", -4),
        Retrieved("A.2", 1, "x", "x", 1),
    ]
    lines = [line("twice", 1), line("once", 2), line("twice", 3), line("twice", 3, topic="A.2")]
    assert [(row.topic_id, row.doc_id, row.score) for row in as_rows(order(lines))] == [
        ("A.1", "once", 2),
        ("A.1", "twice", 1),
        ("A.2", "twice", 3),
    ]
    lines = [line(f"d{place}", -place, rank=place) for place in range(LIMIT + 2)]
    assert documents(order(lines)) == [f"d{place}" for place in range(LIMIT)]
    assert documents(judged_only(order(lines), [Qrel("A.1", f"d{LIMIT}", 3)])) == []
    lines = [line("d0", 5000), *(line(f"d{place}", -place) for place in range(LIMIT))]
    assert len(order(lines)) == LIMIT


@given(st.permutations(range(6)))
def test_the_order_of_the_file_does_not_matter_without_repeats(places: list[int]) -> None:
    lines = [line(f"d{place}", place // 2) for place in places]
    assert documents(order(lines)) == ["d5", "d4", "d3", "d2", "d1", "d0"]


def test_formulas_are_mapped_first_of_each_kept_and_unjudged_dropped_and_by_rank_keep_their_order() -> None:
    scores = {"f1": 0.2, "f2": 0.9, "f3": 0.5, "f4": 0.5, "f5": 0.4, "f6": 0.7}
    lines = [line(formula, score) for formula, score in scores.items()]
    units = {"f1": "v3", "f2": "v1", "f3": "v2", "f4": "v10", "f5": "v1"}  # f6: not in the index
    qrels = [Qrel("A.1", "v1", 3), Qrel("A.1", "v2", 0), Qrel("A.1", "v10", 2)]  # v3 is unjudged

    ranking = order(lines)
    assert documents(ranking) == ["f2", "f6", "f4", "f3", "f5", "f1"]
    mapped = resolve(ranking, units)
    assert list(mapped["unit_id"]) == ["v1", "", "v10", "v2", "v1", "v3"]
    firsts = first_of_each_unit(mapped)
    assert list(firsts.select("unit_id", "score").iter_rows()) == [("v1", 0.9), ("v10", 0.5), ("v2", 0.5), ("v3", 0.2)]
    assert list(judged_only(firsts, qrels)["unit_id"]) == ["v1", "v10", "v2"]
    assert [(row.rank, row.unit_id) for row in prime(mapped, qrels)] == [
        (1, "v1"),
        (2, "v2"),  # ties with v10 at 0.5: trec_eval sees units, "v2" > "v10"
        (3, "v10"),
    ]
    mapped = resolve(order([line("f1", 5, rank=1), line("f2", 5, rank=2)], "rank"), {"f1": "v1", "f2": "v2"})
    qrels = [Qrel("A.1", "v1", 1), Qrel("A.1", "v2", 1)]
    assert [row.unit_id for row in prime(mapped, qrels, "rank")] == ["v1", "v2"]
    assert [row.unit_id for row in prime(mapped, qrels, "score")] == ["v2", "v1"]


ids = st.text(max_size=9)
rows = st.builds(Retrieved, ids, st.integers(1, LIMIT), ids, ids, st.floats(allow_nan=False))


@given(st.lists(rows))
def test_packing_and_unpacking_a_ranking_does_not_change_it(ranking: list[Retrieved]) -> None:
    assert as_rows(unpack(pack(as_ranking(ranking)))) == ranking


def test_a_packed_run_of_full_size_is_a_megabyte() -> None:
    ranking = [
        Retrieved(f"A.{topic}", rank, str(topic * 7919 + rank * 104729), str(topic + rank * 31), 1 / rank)
        for topic in range(100)
        for rank in range(1, LIMIT + 1)
    ]
    assert len(pack(as_ranking(ranking))) < 1_500_000
