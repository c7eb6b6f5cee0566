from assess.ir.baselines.fusion import min_max_mean, normalised
from assess.ir.baselines.search import Scored


def run(topic, **scores):
    return [Scored(topic, doc.strip("_"), float(score)) for doc, score in scores.items()]


def test_the_mean_of_two_runs_that_lack_something_each():
    first, second = run("A.1", _11=9, _12=5, _13=1), run("A.1", _12=0.2, _14=0.1)
    assert min_max_mean(first, second) == [
        Scored("A.1", "12", 0.75),  # (0.5 + 1) / 2
        Scored("A.1", "11", 0.5),  # (1 + absent) / 2
        Scored("A.1", "14", 0.0),  # the lowest of its run; ties by id as text, descending
        Scored("A.1", "13", 0.0),
    ]


def test_topics_are_normalised_each_for_itself():
    runs = run("A.1", _1=100, _2=0) + run("A.2", _1=2, _2=1)
    assert [row.score for row in normalised(runs)] == [1, 0, 1, 0]


def test_one_and_the_same_score_counts_as_the_best_not_as_absent():
    assert [row.score for row in normalised(run("A.1", _1=7, _2=7))] == [1, 1]
    assert min_max_mean(run("A.1", _1=7), run("A.1", _2=3, _3=1))[:2] == [
        Scored("A.1", "2", 0.5),
        Scored("A.1", "1", 0.5),
    ]


def test_a_topic_of_one_run_alone_stays_with_half_its_scores():
    assert min_max_mean(run("A.1", _1=2, _2=1), run("A.2", _1=5))[:2] == run("A.1", _1=0.5, _2=0)


def test_which_run_is_first_does_not_matter():
    first, second = run("A.1", _1=3, _2=2, _3=1), run("A.1", _3=9, _4=8, _1=1)
    assert min_max_mean(first, second) == min_max_mean(second, first)


def test_no_more_than_the_limit_is_kept():
    assert len(min_max_mean(run("A.1", _1=3, _2=2), run("A.1", _3=9, _4=8), limit=3)) == 3
