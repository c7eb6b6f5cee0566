"""The board of topics and assessors, and timesheets."""

import csv
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from assess.models import Assignment, Campaign, Judgment, JudgmentEvent
from assess.services.rounds import assignments
from tests.cast import Cast, make_assignment, make_pool
from tests.lab import client_as, client_of, judge
from tests.web.organizer import text_of, url_of

pytestmark = pytest.mark.django_db


def board(cast: Cast, campaign: Campaign, person: str = "olga") -> str:
    page = text_of(client_as(cast, person), "progress", campaign)
    return page[page.index('id="board"') :].partition("</table>")[0]


def states(cast: Cast, campaign: Campaign) -> list[str]:
    """The cells of the board, row by row, without those of assessors who do not have the topic."""
    return [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", board(cast, campaign))]


def test_each_cell_says_how_far_an_assignment_is(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    first = make_assignment(pool, cast.ada)
    judge(first, dict.fromkeys(("11", "12", "21", "99"), "1"))
    second = make_assignment(pool, cast.emmy, kind="dual")
    assert states(cast, campaign) == ["4 of 4 done", "0 of 4 dual, not begun"]
    judge(second, {"11": "1"})
    assert states(cast, campaign)[1] == "1 of 4 dual, begun"
    assignments.pause_assignment(second, cast.olga)
    assert states(cast, campaign)[1] == "1 of 4 dual, paused"


@pytest.mark.parametrize(("days", "is_stale"), [(6, False), (8, True)])
def test_an_assignment_without_a_judgment_for_a_week_has_stopped(
    days: int, is_stale: bool, campaign: Campaign, cast: Cast
) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    Assignment.objects.update(created=timezone.now() - timedelta(days=days))
    assert ("stopped 8 days ago" in board(cast, campaign)) is is_stale
    judge(assignment, {"11": "1"})
    assert "stopped" not in board(cast, campaign)
    Judgment.objects.update(changed=timezone.now() - timedelta(days=days))
    assert ("stopped 8 days ago" in board(cast, campaign)) is is_stale
    assignments.pause_assignment(assignment, cast.olga)
    assert "stopped" not in board(cast, campaign)  # nobody waits for it


def test_only_organizers_come_from_the_board_to_the_judgments(campaign: Campaign, cast: Cast) -> None:
    make_assignment(make_pool(campaign), cast.ada)
    address = url_of("topic_judgments", campaign, topic_id="A.1")
    assert address in board(cast, campaign)
    assert address not in board(cast, campaign, "kurt")


def test_timesheets_add_up_all_decisions_of_a_week(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    for word in ("1", "2"):  # a change takes time, too
        judge(assignment, {"11": word}, 90_000)
    JudgmentEvent.objects.update(at="2022-05-04T12:00Z")
    judge(make_assignment(campaign.frozen_pool(), cast.emmy, kind="dual"), {"11": "1"}, 60_000)
    JudgmentEvent.objects.filter(by=cast.emmy).update(at="2022-05-09T12:00Z")
    text = client_of(cast.olga).get(url_of("timesheet", campaign)).content.decode()
    assert list(csv.reader(text.splitlines())) == [
        ["assessor", "week", "monday", "active_minutes", "decisions"],
        ["ada", "2022-W18", "2022-05-02", "3.0", "2"],
        ["emmy", "2022-W19", "2022-05-09", "1.0", "1"],
    ]


def test_no_spreadsheet_runs_a_user_name(campaign: Campaign, cast: Cast) -> None:
    cast.ada.username = "@ada"
    cast.ada.save()
    judge(make_assignment(make_pool(campaign), cast.ada), {"11": "1"})
    assert b"\n'@ada," in client_of(cast.olga).get(url_of("timesheet", campaign)).content
