"""The judging desk in a real browser: by keys, without JavaScript, on a narrow screen."""

import re

import pytest
from playwright.sync_api import expect

from assess.models import Judgment, JudgmentEvent, PoolEntry, Post
from assess.services import judging
from tests import cast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def answers(db):
    return prepared("arqmath3-task1")


@pytest.fixture
def formulas(db):
    return prepared("arqmath3-task2")


def prepared(preset):
    """ada and her assignment of the first topic."""
    campaign = cast.make_campaign(preset)
    people = cast.make_cast(campaign)
    return people.ada, cast.make_assignment(cast.make_pool(campaign), people.ada)


def place_of(assignment, unit):
    entry = PoolEntry.objects.get(pool=assignment.round.pool, topic=assignment.topic, unit_id=unit)
    return assignment.order.index(entry.pk) + 1


def open_place(page, live_server, assignment, place):
    page.goto(f"{live_server.url}/judge/{assignment.pk}/{place}/")


def ready(page):
    """Waits until the page listens to keys."""
    page.wait_for_selector("html.keys", state="attached")


def decisions(assignment):
    return {one.instance.doc_id: one.decision for one in assignment.judgments.select_related("instance")}


def test_one_key_judges_an_answer_and_opens_the_next(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    expected = {}
    for place, key in enumerate("3210", start=1):
        expect(page.locator(".places strong")).to_have_text(f"{place} of 4")
        ready(page)
        expected[PoolEntry.objects.get(pk=mine.order[place - 1]).unit_id] = key
        page.wait_for_timeout(700)  # time that counts
        page.keyboard.press(key)
        if place < 4:
            expect(page.locator(".saved")).to_have_text("Saved")
    expect(page.get_by_text("All 4 judged. Thank you.")).to_be_visible()
    assert decisions(mine) == expected
    times = list(Judgment.objects.values_list("active_ms", flat=True))
    assert all(500 <= time <= 10_000 for time in times), times


def met(assignment, unit):
    """The documents of a unit in the order in which the assessor meets them."""
    return [card.shown.instance.doc_id for card in judging.open_page(assignment, place_of(assignment, unit)).cards]


def test_keys_walk_through_the_posts_of_a_formula_and_save_with_the_last(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v1"))
    ready(page)
    cards = page.locator("[data-candidate]")
    expect(cards).to_have_count(3)
    for number, key in enumerate("32"):
        expect(cards.nth(number)).to_have_class(re.compile("current"))
        page.keyboard.press(key)
    assert decisions(mine) == {}  # the third is open
    page.keyboard.press("d")  # do not know: waits in the comment
    expect(cards.nth(2).locator("textarea")).to_be_focused()
    page.keyboard.type("3 2 1 is typed, not judged")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator(".saved")).to_have_text("3 saved")
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "3", second: "2", third: "1"}
    assert Judgment.objects.get(instance__doc_id=third).comment == "3 2 1 is typed, not judged"


def test_not_matching_judges_like_a_grade(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v1"))
    ready(page)
    for key in "mm3":
        page.keyboard.press(key)
    expect(page.locator(".saved")).to_have_text("3 saved")
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "not_matching", second: "not_matching", third: "3"}


def test_a_document_without_text_takes_one_key(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "99"))
    ready(page)
    page.keyboard.press("f")
    expect(page.locator(".saved")).to_have_text("Saved")
    assert Judgment.objects.get().comment == "The collection holds no text for this document."


def test_saved_is_not_said_of_what_is_newly_chosen(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v2"))
    ready(page)
    page.keyboard.press("3")
    expect(page.locator(".saved")).to_have_text("Saved")
    page.get_by_label("Low").first.check()
    expect(page.locator(".saved")).to_be_empty()


@pytest.mark.parametrize(("link", "address"), [("All entries", "/judge/{}/"), ("Assess", "/")])
def test_leaving_the_desk_keeps_what_was_chosen(page, live_server, sign_in, answers, link, address):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "11"))
    ready(page)
    page.get_by_label("Medium").check()
    page.locator(f'.desk-bar a:is([title^="{link}"], .brand:text-is("{link}"))').click()
    page.wait_for_url(f"{live_server.url}{address.format(mine.pk)}")
    assert decisions(mine) == {"11": "2"}


def test_leaving_waits_for_a_comment_and_the_button_still_opens_the_next(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    page.get_by_label("Do not know").check()
    page.locator("a[data-go=list]").click()
    assert page.url.endswith("/1/")
    page.get_by_label("Annotator comment").fill("Two readings are possible.")
    page.get_by_role("button", name="Save and next").click()
    page.wait_for_url("**/2/")
    assert list(decisions(mine).values()) == ["do_not_know"]


def test_keys_move_and_keep_what_was_chosen(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    page.keyboard.press("n")
    page.wait_for_url("**/2/")
    ready(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/1/")
    open_place(page, live_server, mine, place_of(mine, "v1"))
    ready(page)
    page.keyboard.press("3")  # one of three
    page.keyboard.press("n" if place_of(mine, "v1") == 1 else "p")
    page.wait_for_url(f"**/{3 - place_of(mine, 'v1')}/")
    assert decisions(mine) == {met(mine, "v1")[0]: "3"}


def test_keys_with_a_modifier_repeated_or_switched_off_do_nothing(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    for key in ("Control+3", "Alt+3", "Meta+3"):
        page.keyboard.press(key)
    page.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: '3', repeat: true, bubbles: true}))")
    assert page.locator("input:checked").count() == 1  # the switch for keys
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    page.keyboard.press("3")  # not while the list is open
    page.get_by_label("Judge with keys on this computer").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("3")
    page.reload()
    page.wait_for_selector("#keys-open:not([hidden])")
    page.keyboard.press("3")
    page.keyboard.press("n")
    assert page.locator("[data-candidate] input:checked").count() == 0
    assert page.url.endswith("/1/")
    assert decisions(mine) == {}


def test_the_browser_asks_for_the_comment_before_it_sends(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    ready(page)
    page.keyboard.press("d")
    page.get_by_role("button", name="Save and next").click()
    assert page.url.endswith("/1/")
    assert decisions(mine) == {}
    page.get_by_label("Annotator comment").fill("Two readings are possible.")
    page.get_by_role("button", name="Save and next").click()
    expect(page.locator(".saved")).to_have_text("Saved")
    assert list(decisions(mine).values()) == ["do_not_know"]


def test_a_changed_judgment_keeps_its_history(page, live_server, sign_in, answers):
    ada, mine = answers
    sign_in(page, ada)
    for label in ("High", "Low"):
        open_place(page, live_server, mine, 1)
        page.get_by_label(label).check()
        page.get_by_role("button", name="Save and next").click()
        expect(page.locator(".saved")).to_have_text("Saved")
    open_place(page, live_server, mine, 1)
    expect(page.get_by_label("Low")).to_be_checked()
    assert list(JudgmentEvent.objects.values_list("old_decision", "decision")) == [("", "3"), ("3", "1")]


def test_everything_works_without_javascript(new_page, live_server, sign_in, formulas):
    ada, mine = formulas
    page = new_page(java_script_enabled=False)
    sign_in(page, ada)
    page.goto(live_server.url)
    page.get_by_role("link", name="B.1").click()
    page.get_by_role("link", name="Start judging").click()
    expect(page.locator(".topic math").first).to_be_visible()
    open_place(page, live_server, mine, place_of(mine, "v1"))
    cards = page.locator("[data-candidate]")
    cards.nth(0).get_by_label("High").check()
    cards.nth(1).get_by_label("System failure").check()
    page.get_by_role("button", name="Save and next").click()
    expect(cards.nth(1)).to_contain_text("System failure needs a comment that says why.")
    expect(cards.nth(0).get_by_label("High")).to_be_checked()
    refused = page.problems.pop()  # as the browser notes it
    assert "422" in refused
    cards.nth(1).get_by_label("Annotator comment").fill("Boxes instead of symbols.")
    cards.nth(2).get_by_label("Not matching").check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.locator(".saved")).to_have_text("3 saved")
    page.get_by_label("Not relevant").check()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_text("All 2 judged. Thank you.")).to_be_visible()
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "3", second: "system_failure", third: "not_matching", "220": "0"}
    assert set(Judgment.objects.values_list("active_ms", flat=True)) == {0}


def test_formulas_are_set_by_mathjax_and_keep_assistive_mathml(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    page.wait_for_selector("html[data-typeset]", state="attached")
    formula = page.locator(".topic .math-container.highlight")
    expect(formula.locator("mjx-container > svg")).to_be_visible()
    expect(formula.locator("mjx-assistive-mml math")).to_have_count(1)
    clip = formula.locator("mjx-assistive-mml").evaluate("element => getComputedStyle(element).clip")
    assert clip == "rect(1px, 1px, 1px, 1px)"  # heard, not seen
    background = formula.evaluate("element => getComputedStyle(element).backgroundColor")
    assert background == "rgb(255, 233, 107)"  # yellow


def test_the_thread_opens_beside_with_post_and_formula_marked(page, live_server, sign_in, formulas):
    ada, mine = formulas
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v2"))
    with page.context.expect_page() as opened:
        page.locator("[data-candidate] a.thread").click()
    thread = opened.value
    expect(thread.locator("#post-22")).to_contain_text("the post you came from")
    expect(thread.locator("#post-22 .pooled")).to_be_visible()
    expect(thread.locator("#post-21 .pooled")).to_be_hidden()
    expect(thread.locator("#post-22 .math-container.highlight")).to_be_visible()


@pytest.mark.parametrize("preset", ["arqmath3-task1", "arqmath3-task2"])
def test_on_a_narrow_screen_the_panes_stack_and_the_grades_stay_in_reach(new_page, live_server, sign_in, preset):
    ada, mine = prepared(preset)
    page = new_page(viewport={"width": 400, "height": 700})
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    topic, candidates = (page.locator(name).bounding_box() for name in (".pane.topic", ".candidates"))
    assert topic["y"] + topic["height"] <= candidates["y"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") == 400  # nothing to scroll sideways
    page.locator("[data-candidate]").first.scroll_into_view_if_needed()
    expect(page.get_by_label("High").first).to_be_in_viewport()
    expect(page.get_by_role("button", name="Save and next")).to_be_in_viewport()


def test_panes_stand_beside_each_other_and_scroll_alone(page, live_server, sign_in, answers):
    ada, mine = answers
    mine.topic.body = "<p>Long.</p>" * 200
    mine.topic.save()
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    topic, candidates = (page.locator(name).bounding_box() for name in (".pane.topic", ".candidates"))
    assert topic["x"] + topic["width"] <= candidates["x"] + 1
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    assert page.locator(".pane.topic").evaluate("pane => pane.scrollHeight > pane.clientHeight")
    expect(page.get_by_label("High")).to_be_in_viewport()


def test_the_document_never_scrolls_where_the_panes_do(page, live_server, sign_in, formulas):
    ada, mine = formulas
    Post.objects.update(body="<p>Long.</p>" * 40)
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v1"))  # three posts
    ready(page)
    page.mouse.move(900, 400)
    page.mouse.wheel(0, 9000)
    expect(page.locator("[data-candidate]").first).not_to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.evaluate("scrollY") == 0


WIDE = "+".join(f"a_{{{n}}}x^{{{n}}}" for n in range(10, 60))


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("setter", ["MathJax", "MathML"])
def test_a_wide_formula_scrolls_in_its_own_box(new_page, live_server, sign_in, answers, width, setter):
    ada, mine = answers
    inline = cast.math("q_3", WIDE)
    block = inline.replace(">", ' data-display="block">', 1)
    mine.topic.body = f"<p>In a line {inline}.</p><ul><li>In a list {inline}</li></ul>{block}"
    mine.topic.save()
    page = new_page(viewport={"width": width, "height": 860})
    if setter == "MathML":
        page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    sign_in(page, ada)
    open_place(page, live_server, mine, 1)
    page.wait_for_selector("html[data-typeset]", state="attached")
    boxes = page.locator(".topic .math-container").evaluate_all(
        """all => all.filter(one => one.dataset.tex.length > 200).map(one =>
            [one.scrollWidth > one.clientWidth, getComputedStyle(one).overflowX, one.getBoundingClientRect().right])"""
    )
    assert [box[:2] for box in boxes] == [[True, "auto"]] * 3
    assert all(right <= (640 if width == 1280 else 400) for *_, right in boxes)
    assert page.locator(".pane.topic").evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    if setter == "MathML":
        assert page.locator(".topic mjx-container").count() == 0
        page.problems.clear()  # MathJax was not to be found


def test_the_list_fits_a_narrow_screen(new_page, live_server, sign_in, formulas):
    ada, mine = formulas
    Post.objects.filter(post_id="11").update(body=f"<p>{cast.math('110', WIDE)}</p>")
    page = new_page(viewport={"width": 400, "height": 860})
    sign_in(page, ada)
    page.goto(f"{live_server.url}/judge/{mine.pk}/")
    page.wait_for_selector("html[data-typeset]", state="attached")
    assert page.locator(".scroll").evaluate("box => box.scrollWidth <= box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 400
