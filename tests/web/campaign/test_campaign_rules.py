"""Editing the rules of a campaign, and when they are locked."""

import re
from typing import Any

import pytest
from django.urls import reverse

from assess.ir.campaign.presets import PRESETS, write_lab
from assess.models import Campaign
from tests.cast import Cast, make_assignment, make_campaign, make_pool
from tests.lab import client_of, judge
from tests.web.organizer import file, messages_of

pytestmark = pytest.mark.django_db


def edited(campaign: Campaign, **changes: object) -> dict[str, object]:
    """The edit form as the browser sends it."""
    rules = {name: value for name, value in campaign.protocol.items() if value is not False}
    about = {"name": campaign.name, "edition": campaign.edition, "seed": campaign.seed, "guidelines": "Be fair."}
    return {**rules, **about, **changes}


def edit(campaign: Campaign, cast: Cast, **changes: object) -> Any:
    """The answer to the form with these changes."""
    address = reverse("campaign_edit", args=[campaign.slug])
    response = client_of(cast.olga).post(address, edited(campaign, **changes), follow=True)
    campaign.refresh_from_db()
    return response


def test_rules_are_edited_and_guidelines_are_lines(campaign: Campaign, cast: Cast) -> None:
    assert edit(campaign, cast, primary_depth=30, seed=99, guidelines="One.\n\n  Two. \n", written="on").redirect_chain
    assert (campaign.rules.primary_depth, campaign.seed, campaign.rules.written) == (30, 99, True)
    assert campaign.rules.guidelines == ("One.", "Two.")


@pytest.mark.parametrize(
    ("changes", "said"), [({}, "Nothing was changed."), ({"primary_depth": 30}, "Settings changed: Primary depth.")]
)
def test_the_message_names_what_was_changed(
    changes: dict[str, object], said: str, campaign: Campaign, cast: Cast
) -> None:
    lines = "\r\n".join(campaign.rules.guidelines)  # browsers end lines so
    assert said in messages_of(edit(campaign, cast, guidelines=lines, **changes))


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


def test_an_impossible_rule_is_refused_at_its_field(campaign: Campaign, cast: Cast) -> None:
    form = edit(campaign, cast, alternate_depth=0).context["form"]
    assert form.errors == {"alternate_depth": ["Ensure this value is greater than or equal to 1."]}


def test_a_rule_with_a_number_of_units_needs_the_number(campaign: Campaign, cast: Cast) -> None:
    form = edit(campaign, cast, pool_rule="rank_by_rank").context["form"]
    assert form.errors == {"pool_rule": ["rank_by_rank needs a pool_size, the number of units of each topic"]}
    edit(campaign, cast, pool_rule="rank_by_rank", pool_size=100)
    assert (campaign.rules.pool_rule, campaign.rules.pool_size) == ("rank_by_rank", 100)


def test_a_frozen_pool_locks_the_rules(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)
    page = client_of(cast.olga).get(reverse("campaign_edit", args=[campaign.slug])).content.decode()
    assert re.search(r'name="primary_depth"[^>]*disabled', page)
    before = campaign.protocol
    edit(campaign, cast, name="New name", primary_depth=1, seed=1)
    assert (campaign.name, campaign.seed, campaign.protocol) == ("New name", 7, before)


def test_the_pool_can_be_unfrozen_until_judging_begins(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    client, url = client_of(cast.olga), reverse("campaign_edit", args=[campaign.slug])
    to_unfreeze = f'<a href="{reverse("pool", args=[campaign.slug])}">Unfreeze'
    assert to_unfreeze.lower() in client.get(url).content.decode().lower()
    judge(assignment, {"11": "3"})
    assert to_unfreeze.lower() not in client.get(url).content.decode().lower()


@pytest.mark.parametrize(("alternate", "warned"), [(30, False), (31, True)])
def test_a_deeper_alternate_depth_is_warned_of(alternate: int, warned: bool, campaign: Campaign, cast: Cast) -> None:
    response = edit(campaign, cast, primary_depth=30, alternate_depth=alternate)
    assert any("(31)" in message for message in messages_of(response)) == warned
    assert campaign.rules.alternate_depth == alternate


def test_the_form_has_only_the_rules_of_the_task(campaign: Campaign, cast: Cast) -> None:
    def asked(campaign: Campaign) -> set[str]:
        form = client_of(cast.olga).get(reverse("campaign_edit", args=[campaign.slug])).context["form"]
        return {"written", "max_instances", "instance_rule"} & set(form.fields)

    assert asked(campaign) == {"written"}
    formulas = make_campaign("arqmath3-task2", name="Formulas")
    assert asked(formulas) == {"max_instances", "instance_rule"}


def test_the_lowest_relevant_grade_is_chosen_by_name(campaign: Campaign, cast: Cast) -> None:
    form = client_of(cast.olga).get(reverse("campaign_edit", args=[campaign.slug])).context["form"]
    assert form.fields["level"].choices == [(3, "3 – High"), (2, "2 – Medium"), (1, "1 – Low")]
    edit(campaign, cast, level=1)
    assert campaign.rules.level == 1


def test_documents_of_any_lab_are_not_asked_for_rules_of_mathematics(campaign: Campaign, cast: Cast) -> None:
    web = make_campaign("documents", name="Web")
    page = client_of(cast.olga).get(reverse("campaign_edit", args=[web.slug])).content.decode()
    main = page[page.index("<main") :]
    assert not [word for word in ("formula", "ARQMath", "NTCIR-", "Written answers") if word in main]


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
