"""The pages and commands that export and import whole campaigns."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils.timezone import localdate

from assess import tasks
from assess.models import Campaign, Collection, Job, Member
from assess.services import exporting, importing, removal
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from tests.cast import on_progress
from tests.lab import Lab, client_as, client_of, queries
from tests.web.organizer import errors_of, file, outsiders, started, text_of, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def organizer(lab: Lab) -> Client:
    return client_of(lab.cast.olga)


def done(response: Any) -> Job:
    """The job that a form has started, after a worker did it."""
    job = Job.objects.first()
    assert response["Location"] == started(job)
    tasks.run_job(job.pk)
    job.refresh_from_db()
    return job


@outsiders
@pytest.mark.parametrize("name", ["campaign_export", "campaign_export_file"])
def test_only_organizers_export(name: str, person: str | None, status: int, lab: Lab) -> None:
    exporting.make(lab.campaign, on_progress)
    client = client_as(lab.cast, person)
    assert client.get(url_of(name, lab.campaign)).status_code == status
    assert client.post(url_of("campaign_export", lab.campaign), {"people": "names"}).status_code == status
    assert not Job.objects.exists()


@pytest.mark.parametrize(("person", "status"), [("olga", 200), ("mallory", 403), ("kurt", 403), (None, 302)])
def test_only_those_who_may_create_campaigns_import_them(person: str | None, status: int, lab: Lab) -> None:
    address = reverse("campaign_import")
    client = client_as(lab.cast, person)
    assert client.get(address).status_code == status
    if status != 200:
        sent = file("lab.zip", exporting.make(lab.campaign, on_progress).read_bytes())
        assert client.post(address, {"file": sent}).status_code == status
        assert Campaign.objects.count() == 1


def test_a_campaign_is_exported_downloaded_and_imported(lab: Lab, organizer: Client) -> None:
    address = url_of("campaign_export", lab.campaign)
    assert organizer.get(url_of("campaign_export_file", lab.campaign)).status_code == 404
    assert "Download" not in text_of(organizer, "campaign_export", lab.campaign)
    assert done(organizer.post(address, {"people": "names"})).state == "done"
    assert "with user names" in text_of(organizer, "campaign_export", lab.campaign)
    answer: Any = organizer.get(url_of("campaign_export_file", lab.campaign))
    assert answer["Content-Disposition"] == f'attachment; filename="{lab.campaign.slug}.campaign.zip"'
    content = b"".join(answer.streaming_content)
    job = done(organizer.post(reverse("campaign_import"), {"file": file("lab.zip", content)}))
    assert (job.state, job.error) == ("done", "")
    assert not Path(job.params["path"]).exists()
    assert "ada, emmy, kurt had an account here" in " ".join(job.result["notes"])
    assert "from lab.zip (Assess" in text_of(organizer, "campaign", job.campaign)
    assert str(job.campaign.pk) != str(lab.campaign.pk)
    assert "ada" in text_of(organizer, "members", job.campaign)


def test_a_refused_file_leaves_no_campaign(lab: Lab, organizer: Client) -> None:
    response = organizer.post(reverse("campaign_import"), {"file": file("x.zip", "no archive")})
    assert response.status_code == 422
    assert "x.zip" in errors_of(response)
    assert "is not a campaign file" in errors_of(response)
    assert Campaign.objects.count() == 1


@pytest.mark.engines
def test_a_damaged_file_leaves_only_a_job_that_says_why(lab: Lab, organizer: Client) -> None:
    content = bytearray(exporting.make(lab.campaign, on_progress).read_bytes())
    content[content.index(b"rankings/1.tsv") + 50] ^= 255
    job = done(organizer.post(reverse("campaign_import"), {"file": file("lab.zip", bytes(content))}))
    assert (job.state, job.campaign) == ("failed", None)
    assert list(Campaign.objects.all()) == [lab.campaign]
    page = organizer.get(job.get_absolute_url()).content.decode()
    assert "no campaign was made" in page
    assert "lab.zip" in job.error
    assert job.error.splitlines()[0] in page.replace("&#x27;", "'")
    assert "lab.zip" in organizer.get(reverse("campaign_import")).content.decode()
    for person in ("mallory", "kurt"):
        assert client_as(lab.cast, person).get(job.get_absolute_url()).status_code == 404


@pytest.mark.engines
def test_a_cancelled_import_leaves_no_campaign_and_a_finished_one_stays(lab: Lab, organizer: Client) -> None:
    sent = exporting.make(lab.campaign, on_progress).read_bytes()
    collection = Collection.objects.create(name="Chosen meanwhile").pk
    contents: list[dict[str, Any]] = [{}, {"imported": {"any": "record"}}, {"collection": collection}]
    for number, content in enumerate(contents):
        organizer.post(reverse("campaign_import"), {"file": file("lab.zip", sent)})
        job = Job.objects.first()
        Campaign.objects.filter(pk=job.campaign.pk).update(**content)
        response = organizer.post(reverse("job_cancel", args=[job.pk]), follow=True)
        job.refresh_from_db()
        assert (response.status_code, job.state) == (200, "cancelled")
        assert Campaign.objects.count() == 1 + number
        assert not Path(job.params["path"]).exists()


def test_an_imported_campaign_can_be_told_apart(lab: Lab, organizer: Client) -> None:
    sent = exporting.make(lab.campaign, on_progress).read_bytes()
    jobs = [
        done(organizer.post(reverse("campaign_import"), {"file": file("lab.zip", sent), "name": name}))
        for name in ("", "", "A copy")
    ]
    dated = f"{lab.campaign.name} (imported {localdate().isoformat()})"
    assert [job.campaign.name for job in jobs] == [dated, f"{dated} (2)", "A copy"]
    stranger = importing.import_campaign(io.BytesIO(sent), "lab.zip", lab.cast.mallory, on_progress)
    assert stranger.name == lab.campaign.name


def test_addresses_are_not_exported_with_pseudonyms(lab: Lab, organizer: Client) -> None:
    response = organizer.post(url_of("campaign_export", lab.campaign), {"people": "pseudonyms", "emails": "on"})
    assert "Addresses identify people" in errors_of(response)


def test_nothing_else_runs_while_a_campaign_is_exported_and_an_archived_one_can_be(lab: Lab) -> None:
    removal.archive(lab.campaign)
    job = job_queue.submit(lab.campaign, Job.Kind.EXPORT, lab.cast.olga, names=True, emails=False)
    removal.archive(lab.campaign, False)
    for kind in (Job.Kind.RELEASE, Job.Kind.EVALUATE, Job.Kind.POOL, Job.Kind.EXPORT):
        with pytest.raises(Refused, match="Export campaign"):
            job_queue.submit(lab.campaign, kind, lab.cast.olga)
    job_queue.cancel(job)
    job_queue.submit(lab.campaign, Job.Kind.RELEASE, lab.cast.olga)
    with pytest.raises(Refused, match="Release qrels"):
        job_queue.submit(lab.campaign, Job.Kind.EXPORT, lab.cast.olga)


def test_a_deleted_campaign_takes_its_file_with_it(lab: Lab, django_capture_on_commit_callbacks: Any) -> None:
    path = exporting.make(lab.campaign, on_progress)
    with django_capture_on_commit_callbacks(execute=True):
        removal.delete(lab.campaign)
    assert not path.exists()


def test_the_page_takes_a_fixed_number_of_queries(lab: Lab, organizer: Client) -> None:
    before = queries(organizer, url_of("campaign_export", lab.campaign))
    Member.objects.create(campaign=lab.campaign, user=lab.cast.mallory, role="expert")
    exporting.make(lab.campaign, on_progress)
    assert queries(organizer, url_of("campaign_export", lab.campaign)) == before <= 10


def test_commands_export_and_import(lab: Lab, tmp_path: Path) -> None:
    target, output = tmp_path / "lab.campaign.zip", io.StringIO()
    call_command("export_campaign", lab.campaign.slug, str(target))
    with pytest.raises(CommandError, match="exists: name a new file"):
        call_command("export_campaign", lab.campaign.slug, str(target))
    call_command("import_campaign", str(target), "--organizer", "olga", "--name", "A copy", stdout=output)
    assert "A copy is at /c/a-copy/" in output.getvalue()
    assert Campaign.objects.visible_to(lab.cast.olga).count() == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["export_campaign", "nothing", "x.zip"], "There is no campaign nothing"),
        (["import_campaign", "missing.zip", "--organizer", "olga"], "^missing.zip: no such file$"),
        (["import_campaign", "missing.zip", "--organizer", "nobody"], "There is no account nobody"),
        (["import_campaign", "x.zip", "--organizer", "olga", "--name", "a" * 121], "^--name: use at most 120 char"),
        (["import_campaign", "x.zip", "--organizer", "mallory"], "mallory may not create campaigns. Tick “Staff"),
    ],
)
def test_commands_say_what_is_missing(arguments: list[str], reason: str, lab: Lab) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command(*arguments)
