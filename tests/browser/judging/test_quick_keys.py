"""Keys that come more quickly than the desk is done with each."""

import pytest
from playwright.sync_api import expect

from tests.browser.judging.desk import at, at_once, current, idle, met, saved
from tests.desk import decisions, place_of

# Nothing here depends on the database, so one engine does.
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EARLY = "Key ignored: pressed too early"


@pytest.fixture(params=[1, 8], ids=["quick", "slow"])
def on_any_machine(judge, page, request):
    """As `judge`, also on a machine that is slower by a factor."""

    def opened(cast, place=1):
        found = judge(cast, place)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": request.param})
        return found

    return opened


def typed(page, keys):
    page.keyboard.type(keys)


@pytest.mark.parametrize("how", [at_once, typed])
def test_those_for_the_posts_on_the_screen_count_one_after_the_other(on_any_machine, formulas, how):
    page, mine = on_any_machine(formulas, place_of(formulas[1], "v1"))
    how(page, "32r")
    expect(current(page)).to_have_attribute("data-place", str(place_of(mine, "v2")))
    saved(page)
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "3", second: "2", third: "2"}


def test_one_for_an_item_that_nobody_has_seen_does_nothing_and_that_is_said(on_any_machine, formulas):
    page, mine = on_any_machine(formulas, place_of(formulas[1], "v1"))
    at_once(page, "3210")
    at(page, place_of(mine, "v2"))
    saved(page)
    first, second, third = met(mine, "v1")
    assert decisions(mine) == {first: "3", second: "2", third: "1"}
    expect(page.locator("#status")).to_have_text(EARLY)
    idle(page)
    page.keyboard.press("u")
    expect(page.locator("#status")).to_have_text("Undone")
