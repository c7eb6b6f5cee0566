"""An assessor's lists: the topics on the start page, the entries of a topic; and own progress there and on the desk."""

import re
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from assess.models import Assignment, JudgmentEvent, Post, Topic
from assess.services.desk import decisions, documents
from assess.web.common.html import excerpt
from tests import cast
from tests.cast import Cast
from tests.desk import judge_all, place_of, press, sent, share_post, texts_of, url
from tests.lab import judge

pytestmark = pytest.mark.django_db


def test_topics_are_grouped_with_finished_ones_folded(ada: Client, answers: Assignment, people: Cast) -> None:
    newer = cast.make_campaign(name="Newer lab")
    people.ada.memberships.create(campaign=newer, role="assessor")
    pool = cast.make_pool(newer)
    for topic in ("A.1", "A.2"):
        judge_all(cast.make_assignment(pool, people.ada, topic=topic), "0")
    groups = ada.get("/").context["groups"]
    counts = [(campaign.name, len(unfinished), len(finished)) for campaign, unfinished, finished in groups]
    assert counts == [(answers.topic.campaign.name, 1, 0), ("Newer lab", 0, 2)]
    html = ada.get("/").content.decode()
    assert html.count("<details") == 1
    assert "<summary>2 finished topics</summary>" in html


def test_an_assessor_reads_the_same_numbers_on_all_pages(client: Client) -> None:
    campaign = cast.make_campaign("arqmath2-task2")
    people = cast.make_cast(campaign)
    pool = cast.make_pool(campaign)
    assignment = cast.make_assignment(pool, people.ada, topic="B.1")  # v1 of three formulas, v2 of one
    judge(assignment, {"220": "3", "110": "2"})
    client.force_login(people.ada)
    for address in ("/", f"/judge/{assignment.pk}/"):
        assert "1 of 2 formulas judged" in client.get(address).content.decode()
    assert "1 of 2" in client.get(campaign.get_absolute_url()).content.decode()


def test_the_list_shows_own_judgments_and_filters_them(ada: Client, answers: Assignment) -> None:
    press(ada, answers, "11", "3")
    press(ada, answers, "99", "system_failure", comment="empty post")
    graded, failed = place_of(answers, "11"), place_of(answers, "99")
    expected = {"open": {1, 2, 3, 4} - {graded, failed}, "judged": {graded, failed}, "3": {graded}}
    expected |= {"system_failure": {failed}, "": {1, 2, 3, 4}, "nonsense": {1, 2, 3, 4}}
    for show, places in expected.items():
        response = ada.get(f"/judge/{answers.pk}/", {"show": show})
        assert {row.place for row in response.context["rows"]} == places, show
        assert ("empty post" in response.content.decode()) == (show not in ("open", "3"))


def judgments_of(client: Client, assignment: Assignment, unit: str, **filters: str) -> str:
    """The last column of a unit."""
    html = client.get(f"/judge/{assignment.pk}/", filters).content.decode()
    row = next(part for part in html.split("<tr>")[2:] if url(assignment, unit) in part)  # after the head
    return " ".join(re.sub(r"<[^>]*>", " ", row.split("<td>")[-1].split("</td>")[0]).split())


def test_the_list_distinguishes_deferred_from_open_entries(ada: Client, answers: Assignment, people: Cast) -> None:
    for unit in ("11", "12"):
        decisions.defer_entry(answers.pk, people.ada, place_of(answers, unit))
    press(ada, answers, "12", "3")
    assert [judgments_of(ada, answers, unit) for unit in ("11", "12", "21")] == ["— Deferred", "High", "—"]
    assert judgments_of(ada, answers, "11", show="deferred") == "— Deferred"


def test_the_list_shows_open_posts_of_an_entry_in_order(ada: Client, formulas: Assignment, people: Cast) -> None:
    cards = documents.open_item(formulas, place_of(formulas, "v1")).cards
    first, second, _ = (card.instance.doc_id for card in cards)
    assert judgments_of(ada, formulas, "v1") == "—"
    press(ada, formulas, "v1", "2", doc=second, comment="why")
    assert judgments_of(ada, formulas, "v1") == "— Medium “why” —"
    press(ada, formulas, "v1", "3", doc=first)
    decisions.defer_entry(formulas.pk, people.ada, place_of(formulas, "v1"))
    assert judgments_of(ada, formulas, "v1") == "High Medium “why” — Deferred"


def test_a_search_says_how_many_it_found_and_can_be_cleared(ada: Client, answers: Assignment) -> None:
    press(ada, answers, "11", "3", comment="Wallis")
    html = ada.get(f"/judge/{answers.pk}/?show=judged&q=wallis").content.decode()
    assert "1 found" in html
    assert '<a href="?show=judged">Clear search</a>' in html
    assert "Clear search" not in ada.get(f"/judge/{answers.pk}/").content.decode()


def test_a_formula_is_listed_without_its_post(ada: Client, formulas: Assignment) -> None:
    html = ada.get(f"/judge/{formulas.pk}/").content.decode()
    assert html.count('data-tex="x+1"') == 2  # v1 and v2
    assert "3 posts" in html
    share_post(formulas)
    assert "3 times in 2 posts" in ada.get(f"/judge/{formulas.pk}/").content.decode()  # as at the desk


def test_lists_and_titles_show_no_raw_tex(ada: Client, answers: Assignment) -> None:
    long = " = ".join([r"\sum_{k=0}^{n} \frac{a_k x^k}{k!}"] * 4)
    body = f"<p>For {cast.math('1', 'x &lt; 1')} we have {cast.math('2', long)} &amp; more.</p>"
    Post.objects.filter(post_id="11").update(body=body)
    Topic.objects.filter(pk=answers.topic_id).update(title=f"Why is {cast.math('q_1', long)} so?")
    listed = ada.get(f"/judge/{answers.pk}/")
    text = next(row.text for row in listed.context["rows"] if row.place == place_of(answers, "11"))
    assert text.startswith('For <span class="math-container" data-tex="x &lt; 1"><math')
    assert text.endswith("</math></span> we have … &amp; more.")
    desk = ada.get(url(answers, "12")).content.decode()
    assert f"<title>A.1, {place_of(answers, '12')}/4: Why is … so? – Assess</title>" in desk


def test_an_excerpt_ends_with_a_whole_word() -> None:
    assert excerpt("<p>Nine letters and ten</p>", 12) == "Nine letters…"
    assert excerpt("<p>Nine letters and ten</p>", 14) == "Nine letters…"
    assert excerpt("<p>Incomprehensibilities</p>", 5) == "Incom…"
    assert excerpt("<p>a &lt;b&gt; \ufffc</p>") == "a &lt;b&gt;"
    assert excerpt("<p>a &#xfffc;</p>") == "a "  # the sign that holds the place of a formula


def test_an_excerpt_shows_formulas_inline_with_their_punctuation_or_as_tex_if_they_cannot_be_converted() -> None:
    formula = cast.math("1", r"\sum_{k=1}^{n} k = \frac{n(n+1)}{2}").replace(">", ' data-display="block">', 1)
    text = excerpt(f"<p>We know</p><p>{formula}</p><p>of old.</p>")
    assert text.startswith('We know <span class="math-container" data-tex="\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}">')
    assert 'display="inline"' in text
    assert text.endswith("</math></span> of old.")
    assert "<math" in excerpt(r"<p>So \begin{align} a &amp;= b \end{align} then.</p>")
    assert excerpt(f"If {cast.math('1', 'x')}, then").endswith("</math></span>,</span> then")
    assert r'"><code class="tex">\GCD(m,n)</code></span>' in excerpt(cast.math("1", r"\GCD(m,n)"))
    assert excerpt(cast.math("1", r"\GCD(m,n)" * 9)) == "…"


def test_a_formula_counts_with_its_length_and_is_never_cut() -> None:
    body = f"<p>As {cast.math('1', 'a+b+c')} and {cast.math('2', 'x')}, so</p>"
    shown = [re.sub(r"<[^>]*>", "", excerpt(body, length)) for length in (18, 17, 15, 14, 7, 2, 1)]
    assert shown == ["As a+b+c and x, so", "As a+b+c and x,…", "As a+b+c and x,…", "As a+b+c and…", "As…", "As…", "A…"]
    assert excerpt(cast.math("1", "a+b+c"), 4) == "…"


def test_an_item_of_a_filtered_list_leads_to_the_next_in_it(ada: Client, answers: Assignment) -> None:
    for unit in ("11", "21", "99"):
        press(ada, answers, unit, "2")
    first, second, third = sorted(place_of(answers, unit) for unit in ("11", "21", "99"))
    page = ada.get(f"/judge/{answers.pk}/{second}/", {"show": "2"})
    desk = f"/judge/{answers.pk}"
    assert (page.context["previous"], page.context["next"]) == (f"{desk}/{first}/?show=2", f"{desk}/{third}/?show=2")
    assert (page.context["listed"].places, page.context["position"]) == ([first, second, third], 2)
    last = ada.get(f"/judge/{answers.pk}/{third}/", {"show": "2", "q": "answer"})
    assert last.context["next"] == ""
    whole = ada.get(f"/judge/{answers.pk}/2/", {"show": "nonsense"})
    assert (whole.context["previous"], whole.context["next"]) == (f"{desk}/1/", f"{desk}/3/")


def test_saving_without_a_script_leads_through_the_list_and_back_to_it(ada: Client, answers: Assignment) -> None:
    for unit in ("11", "21"):
        press(ada, answers, unit, "2")
    units = sorted(("11", "21"), key=lambda unit: place_of(answers, unit))
    for unit, then in zip(units, [url(answers, units[1]), f"/judge/{answers.pk}/"], strict=True):
        response = ada.post(f"{url(answers, unit)}?show=2", sent(answers, unit, "0"))
        assert response["Location"] == f"{then}?show=2"


@pytest.fixture
def under_way(client: Client) -> Assignment:
    """ada has judged A.1 but for one answer and one answer of A.2, for two minutes each."""
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    pool = cast.make_pool(campaign)
    assignment, second = (cast.make_assignment(pool, people.ada, topic=topic) for topic in ("A.1", "A.2"))
    judge(assignment, {"11": "1", "12": "1", "21": "2"}, 120_000)
    judge(second, {"11": "1", "12": "1"}, 120_000)
    client.force_login(people.ada)
    return assignment


def text_of(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def test_pages_say_what_is_left_and_the_minutes_of_today(client: Client, under_way: Assignment) -> None:
    html = text_of(client, "/")
    assert "1 left, about 2 min" in html
    assert "2 left, about 4 min" in html
    assert "2 left, about 4 min" in text_of(client, under_way.topic.campaign.get_absolute_url())
    emmy = User.objects.get(username="emmy")  # whose time is not ada's
    judge(cast.make_assignment(under_way.round.pool, emmy, kind="dual"), {"11": "1"}, 3_000_000)
    for address in (f"/judge/{under_way.pk}/", url(under_way, "99")):
        html = text_of(client, address)
        assert "about 2 min left" in html
        assert "10 min today" in html
    press(client, under_way, "99", "0")
    newer = cast.make_campaign(name="Newer")
    judge(cast.make_assignment(cast.make_pool(newer), cast.make_cast(newer).ada), {"11": "1"})
    html = text_of(client, f"/judge/{under_way.pk}/")
    assert texts_of(html, "//span[@hidden][span[@id='left']]") == ["0 left"]
    assert "Next topic: A.2, 2 left </a>" in html  # of the same campaign
    judge(Assignment.objects.get(topic__topic_id="A.2"), {"21": "2", "99": "0"})
    assert "Next topic: A.1, 3 left (Newer) </a>" in text_of(client, f"/judge/{under_way.pk}/")


def test_today_is_that_of_the_browsers_time_zone_or_else_of_the_servers(client: Client, under_way: Assignment) -> None:
    now = timezone.now()
    zones = [ZoneInfo("Etc/GMT+12"), ZoneInfo("Etc/GMT-14")]  # 26 hours apart: at least one day began earlier
    midnights = {zone.key: now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0) for zone in zones}
    (late, _), (early, begun) = sorted(midnights.items(), key=lambda zone: zone[1], reverse=True)
    first = JudgmentEvent.objects.order_by("pk").first()
    JudgmentEvent.objects.filter(pk=first.pk).update(at=begun)
    for zone, minutes in ((late, 8), (early, 10)):
        client.cookies["zone"] = zone
        assert f"{minutes} min today" in text_of(client, url(under_way, "99"))
    JudgmentEvent.objects.filter(pk=first.pk).update(at=now)
    for unknown in ("Nowhere/At_all", "../../etc/passwd", "", "America"):
        client.cookies["zone"] = unknown
        assert "10 min today" in text_of(client, url(under_way, "99")), unknown
