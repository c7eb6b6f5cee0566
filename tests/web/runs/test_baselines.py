"""Each baseline has a form that starts a job, and its run says how it was made."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Job, Run
from assess.services.pool import pools
from assess.services.runs import runs
from tests.cast import make_campaign, make_cast, on_progress
from tests.lab import client_of
from tests.services.runs.test_baselines import INDEX, LINKS, lab
from tests.web.organizer import make_run, run_made_after, url_of

pytestmark = pytest.mark.django_db

TUPLES = {"k1": "1.2", "b": "0.75"}


def client(campaign: Campaign) -> Client:
    return client_of(make_cast(campaign).olga)


def page_of(campaign: Campaign, address: str) -> str:
    return " ".join(client(campaign).get(address).content.decode().split())


def address(campaign: Campaign, name: str = "baselines") -> str:
    return url_of(name, campaign)


def file_address(run: Run) -> str:
    return reverse("run_file", args=[run.campaign.slug, run.pk])


def submit(campaign: Campaign, baseline: str, **fields: object) -> Any:
    fields = {"name": "base", "pool_role": "primary", **fields}
    data = {f"{baseline}-{name}": value for name, value in fields.items()}
    return client(campaign).post(address(campaign), {"baseline": baseline, **data})


def make_baseline(campaign: Campaign, baseline: str, **fields: object) -> Run:
    response = submit(campaign, baseline, **fields)
    assert response.status_code == 302, [card["form"].errors for card in response.context["cards"]]
    return run_made_after(response)


def errors(response: Any, baseline: str) -> str:
    [form] = [card["form"] for card in response.context["cards"] if card["name"] == baseline]
    return form.errors.as_text()


def test_each_baseline_of_answers_is_made_with_its_form(tmp_path: Path) -> None:
    campaign = lab(tmp_path, links=LINKS)
    campaign.topics.filter(topic_id="A.1").update(thread_id="900")
    tfidf = make_baseline(campaign, "tfidf", name="one", symbols="words")
    tuples = make_baseline(campaign, "tuples", name="two", pool_role="alternate", alpha="0.5", **TUPLES)
    linked = make_baseline(campaign, "linked", name="three")
    assert [run.pool_role for run in (tfidf, tuples, linked)] == ["primary", "alternate", "primary"]
    assert [run.data for run in (tfidf, tuples, linked)] == ["both", "both", "links"]
    assert tuples.provenance["options"]["alpha"] == 0.5
    page = page_of(campaign, address(campaign, "runs"))
    assert all(f">{name}</a>" in page for name in ("one", "two", "three"))
    run = make_baseline(campaign, "tfidf", symbols="latex")
    job = Job.objects.latest("pk")
    assert f'href="{run.get_absolute_url()}"' in page_of(campaign, job.get_absolute_url())
    page = page_of(campaign, run.get_absolute_url())
    for fact in ("TF-IDF over answers, by olga, seed 7", "<dd>LaTeX: As tokens", run.provenance["inputs"]["topics"]):
        assert fact in page
    run.delete()
    assert address(campaign) in page_of(campaign, job.get_absolute_url())


def test_file_of_baseline_has_hash_on_its_page_and_gives_same_pool_when_imported(tmp_path: Path) -> None:
    campaign = lab(tmp_path, "arqmath3-task2", formulas=INDEX)
    run = make_baseline(campaign, "formulas", k1="2", b="0.5")
    assert run.provenance["options"] == {"k1": 2, "b": 0.5}
    meta = runs.RunMeta(run.file_name, "T", name="renamed", kind="baseline", pool_role="primary")
    runs.change_run(run, meta, run.job.created_by)
    visitor = client(campaign)
    response = visitor.get(file_address(run))
    assert response["Content-Disposition"] == f'attachment; filename="{run.file_name}"'
    assert hashlib.sha256(response.content).hexdigest() == run.sha256
    page = visitor.get(run.get_absolute_url()).content.decode()
    assert f'href="{file_address(run)}"' in page
    assert run.sha256 in page
    pool = pools.pool_as_file(pools.build(campaign, on_progress))
    runs.delete_run(run, run.job.created_by)
    (tmp_path / "base.tsv").write_bytes(response.content)
    runs.import_runs(campaign, [runs.RunUpload(tmp_path / "base.tsv", runs.RunMeta("base.tsv", "T"))], on_progress)
    assert pools.pool_as_file(pools.build(campaign, on_progress)) == pool


@pytest.mark.parametrize(
    ("preset", "kinds"), [("arqmath3-task1", ["tfidf", "linked", "tuples"]), ("arqmath3-task2", ["formulas"])]
)
def test_each_task_has_its_baselines_and_says_what_they_need(preset: str, kinds: list[str]) -> None:
    campaign = make_campaign(preset)
    response = client(campaign).get(address(campaign))
    assert [card["name"] for card in response.context["cards"]] == kinds
    page = response.content.decode()
    assert 'name="baseline"' not in page  # no collection, no runs: no form
    needs = " ".join(card["needs"] for card in response.context["cards"])
    assert ("formula index" if campaign.is_formulas else "posts") in needs
    assert f'{address(campaign, "collection")}">Open the collection' in page
    campaign.topics.all().delete()
    assert page_of(campaign, address(campaign)).count(f'{address(campaign, "topics")}">Import topics') == 1


@pytest.mark.parametrize(
    ("baseline", "fields", "reason"),
    [
        ("tfidf", {"symbols": "words", "name": "r"}, "Another run is named r"),
        ("tuples", {"alpha": "1.5", **TUPLES}, "less than or equal to 1"),
    ],
)
def test_wrong_fields_start_no_job(tmp_path: Path, baseline: str, fields: dict[str, Any], reason: str) -> None:
    campaign = lab(tmp_path)
    make_run(campaign)
    response = submit(campaign, baseline, **fields)
    assert reason in errors(response, baseline)
    assert not Job.objects.exists()


def test_query_formulas_are_downloaded_in_the_format_of_the_lab(tmp_path: Path) -> None:
    campaign = lab(tmp_path)
    response = client(campaign).get(address(campaign, "query_formulas"))
    assert response.content.decode().splitlines() == [
        "id\ttopic_id\tthread_id\ttype\tformula",
        "q_1\tA.1\t\ttitle\tn^2",
        "q_1\tA.2\t\ttitle\tn^2",
    ]
    assert "query-formulas.tsv" in response["Content-Disposition"]
    assert client(campaign).get(address(make_campaign("arqmath3-task2"), "query_formulas")).status_code == 404
