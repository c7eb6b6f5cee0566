"""The planner: access, the numbers at each depth, and setting the protocol."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import Settings

from assess.models import Campaign, Job
from assess.services.pool import freezing, planning, pools
from tests.cast import Cast, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, client_as, client_of, make_shallow_campaign, make_siblings, queries
from tests.services.pool.test_planning import add_formula_run
from tests.web.organizer import outsiders

pytestmark = pytest.mark.django_db

VIEWS = {"pool_plan": "get", "pool_plan_make": "post", "pool_plan_use": "post"}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_shallow_campaign(tmp_path)
    make_cast(campaign)
    return campaign


@pytest.fixture
def cast(campaign: Campaign) -> Cast:
    return make_cast()


@pytest.fixture
def planned(campaign: Campaign) -> Campaign:
    planning.compute(campaign, on_progress)
    return campaign


def url_of(name: str, campaign: Campaign) -> str:
    return reverse(name, args=[campaign.slug])


def page_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def message_levels(response: Any) -> list[str]:
    return [message.level_tag for message in response.context["messages"]]


@pytest.mark.parametrize("name", VIEWS)
@outsiders
def test_only_organizers_can_plan(name: str, person: str | None, status: int, planned: Campaign, cast: Cast) -> None:
    client = client_as(cast, person)
    response = getattr(client, VIEWS[name])(url_of(name, planned), {"primary": 3, "alternate": 3})
    assert response.status_code == status
    assert person or response.url.startswith(reverse("login"))
    planned.refresh_from_db()
    assert planned.rules.primary_depth == 2
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", [name for name, method in VIEWS.items() if method == "post"])
def test_buttons_need_a_post(name: str, planned: Campaign, cast: Cast) -> None:
    assert client_of(cast.olga).get(url_of(name, planned)).status_code == 405


def test_without_a_plan_there_is_a_button_that_starts_the_job(campaign: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    assert url_of("pool_plan_make", campaign) in page_of(client.get(url_of("pool_plan", campaign)))
    client.post(url_of("pool_plan_make", campaign))
    job = Job.objects.get()
    assert job.kind == Job.Kind.PLAN
    page = page_of(client.get(url_of("pool_plan", campaign)))
    assert job.get_absolute_url() in page
    assert url_of("pool_plan_make", campaign) not in page


def test_without_runs_the_page_links_to_their_import(cast: Cast) -> None:
    bare = make_campaign(name="Bare")
    page = page_of(client_of(cast.olga).get(url_of("pool_plan", bare)))
    assert url_of("runs", bare) in page
    assert url_of("pool_plan_make", bare) not in page


def test_after_a_change_the_plan_must_be_updated(planned: Campaign, cast: Cast) -> None:
    planned.runs.filter(name="beta").delete()
    response = client_of(cast.olga).get(url_of("pool_plan", planned))
    assert response.context["is_outdated"]
    assert url_of("pool_plan_make", planned) in page_of(response)
    assert 'id="dials"' not in page_of(response)


def test_page_starts_with_depths_of_the_protocol_and_the_members_who_can_judge(planned: Campaign, cast: Cast) -> None:
    response = client_of(cast.olga).get(url_of("pool_plan", planned))
    page = page_of(response)
    size = '<strong data-show="units">2</strong> answers in 1 topic'
    assert f'{size} <span class="small">(1 without results: A.2)</span>' in page
    assert response.context["hours_each"] == pytest.approx(2 * 44.1 / 3600 / 3)  # ada, emmy and kurt
    assert "overview of ARQMath-3 (CLEF 2022)" in page
    assert "now: 2 and 1<" in page


def test_without_assessors_no_hours_are_put_on_anybody(planned: Campaign, cast: Cast) -> None:
    planned.members.exclude(role="organizer").delete()
    response = client_of(cast.olga).get(url_of("pool_plan", planned))
    assert response.context["hours_each"] is None
    assert '<strong data-show="each">–</strong>' in page_of(response)
    response = client_of(cast.olga).get(url_of("pool_plan", planned), {"assessors": 2})
    assert response.context["hours_each"] == pytest.approx(44.1 / 3600)


def test_the_table_of_topics_is_collapsed(planned: Campaign, cast: Cast) -> None:
    page = page_of(client_of(cast.olga).get(url_of("pool_plan", planned)))
    details = page.split("<details>")[-1]
    assert 'id="plan-topics"' in details


def test_settings_in_the_address_are_used(planned: Campaign, cast: Cast) -> None:
    settings = {"primary": 3, "alternate": 2, "seconds": 3600, "assessors": 2}
    response = client_of(cast.olga).get(url_of("pool_plan", planned), settings)
    assert response.context["units"] == 3
    assert (response.context["hours"], response.context["hours_each"]) == (3, 1.5)
    page = page_of(response)
    # alpha 11 12 21, beta 12 21, floor 12: only 11 is unique
    assert (
        '<tr><th scope="row">alpha</th><td>Alpha</td><td>primary</td><td class="num">3</td><td class="num">1</td>'
        in page
    )
    assert '<p class="message success" id="judged-at-10">' in page
    assert '<td class="num shade-6">67</td>' in page  # beta has two of alpha's three


def test_runs_whose_first_ten_are_not_all_judged_are_marked(planned: Campaign, cast: Cast) -> None:
    page = page_of(client_of(cast.olga).get(url_of("pool_plan", planned)))
    assert '<p class="message warning" id="judged-at-10">2 runs ' in page
    assert '<span class="badge failed" title="2 of 3">66.7 %</span>' in page


def test_the_table_shows_what_each_depth_adds(planned: Campaign, cast: Cast) -> None:
    rows = client_of(cast.olga).get(url_of("pool_plan", planned)).context["settings"]
    assert [(row.setting, row.cells, row.is_current) for row in rows[:3]] == [
        (1, [(2, 1), (2, 0)], True),  # alpha's 11; beta's 12 is already pooled
        (2, [(2, 0), (3, 1)], True),  # alpha's 12 is already pooled; beta's 21 is new
        (3, [(3, 1), (3, 0)], False),
    ]
    assert rows[-1].setting == 100


@pytest.mark.parametrize(
    ("settings", "field"),
    [({"primary": 0}, "primary"), ({"alternate": 101}, "alternate"), ({"seconds": "x"}, "seconds")],
)
def test_invalid_settings_are_field_errors(settings: dict[str, Any], field: str, planned: Campaign, cast: Cast) -> None:
    response = client_of(cast.olga).get(url_of("pool_plan", planned), settings)
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert response.context["units"] == 2  # those of the protocol


def test_the_cost_is_compared_with_the_presets(planned: Campaign, cast: Cast) -> None:
    presets = client_of(cast.olga).get(url_of("pool_plan", planned)).context["presets"]
    assert [(row.name, row.units, row.is_ours) for row in presets[:2]] == [
        ("This campaign", 2, True),
        ("arqmath1-task1", 3, False),
    ]
    assert "ntcir10-text" in [row.name for row in presets]


def test_a_protocol_with_a_pool_size_has_one_dial(planned: Campaign, cast: Cast) -> None:
    planned.protocol |= {"pool_rule": "votes", "pool_size": 2}
    planned.save()
    planning.compute(planned, on_progress)
    client = client_of(cast.olga)
    response = client.get(url_of("pool_plan", planned), {"primary": 1})
    assert response.context["units"] == 1
    assert list(response.context["form"].fields) == ["primary", "seconds", "assessors"]
    client.post(url_of("pool_plan_use", planned), {"primary": 3})
    planned.refresh_from_db()
    assert planned.rules.pool_size == 3


def test_depths_can_be_put_into_the_protocol_and_the_plan_stays(planned: Campaign, cast: Cast) -> None:
    response = client_of(cast.olga).post(url_of("pool_plan_use", planned), {"primary": 3, "alternate": 2}, follow=True)
    assert message_levels(response) == ["success"]
    assert response.context["units"] == 3
    planned.refresh_from_db()
    assert (planned.rules.primary_depth, planned.rules.alternate_depth) == (3, 2)


@pytest.mark.parametrize("depths", [{"primary": 0, "alternate": 1}, {"primary": 101, "alternate": 1}, {"primary": 5}])
def test_invalid_depths_change_nothing(depths: dict[str, int], planned: Campaign, cast: Cast) -> None:
    response = client_of(cast.olga).post(url_of("pool_plan_use", planned), depths, follow=True)
    assert message_levels(response) == ["error"]
    planned.refresh_from_db()
    assert planned.rules.primary_depth == 2


def test_once_the_pool_is_frozen_its_depths_cannot_change(planned: Campaign, cast: Cast) -> None:
    freezing.freeze(pools.build(planned, on_progress), on_progress)
    client = client_of(cast.olga)
    page = page_of(client.get(url_of("pool_plan", planned)))
    assert url_of("pool_plan_use", planned) not in page
    assert url_of("pool_extend", planned) in page
    response = client.post(url_of("pool_plan_use", planned), {"primary": 3, "alternate": 2}, follow=True)
    assert "error" in message_levels(response)


def test_for_a_frozen_pool_an_extension_is_planned(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    client, extend = client_of(cast.olga), reverse("pool_extend", args=[campaign.slug])
    assert extend in page_of(client.get(url_of("pool_plan", campaign)))
    planning.compute(campaign, on_progress)
    page = page_of(client.get(url_of("pool_plan", campaign), {"primary": 3, "alternate": 2}))
    fields = '<input type="hidden" name="primary" value="3"><input type="hidden" name="alternate" value="2">'
    assert f'<form id="use" method="get" action="{extend}"> {fields}' in page


def test_a_protocol_deeper_than_the_plan_is_reported(planned: Campaign, cast: Cast) -> None:
    planned.protocol["primary_depth"] = 500
    planned.save()
    assert 'id="capped"' in page_of(client_of(cast.olga).get(url_of("pool_plan", planned)))


def test_formulas_show_their_instances(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    campaign = make_campaign("arqmath3-task2", "Formulas")
    people = make_cast(campaign)
    add_formula_run(campaign, tmp_path, "B.1\t110\t11\t1\t9\tr\nB.1\t120\t12\t2\t8\tr\nB.1\t220\t22\t3\t7\tr\n")
    planning.compute(campaign, on_progress)
    page = page_of(client_of(people.olga).get(url_of("pool_plan", campaign)))
    assert '<strong data-show="units">2</strong> formulas' in page
    assert '<strong data-show="documents">3</strong> instances to judge' in page


def test_a_run_of_unknown_formulas_is_not_called_judged(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    _, formulas = make_siblings(tmp_path)
    add_run(formulas, tmp_path, "B.1\t880\t88\t1\t9\tgone\nB.1\t890\t89\t2\t8\tgone\n")
    planning.compute(formulas, on_progress)
    page = page_of(client_of(make_cast(formulas).olga).get(url_of("pool_plan", formulas)))
    assert re.search('id="low-coverage">[^<]*gone .0 of 2.', page)
    assert re.search('id="empty-runs">[^<]*gone', page)
    assert 'class="message success"' not in page
    assert '<td class="num">—</td> <td class="num">0.0 %</td>' in page


def test_the_plan_includes_seeded_formulas(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    _, formulas = make_siblings(tmp_path)
    planning.compute(formulas, on_progress)
    response = client_of(make_cast(formulas).olga).get(url_of("pool_plan", formulas))
    assert response.context["units"] == 3
    assert response.context["presets"][0][2:] == (3, 3, True)


def test_few_queries_suffice_for_many_runs(planned: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    before = queries(client, url_of("pool_plan", planned))
    planned.runs.filter(name="beta").delete()
    planning.compute(planned, on_progress)
    assert queries(client, url_of("pool_plan", planned)) == before


def test_the_pool_links_to_its_plan(campaign: Campaign, cast: Cast) -> None:
    assert url_of("pool_plan", campaign) in page_of(client_of(cast.olga).get(url_of("pool", campaign)))
    make_pool(campaign, frozen=False)
    assert url_of("pool_plan", campaign) in page_of(client_of(cast.olga).get(url_of("pool", campaign)))
