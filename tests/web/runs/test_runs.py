"""Runs are imported and edited with forms."""

import gzip
import io
import re
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from assess.models import Campaign, Job, Run
from tests.cast import make_campaign, make_cast, make_pool
from tests.lab import client_of
from tests.web.organizer import errors_of, fields_refused, file, latest_job_done, make_run, messages_of, text_of

pytestmark = pytest.mark.django_db

RUN = "A.1\t11\t1\t9.5\tgauss\nA.1\t12\t2\t9\tgauss\nA.2\t21\t1\t3\tgauss\n"


ABOUT = {"team": "Göttingen", "kind": "primary", "method": "automatic", "data": "math"}
ABOUT |= {"pool_role": "primary", "order": "score"}


def import_runs(olga: Client, campaign: Campaign, **fields: Any) -> Job:
    response = olga.post(reverse("runs", args=[campaign.slug]), fields)
    assert response.status_code == 302, errors_of(response)
    return latest_job_done()


def page_of(client: Client, url: str) -> str:
    return " ".join(client.get(url).content.decode().split())


def zipped(files: dict[str, str]) -> SimpleUploadedFile:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, gzip.compress(text.encode()) if name.endswith(".gz") else text)
    return file("all.zip", target.getvalue())


def test_a_run_is_imported_with_its_metadata(campaign: Campaign, olga: Client, settings: Settings) -> None:
    text = RUN.replace("A.2", "A.99")
    job = import_runs(olga, campaign, run_files=file("gauss.tsv", text), **ABOUT)
    assert job.result == {"runs": ["gauss"], "problems": 1}
    run = Run.objects.get()
    assert (run.team, run.data, run.lines, run.topics) == ("Göttingen", "math", 3, 2)
    assert not any((settings.MEDIA_ROOT / "uploads").iterdir())
    page = page_of(olga, job.get_absolute_url())
    assert "kept but not pooled: 1 (A.99); topics of the campaign without results: 1 (A.2)" in page
    job = import_runs(olga, campaign, run_files=file("r", RUN.replace("A.", "A.30")), **ABOUT)
    assert "no topic in common with the campaign: A.30" in job.error
    assert "in the run, A.1" in job.error


def test_a_zip_of_runs_with_their_table_is_imported(campaign: Campaign, olga: Client) -> None:
    table = "file\tteam\tkind\na.tsv\tA\nb.tsv\tB\talternate\nlate.tsv\tC\n"
    files = {"all/a.tsv": RUN, "all/b.tsv": RUN.replace("gauss", "euler"), "all/runs.tsv": table}
    assert import_runs(olga, campaign, run_files=zipped(files)).error == ""
    runs = sorted(Run.objects.values_list("team", "kind", "file_name"))
    assert runs == [("A", "primary", "a.tsv"), ("B", "alternate", "b.tsv")]
    [message] = olga.get(reverse("runs", args=[campaign.slug])).context["messages"]
    assert (message.level_tag, "late.tsv" in message.message) == ("warning", True)


META = "actor:\n  team: {}\nmethod:\n  name: {}\n  description: |\n    Two\n    lines.\n"


def test_folders_of_tira_say_team_name_and_description(campaign: Campaign, olga: Client) -> None:
    files = {"one/run.txt": RUN, "one/ir-metadata.yml": META.format("A", "BM25")}
    files |= {"two/output/run.txt.gz": RUN.replace("9.5", "8"), "two/output/.ir-metadata": "tag: dense\nteam: B\n"}
    job = import_runs(olga, campaign, run_files=zipped(files), **{**ABOUT, "team": ""})
    assert job.error == ""
    runs = {run.name: (run.team, run.file_name, run.notes[:1]) for run in Run.objects.all()}
    assert runs["BM25"] == ("A", "one-run.txt", ["description: Two lines."])
    assert runs["dense"][:2] == ("B", "two-output-run.txt.gz")
    head = "# ir_metadata.start\n# tag: bm25\n# actor:\n#   team: A\n# ir_metadata.end\n"
    import_runs(olga, campaign, run_files=file("run.txt", head + RUN), **{**ABOUT, "team": "C"})
    assert Run.objects.get(name="bm25").team == "C"  # what the organizer enters counts more


@pytest.mark.parametrize(
    ("files", "team", "reason"),
    [
        ({"a.txt": RUN, "b.txt": RUN, "ir-metadata.yml": META}, "G", "describes one run, but 2 are beside it"),
        ({"run.txt": RUN, "ir-metadata.yml": "method: {name: BM25}"}, "", "Enter the team"),
        ({"runs.tsv": "file\tteam\n"}, "G", "holds no runs"),
        ({}, "G", "cannot be unpacked"),
    ],
)
def test_a_zip_that_does_not_fit_is_refused(
    files: dict[str, str], team: str, reason: str, campaign: Campaign, olga: Client
) -> None:
    archive = zipped(files) if files else file("x.zip", b"PK\x03\x04 broken")
    response = olga.post(reverse("runs", args=[campaign.slug]), {**ABOUT, "run_files": archive, "team": team})
    assert (response.status_code, reason in errors_of(response)) == (422, True)


def test_a_wrong_table_is_refused(campaign: Campaign, olga: Client) -> None:
    fields = {"run_files": file("one.tsv", RUN), "table": file("runs.tsv", "file\tteam\nother.tsv\tAlpha\n")}
    response = olga.post(reverse("runs", args=[campaign.slug]), fields)
    assert response.context["form"].errors["table"] == ["The table has no line for one.tsv."]
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("files", "about", "refused"),
    [(("one.tsv", "two.tsv"), {"name": "x"}, {"name"}), ((), {"team": ""}, {"run_files", "team"})],
)
def test_runs_need_files_a_team_and_names_of_their_own(
    campaign: Campaign, olga: Client, files: tuple[str, ...], about: dict[str, str], refused: set[str]
) -> None:
    fields = {**ABOUT, **about, "run_files": [file(name, RUN) for name in files]}
    assert fields_refused(olga.post(reverse("runs", args=[campaign.slug]), fields)) == refused


def test_low_coverage_is_marked_and_is_100_only_if_all_documents_are_there(campaign: Campaign, olga: Client) -> None:
    make_run(campaign, name="enough", coverage={"documents": 100, "known": 95})
    make_run(campaign, name="few", coverage={"documents": 1000, "known": 949})
    make_run(campaign, name="unknown")
    page = page_of(olga, reverse("runs", args=[campaign.slug]))
    assert re.findall(r'class="badge failed"[^>]*>low, ([\d.]+) %', page) == ["94.9"]
    run = make_run(campaign, name="all", coverage={"documents": 98_000, "known": 97_999})
    assert "99.9 %: 97,999 of 98,000" in page_of(olga, run.get_absolute_url())


def test_a_run_is_changed_and_deleted_after_a_question(campaign: Campaign, olga: Client) -> None:
    make_run(campaign, name="taken")
    run = make_run(campaign)
    response = olga.post(run.get_absolute_url(), {**ABOUT, "name": "taken"})
    assert errors_of(response) == "* __all__\n  * Another run is named taken. Choose another name."
    fields = {**ABOUT, "team": "Erlangen", "name": "better", "pool_role": "none"}
    assert messages_of(olga.post(run.get_absolute_url(), fields, follow=True)) == [
        "Run better changed: Team, Name, Method, Data used and Pool role."
    ]
    assert messages_of(olga.post(run.get_absolute_url(), fields, follow=True)) == ["Nothing was changed."]
    [action] = campaign.actions.all()
    assert action.place == {"page": "run", "pk": run.pk}
    run.refresh_from_db()
    assert (run.team, run.name, run.pool_role, run.order) == ("Erlangen", "better", "none", "score")
    make_pool(campaign)
    url = reverse("run_delete", args=[campaign.slug, run.pk])
    assert url in page_of(olga, run.get_absolute_url())  # it is not in the pool
    assert olga.post(url).context["action"] == "Delete"
    assert messages_of(olga.post(url, {"sure": "yes"}, follow=True)) == ["Run better deleted."]
    assert [run.name for run in campaign.runs.all()] == ["taken"]


def test_a_frozen_pool_fixes_runs_and_roles(campaign: Campaign, olga: Client) -> None:
    run = make_run(campaign)
    make_pool(campaign)
    deletion = reverse("run_delete", args=[campaign.slug, run.pk])
    page = page_of(olga, run.get_absolute_url())
    assert re.search(r'name="pool_role"[^>]*disabled', page)
    assert deletion not in page
    olga.post(run.get_absolute_url(), {**ABOUT, "team": "Erlangen", "name": "r", "pool_role": "none"})
    *_, message = olga.post(deletion, {"sure": "yes"}, follow=True).context["messages"]
    assert "frozen" in message.message
    withdrawal = reverse("run_withdraw", args=[campaign.slug, run.pk])
    assert withdrawal in page
    assert "it is in no table of results" in olga.post(withdrawal, {"withdraw": "yes"}, follow=True).content.decode()
    assert messages_of(olga.post(withdrawal, {"withdraw": "no"}, follow=True)) == ["Run r brought back."]
    response = olga.post(reverse("runs", args=[campaign.slug]), {"run_files": file("r", RUN), **ABOUT})
    assert "pool_role" in errors_of(response)
    assert Run.objects.values_list("team", "pool_role").get() == ("Erlangen", "primary")
    assert "Late runs can be scored" in page_of(olga, reverse("runs", args=[campaign.slug]))
    table = file("runs.tsv", "file\tteam\tpool_role\nr\tt\tprimary\n")
    response = olga.post(reverse("runs", args=[campaign.slug]), {"run_files": file("r", RUN), "table": table})
    assert "frozen" in errors_of(response)


def test_a_campaign_of_documents_is_told_of_no_formulas_or_threads() -> None:
    campaign = make_campaign("documents")
    make_run(campaign)
    olga = client_of(make_cast(campaign).olga)
    assert "Text and math" not in text_of(olga, "runs", campaign)
    Campaign.objects.update(collection=None)
    page = text_of(olga, "collection", campaign)
    assert "What the runs searched: documents." in page
