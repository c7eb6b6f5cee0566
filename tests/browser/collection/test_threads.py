"""Threads in a browser: they open at the formula, with and without JavaScript, and fit into narrow windows."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from assess.models import Campaign, Comment, Post
from tests import cast
from tests.browser.desk.desk import until
from tests.pages import NewPage, SignIn

LONG = "".join(f"<p>{cast.math('', 'x^2 + y^2 = z^2')} and so on.</p>" for _ in range(20))
WIDE = cast.math("", r"\begin{equation*}" + "+".join(f"x_{{{n}}}" for n in range(60)) + r"\end{equation*}")
ADDRESS = "threads/10/?formula=120#formula"


@pytest.fixture
def campaign() -> Campaign:
    """Formula 120 is far down in post 12, below a long answer."""
    campaign = cast.make_campaign("arqmath3-task2", "Formulas")
    cast.make_cast(campaign)
    cast.make_pool(campaign)
    Post.objects.filter(post_id="11").update(body=LONG)
    Post.objects.filter(post_id="12").update(body=f"{LONG}<p>Here: {cast.math('120', 'x+1')}.</p>{LONG}")
    return campaign


def test_a_thread_opens_at_the_formula_and_if_long_only_what_is_near_the_window_is_typeset(
    page: Page, sign_in: SignIn, campaign: Campaign
) -> None:
    sign_in(page, User.objects.get(username="ada"))
    page.goto(f"/c/{campaign.slug}/{ADDRESS}", wait_until="commit")
    page.wait_for_selector("html[data-typeset=done]")
    expect(page.locator("#formula")).to_be_in_viewport()
    expect(page.locator("#post-12 .pooled")).to_be_visible()
    expect(page.locator("#post-11 .pooled")).to_be_hidden()
    page.goto("about:blank")
    page.goto(f"/c/{campaign.slug}/{ADDRESS}", wait_until="commit")
    page.locator(".typeset").first.wait_for()
    expect(page.locator("#formula")).to_be_in_viewport()  # the browser has gone there
    page.keyboard.press("Home")  # the reader scrolls
    page.wait_for_selector("html[data-typeset=done]")
    expect(page.locator("h1.post")).to_be_in_viewport()
    about = {"collection": campaign.collection, "kind": "answer", "thread_id": "10", "score": -1}
    body = f"<p>{WIDE}</p>"
    Post.objects.bulk_create(Post(post_id=f"2{n:03}", body=body, **about) for n in range(100))
    page.goto(f"/c/{campaign.slug}/threads/10/")
    expect(page.locator("#post-10 .math-container").first).to_have_class(re.compile("typeset"))
    expect(page.locator("#post-2099 .math-container").first).to_have_class("math-container")
    expect(page.locator("#post-2099 math").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    page.goto(f"/c/{campaign.slug}/threads/10/#post-2099")
    expect(page.locator("#post-2099 .math-container").first).to_have_class(re.compile("typeset"))
    expect(page.locator("#post-2099")).to_be_in_viewport()


IS_WHOLE = """formula => {
    const { left, right } = formula.getBoundingClientRect();
    const post = formula.closest("div.post").getBoundingClientRect();
    return getComputedStyle(formula).boxShadow === "none" && left >= post.left && right <= post.right;
}"""


def test_a_thread_fits_the_window_before_and_after_its_formulas_are_typeset(
    new_page: NewPage, sign_in: SignIn, campaign: Campaign
) -> None:
    """Title, question, comment and answers have formulas that are wider than a narrow window."""
    wide = cast.math("", "+".join(f"x_{{{n}}}" for n in range(60)))
    Post.objects.filter(post_id="10").update(title=f"Why {wide}", body=f"<ul><li>{wide}</li></ul>")
    Comment.objects.create(post=Post.objects.get(post_id="10"), text=f"And {wide}?", owner="c", score=1)
    block = WIDE.replace('formula-id=""', 'formula-id="120" data-display="block"')
    Post.objects.filter(post_id="11").update(body=f"<p>{WIDE}</p>")
    Post.objects.filter(post_id="12").update(body=f"<p>{cast.math('120', 'x')}</p>{block}")
    page = new_page(width=400)
    sign_in(page, User.objects.get(username="ada"))
    page.route("**/mathjax-*/**", lambda route: None)  # never answered
    page.goto(f"/c/{campaign.slug}/{ADDRESS}", wait_until="domcontentloaded")
    expect(page.locator("math").first).to_be_attached()
    until(page, lambda: page.evaluate("document.documentElement.scrollWidth") == 400)  # once its styles are loaded
    for part in ("h1.post", ".remarks li", "div.post"):
        assert page.locator(part).first.evaluate("box => box.scrollWidth") > 400
    page.unroute("**/mathjax-*/**")
    for width in (400, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto("about:blank")
        page.goto(f"/c/{campaign.slug}/{ADDRESS}")
        page.wait_for_selector("html[data-typeset=done]")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("#formula").bounding_box()["width"] < 40
        formulas = page.locator("#post-12 .highlight")
        expect(formulas).to_have_count(2)
        assert all(formula.evaluate(IS_WHOLE) for formula in formulas.all())
