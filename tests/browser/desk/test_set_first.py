"""Which formulas are set first: those in sight, and wherever the assessor goes."""

from playwright.sync_api import Page

from assess.models import Assignment, Post
from tests import cast
from tests.browser.desk.desk import open_place, ready
from tests.desk import place_of
from tests.pages import SignIn

MANY = 400
"""Formulas of a post: setting them takes half a second or so."""
IN_SIGHT = """
const formulas = () => [...document.querySelectorAll(".item.current .math-container")];
const isUnset = (formula) => !formula.matches(".typeset");
const inSight = () => {
  const { top, bottom } = document.querySelector(".item.current").getBoundingClientRect();
  const isSeen = (box) => box.bottom > top && box.top < bottom;
  return formulas().filter((formula) => isSeen(formula.getBoundingClientRect()));
};
const unset = () => [inSight(), formulas()].map((all) => all.filter(isUnset).length);
"""
NOTE_WHEN_PAINTED = f"""{{
{IN_SIGHT}
new MutationObserver(() => (window.unsetWhenPainted ??= unset())).observe(document, {{
  subtree: true, attributeFilter: ["data-painted"],
}});
}}"""
TURN_TO_THE_END = f"""{{
{IN_SIGHT}
new MutationObserver((_, observer) => {{
  observer.disconnect();
  const item = document.querySelector(".item.current");
  item.scrollTop = item.scrollHeight;
  const look = () => (unset()[0] ? requestAnimationFrame(look) : (window.unsetAtTheEnd = unset()[1]));
  requestAnimationFrame(look);
}}).observe(document, {{ subtree: true, attributeFilter: ["data-painted"] }});
}}"""


def open_long_posts(page: Page, sign_in: SignIn, assignment: Assignment) -> None:
    """Three posts with the same formula, each followed by many others."""
    for post in ("11", "12", "21"):
        others = (f"<p>So {cast.math('', f'x_{{{number}}}')}.</p>" for number in range(MANY))
        Post.objects.filter(post_id=post).update(body=f"<p>{cast.math(post + '0', 'x+1')}</p>{''.join(others)}")
    sign_in(page, assignment.assessor)
    open_place(page, assignment, place_of(assignment, "v1"))
    page.wait_for_selector("html[data-painted]", state="attached")


def test_formulas_in_sight_are_set_first_at_the_start_and_wherever_the_page_is_scrolled_to(
    page: Page, sign_in: SignIn, formulas: Assignment
) -> None:
    page.add_init_script(NOTE_WHEN_PAINTED)
    page.add_init_script(TURN_TO_THE_END)
    open_long_posts(page, sign_in, formulas)
    in_sight, all_formulas = page.evaluate("window.unsetWhenPainted")
    assert in_sight == 0  # the item hears keys from now on
    assert all_formulas > MANY
    page.wait_for_function("() => window.unsetAtTheEnd !== undefined")
    assert page.evaluate("window.unsetAtTheEnd") > MANY
    ready(page)
    page.wait_for_selector("html[data-typeset]", state="attached")
    assert page.locator(".item.current .math-container:not(.typeset)").count() == 0
