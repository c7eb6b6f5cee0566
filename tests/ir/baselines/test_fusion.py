from assess.ir.baselines.fusion import min_max_mean, normalized
from assess.ir.baselines.search import Scored


def run(topic: str, **scores: float) -> list[Scored]:
    return [Scored(topic, doc.strip("_"), float(score)) for doc, score in scores.items()]


def test_a_document_missing_from_a_run_scores_0_there() -> None:
    first, second = run("A.1", _11=9, _12=5, _13=1), run("A.1", _12=0.2, _14=0.1)
    assert min_max_mean(first, second) == [
        Scored("A.1", "12", 0.75),  # (0.5 + 1) / 2
        Scored("A.1", "11", 0.5),  # (1 + absent) / 2
        Scored("A.1", "14", 0.0),  # the lowest of its run; ties by id as text, descending
        Scored("A.1", "13", 0.0),
    ]


def test_topics_are_normalized_separately() -> None:
    runs = run("A.1", _1=100, _2=0) + run("A.2", _1=2, _2=1)
    assert [row.score for row in normalized(runs)] == [1, 0, 1, 0]


def test_equal_scores_are_normalized_to_1() -> None:
    assert [row.score for row in normalized(run("A.1", _1=7, _2=7))] == [1, 1]
    assert min_max_mean(run("A.1", _1=7), run("A.1", _2=3, _3=1))[:2] == [
        Scored("A.1", "2", 0.5),
        Scored("A.1", "1", 0.5),
    ]


def test_a_topic_in_only_one_run_keeps_half_its_scores() -> None:
    assert min_max_mean(run("A.1", _1=2, _2=1), run("A.2", _1=5))[:2] == run("A.1", _1=0.5, _2=0)


def test_the_order_of_the_runs_does_not_matter() -> None:
    first, second = run("A.1", _1=3, _2=2, _3=1), run("A.1", _3=9, _4=8, _1=1)
    assert min_max_mean(first, second) == min_max_mean(second, first)


def test_no_more_than_the_limit_is_kept() -> None:
    assert len(min_max_mean(run("A.1", _1=3, _2=2), run("A.1", _3=9, _4=8), limit=3)) == 3
