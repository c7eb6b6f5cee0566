"""How much of a run is judged, and how relevant it is, by rank."""

from assess.ir.common.rows import Qrel
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.runs import read_run
from assess.ir.runs.judged import JudgedUnits
from assess.ir.runs.ranking import LIMIT, order
from assess.ir.scores.rank_profile import FIRSTS, Band, rank_profile
from tests.rankings import Retrieved, as_ranking
from tests.real import data_file


def test_two_topics_by_hand_and_formulas_count_once_at_their_first_instance() -> None:
    ranking = as_ranking(
        [
            *(Retrieved("A.1", rank, unit, unit, -rank) for rank, unit in enumerate("abcdef", start=1)),
            Retrieved("A.2", 1, "x", "x", 1.0),
            Retrieved("A.9", 1, "x", "x", 1.0),  # no topic of the qrels
        ]
    )
    qrels = JudgedUnits(
        [Qrel("A.1", "a", 3), Qrel("A.1", "e", 1), Qrel("A.1", "f", 0), Qrel("A.2", "x", 0), Qrel("A.3", "a", 3)]
    )
    first, *others = rank_profile(ranking, qrels)
    assert (first, first.share, first.relevance) == (Band(1, 1, 2, 2, 3), 1.0, 1.5)
    assert others == [Band(2, 2, 1, 0, 0), Band(3, 3, 1, 0, 0), Band(4, 4, 1, 0, 0), Band(5, 6, 2, 2, 1)]
    assert others[0].relevance is None
    units = [("1", "v1"), ("2", "v1"), ("3", ""), ("4", "v2")]
    ranking = as_ranking(Retrieved("B.1", rank, doc, unit, -rank) for rank, (doc, unit) in enumerate(units, start=1))
    assert rank_profile(ranking, JudgedUnits([Qrel("B.1", "v2", 2)])) == [Band(1, 1, 1, 0, 0), Band(2, 2, 1, 1, 2)]


def test_the_bands_of_a_run_of_arqmath_1_count_every_document_and_every_judged_one() -> None:
    with data_file("runs/arqmath1-task1/psu-task1-auto-both-A.full.tsv").open("rb") as source:
        ranking = order(read_run(source, "run").lines)
    with data_file("qrels/qrels.arqmath-2020-task1.txt").open("rb") as source:
        qrels = JudgedUnits(read_qrels(source, "qrels").qrels)
    bands = rank_profile(ranking, qrels)
    grades = {line[:2]: line.grade for line in qrels}
    rows = [row for row in ranking.iter_rows(named=True) if row["topic_id"] in qrels.by_topic]
    for band in (bands[0], bands[9], bands[-1]):
        documents = [(row["topic_id"], row["doc_id"]) for row in rows if band.first <= row["rank"] <= band.last]
        judged = [grades[key] for key in documents if key in grades]
        assert band[2:] == (len(documents), len(judged), sum(judged))
    assert sum(band.units for band in bands) == len(rows)
    assert bands[0].share > bands[9].share > bands[-1].share  # pools are taken from the top
    assert (bands[0].first, bands[-1].last) == (1, LIMIT)
    assert len(bands) == len(FIRSTS)
