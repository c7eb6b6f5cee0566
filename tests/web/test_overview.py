"""The overview of a campaign: what needs a decision, and when judging will end."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.formats import date_format
from lxml import etree, html

from assess.models import Assignment, Campaign, Question, Round
from assess.services.agreement import agreement
from assess.services.pipeline import Step, campaign_steps
from assess.services.releases import qrels
from tests.cast import Cast, make_assignment, make_pool, on_progress
from tests.lab import Lab, client_of, judge, queries
from tests.web.organizer import bare_campaign, text_of, url_of

pytestmark = pytest.mark.django_db


def decisions(cast: Cast, campaign: Campaign) -> list[str]:
    """Where the list of what needs a decision leads to."""
    page = text_of(client_of(cast.olga), "campaign", campaign)
    part = page.partition('aria-labelledby="today"')[2].partition("</section>")[0]
    return re.findall(r'href="([^"]+)"', part)


def test_questions_and_stopped_assignments_need_a_decision(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    for topic in ("A.1", "A.2"):
        make_assignment(pool, cast.ada, topic=topic)
    assert decisions(cast, campaign) == []
    Question.objects.create(topic=campaign.topics.all()[0], by=cast.ada, text="And this?")
    Assignment.objects.update(created=timezone.now() - timedelta(days=8))
    assert decisions(cast, campaign) == [url_of("questions", campaign), url_of("progress", campaign)]


def test_topics_without_an_assessor_need_a_decision_while_others_are_judged(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    assert decisions(cast, campaign) == []
    assignment = make_assignment(pool, cast.ada)
    judge(assignment, {"11": "1"})
    qrels.release(pool, cast.olga, on_progress)
    assert decisions(cast, campaign) == [url_of("assignments", campaign)]
    assert "assignments" in needed(campaign)  # although there is a release
    judge(assignment, dict.fromkeys(("12", "21", "99"), "0"))
    qrels.release(pool, cast.olga, on_progress)
    assert decisions(cast, campaign) == []
    assert next_of(campaign) == "assignments"  # of A.2
    assert "Nothing needs a decision" not in text_of(client_of(cast.olga), "campaign", campaign)
    campaign.topics.filter(topic_id="A.2").update(kind="removed")
    assert "assignments" not in needed(campaign)
    assert of_key(campaign, "assignments").text == "1 of 1 topic assigned"


def test_an_overdue_round_needs_a_decision_and_the_end_is_estimated(campaign: Campaign, cast: Cast) -> None:
    heading, olga = "When judging will end", client_of(cast.olga)
    assert heading not in text_of(olga, "campaign", campaign)
    assignment = make_assignment(make_pool(campaign), cast.ada)
    assert "no estimate" in text_of(olga, "campaign", campaign)
    today = timezone.localdate()
    for days, is_said in ((0, False), (-1, True)):
        Round.objects.update(due=today + timedelta(days=days))
        assert (url_of("progress", campaign) in decisions(cast, campaign)) is is_said
    assert "4 judgments still to be made" in text_of(olga, "campaign", campaign)
    judge(assignment, {"11": "1", "12": "0"}, 70_000)
    end = timezone.localtime(timezone.now() + timedelta(days=1))
    assert f"<strong>{end.day} {end:%b %Y}</strong>" in text_of(olga, "campaign", campaign)
    judge(assignment, dict.fromkeys(("21", "99"), "0"))
    assert url_of("progress", campaign) not in decisions(cast, campaign)


def test_rounds_that_labs_hold_are_suggested_in_their_order(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    names = [step.name for step in campaign_steps(campaign, with_rounds=True)]
    assert names[-7:] == ["Training", "Assignments", "Progress", "Dual round", "Agreement", "Releases", "Scores"]
    Round.objects.create(pool=pool, kind="training")  # prepared, and judged by nobody
    [training] = [step for step in campaign_steps(campaign, with_rounds=True) if step.name == "Training"]
    assert (training.is_done, training.text.partition(":")[0]) == (False, "none judged yet")
    judge(make_assignment(pool, cast.ada), {"11": "1"})
    dual = make_assignment(pool, cast.kurt, kind="dual")
    for documents, is_done in ((("11",), False), (("12", "21", "99"), True)):
        judge(dual, dict.fromkeys(documents, "1"))
        steps = {step.name: step for step in campaign_steps(campaign, with_rounds=True)}
        assert (steps["Dual round"].is_done, steps["Dual round"].text) == (is_done, "1 topic with a second assessor")
    assert "Training" not in steps  # judging has begun
    assert (steps["Adjudication"].is_done, steps["Adjudication"].is_needed) == (False, False)


def test_later_judgments_leave_agreement_undone_until_it_is_computed_again(lab: Lab) -> None:
    client = client_of(lab.cast.olga)
    before = queries(client, url_of("campaign", lab.campaign))
    day = date_format(timezone.localtime(lab.report.created), "j M Y")
    for document, grade, changed in (("11", "1", "1 judgment"), ("11", "2", "1 judgment"), ("12", "1", "2 judgments")):
        judge(lab.official, {document: grade})
        assert said_of(lab.cast, lab.campaign, "Agreement") == f"computed on {day}; {changed} since (optional)"
    assert queries(client, url_of("campaign", lab.campaign)) == before
    assert not of_key(lab.campaign, "agreement").is_done
    agreement.report(lab.pool, on_progress)
    assert of_key(lab.campaign, "agreement").is_done


def test_a_release_is_never_called_optional(campaign: Campaign, cast: Cast) -> None:
    assert (of_key(campaign, "releases").text, of_key(campaign, "releases").is_needed) == ("none yet", True)
    pool = make_pool(campaign)
    first = make_assignment(pool, cast.ada)
    judge(first, {"11": "1"})
    qrels.release(pool, cast.olga, on_progress)
    assert said_of(cast, campaign, "Releases") == "1 release, the latest made with 1 of 8 answers judged"
    assert next_of(campaign) == "assignments"  # A.2, and ada still judges
    judge(first, dict.fromkeys(("12", "21", "99"), "0"))
    campaign.topics.filter(topic_id="A.2").update(kind="removed")
    late = "1 release, the latest made with 1 of 8 answers judged, with later judgments"
    assert said_of(cast, campaign, "Releases") == late
    qrels.release(pool, cast.olga, on_progress)
    assert said_of(cast, campaign, "Releases") == "Done: 2 releases, the latest made with 4 of 8 answers judged"
    assert next_of(campaign) == "results"


def of_key(campaign: Campaign, key: str) -> Step:
    return next(step for step in campaign_steps(campaign) if step.key == key)


def next_of(campaign: Campaign) -> str:
    """The key of the next step, without what this small campaign lacks."""
    lacking = ("collection", "runs")
    return next(
        step.key for step in campaign_steps(campaign) if step.is_needed and not step.is_done and step.key not in lacking
    )


def said_of(cast: Cast, campaign: Campaign, name: str) -> str:
    """The words beside a step."""
    page = text_of(client_of(cast.olga), "campaign", campaign)
    beside = page.partition('<ol class="steps">')[2].partition(f">{name}</a>")[2].partition("</li>")[0]
    return " ".join(re.sub("<[^>]+>", "", beside).split())


def needed(campaign: Campaign) -> list[str]:
    return [step.key for step in campaign_steps(campaign) if step.is_needed]


def words(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


class Page:
    """The main part of a page: where its links lead, the labels of its buttons, its headings."""

    def __init__(self, cast: Cast, name: str, campaign: Campaign, person: str = "olga", **arguments: object) -> None:
        text = text_of(client_of(getattr(cast, person)), name, campaign, **arguments)
        main = html.fromstring(text).find(".//main")
        assert main is not None
        self.text = words(main)
        self.links = [link.get("href") for link in main.iter("a")]
        self.buttons = {" ".join(words(button).split()) for button in main.iter("button")}
        self.headings = {words(heading) for heading in main.iter("h2")}


def test_an_empty_page_leads_on(cast: Cast) -> None:
    campaign, leads_to = bare_campaign("arqmath3-task1"), {"campaign": "judgment_sources", "statistics": "topic_set"}
    leads_to |= dict.fromkeys(("runs", "baselines", "pool", "pool_plan"), "topics")
    leads_to |= dict.fromkeys(("outcomes", "disagreements", "written_report"), "pool")
    links = {name: Page(cast, name, campaign).links for name in leads_to}
    assert [name for name, page in leads_to.items() if url_of(page, campaign) not in links[name]] == []


def test_before_the_first_judgment_nothing_is_offered_that_needs_one(campaign: Campaign, cast: Cast) -> None:
    buttons = {"agreement": "Compute agreement", "releases": "Release", "rounds": "Assign"}
    pool = make_pool(campaign)
    assert [name for name, button in buttons.items() if button in Page(cast, name, campaign).buttons] == []
    judge(make_assignment(pool, cast.ada), {"11": "1"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "3"})
    assert [name for name, button in buttons.items() if button not in Page(cast, name, campaign).buttons] == []


def test_assessors_read_that_they_are_done(campaign: Campaign, cast: Cast) -> None:
    assignment = make_assignment(make_pool(campaign), cast.ada)
    said = "You have judged all your topics."
    assert said not in Page(cast, "campaign", campaign, "ada").text
    judge(assignment, dict.fromkeys(("11", "12", "21", "99"), "1"))
    assert said in Page(cast, "campaign", campaign, "ada").text
    assert said in client_of(cast.ada).get("/").content.decode()


def test_pages_offer_only_what_can_work(campaign: Campaign, cast: Cast) -> None:
    links = Page(cast, "pool_plan", campaign).links
    assert (url_of("runs", campaign) in links, url_of("topics", campaign) in links) == (True, False)
    remove = url_of("member_remove", campaign, pk=campaign.members.get(user=cast.olga).pk)
    assert remove not in text_of(client_of(cast.olga), "members", campaign)
    campaign.members.filter(user=cast.kurt).update(role="organizer")
    assert remove in text_of(client_of(cast.olga), "members", campaign)
    pool = make_pool(campaign)
    assert "Board" not in Page(cast, "progress", campaign).headings
    assert "Preview" not in Page(cast, "pool_extend", campaign).buttons
    make_assignment(pool, cast.ada)
    assert "Board" in Page(cast, "progress", campaign).headings
