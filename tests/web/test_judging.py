"""The judging desk without a browser: doors, saving, and what must not be seen."""

import pytest

from assess.models import Judgment, JudgmentEvent, PoolEntry, Post, Topic, WrittenAnswer
from assess.services import judging, rounds
from assess.web.html import excerpt
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def answers():
    """A frozen pool of answers: topic A.1 is ada's, A.2 emmy's."""
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    pool = cast.make_pool(campaign)
    mine = cast.make_assignment(pool, people.ada)
    cast.make_assignment(pool, people.emmy, topic="A.2")
    return people, mine


@pytest.fixture
def formulas():
    """A frozen pool of formulas: B.1 is ada's, with v1 (three posts) and v2 (one)."""
    campaign = cast.make_campaign("arqmath3-task2", "Formula lab")
    people = cast.make_cast(campaign)
    return people, cast.make_assignment(cast.make_pool(campaign), people.ada)


def place_of(assignment, unit):
    entry = PoolEntry.objects.get(pool=assignment.round.pool, topic=assignment.topic, unit_id=unit)
    return assignment.order.index(entry.pk) + 1


def url(assignment, unit):
    return f"/judge/{assignment.pk}/{place_of(assignment, unit)}/"


def sent(assignment, unit, **said):
    """What the browser sends for a place: ``said`` maps a document, as ``d11``, to its word or (word, comment)."""
    page = judging.open_page(assignment, place_of(assignment, unit))
    data = {}
    for card in page.cards:
        word = said.get(f"d{card.shown.instance.doc_id}", "")
        word, comment = word if isinstance(word, tuple) else (word, "")
        prefix = f"i{card.shown.instance.pk}"
        data |= {f"{prefix}-word": word, f"{prefix}-comment": comment, f"{prefix}-active_ms": "1500"}
        data[f"{prefix}-content_hash"] = card.shown.content_hash
    return data


def decisions(assignment):
    return {one.instance.doc_id: one.decision for one in assignment.judgments.select_related("instance")}


def test_a_grade_is_saved_and_the_next_open_place_follows(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11", d11="3"))
    assert response.status_code == 303
    judgment = Judgment.objects.get()
    assert (judgment.instance.doc_id, judgment.grade, judgment.active_ms) == ("11", 3, 1500)
    next_open = judging.first_open(mine, judging.finished_entries(mine), place_of(mine, "11"))
    assert response.url == f"/judge/{mine.pk}/{next_open}/"
    assert b"Saved" in client.get(response.url).content


def test_after_the_last_place_the_list_says_so(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    for unit in ("11", "12", "21"):
        client.post(url(mine, unit), sent(mine, unit, **{f"d{unit}": "0"}))
    response = client.post(url(mine, "99"), sent(mine, "99", d99=("system_failure", "no text")), follow=True)
    assert response.redirect_chain == [(f"/judge/{mine.pk}/", 303)]
    assert "All 4 judged. Thank you." in response.content.decode()


@pytest.mark.parametrize("outcome", ["system_failure", "do_not_know"])
def test_an_outcome_without_its_comment_is_refused_and_nothing_typed_is_lost(client, formulas, outcome):
    people, mine = formulas
    client.force_login(people.ada)
    data = sent(mine, "v1", d110=outcome, d120=("2", "same up to a constant"), d210="1")
    response = client.post(url(mine, "v1"), data)
    assert response.status_code == 422
    html = response.content.decode()
    assert "needs a comment that says why" in html
    assert "same up to a constant</textarea>" in html
    assert html.count(" checked") == 3
    assert decisions(mine) == {}


def test_a_comment_without_a_decision_is_asked_about_not_dropped(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11", d11=("", "hm")))
    assert response.status_code == 422
    assert "choose a grade, or clear the comment" in response.content.decode()


def test_a_post_left_open_stays_open(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    client.post(url(mine, "v1"), sent(mine, "v1", d110="3", d210="not_matching"))
    assert decisions(mine) == {"110": "3", "210": "not_matching"}  # 120 left open
    client.post(url(mine, "v2"), sent(mine, "v2", d220="0"))
    response = client.get(f"/judge/{mine.pk}/")
    assert response.context["first_open"] == place_of(mine, "v1")


def test_the_last_place_left_partly_open_is_shown_again(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    client.post(url(mine, "v2"), sent(mine, "v2", d220="0"))
    response = client.post(url(mine, "v1"), sent(mine, "v1", d110="3"))
    assert response.url == url(mine, "v1")


def test_saving_nothing_asks_for_a_grade(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11"))
    assert response.status_code == 422
    assert "Choose a grade first" in response.content.decode()


@pytest.mark.parametrize(("go", "address"), [("list", "/judge/{}/"), ("home", "/")])
def test_leaving_the_desk_keeps_what_was_decided(client, answers, go, address):
    people, mine = answers
    client.force_login(people.ada)
    assert f'data-go="{go}" href="{address.format(mine.pk)}"' in client.get(url(mine, "11")).content.decode()
    response = client.post(url(mine, "11"), {**sent(mine, "11", d11="1"), "go": go})
    assert response.url == address.format(mine.pk)
    assert decisions(mine) == {"11": "1"}


@pytest.mark.parametrize(("go", "step"), [("next", 1), ("previous", -1)])
def test_going_on_keeps_what_was_decided(client, answers, go, step):
    people, mine = answers
    client.force_login(people.ada)
    unit = next(u for u in ("11", "12", "21", "99") if place_of(mine, u) == 2)
    response = client.post(url(mine, unit), {**sent(mine, unit, **{f"d{unit}": "1"}), "go": go})
    assert response.url == f"/judge/{mine.pk}/{2 + step}/"
    assert decisions(mine) == {unit: "1"}


def test_a_changed_judgment_keeps_its_history(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    client.post(url(mine, "11"), sent(mine, "11", d11="3"))
    client.post(url(mine, "11"), sent(mine, "11", d11=("do_not_know", "thread is ambiguous")))
    assert decisions(mine) == {"11": "do_not_know"}
    history = list(JudgmentEvent.objects.values_list("by__username", "old_decision", "decision", "active_ms"))
    assert history == [("ada", "", "3", 1500), ("ada", "3", "do_not_know", 1500)]


def test_a_judgment_of_another_text_is_refused(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    data = sent(mine, "11", d11="3")
    Topic.objects.filter(pk=mine.topic_id).update(title="Another question")
    response = client.post(url(mine, "11"), {**data, next(k for k in data if "hash" in k): "0" * 64})
    assert response.status_code == 422
    assert "another text than the pool holds" in response.content.decode()
    assert decisions(mine) == {}


def test_a_word_that_is_no_grade_is_refused(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "11"), sent(mine, "11", d11="not_matching"))  # for formulas only
    assert response.status_code == 422
    assert decisions(mine) == {}


def test_the_page_explains_the_grades_and_highlights_query_and_candidate(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    html = client.get(url(mine, "v1")).content.decode()
    assert "Just as good as finding an exact match to the query formula would be" in html
    assert "For a formula query, if a search engine retrieved" in html
    assert 'class="math-container highlight" data-tex="x+1" data-formula-id="q_2"' in html
    for formula in ("110", "120", "210"):
        assert f'class="math-container highlight" data-tex="x+1" data-formula-id="{formula}"' in html
        assert f"?formula={formula}#post-{formula[:2]}" in html
    assert html.count('value="not_matching"') == 3


def test_a_document_without_text_suggests_system_failure(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    html = client.get(url(mine, "99")).content.decode()
    assert "The collection holds no text for this document" in html
    assert "System failure</em> is the word for that" in html


NO_TEXT = "The collection holds no text for this document."


def test_the_comment_on_a_document_without_text_is_filled_in(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    assert f"{NO_TEXT}</textarea>" in client.get(url(mine, "99")).content.decode()
    assert NO_TEXT not in client.get(url(mine, "11")).content.decode()
    client.post(url(mine, "99"), sent(mine, "99", d99=("system_failure", NO_TEXT)))
    assert Judgment.objects.get().comment == NO_TEXT


def test_a_filled_in_comment_decides_nothing_but_a_changed_one_is_asked_about(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    response = client.post(url(mine, "99"), {**sent(mine, "99", d99=("", NO_TEXT)), "go": "list"})
    assert (response.status_code, decisions(mine)) == (303, {})
    response = client.post(url(mine, "99"), {**sent(mine, "99", d99=("", "odd")), "go": "list"})
    assert "choose a grade, or clear the comment" in response.content.decode()


def test_what_an_assessor_wrote_on_a_document_without_text_stays(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    client.post(url(mine, "99"), sent(mine, "99", d99="0"))
    html = client.get(url(mine, "99")).content.decode()
    assert f"{NO_TEXT}</textarea>" not in html


def test_lists_and_titles_hold_no_raw_tex(client, answers):
    people, mine = answers
    long = r"\sum_{k=0}^{n} \frac{a_k x^k}{k!} = f(x)"
    body = f"<p>For {cast.math('1', 'x &lt; 1')} we have {cast.math('2', long)} &amp; more.</p>"
    Post.objects.filter(post_id="11").update(body=body)
    Topic.objects.filter(pk=mine.topic_id).update(title=f"Why is {cast.math('q_1', long)} so?")
    client.force_login(people.ada)
    listed = client.get(f"/judge/{mine.pk}/")
    text = next(row.text for row in listed.context["rows"] if row.place == place_of(mine, "11"))
    assert text.startswith("For <math")
    assert text.endswith("</math> we have … &amp; more.")
    desk = client.get(url(mine, "12")).content.decode()
    assert f"<title>A.1, {place_of(mine, '12')} of 4: Why is … so? – Assess</title>" in desk


def test_an_excerpt_ends_with_a_whole_word():
    assert excerpt("<p>Nine letters and ten</p>", 12) == "Nine letters…"
    assert excerpt("<p>Nine letters and ten</p>", 14) == "Nine letters…"
    assert excerpt("<p>Incomprehensibilities</p>", 5) == "Incom…"
    assert excerpt("<p>a &lt;b&gt; \ufffc</p>") == "a &lt;b&gt;"


@pytest.mark.parametrize("address", ["/judge/{}/", "/c/{}/guidelines/", "/c/{}/threads/10/", "/c/{}/threads/77/"])
def test_titles_end_with_the_name_of_the_product(client, answers, address):
    people, mine = answers
    client.force_login(people.ada)
    html = client.get(address.format(mine.pk if "judge" in address else mine.topic.campaign.slug)).content.decode()
    assert " – Assess</title>" in html


def test_topics_stand_by_campaign_unfinished_ones_first_and_finished_ones_folded(client, answers):
    people, mine = answers
    newer = cast.make_campaign(name="Newer lab")
    people.ada.memberships.create(campaign=newer, role="assessor")
    pool = cast.make_pool(newer)
    for topic in ("A.1", "A.2"):
        finish(cast.make_assignment(pool, people.ada, topic=topic))
    client.force_login(people.ada)
    groups = client.get("/").context["groups"]
    counts = [(group.campaign.name, len(group.unfinished), len(group.finished)) for group in groups]
    assert counts == [(mine.topic.campaign.name, 1, 0), ("Newer lab", 0, 2)]
    html = client.get("/").content.decode()
    assert html.count("<details") == 1
    assert "<summary>2 finished topics</summary>" in html


def finish(assignment):
    for place in range(1, len(assignment.order) + 1):
        for card in judging.open_page(assignment, place).cards:
            decision = judging.Decision(card.shown.instance.pk, card.shown.content_hash, "0")
            judging.record(assignment, assignment.assessor, [decision])


def test_only_administrators_find_the_administration(client, answers):
    people, _ = answers
    assert client.get("/admin/login/").status_code == 200  # to sign in
    client.force_login(people.ada)
    assert [one.status_code for one in (client.get("/admin/", follow=True), client.get("/admin/login/"))] == [404, 404]
    assert client.post("/admin/login/", {"username": "olga", "password": "x"}).status_code == 404
    client.force_login(people.olga)  # staff
    assert client.get("/admin/").status_code == 200


def test_a_formula_that_its_post_lacks_is_told(client, formulas):
    people, mine = formulas
    mine.round.pool.entries.get(topic=mine.topic, unit_id="v2").instances.update(doc_id="7")
    client.force_login(people.ada)
    assert "The formula cannot be marked" in client.get(url(mine, "v2")).content.decode()


def test_a_written_answer_is_not_told_apart(client):
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    for topic in campaign.topics.all():
        WrittenAnswer.objects.create(topic=topic, doc_id="99", body="<p>Written by a machine.</p>")
    mine = cast.make_assignment(cast.make_pool(campaign), people.ada)
    client.force_login(people.ada)
    html = client.get(url(mine, "99")).content.decode()
    assert "Written by a machine." in html
    assert "Written answer" not in html


@pytest.mark.parametrize("show", ["", "open", "judged", "3", "system_failure", "nonsense"])
def test_the_list_shows_own_judgments_and_filters_them(client, answers, show):
    people, mine = answers
    client.force_login(people.ada)
    client.post(url(mine, "11"), sent(mine, "11", d11="3"))
    client.post(url(mine, "99"), sent(mine, "99", d99=("system_failure", "empty post")))
    response = client.get(f"/judge/{mine.pk}/", {"show": show})
    places = {row.place for row in response.context["rows"]}
    graded, failed = place_of(mine, "11"), place_of(mine, "99")
    expected = {"open": {1, 2, 3, 4} - {graded, failed}, "judged": {graded, failed}, "3": {graded}}
    expected |= {"system_failure": {failed}, "": {1, 2, 3, 4}, "nonsense": {1, 2, 3, 4}}
    assert places == expected[show]
    assert ("empty post" in response.content.decode()) == (show not in ("open", "3"))


def test_an_empty_filter_offers_the_whole_list(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    assert "Show all 4" in client.get(f"/judge/{mine.pk}/?show=2").content.decode()


def test_a_formula_stands_in_the_list_by_itself(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    html = client.get(f"/judge/{mine.pk}/").content.decode()
    assert html.count('data-tex="x+1"') == 2  # v1 and v2
    assert "3 posts" in html


@pytest.mark.parametrize("address", ["", "1/", "4/"])
def test_an_assignment_opens_for_its_assessor_only(client, answers, address):
    people, mine = answers
    assert client.get(f"/judge/{mine.pk}/{address}").url.startswith("/login/")
    for user, status in [
        (people.ada, 200),
        (people.emmy, 404),
        (people.olga, 404),
        (people.kurt, 404),
        (people.mallory, 404),
    ]:
        client.force_login(user)
        assert client.get(f"/judge/{mine.pk}/{address}").status_code == status, user
        if user != people.ada and address:
            assert client.post(f"/judge/{mine.pk}/{address}", sent(mine, "11", d11="0")).status_code == 404
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("place", [0, 5])
def test_there_is_no_place_beyond_the_order(client, answers, place):
    people, mine = answers
    client.force_login(people.ada)
    assert client.get(f"/judge/{mine.pk}/{place}/").status_code == 404


def test_an_assessor_who_left_the_campaign_is_out(client, answers):
    people, mine = answers
    people.ada.memberships.all().delete()
    client.force_login(people.ada)
    assert client.get(f"/judge/{mine.pk}/1/").status_code == 404


def test_only_organizers_preview(client, answers):
    people, mine = answers
    address = f"/c/{mine.topic.campaign.slug}/preview/{mine.pk}/{place_of(mine, '11')}/"
    assert client.get(address).url.startswith("/login/")
    for user, status in [(people.olga, 200), (people.ada, 403), (people.kurt, 403), (people.mallory, 404)]:
        client.force_login(user)
        assert client.get(address).status_code == status, user


def test_the_preview_shows_what_the_assessor_sees_and_cannot_save(client, answers):
    people, mine = answers
    client.force_login(people.ada)
    seen = client.get(url(mine, "11"))
    client.force_login(people.olga)
    address = f"/c/{mine.topic.campaign.slug}/preview/{mine.pk}/{place_of(mine, '11')}/"
    preview = client.get(address)
    assert [c.body for c in preview.context["cards"]] == [c.body for c in seen.context["cards"]]
    assert "Save and next" not in preview.content.decode()
    assert client.post(address, sent(mine, "11", d11="0")).status_code == 405


def test_a_preview_is_of_its_own_campaign_only(client, answers):
    people, mine = answers
    other = cast.make_campaign(name="Other lab")
    client.force_login(people.olga)
    assert client.get(f"/c/{other.slug}/preview/{mine.pk}/1/").status_code == 404


def test_guidelines_are_for_members(client, answers):
    people, mine = answers
    address = f"/c/{mine.topic.campaign.slug}/guidelines/"
    for user, status in [(people.ada, 200), (people.kurt, 200), (people.olga, 200), (people.mallory, 404)]:
        client.force_login(user)
        assert client.get(address).status_code == status, user


def test_assessors_see_no_votes_runs_or_judgments_of_others(client, answers):
    people, mine = answers
    instances = mine.round.pool.entries.get(topic=mine.topic, unit_id="11").instances
    instances.update(votes=0.98765, runs=4321)
    theirs = rounds.assign(mine.round.pool, mine.topic, people.emmy, "dual")
    client.force_login(people.emmy)
    client.post(url(theirs, "11"), sent(theirs, "11", d11=("do_not_know", "emmy's secret")))
    client.force_login(people.ada)
    for address in ("/", f"/judge/{mine.pk}/", url(mine, "11"), f"/c/{mine.topic.campaign.slug}/"):
        html = client.get(address).content.decode()
        for secret in ("98765", "4321", "emmy"):
            assert secret not in html, (address, secret)
        for word in ("votes", "reciprocal", "rank"):
            assert word not in html.lower(), (address, word)


def test_a_page_takes_the_same_few_queries_for_any_pool(client, formulas, django_assert_num_queries):
    people, mine = formulas
    client.force_login(people.ada)
    with django_assert_num_queries(9):  # session, user, assignment, entry, instances, judgments, posts, open
        client.get(url(mine, "v1"))


def test_a_save_takes_few_queries(client, answers, django_assert_num_queries):
    people, mine = answers
    client.force_login(people.ada)
    data = sent(mine, "11", d11="3")
    with django_assert_num_queries(17):
        client.post(url(mine, "11"), data)


def test_the_list_takes_the_same_few_queries_for_any_pool(client, answers, django_assert_num_queries):
    people, mine = answers
    client.force_login(people.ada)
    with django_assert_num_queries(7):
        client.get(f"/judge/{mine.pk}/")
