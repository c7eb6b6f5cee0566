"""The API of judgments made elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from assess import tasks
from assess.models import Campaign, Job, SourceLine
from tests.cast import make_campaign, make_cast
from tests.lab import client_as, client_of, make_source, qrels_of
from tests.web.organizer import file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("cast")]


def send(campaign: Campaign, person: str | None = "olga", **changes: object) -> Any:
    lines = '{"topic": "A.1", "document": "11", "grade": 2, "model": "judge-1"}\n'
    form = {"file": file("labels.jsonl", lines), "name": "labels", "kind": "machine"} | changes
    return client_as(make_cast(), person).post(reverse("api-judgment-sources", args=[campaign.slug]), form)


def test_a_file_is_imported_by_a_job(campaign: Campaign) -> None:
    response = send(campaign, note="temperature 0")
    assert (response.status_code, response.json()["kind"]) == (202, "source")
    tasks.run_job(response.json()["id"])
    client = client_of(make_cast().olga)
    [row] = client.get(reverse("api-judgment-sources", args=[campaign.slug])).json()["results"]
    assert (row["name"], row["kind"], row["format"], row["note"]) == ("labels", "machine", "jsonl", "temperature 0")
    assert row["counts"]["grades"] == {"2": 1}
    detail = client.get(reverse("api-judgment-source", args=[campaign.slug, row["id"]])).json()
    assert detail == row


def test_labels_are_said_with_the_file_and_remembered(campaign: Campaign) -> None:
    lines = (
        '{"topic": "A.1", "document": "11", "grade": "good"}\n{"topic": "A.1", "document": "12", "grade": "broken"}\n'
    )
    failed = send(campaign, file=file("labels.jsonl", lines)).json()["id"]
    tasks.run_job(failed)
    job = client_of(make_cast().olga).get(reverse("api-job", args=[failed])).json()
    found = {"labels": [["good", 1], ["broken", 1]], "columns": ["topic", "document", "grade"]}
    assert (job["state"], job["result"]) == ("failed", found)
    labels = {"good": "2", "broken": "-"}
    said = send(campaign, file=file("labels.jsonl", lines), labels=json.dumps(labels))
    tasks.run_job(said.json()["id"])
    assert SourceLine.objects.values_list("item_id", "grade").get() == ("11", 2)
    campaign.refresh_from_db()
    assert campaign.labels == labels


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"labels": '{"good": "9"}'}, "labels: a table of labels is needed, each with one of 3, 2, 1, 0"),
        ({"labels": '["good"]'}, "labels: a table"),
        ({"labels": "good"}, "labels:"),
        ({"labels": json.dumps({"x" * 121: "2"})}, "labels: at most 1,000 labels of at most 120 characters"),
        ({"kind": "robot"}, "kind:"),
        ({"note": "x" * 2001}, "note:"),
        ({"grade_column": "a\tb"}, "grade_column:"),
        ({"file": ""}, "file:"),
        ({"name": "known"}, "There is already a source with the name known"),
    ],
)
def test_a_wrong_request_is_refused_and_starts_nothing(
    changes: dict[str, Any], reason: str, campaign: Campaign, tmp_path: Path
) -> None:
    make_source(campaign, tmp_path, qrels_of({"11": 3}), "known")
    response = send(campaign, **changes)
    assert (response.status_code, Job.objects.exists()) == (422, False)
    assert reason in response.json()["detail"]


def test_the_items_of_formulas_must_be_said_and_the_file_names_the_source(campaign: Campaign) -> None:
    formulas = make_campaign("arqmath3-task2")
    assert "items: say what the ids in the file are" in send(formulas).json()["detail"]
    assert send(formulas, name="", items="unit").status_code == 202
    about = Job.objects.get().params["meta"]
    assert (about["name"], about["items"], about["columns"]) == ("labels", "unit", [""] * 5)
