"""The pages of judgments made elsewhere: for organizers only."""

import json
from pathlib import Path
from typing import Any

import pytest

from assess import tasks
from assess.models import Campaign, Job, JudgmentSource, Pool
from assess.services.campaign import campaigns
from assess.services.pool import judgment_sources
from tests.cast import make_campaign, make_cast, make_pool
from tests.lab import client_of, make_source, qrels_of
from tests.real import data_file
from tests.web.organizer import errors_of, fields_refused, file, latest_job_done, messages_of, text_of, url_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("cast")]

TABLE = "topic,document,grade,assessor\nA.1,11,High,eve\nA.1,12,Do not know,eve\nA.2,11,0,bob\n"


def send(campaign: Campaign, text: str = TABLE, **changes: Any) -> Any:
    form = {"file": file("crowd.csv", text), "name": "", "kind": "human", **changes}
    return client_of(make_cast().olga).post(url_of("judgment_sources", campaign), form, follow=True)


def test_a_file_is_imported_and_its_page_shows_it(campaign: Campaign) -> None:
    send(campaign, "topic,document,grade\nA.1,11,9\n")
    job = latest_job_done()
    assert (job.state, "crowd.csv:2: the grade must be 0 to 3" in job.error) == ("failed", True)
    assert not JudgmentSource.objects.exists()
    send(campaign, TABLE.replace("document", "passage"), note="A crowd of two", item_column="passage")
    job = latest_job_done()
    assert job.state == Job.State.DONE, job.error
    client = client_of(make_cast().olga)
    source = JudgmentSource.objects.get()
    assert (source.name, source.kind, source.format) == ("crowd", "human", "table")
    page = text_of(client, "judgment_source", campaign, pk=source.pk)
    assert "A crowd of two" in page
    assert "2 of its 2 are in this campaign" in page
    assert "Do not know" in page
    listed = text_of(client, "judgment_sources", campaign)
    assert '<span class="badge">human</span>' in listed
    assert 'type="radio" name="kind"' in listed  # so that nobody imports a program's judgments as people's


def test_a_refused_file_is_read_again_with_the_columns_that_are_named(campaign: Campaign) -> None:
    client, book = client_of(make_cast().olga), data_file("formats/judgments_quepid_book.csv")
    send(campaign, file=file(book.name, book.read_bytes()))
    job = latest_job_done()
    address = url_of("judgment_columns", campaign, refused=job.pk)
    assert f'<a class="button" href="{address}">' in client.get(job.get_absolute_url()).content.decode()
    page = client.get(address).content.decode()
    assert '<option value="Anna B">' in page
    assert "has no column for the grade" in page
    client.post(address, {"grade_column": "Anna B"})
    tasks.run_job(job.pk)
    assert JudgmentSource.objects.get().counts["grades"] == {"3": 1, "0": 1, "1": 1}
    assert client.get(address).status_code == 404


PASSAGES = "labs/passages"


@pytest.fixture
def passages(campaign: Campaign) -> Campaign:
    """The labels of the judges' server as it was set up: it called the grades otherwise in its exports."""
    labels = json.loads(data_file(f"{PASSAGES}/doccano-labels.json").read_text())
    scale = [{"value": int(label["suffixKey"]), "name": label["text"].partition(" (")[0]} for label in labels]
    campaigns.change_settings(campaign, make_cast().olga, rules={"grades": scale[::-1]})
    return campaign


def test_labels_get_a_meaning_once_and_the_upload_is_read_again(passages: Campaign) -> None:
    client = client_of(make_cast().olga)
    files = [data_file(f"{PASSAGES}/doccano-{judge}.jsonl.gz") for judge in ("r3", "r4")]
    send(passages, file=file(files[0].name, files[0].read_bytes()))
    job = latest_job_done()
    assert job.state == Job.State.FAILED
    address = url_of("judgment_labels", passages) + str(job.pk)
    assert address in client.get(job.get_absolute_url()).content.decode()
    rows = client.get(address).context["form"].rows
    assert {text: (count, now) for text, count, now, _ in rows} == {
        "Perfectly Relevant (3)": (211, "Highly Relevant (3)"),
        "Highly Relevant (2)": (367, ""),
        "Relevant (1)": (306, ""),
        "Not Relevant (0)": (244, "Not Relevant (0)"),
    }
    grades = {field.name: text[-2] for text, _, _, field in rows}
    unsaid = client.post(address, grades | {next(iter(grades)): ""})
    assert (unsaid.status_code, fields_refused(unsaid)) == (422, {next(iter(grades))})
    response = client.post(address, grades, follow=True)
    assert response.redirect_chain[0][0] == f"{job.get_absolute_url()}?fresh"
    tasks.run_job(job.pk)
    source = JudgmentSource.objects.get(name="doccano-r3.jsonl")
    assert source.counts["grades"] == {"3": 211, "2": 367, "1": 306, "0": 244}
    assert [note.partition(": ")[2] for note in source.notes] == [
        "columns that were not read: id, text, query",
        "367 labelled 'Highly Relevant (2)' are read as 2",
        "306 labelled 'Relevant (1)' are read as 1",
    ]
    send(passages, file=file(files[1].name, files[1].read_bytes()))
    assert latest_job_done().state == Job.State.DONE
    listed = client.get(url_of("judgment_labels", passages)).context["form"].rows
    assert sorted(text for text, *_ in listed) == ["Highly Relevant (2)", "Relevant (1)"]


def test_remembered_labels_can_be_changed(campaign: Campaign) -> None:
    client, address = client_of(make_cast().olga), url_of("judgment_labels", campaign)
    judgment_sources.remember_labels(campaign, {"good": "3", "bad": "0"}, make_cast().olga)
    response = client.post(address, {"label-0": "2", "label-1": "-"}, follow=True)
    assert messages_of(response) == ["Meaning of labels: good – Medium; bad – left out."]
    campaign.refresh_from_db()
    assert campaign.labels == {"good": "2", "bad": "-"}
    assert "2 labels of files had a meaning given here" in text_of(client, "judgment_sources", campaign)
    client.post(address, {"label-0": "2", "label-1": "9"})
    other = Job.objects.create(campaign=campaign, kind="runs", state=Job.State.FAILED, created_by=make_cast().olga)
    assert client.get(f"{address}?job={other.pk}").status_code == 404


def test_a_wrong_field_is_named(campaign: Campaign, tmp_path: Path) -> None:
    make_source(campaign, tmp_path, qrels_of({"11": 3}), "x")
    for field, value in (("kind", ""), ("file", ""), ("name", "x")):
        response = send(campaign, **{field: value})
        assert (response.status_code, fields_refused(response)) == (422, {field}), errors_of(response)


def test_what_was_judged_must_be_chosen_for_formulas() -> None:
    formulas = make_campaign("arqmath3-task2")
    make_cast(formulas)
    assert 'name="items"' not in text_of(client_of(make_cast().olga), "judgment_sources", make_campaign())
    assert fields_refused(send(formulas)) == {"items"}
    assert send(formulas, items="unit").status_code == 200
    assert Job.objects.get().params["meta"]["items"] == "unit"


def test_a_source_is_deleted_after_a_question_unless_it_is_used(campaign: Campaign, tmp_path: Path) -> None:
    source = make_source(campaign, tmp_path, qrels_of({"11": 3}))
    client, address = client_of(make_cast().olga), url_of("judgment_source_delete", campaign, pk=source.pk)
    make_pool(campaign)
    Pool.objects.update(is_training=True, judgment_source=source)
    assert messages_of(client.post(address, {"sure": "yes"}, follow=True)) == [
        "other can't be deleted: it is used by 1 training or qualification round."
    ]
    Pool.every.update(judgment_source=None)
    assert "Delete other?" in client.post(address).content.decode()
    assert messages_of(client.post(address, {"sure": "yes"}, follow=True)) == ["other deleted."]
    assert not JudgmentSource.objects.exists()
