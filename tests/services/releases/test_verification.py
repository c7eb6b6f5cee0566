"""Verifying releases: what came later is told apart from what was tampered with, and neither goes unnoticed."""

import re

import pytest

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Assignment, Judgment, JudgmentEvent, Qrels
from assess.services.releases import qrels
from assess.services.releases.verification import Verification, verify
from assess.services.rounds import adjudication
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, decide, judge

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def verified(lab: Lab, version: int = 1) -> Verification:
    return verify(Qrels.objects.get(pool=lab.pool, version=version))


@pytest.mark.parametrize("word", ["3", ""])
def test_what_was_decided_after_a_release_is_exactly_what_verifying_tells(word: str, lab: Lab) -> None:
    decide(lab.official, "12", "1")
    decide(lab.official, "12", word)
    done = verified(lab)
    assert done.is_intact  # as of its time
    assert [tuple(event.values())[1:] for event in done.later] == [
        ("ada", "A.1", "12", "0", "1"),
        ("ada", "A.1", "12", "1", word or "taken back"),
    ]
    assert done.lines == []
    qrels.release(lab.pool, lab.cast.olga, on_progress)
    decide(lab.official, "99", "2")
    assert [(event["doc_id"], event["after"]) for event in verified(lab, 2).later] == [("99", "2")]


def test_an_event_that_comes_in_place_of_a_removed_one_is_found(lab: Lab) -> None:
    JudgmentEvent.objects.filter(assignment=lab.official, instance__doc_id="12").delete()
    Judgment.objects.filter(assignment=lab.official, instance__doc_id="12").delete()
    decide(lab.official, "12", "0")  # the same grade again: the lines are the same
    done = verified(lab)
    assert not re.search("made again|in the database", "\n".join(done.problems))
    assert re.search("events.*were changed", "\n".join(done.problems))


def test_settled_grades_and_formulas_verify() -> None:
    campaign = make_campaign("arqmath3-task2")
    cast, pool = make_cast(campaign), make_pool(campaign)
    main, dual = make_assignment(pool, cast.ada), make_assignment(pool, cast.emmy, kind="dual")
    judge(main, {"110": "1", "120": "3", "210": "not_matching", "220": "do_not_know"})
    judge(dual, {"110": "3", "120": "0", "210": "1", "220": "1"})
    adjudication.adjudicate(pool, cast.kurt, cast.olga)
    judge(Assignment.objects.get(assessor=cast.kurt), {"110": "2", "120": "2"})
    for options in (ReleaseOptions(judges="adjudicated"), ReleaseOptions(judges="two_assessors"), ReleaseOptions()):
        release = qrels.release(pool, cast.olga, on_progress, options)
        decide(main, "220", "2")
        done = verify(release)
        assert done.is_intact, done.problems
        decide(main, "220", "do_not_know")
    settled = qrels.release(pool, cast.olga, on_progress, ReleaseOptions(judges="round", round=3))
    assert [(line.unit_id, line.grade) for line in settled.lines_of("instance")] == [("110", 2), ("120", 2)]


def test_a_release_says_how_many_documents_were_left_out_and_those_made_before_need_not(lab: Lab) -> None:
    lab.pool.left_out = [["A.1", "13", "13"]]
    lab.pool.save()
    assert verified(lab).is_intact
    release = qrels.release(lab.pool, lab.cast.olga, on_progress)
    assert release.made_with["pool"][qrels.LEFT_OUT] == 1
    assert verify(release).is_intact
    release.made_with["pool"][qrels.LEFT_OUT] = 2
    assert "documents_left_out" in "\n".join(verify(release).problems)
