"""The planner: who gets in, what it says at each depth, what it takes over into the protocol."""

import pytest
from django.urls import reverse

from assess.models import Job
from assess.services.pool import planning, pools
from tests.cast import make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, client_of, make_shallow_campaign, make_siblings, queries

pytestmark = pytest.mark.django_db

DOORS = {"pool_plan": "get", "pool_plan_make": "post", "pool_plan_use": "post"}


@pytest.fixture
def campaign(tmp_path):
    campaign = make_shallow_campaign(tmp_path)
    make_cast(campaign)
    return campaign


@pytest.fixture
def cast(campaign):
    return make_cast()


@pytest.fixture
def planned(campaign):
    planning.compute(campaign, on_progress)
    return campaign


def url_of(name, campaign):
    return reverse(name, args=[campaign.slug])


def page_of(response):
    return " ".join(response.content.decode().split())


def told(response):
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize(("person", "status"), [("mallory", 404), ("ada", 403), ("kurt", 403), (None, 302)])
def test_the_planner_is_the_organizers(name, person, status, planned, cast):
    client = client_of(person and getattr(cast, person))
    chosen = {"primary": 3, "alternate": 3}
    response = getattr(client, DOORS[name])(url_of(name, planned), chosen)
    assert response.status_code == status
    assert person or response.url.startswith(reverse("login"))
    planned.refresh_from_db()
    assert planned.rules.primary_depth == 2
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", [name for name, method in DOORS.items() if method == "post"])
def test_a_look_at_a_button_changes_nothing(name, planned, cast):
    assert client_of(cast.olga).get(url_of(name, planned)).status_code == 405


def test_without_a_plan_there_is_a_button_that_starts_the_job(campaign, cast):
    client = client_of(cast.olga)
    assert "Make the plan</button>" in page_of(client.get(url_of("pool_plan", campaign)))
    client.post(url_of("pool_plan_make", campaign))
    assert Job.objects.get().kind == Job.Kind.PLAN
    assert "A job is at work" in page_of(client.get(url_of("pool_plan", campaign)))


def test_without_runs_the_page_leads_to_their_import(cast):
    bare = make_campaign(name="Bare")
    page = page_of(client_of(cast.olga).get(url_of("pool_plan", bare)))
    assert url_of("runs", bare) in page
    assert "Make the plan" not in page


def test_after_a_change_the_plan_has_to_be_made_again(planned, cast):
    planned.runs.filter(name="beta").delete()
    page = page_of(client_of(cast.olga).get(url_of("pool_plan", planned)))
    assert "have changed since the last plan" in page
    assert 'id="dials"' not in page


def test_the_page_starts_with_the_protocol_and_those_who_can_judge(planned, cast):
    response = client_of(cast.olga).get(url_of("pool_plan", planned))
    page = page_of(response)
    assert '<strong data-show="units">2</strong> answers in 2 topics' in page
    assert response.context["hours_each"] == pytest.approx(2 * 44.1 / 3600 / 3)  # ada, emmy and kurt
    assert "Assumed: what a lab measured. Source: overview of ARQMath-3 (CLEF 2022)." in page
    assert "The protocol has 2 and 1 now" in page


def test_the_list_of_topics_is_folded(planned, cast):
    page = client_of(cast.olga).get(url_of("pool_plan", planned)).content.decode()
    head, _, table = page.partition("<details><summary>What each of the 2 topics would bring</summary>")
    assert 'id="plan-topics"' in table
    assert 'id="plan-topics"' not in head


def test_other_settings_are_answered_from_the_address(planned, cast):
    chosen = {"primary": 3, "alternate": 2, "seconds": 3600, "assessors": 2}
    response = client_of(cast.olga).get(url_of("pool_plan", planned), chosen)
    assert response.context["units"] == 3
    assert (response.context["hours"], response.context["hours_each"]) == (3, 1.5)
    page = page_of(response)
    # alpha 11 12 21, beta 12 21, floor 12: only 11 is unique
    assert (
        '<tr><th scope="row">alpha</th><td>Alpha</td><td>primary</td><td class="num">3</td><td class="num">1</td>'
        in page
    )
    assert "Judged@10 is 100 %" in page
    assert '<td class="num shade-6">67</td>' in page  # of alpha's three beta has two


def test_runs_that_are_not_judged_to_ten_are_marked(planned, cast):
    page = page_of(client_of(cast.olga).get(url_of("pool_plan", planned)))
    assert "The first ten of 2 runs would not all be judged" in page
    assert '<span class="badge failed" title="2 of 3">66.7 %</span>' in page


def test_the_table_tells_what_each_depth_adds(planned, cast):
    lines = client_of(cast.olga).get(url_of("pool_plan", planned)).context["lines"]
    assert [(line.setting, line.cells, line.is_current) for line in lines[:3]] == [
        (1, [(2, 1), (2, 0)], True),  # alpha's 11; beta's 12 is there
        (2, [(2, 0), (3, 1)], True),  # alpha's 12 is there; beta's 21 is new
        (3, [(3, 1), (3, 0)], False),
    ]
    assert lines[-1].setting == 100


@pytest.mark.parametrize(
    ("chosen", "field"),
    [({"primary": 0}, "primary"), ({"alternate": 101}, "alternate"), ({"seconds": "x"}, "seconds")],
)
def test_an_impossible_setting_is_told_at_its_field(chosen, field, planned, cast):
    response = client_of(cast.olga).get(url_of("pool_plan", planned), chosen)
    assert response.status_code == 400
    assert list(response.context["form"].errors) == [field]
    assert response.context["units"] == 2  # those of the protocol


def test_presets_stand_beside_the_campaigns_own_protocol(planned, cast):
    presets = client_of(cast.olga).get(url_of("pool_plan", planned)).context["presets"]
    assert [(one.name, one.how, one.units) for one in presets[:2]] == [
        ("This campaign", "pooled to depth 2 (alternate runs 1)", 2),
        ("arqmath1-task1", "pooled to depth 50 (alternate runs 20)", 3),
    ]
    assert ("ntcir10-text", "one rank at a time until a topic has 100") in [one[:2] for one in presets]


def test_a_rule_that_counts_units_has_one_number(planned, cast):
    planned.protocol |= {"pool_rule": "votes", "pool_size": 2}
    planned.save()
    planning.compute(planned, on_progress)
    client = client_of(cast.olga)
    response = client.get(url_of("pool_plan", planned), {"primary": 1})
    assert response.context["units"] == 1
    assert "Units of each topic" in page_of(response)
    assert "Use this size" in page_of(response)
    client.post(url_of("pool_plan_use", planned), {"primary": 3})
    planned.refresh_from_db()
    assert planned.rules.pool_size == 3


def test_depths_are_taken_over_and_the_plan_stays(planned, cast):
    response = client_of(cast.olga).post(url_of("pool_plan_use", planned), {"primary": 3, "alternate": 2}, follow=True)
    assert told(response) == ["The protocol has these depths now."]
    assert response.context["units"] == 3
    planned.refresh_from_db()
    assert (planned.rules.primary_depth, planned.rules.alternate_depth) == (3, 2)


@pytest.mark.parametrize("chosen", [{"primary": 0, "alternate": 1}, {"primary": 101, "alternate": 1}, {"primary": 5}])
def test_impossible_depths_change_nothing(chosen, planned, cast):
    response = client_of(cast.olga).post(url_of("pool_plan_use", planned), chosen, follow=True)
    assert "nothing has changed" in told(response)[0]
    planned.refresh_from_db()
    assert planned.rules.primary_depth == 2


def test_once_the_pool_is_frozen_its_depths_stay(planned, cast):
    pools.freeze(pools.build(planned, on_progress), on_progress)
    client = client_of(cast.olga)
    page = page_of(client.get(url_of("pool_plan", planned)))
    assert url_of("pool_plan_use", planned) not in page
    assert url_of("pool_extend", planned) in page
    response = client.post(url_of("pool_plan_use", planned), {"primary": 3, "alternate": 2}, follow=True)
    assert "The pool is frozen" in told(response)[0]


def test_of_a_frozen_pool_an_extension_is_planned(campaign, cast):
    make_pool(campaign)
    client, extend = client_of(cast.olga), reverse("pool_extend", args=[campaign.slug])
    before = page_of(client.get(url_of("pool_plan", campaign)))
    planning.compute(campaign, on_progress)
    planned = page_of(client.get(url_of("pool_plan", campaign), {"primary": 3, "alternate": 2}))
    for page in (before, planned):
        assert "<h1>Plan an extension</h1>" in page
        assert "before anything is frozen" not in page
        assert extend in page
    assert "Use these depths" not in planned
    fields = '<input type="hidden" name="primary" value="3"><input type="hidden" name="alternate" value="2">'
    form = f'<form id="use" method="get" action="{extend}"> {fields} <button class="button">Extend to these depths'
    assert form in planned


def test_depths_beyond_the_plan_are_told(planned, cast):
    planned.protocol["primary_depth"] = 500
    planned.save()
    page = page_of(client_of(cast.olga).get(url_of("pool_plan", planned)))
    assert "The protocol asks for more than the 100 that are planned here" in page


def test_formulas_show_their_instances(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    campaign = make_campaign("arqmath3-task2", "Formulas")
    people = make_cast(campaign)
    from tests.services.pool.test_planning import add_formula_run

    add_formula_run(campaign, tmp_path, "B.1\t110\t11\t1\t9\tr\nB.1\t120\t12\t2\t8\tr\nB.1\t220\t22\t3\t7\tr\n")
    planning.compute(campaign, on_progress)
    page = page_of(client_of(people.olga).get(url_of("pool_plan", campaign)))
    assert '<strong data-show="units">2</strong> formulas' in page
    assert '<strong data-show="documents">3</strong> instances to judge' in page


def test_a_run_that_the_formula_index_lacks_is_told_and_not_called_judged(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    _, formulas = make_siblings(tmp_path)
    add_run(formulas, tmp_path, "B.1\t880\t88\t1\t9\tgone\nB.1\t890\t89\t2\t8\tgone\n")
    planning.compute(formulas, on_progress)
    page = page_of(client_of(make_cast(formulas).olga).get(url_of("pool_plan", formulas)))
    assert "Found there: gone (0 of 2). The other formulas cannot be pooled" in page
    assert "Nothing that these runs retrieved for the topics can be pooled: gone." in page
    assert "Judged@10 is 100 %" not in page
    assert '<td class="num">—</td> <td class="num">0.0 %</td>' in page


def test_a_seeded_pool_is_planned_with_what_seeds_it(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    _, formulas = make_siblings(tmp_path)
    planning.compute(formulas, on_progress)
    response = client_of(make_cast(formulas).olga).get(url_of("pool_plan", formulas))
    assert response.context["units"] == 3
    ours = "pooled to depth 1, and formulas of pooled answers (our rule)"
    assert response.context["presets"][0] == ("This campaign", ours, 3, 3, True)


def test_more_runs_ask_no_more_queries(planned, cast, tmp_path):
    client = client_of(cast.olga)
    before = queries(client, url_of("pool_plan", planned))
    planned.runs.filter(name="beta").delete()
    planning.compute(planned, on_progress)
    assert queries(client, url_of("pool_plan", planned)) == before


def test_the_pool_leads_to_its_plan(campaign, cast):
    assert url_of("pool_plan", campaign) in page_of(client_of(cast.olga).get(url_of("pool", campaign)))
    make_pool(campaign, frozen=False)
    assert url_of("pool_plan", campaign) in page_of(client_of(cast.olga).get(url_of("pool", campaign)))
