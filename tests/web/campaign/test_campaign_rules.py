"""Editing the rules of a campaign, and when they are locked."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.urls import reverse

from assess.ir.campaign.presets import PRESETS, write_lab
from assess.ir.campaign.scale import Outcome, Words
from assess.models import Campaign
from assess.web.campaign.settings_form import SettingsForm
from tests.cast import Cast, make_campaign, make_pool
from tests.lab import client_of
from tests.web.organizer import file, messages_of

pytestmark = pytest.mark.django_db


def edited(campaign: Campaign, **changes: object) -> dict[str, object]:
    """The edit form as the browser sends it."""
    page = SettingsForm(campaign=campaign, frozen=False)
    rows = [form for table in page.tables.values() for form in (table.management_form, *table.forms)]
    fields = {field.html_name: field.value() for form in (page, *rows) for field in form}
    sent = {name: value for name, value in fields.items() if value is not None and value is not False}
    return {**sent, "seen": "", "guidelines": "Be fair.", **changes}


def edit(campaign: Campaign, cast: Cast, **changes: object) -> Any:
    """The answer to the form with these changes."""
    address = reverse("campaign_edit", args=[campaign.slug])
    response = client_of(cast.olga).post(address, edited(campaign, **changes), follow=True)
    campaign.refresh_from_db()
    return response


def test_rules_are_edited_and_the_message_names_what_was_changed(campaign: Campaign, cast: Cast) -> None:
    assert edit(campaign, cast, primary_depth=30, seed=99, guidelines="One.\n\n  Two. \n", written="on").redirect_chain
    assert (campaign.rules.primary_depth, campaign.seed, campaign.rules.written) == (30, 99, True)
    assert campaign.rules.guidelines == ("One.", "Two.")
    same = {"guidelines": "One.\r\nTwo."}  # browsers end lines so
    said = messages_of(edit(campaign, cast, primary_depth=31, **same))
    assert said == ["Settings changed: Primary depth."]


def seen(page: Any) -> str:
    return re.search(r'name="seen" value="(\w+)"', page.content.decode())[1]


def test_of_two_windows_the_second_learns_of_the_first(campaign: Campaign, cast: Cast) -> None:
    url, client = reverse("campaign_edit", args=[campaign.slug]), client_of(cast.olga)
    first, second = seen(client.get(url)), seen(client.get(url))
    assert client.post(url, edited(campaign, primary_depth=30, seen=first)).status_code == 302
    late = edited(campaign, alternate_depth=5, seen=second)
    wrong = client.post(url, late | {"primary_depth": 0})  # an error elsewhere does not hide it
    assert seen(wrong) == second
    refused = client.post(url, late)
    assert refused.status_code == 422
    assert "changed in another window or by another organizer" in refused.content.decode()
    assert re.search(r'name="alternate_depth" value="5"', refused.content.decode())
    campaign.refresh_from_db()
    assert (campaign.rules.primary_depth, campaign.rules.alternate_depth == 5) == (30, False)
    assert client.post(url, late | {"seen": seen(refused)}).status_code == 302  # knowingly
    campaign.refresh_from_db()
    assert campaign.rules.alternate_depth == 5


def test_a_frozen_pool_locks_the_rules(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    page = client_of(cast.olga).get(reverse("campaign_edit", args=[campaign.slug])).content.decode()
    assert re.search(r'name="primary_depth"[^>]*disabled', page)
    assert re.search(r'name="grades-0-value"[^>]*disabled', page)
    assert "grades-0-DELETE" not in page
    before = campaign.protocol
    edit(campaign, cast, name="New name", primary_depth=1, seed=1, **{"grades-0-value": "7"})
    assert (campaign.name, campaign.seed, campaign.protocol) == ("New name", 7, before)


def test_the_form_has_only_the_rules_of_the_task(campaign: Campaign, cast: Cast) -> None:
    def asked(campaign: Campaign) -> set[str]:
        form = client_of(cast.olga).get(reverse("campaign_edit", args=[campaign.slug])).context["form"]
        return {"written", "max_instances", "instance_rule"} & set(form.fields)

    assert asked(campaign) == {"written"}
    formulas = make_campaign("arqmath3-task2", name="Formulas")
    assert asked(formulas) == {"max_instances", "instance_rule"}
    web = make_campaign("documents", name="Web")
    page = client_of(cast.olga).get(reverse("campaign_edit", args=[web.slug])).content.decode()
    main = page[page.index("<main") :]
    assert not [word for word in ("formula", "ARQMath", "H+M", "NTCIR-", "Written answers") if word in main]


def make_lab(preset: str) -> Campaign:
    """A campaign with an edition, which every one has that was made on a page."""
    campaign = make_campaign(preset, name="Web")
    campaign.edition = campaign.edition or "Lab 2026"
    campaign.save()
    return campaign


def test_a_scale_is_edited_row_by_row(cast: Cast) -> None:
    web = make_lab("documents")
    spam = {"grades-4-value": "-2", "grades-4-name": "Spam", "grades-4-key": "x", "grades-1-DELETE": "on"}
    assert "Settings changed: Grades." in messages_of(edit(web, cast, guidelines=lines_of(web), **spam))
    assert [(grade.value, grade.name) for grade in web.rules.grades][-2:] == [(0, "Not relevant"), (-2, "Spam")]
    assert (web.rules.values, web.rules.grades[-1].key) == ((3, 1, 0, -2), "x")
    best = edited(web, **{"grades-4-value": "9", "grades-4-name": "Perfect"})  # below the others, but the highest
    assert client_of(cast.olga).post(reverse("campaign_edit", args=[web.slug]), best).status_code == 302
    web.refresh_from_db()
    assert web.rules.values == (9, 3, 1, 0, -2)


def lines_of(campaign: Campaign) -> str:
    return "\r\n".join(campaign.rules.guidelines)


def test_question_words_fields_outcomes_and_measures_are_edited(cast: Cast) -> None:
    web = make_lab("documents")
    edit(
        web,
        cast,
        question="Is it good?",
        word_document="page",
        topic_fields="description, narrative",
        folded_fields="",
        measures="P@10, bpref full",
        **{
            "outcomes-2-word": "spam",
            "outcomes-2-name": "Spam",
            "outcomes-2-qrels": "0",
            "outcomes-2-reasons": "A\r\nB",
        },
    )
    rules = web.rules
    assert (rules.question, rules.words) == (
        "Is it good?",
        Words(document="page", documents="pages", unit="page", units="pages"),
    )
    assert (rules.topic_fields, rules.folded_fields) == (("description", "narrative"), ())
    assert rules.measures == ("P@10", "bpref full")
    assert rules.outcomes[-1] == Outcome(word="spam", name="Spam", reasons=("A", "B"), qrels=0)


@pytest.mark.parametrize("preset", ["arqmath1-task2", "arqmath3-task1", "documents-binary", "ntcir11-main"])
def test_a_form_that_is_saved_as_it_is_changes_nothing(preset: str, cast: Cast) -> None:
    campaign = make_lab(preset)
    rules = campaign.rules
    assert "Nothing was changed." in messages_of(edit(campaign, cast, guidelines=lines_of(campaign)))
    assert campaign.rules == replace(rules, edition=campaign.edition)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"grades-1-value": "3"}, "different values"),
        ({"grades-1-key": "x", "grades-2-key": "x"}, "each key must be one character, used once"),
        ({"grades-1-name": ""}, "This field is required"),
        ({f"grades-{row}-DELETE": "on" for row in range(3)}, "2 to 11 are needed, found 1"),
        ({"outcomes-0-word": "two words"}, "must be one word"),
        ({"level": 7}, "choose 3 or 2 or 1, found 7"),
        ({"measures": "F1"}, "no measure"),
        ({"pool_rule": "x"}, ""),
        ({"pool_rule": "rank_by_rank"}, "rank_by_rank needs a pool_size, the number of units of each topic"),
        ({"primary_depth": 0}, "Ensure this value is greater than or equal to 1."),
        *(({"name": name}, "Tabs, line breaks and other control characters") for name in ("a\tb", "\x1b[0m")),
    ],
)
def test_what_is_wrong_is_refused_at_its_table_or_field(changes: dict[str, object], reason: str, cast: Cast) -> None:
    web = make_lab("documents")
    before, response = web.protocol, edit(web, cast, **changes)
    form, name = response.context["form"], next(iter(changes)).partition("-")[0]
    table = form.tables.get(name)
    shown = f"{table.non_form_errors()} {table.errors}" if table else form.errors[name][0]
    assert (response.status_code, reason in shown, web.protocol == before) == (422, True, True)
    assert reason in response.content.decode()


def test_the_protocol_is_downloaded_and_replaced_by_a_file(campaign: Campaign, cast: Cast) -> None:
    client, url = client_of(cast.olga), reverse("campaign_lab", args=[campaign.slug])
    text = client.get(url).content.decode()
    assert 'edition = "' + campaign.edition in text

    def send(content: str) -> Any:
        return client.post(url, {"file": file("lab.toml", content)}, follow=True)

    assert messages_of(send(text)) == ["Nothing was changed."]
    shallow = text.replace("primary_depth = 45", "primary_depth = 7")
    assert "Settings changed: taken from lab.toml." in messages_of(send(shallow))
    campaign.refresh_from_db()
    assert campaign.rules.primary_depth == 7
    refused = send(write_lab(PRESETS["passages"]))
    assert refused.status_code == 422
    assert "Make a new campaign for the other task" in refused.content.decode()
    make_pool(campaign)
    assert "The pool is frozen" in send(text).content.decode()
    campaign.refresh_from_db()
    assert campaign.rules.primary_depth == 7
