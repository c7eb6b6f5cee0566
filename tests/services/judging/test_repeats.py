"""Documents that assessors judge again."""

from pathlib import Path

import pytest

from assess.models import Assignment, Pool
from assess.services.common.errors import Refused
from assess.services.judging import progress, repeats
from assess.services.results import agreement, qrels
from assess.services.results.self_agreement import self_agreement
from tests.cast import Cast, make_assignment, on_progress
from tests.desk import judge_all
from tests.lab import client_of, judge, make_lab
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(pool: Pool, cast: Cast) -> Assignment:
    assignment = make_assignment(pool, cast.ada)
    judge(assignment, {"11": "3", "12": "0", "21": "2", "99": "system_failure"})
    return assignment


def again(cast: Cast) -> Assignment:
    return Assignment.objects.get(assessor=cast.ada, round__kind="repeat")


def test_a_share_of_what_was_graded_comes_again_each_document_once(pool: Pool, cast: Cast, judged: Assignment) -> None:
    assert repeats.repeat(pool, [cast.ada], 50) == {"ada": 2}
    first = list(again(cast).instance_order)
    assert set(first) < set(judged.instance_order)
    assert repeats.repeat(pool, [cast.ada], 50) == {"ada": 1}
    assert again(cast).instance_order[:2] == first
    with pytest.raises(Refused, match="nothing to repeat"):
        repeats.repeat(pool, [cast.ada], 100)


def test_it_counts_for_self_agreement_only(pool: Pool, cast: Cast, judged: Assignment) -> None:
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "2", "12": "0", "21": "0", "99": "1"}, 4000)
    before = agreement.report(pool, on_progress)
    released = qrels.release(pool, cast.olga, on_progress).lines_of("post")
    decided = progress.decisions(pool.pk)
    repeats.repeat(pool, [cast.ada], 100)
    judge_all(again(cast), "3")
    assert agreement.report(pool, on_progress).pairs == before.pairs
    assert qrels.release(pool, cast.olga, on_progress).lines_of("post") == released
    assert progress.decisions(pool.pk) == decided
    (own,) = self_agreement(pool).items()
    assert (own[0], own[1].n) == ("ada", 3)
    assert own[1].agreement == pytest.approx(1 / 3)


def test_without_repeats_there_is_nothing(pool: Pool, cast: Cast, judged: Assignment) -> None:
    assert self_agreement(pool) == {}


def test_the_organizer_starts_it_and_sees_the_result(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    olga = client_of(lab.cast.olga)
    olga.post(url_of("round_repeat", lab.campaign), {"repeat-people": [lab.cast.ada.pk], "repeat-percent": "100"})
    given = again(lab.cast)
    assert "repeat" not in client_of(lab.cast.ada).get("/").content.decode().lower()
    judge_all(given, "2")
    assert "The same documents again" in text_of(olga, "agreement", lab.campaign)
    for person, status in ((lab.cast.mallory, 404), (lab.cast.ada, 403), (lab.cast.kurt, 403)):
        assert client_of(person).post(url_of("round_repeat", lab.campaign)).status_code == status
