"""What the judging desk shows of a topic and its documents."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.models import Assignment, Judgment, Post, WrittenAnswer
from tests import cast
from tests.desk import decisions_of, keyless, place_of, press, share_post, texts_of, url
from tests.lab import judge

pytestmark = pytest.mark.django_db


def test_the_page_explains_the_grades_and_highlights_query_and_document(ada: Client, formulas: Assignment) -> None:
    html = ada.get(url(formulas, "v1")).content.decode()
    assert "Just as good as finding an exact match to the query formula would be" in html
    assert "For a formula query, if a search engine retrieved" in html
    assert 'class="math-container highlight" data-tex="x+1" data-formula-id="q_2"' in html
    for formula in ("110", "120", "210"):
        assert f'class="math-container highlight" data-tex="x+1" data-formula-id="{formula}"' in html
        assert f"/threads/{formula[0]}0/?formula={formula}#formula" in html
    assert html.count('value="not_matching"') == 3


def test_one_instance_alone_cannot_mismatch_but_an_earlier_word_shows(ada: Client, formulas: Assignment) -> None:
    assert 'value="not_matching"' not in ada.get(url(formulas, "v2")).content.decode()  # v2: one instance
    press(ada, formulas, "v2", "not_matching", doc="220")
    html = ada.get(url(formulas, "v2")).content.decode()
    assert re.search(r'value="not_matching" [^>]* aria-pressed="true"', html)
    formulas.round.pool.entries.get(topic=formulas.topic, unit_id="v2").instances.update(doc_id="7")
    assert "The formula cannot be marked" in ada.get(url(formulas, "v2")).content.decode()


NO_TEXT = "The collection holds no text for this document."


def test_the_comment_on_a_document_without_text_is_filled_in_and_own_words_stay(
    ada: Client, answers: Assignment
) -> None:
    html = ada.get(url(answers, "99")).content.decode()
    assert f"{NO_TEXT}</textarea>" in html
    assert "Choose <em>System failure</em>." in html
    assert NO_TEXT not in ada.get(url(answers, "11")).content.decode()
    known = f"{NO_TEXT} Known to me."
    for word, comment, kept in (("system_failure", NO_TEXT, NO_TEXT), ("0", f" {NO_TEXT}\n", ""), ("3", known, known)):
        press(ada, answers, "99", word, comment=comment)
        assert Judgment.objects.get().comment == kept  # none that was filled in stays with a grade
    html = ada.get(url(answers, "99")).content.decode()
    assert (f"{NO_TEXT}</textarea>" in html, f"{known}</textarea>" in html) == (False, True)
    for body in ("<p>&nbsp;</p>", "<p> <br> </p>"):
        Post.objects.filter(post_id="11").update(body=body)
        shown = ["This text is empty." in ada.get(url(answers, unit)).content.decode() for unit in ("11", "12")]
        assert shown == [True, False]


def test_the_items_for_the_script_are_those_of_the_page_with_tex_for_mathml(ada: Client, formulas: Assignment) -> None:
    place = int(url(formulas, "v1").split("/")[-2])
    page = ada.get(url(formulas, "v1")).content.decode()
    answer = ada.get(f"/judge/{formulas.pk}/items/?place={place}").json()
    assert (answer["states"], [item["place"] for item in answer["items"]]) == ("oo", [place])
    html = answer["items"][0]["html"]
    assert "<math" not in html
    assert 'data-tex="x+1" data-formula-id="110">x+1</span>' in html

    def bare(text: str) -> str:
        return re.sub(r"<math.*?</math>", "", keyless(text)).replace(">x+1</span>", "></span>")

    assert bare(html).strip() in bare(page)
    many = ada.get(f"/judge/{formulas.pk}/items/?" + "&".join(["place=1"] * 50)).json()
    assert len(many["items"]) == 12


HOSTILE = '"</textarea><script>alert(1)</script>&'
ESCAPED = "&quot;&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;"


def test_what_is_no_html_is_escaped_once_on_the_page_and_for_its_script(ada: Client, answers: Assignment) -> None:
    Post.objects.filter(post_id="11").update(tags=[HOSTILE])
    press(ada, answers, "11", "3", comment=HOSTILE)
    page = ada.get(url(answers, "11")).content.decode()
    item = ada.get(f"/judge/{answers.pk}/items/?place={place_of(answers, '11')}").json()["items"][0]["html"]
    for html in (page, item):
        assert f">{ESCAPED}</textarea>" in html
        assert f"<li>{ESCAPED}</li>" in html
        assert "<script>alert" not in html
    token = '<input type="hidden" name="csrfmiddlewaretoken"'
    assert (token in page.split('<form class="controls"')[1].split("</form>")[0], token in item) == (True, False)


def test_a_written_answer_is_not_told_apart(client: Client) -> None:
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    for topic in campaign.topics.all():
        WrittenAnswer.objects.create(topic=topic, doc_id="99", body="<p>Written by a machine.</p>")
    assignment = cast.make_assignment(cast.make_pool(campaign), people.ada)
    client.force_login(people.ada)
    html = client.get(url(assignment, "99")).content.decode()
    assert "Written by a machine." in html
    assert "Written answer" not in html


def test_a_post_with_several_instances_of_a_formula_is_shown_once(ada: Client, formulas: Assignment) -> None:
    share_post(formulas)
    html = ada.get(url(formulas, "v1")).content.decode()
    assert (html.count("See "), html.count("Answer 21 says")) == (1, 1)
    assert "The same formula 3 times in 2 posts" in html
    numbers = re.findall(r'data-formula-id="(\w+)" data-number="(\d)"', html)
    assert numbers == [("110", "1"), ("120", "2")]  # as they are read, whatever the order of presentation
    forms = html.split('<form class="controls"')[1:]
    assert len({re.search(r'name="content_hash" value="(\w+)"', form)[1] for form in forms}) == 3
    assert len(re.findall(r'class="math-container highlight"[^>]*data-formula-id="220"', html)) == 0
    for formula, number in numbers:
        press(ada, formulas, "v1", number, doc=formula)
    press(ada, formulas, "v1", "0", doc="210")
    assert decisions_of(formulas) == {**dict(numbers), "210": "0"}


def told_earlier(html: str) -> list[str]:
    return texts_of(html, "//p[contains(@class, 'judged-here')][not(@hidden)]/strong")


def test_an_assessor_sees_how_another_formula_of_the_post_was_judged(ada: Client, formulas: Assignment) -> None:
    share_post(formulas)
    emmy = cast.make_assignment(formulas.round.pool, User.objects.get(username="emmy"), kind="dual")
    judge(emmy, {"110": "3"})
    assert told_earlier(ada.get(url(formulas, "v2")).content.decode()) == []
    press(ada, formulas, "v1", "1", doc="110")
    press(ada, formulas, "v1", "3", doc="120")
    press(ada, formulas, "v1", "2", doc="210")  # in another post
    assert told_earlier(ada.get(url(formulas, "v2")).content.decode()) == ["High"]
    assert told_earlier(ada.get(url(formulas, "v1")).content.decode()) == []
    item = ada.get(f"/judge/{formulas.pk}/items/?place={place_of(formulas, 'v2')}").json()["items"][0]["html"]
    assert told_earlier(item) == ["High"]


@pytest.mark.parametrize("edition", "123")
@pytest.mark.parametrize("task", "12")
def test_the_words_of_the_edition_stand_beside_the_item(client: Client, edition: str, task: str) -> None:
    campaign = cast.make_campaign(f"arqmath{edition}-task{task}")
    people = cast.make_cast(campaign)
    assignment = cast.make_assignment(cast.make_pool(campaign), people.ada)
    client.force_login(people.ada)
    for address in (f"/judge/{assignment.pk}/1/", f"/c/{campaign.slug}/guidelines/"):
        html = unescape(client.get(address).content.decode())
        for text in (*campaign.rules.guidelines, *(grade.definition for grade in campaign.rules.grades)):
            assert text in html
        is_formulas = task == "2"
        assert ("is always highly relevant" in html) == (is_formulas and edition == "1")
        assert ("if its context differs" in html) == (is_formulas and edition != "1")
        assert ("about every part is high" in html) == ((edition, task) == ("3", "1"))
