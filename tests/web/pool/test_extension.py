"""The page on which a frozen pool is extended."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.template.defaultfilters import date
from django.utils.timezone import localtime

from assess.models import Campaign, Job, Pool, Run
from assess.services.pool import extension, freezing
from tests.cast import Cast, import_texts, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, client_of, import_runs
from tests.web.organizer import errors_of, fields_refused, text_of, url_of

pytestmark = pytest.mark.django_db


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
