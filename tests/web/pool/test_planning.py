"""The plan of a pool, the report on one, and the page on which a frozen one is extended."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.template.defaultfilters import date
from django.utils.timezone import localtime
from pytest_django import Settings

from assess.models import Campaign, Job, Pool, Run
from assess.services.pool import extension, freezing, pools
from tests.cast import Cast, import_texts, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, client_of, import_runs, make_formulas, make_shallow_campaign
from tests.web.organizer import errors_of, fields_refused, text_of, url_of

pytestmark = pytest.mark.django_db

DEEPER = {"primary_depth": 3, "alternate_depth": 2}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    campaign = make_shallow_campaign(tmp_path)
    make_cast(campaign)
    return campaign


@pytest.fixture
def cast(campaign: Campaign) -> Cast:
    return make_cast()


def plan_of(campaign: Campaign, cast: Cast, **values: Any) -> Any:
    return client_of(cast.olga).get(url_of("pool", campaign), {"plan": "", **values})


def page_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_the_page_starts_with_the_depths_of_the_protocol_and_those_who_can_judge(
    campaign: Campaign, cast: Cast
) -> None:
    response = plan_of(campaign, cast)
    first, *others = response.context["costs"]
    assert (list(first["sizes"].values()), first["units"], first["is_protocol"]) == ([2, 1], 2, True)
    assert first["each"] == pytest.approx(2 * 60 / 3600 / 3)  # ada, emmy and kurt
    assert [(list(row["sizes"].values()), row["more"]) for row in others] == [([7, 1], 1), ([2, 6], 1)]
    page = page_of(response)
    assert "1 topic, 1 without results (A.2)" in page
    assert "Assumed: nothing was measured yet." in page
    assert '<p class="message warning" id="judged-at-10">2 runs ' in page
    assert '<span class="badge failed" title="2 of 3">66.7 %</span>' in page
    campaign.members.exclude(role="organizer").delete()
    assert plan_of(campaign, cast).context["costs"][0]["each"] is None
    response = plan_of(campaign, cast, assessors=2)
    assert response.context["costs"][0]["each"] == pytest.approx(60 / 3600)
    assert "Nobody can judge yet" not in page_of(response)


def test_values_in_the_address_are_used_of_the_sizes_that_the_protocol_has(campaign: Campaign, cast: Cast) -> None:
    response = plan_of(campaign, cast, **DEEPER, seconds=3600, assessors=2)
    first, *_, last = response.context["costs"]
    assert (first["units"], first["hours"], first["each"]) == (3, 3, 1.5)
    assert (list(last["sizes"].values()), last["more"], last["is_protocol"]) == ([2, 1], -1, True)
    # alpha 11 12 21, beta 12 21, floor 12: only 11 is unique
    run, role, contribution = response.context["runs"][0]
    assert (run.name, role) == ("alpha", "primary")
    assert (contribution.units, contribution.unique) == (3, 1)
    page = page_of(response)
    assert '<p class="message success" id="judged-at-10">' in page
    assert '<td class="num">67</td>' in page  # beta has two of alpha's three
    campaign.protocol |= {"pool_rule": "votes", "pool_size": 2}
    campaign.save()
    response = plan_of(campaign, cast, pool_size=1)
    assert response.context["costs"][0]["units"] == 1
    assert list(response.context["form"].fields) == ["pool_size", "seconds", "assessors"]


def test_impossible_values_are_errors(campaign: Campaign, cast: Cast) -> None:
    for field, value in (("primary_depth", 0), ("alternate_depth", 1001), ("seconds", "x")):
        response = plan_of(campaign, cast, **{field: value})
        assert (response.status_code, list(response.context["form"].errors)) == (422, [field])
        assert list(response.context["costs"][0]["sizes"].values()) == [2, 1]  # those of the protocol


def test_a_run_of_unknown_formulas_is_not_called_judged(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    formulas = make_formulas(tmp_path)
    add_run(formulas, tmp_path, "B.1\t880\t88\t1\t9\tgone\nB.1\t890\t89\t2\t8\tgone\n")
    response = plan_of(formulas, make_cast(formulas))
    page = page_of(response)
    assert (response.context["costs"][0]["units"], response.context["costs"][0]["documents"]) == (4, 4)
    assert re.search('id="empty-runs">[^<]*gone', page)
    assert 'class="message success"' not in page


def test_the_report_has_sizes_contributions_and_checks(campaign: Campaign, cast: Cast) -> None:
    pool = pools.build(campaign, on_progress)
    page = text_of(client_of(cast.olga), "pool_report", campaign, version=pool.version)
    for said in ("2 answers for 1 topic, 2.00 on average", "alpha (2 of 3), beta (2 of 3)"):
        assert said in page
    assert re.search(r'<th scope="row">alpha</th>\s*<td>Alpha</td>\s*<td>primary</td>', page)
    pools.discard_pool(campaign, cast.olga)
    page = text_of(client_of(cast.olga), "pool_report", campaign, version=make_pool(campaign).version)
    assert "their contributions are unknown" in page


Lab = tuple[Campaign, Cast, Pool, list[Run]]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A frozen imported pool, and three runs that are not in it."""
    campaign = make_campaign()
    cast = make_cast(campaign)
    late = import_runs(campaign, tmp_path)
    campaign.runs.update(pool_role="none")
    return campaign, cast, make_pool(campaign), late


def send(lab: Lab, run: Run | None = None, **more: object) -> Any:
    """The form with a late run."""
    late = run or lab[3][0]
    sent = {f"run{late.pk}": "primary", "primary_depth": 45, "alternate_depth": 20, "reason": "came late"}
    return client_of(lab[1].olga).post(url_of("pool_extend", lab[0]), sent | more)


def test_the_preview_counts_what_would_be_added_and_changes_nothing(lab: Lab) -> None:
    lab[2].entries.filter(unit_id="12").delete()
    page = send(lab)
    assert page.context["hours"] == pytest.approx(60 / 3600)
    html = " ".join(page.content.decode().split())
    for said in ("1 answer in 1 topic; less than 0.1 more hours", 'name="extend">Extend by 1 answer<'):
        assert said in html
    assert not Job.objects.exists()


def test_the_preview_counts_new_documents_without_a_text(lab: Lab, tmp_path: Path) -> None:
    campaign, cast, pool, _ = lab
    question, answer = 'Id="20" PostTypeId="1" Title="T" Body="Q"', 'Id="22" PostTypeId="2" ParentId="20" Body="A"'
    freezing.unfreeze(pool, cast.olga)
    import_texts(campaign.collection, tmp_path, posts=f"<posts><row {question}/><row {answer}/></posts>")
    freezing.freeze(pool, on_progress)
    rows = "A.1\t98\t1\t2\tnew\nA.2\t97\t1\t5\tnew\nA.2\t98\t2\t4\tnew\nA.2\t22\t3\t3\tnew\nA.2\t99\t4\t2\tnew\n"
    run = add_run(campaign, tmp_path, rows, pool_role="none")  # 99 is already in the pool
    page = send(lab, run)
    assert "2 of 3 different documents (66.7 %)" in " ".join(page.content.decode().split())
    assert url_of("pool_missing_file", campaign, version=pool.version) in page.content.decode()


def test_extending_is_a_job_with_the_choices_of_the_preview(lab: Lab) -> None:
    _, _, pool, late = lab
    pool.entries.filter(unit_id="12").delete()
    html = send(lab).content.decode()
    previewed = dict(
        re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html.partition(">Preview</h2>")[2])
    )
    client_of(lab[1].olga).post(url_of("pool_extend", lab[0]), previewed | {"extend": ""})
    job = Job.objects.get()
    change = {"roles": {str(late[0].pk): "primary"}, "depths": {"primary_depth": 45, "alternate_depth": 20}}
    assert (job.kind, job.params) == ("extend", {"pool": pool.pk, "reason": "came late", **change})


def test_the_form_refuses_extensions_that_add_nothing_and_less_depth(lab: Lab) -> None:
    assert "adds nothing" in errors_of(send(lab))
    assert fields_refused(send(lab, primary_depth=44)) == {"primary_depth"}


def test_every_version_has_its_date_author_reason_and_file(lab: Lab) -> None:
    campaign, cast, pool, late = lab
    freezing.unfreeze(pool, cast.olga)
    freezing.freeze(pool, on_progress, cast.kurt)
    pool.entries.filter(unit_id="12").delete()
    extension.extend(pool, extension.Extension({late[0].pk: "primary"}, {}, "came late"), cast.olga, on_progress)
    client = client_of(cast.olga)
    page = client.get(url_of("pool", campaign))
    made = [tuple(row[key] for key in ("version", "by", "made", "reason")) for row in page.context["versions"]]
    assert made == [(2, "olga", pool.extended, "came late"), (1, "kurt", pool.frozen, "")]
    for when in (pool.extended, pool.frozen):
        assert f"<td>{date(localtime(when), 'j M Y, H:i')}</td>" in page.content.decode()
    facts = f"<dt>Extended</dt><dd>{date(localtime(pool.extended), 'j M Y, H:i')} by olga</dd>"
    assert facts in text_of(client, "pool", campaign)
    old, new = (client.get(url_of("pool_file", campaign, version=version)).content for version in (1, 2))
    assert len(new.splitlines()) == len(old.splitlines()) + 1
    assert client.get(url_of("pool_file", campaign, version=9)).status_code == 404
