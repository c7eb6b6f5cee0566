"""The pages of the two questions about written answers, and their report."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from assess.models import PostTask
from assess.services.desk import post_tasks
from tests.desk import JSON, texts_of
from tests.lab import client_of
from tests.written import WrittenLab, make_written

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(tmp_path: Path) -> WrittenLab:
    return make_written(tmp_path)


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def chosen(html: str) -> list[str]:
    """The chosen answers with their keys."""
    return texts_of(html, "//label[input[@checked]]")


def sent(two: WrittenLab, number: int, **replies: str) -> dict[str, Any]:
    """What the page of an answer sends."""
    shown = post_tasks.written_of(two.assignment)[number - 1].card
    return {"instance": shown.instance.pk, "content_hash": shown.content_hash, **replies}


def test_the_questions_are_offered_when_all_is_judged_and_not_before(two: WrittenLab, client: Client) -> None:
    client.force_login(two.cast.ada)
    page = f"/judge/{two.assignment.pk}/"
    assert "Two short questions" not in text_of(client.get(page))
    assert client.get(f"{page}written/").status_code == 404
    two.judge_all()
    offer = texts_of(text_of(client.get(page)), f"//p[a/@href='{page}written/']")
    assert offer == ["Two short questions about 2 of these answers 2 left"]


def test_an_answer_to_both_leads_to_the_next_and_then_to_the_topic(two: WrittenLab, client: Client) -> None:
    two.judge_all()
    client.force_login(two.cast.ada)
    topic = f"/judge/{two.assignment.pk}/"
    home = f"{topic}written/"
    assert client.get(home)["Location"] == f"{home}1/"
    html = text_of(client.get(f"{home}1/"))
    assert html.count("<fieldset>") == 2
    assert chosen(html) == []
    response = client.post(f"{home}1/", sent(two, 1, machine="yes"))
    assert (response.status_code, response.context["problem"]) == (422, "Answer both questions.")
    assert chosen(text_of(response)) == ["Yes 1"]
    assert client.post(f"{home}1/", sent(two, 1, machine="yes", unrelated="cannot_tell"))["Location"] == f"{home}2/"
    assert client.get(home)["Location"] == f"{home}2/"
    assert client.post(f"{home}2/", sent(two, 2, machine="no", unrelated="no"))["Location"] == topic
    assert client.get(home)["Location"] == f"{home}1/"
    html = text_of(client.get(f"{home}1/"))
    assert chosen(html) == ["Yes 1", "Cannot tell 6"]
    assert 'class="badge done">done' in text_of(client.get(topic))


def test_a_script_gets_the_next_address_and_that_page_says_what_was_refused(two: WrittenLab, client: Client) -> None:
    two.judge_all()
    client.force_login(two.cast.ada)
    home = f"/judge/{two.assignment.pk}/written/"
    replies = {"machine": "yes", "unrelated": "no"}
    response = client.post(f"{home}1/", sent(two, 2, **replies), headers=JSON)
    assert (response.status_code, response.json()["next"]) == (422, f"{home}1/")
    assert "another answer" in response.json()["detail"]
    assert '<span class="wrong">' in text_of(client.get(f"{home}1/"))
    assert client.post(f"{home}1/", sent(two, 1, **replies), headers=JSON).json() == {"next": f"{home}2/"}
    assert "<span>Saved</span>" in text_of(client.get(f"{home}2/"))
    assert client.post(f"{home}2/", sent(two, 2, **replies), headers=JSON).json() == {
        "next": f"/judge/{two.assignment.pk}/"
    }


def answered(two: WrittenLab) -> None:
    """gpt: by a machine, with unrelated information, not relevant; ext: neither, medium."""
    two.judge_all(gpt="0", ext="2")
    for number, answer in enumerate(post_tasks.written_of(two.assignment), start=1):
        instance = answer.card.instance
        machine, unrelated = ("yes", "yes") if instance.doc_id == two.documents["gpt"] else ("cannot_tell", "no")
        sent = PostTask(machine=machine, unrelated=unrelated, instance=instance)
        post_tasks.save_replies(two.assignment.pk, two.cast.ada, number, sent, answer.card.content_hash)


def test_the_report_has_percentages_by_system_and_relevance(two: WrittenLab) -> None:
    answered(two)
    html = text_of(client_of(two.cast.olga).get(f"/c/{two.campaign.slug}/results/?written_report="))
    assert "2 of 2 written answers" in html
    gpt, ext, medium = (texts_of(html, f"//tr[contains(th, '{name}')]/td") for name in ("gpt", "ext", "Medium"))
    assert gpt == ["GPT", "1 of 1", "1", "0", "0", "100.0", "1", "0", "0", "100.0"]
    assert ext[2:] == ["0", "0", "1", "0.0", "0", "1", "0", "0.0"]
    assert medium == ["0", "1", "0", "1", "0.0"]
    assert "100.0 % of the answers with unrelated information are not relevant (1 of 1); of all answers, 50.0 %" in html


def test_a_file_holds_the_replies_by_answer(two: WrittenLab) -> None:
    answered(two)
    answers = client_of(two.cast.olga).get(f"/c/{two.campaign.slug}/written/answers.tsv").content.decode()
    lines = sorted([f"A.1\t{two.documents['gpt']}\t1\t1\t0", f"A.1\t{two.documents['ext']}\t\t0\t2"])
    assert answers.splitlines() == ["topic\tanswer\tmachine_generated\tunrelated\tdecision", *lines]
