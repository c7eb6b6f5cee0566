"""What the judging desk shows of a topic and its candidates."""

import pytest

from assess.models import Judgment, WrittenAnswer
from tests import cast
from tests.desk import decisions, sent, url

pytestmark = pytest.mark.django_db


def test_the_page_explains_the_grades_and_highlights_query_and_candidate(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    html = client.get(url(mine, "v1")).content.decode()
    assert "Just as good as finding an exact match to the query formula would be" in html
    assert "For a formula query, if a search engine retrieved" in html
    assert 'class="math-container highlight" data-tex="x+1" data-formula-id="q_2"' in html
    for formula in ("110", "120", "210"):
        assert f'class="math-container highlight" data-tex="x+1" data-formula-id="{formula}"' in html
        assert f"/threads/{formula[0]}0/?formula={formula}#formula" in html
    assert html.count('value="not_matching"') == 3


def test_one_instance_alone_cannot_fail_to_match_others_but_what_was_said_is_shown(client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    assert "not_matching" not in client.get(url(mine, "v2")).content.decode()  # v2: one instance
    client.post(url(mine, "v2"), sent(mine, "v2", d220="not_matching"))
    assert 'value="not_matching" checked' in client.get(url(mine, "v2")).content.decode()


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
    assert "the comment is filled in" not in html


@pytest.mark.parametrize(
    ("comment", "kept"), [(f" {NO_TEXT}\n", ""), (f"{NO_TEXT} Known to me.", f"{NO_TEXT} Known to me.")]
)
def test_a_grade_drops_the_filled_in_comment_unless_the_assessor_changed_it(client, answers, comment, kept):
    people, mine = answers
    client.force_login(people.ada)
    client.post(url(mine, "99"), sent(mine, "99", d99=("3", comment)))
    assert Judgment.objects.values_list("grade", "comment").get() == (3, kept)


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


@pytest.mark.parametrize("address", ["/judge/{}/", "/c/{}/guidelines/", "/c/{}/threads/10/", "/c/{}/threads/77/"])
def test_titles_end_with_the_name_of_the_product(client, answers, address):
    people, mine = answers
    client.force_login(people.ada)
    html = client.get(address.format(mine.pk if "judge" in address else mine.topic.campaign.slug)).content.decode()
    assert " – Assess</title>" in html


def test_a_page_takes_the_same_few_queries_for_any_pool(client, formulas, django_assert_num_queries):
    people, mine = formulas
    client.force_login(people.ada)
    with django_assert_num_queries(9):  # session, user, assignment, entry, instances, judgments, posts, open
        client.get(url(mine, "v1"))
