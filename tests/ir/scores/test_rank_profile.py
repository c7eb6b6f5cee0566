"""How much of a run is judged, and how relevant it is, by rank."""

from assess.ir.common.rows import Qrel
from assess.ir.runs.ranking import LIMIT, JudgedUnits
from assess.ir.scores.reusability import FIRSTS, Band, rank_profile
from tests.rankings import as_ranking, listed


def test_two_topics_by_hand_and_formulas_count_once_at_their_first_instance() -> None:
    ranking = as_ranking([*listed("abcdef"), *listed("x", "A.2"), *listed("x", "A.9")])  # A.9: no topic of the qrels
    qrels = JudgedUnits(
        [Qrel("A.1", "a", 3), Qrel("A.1", "e", 1), Qrel("A.1", "f", 0), Qrel("A.2", "x", 0), Qrel("A.3", "a", 3)]
    )
    first, *others = rank_profile(ranking, qrels)
    assert (first, first.share, first.relevance) == (Band(1, 1, 2, 2, 3), 1.0, 1.5)
    assert others == [Band(2, 2, 1, 0, 0), Band(3, 3, 1, 0, 0), Band(4, 4, 1, 0, 0), Band(5, 6, 2, 2, 1)]
    assert others[0].relevance is None
    ranking = as_ranking(listed(["1:v1", "2:v1", "3:", "4:v2"], "B.1"))
    assert rank_profile(ranking, JudgedUnits([Qrel("B.1", "v2", 2)])) == [Band(1, 1, 1, 0, 0), Band(2, 2, 1, 1, 2)]


def test_the_bands_of_a_full_list_count_every_document_and_every_judged_one() -> None:
    grades = {rank: rank % 4 for rank in range(1, LIMIT + 1, 3)}
    ranking = as_ranking(listed(map(str, range(1, LIMIT + 1))))
    bands = rank_profile(ranking, JudgedUnits(Qrel("A.1", str(rank), grade) for rank, grade in grades.items()))
    assert ([band.first for band in bands], bands[-1].last) == (list(FIRSTS), LIMIT)
    for band in bands:
        judged = [grade for rank, grade in grades.items() if band.first <= rank <= band.last]
        assert band[2:] == (band.last - band.first + 1, len(judged), sum(judged))
