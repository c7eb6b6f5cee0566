"""What the tests of the judging desk in a browser share."""

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from assess.models import Assignment, Instance, Post
from assess.services.desk import documents
from assess.services.pool import freezing
from tests import cast
from tests.desk import decisions_of, place_of

Judge = Callable[..., Page]
Reader = Callable[..., Page]
OtherTab = Callable[[str], Page]


def prepared(preset: str, *, is_whole: bool = True) -> Assignment:
    """ada's assignment of the first topic; if not whole, document 99 has no text."""
    campaign = cast.make_campaign(preset)
    if is_whole:
        text = "<p>Answer 99 says more.</p>"
        Post.objects.create(collection=campaign.collection, post_id="99", kind="answer", thread_id="20", body=text)
    people = cast.make_cast(campaign)
    return cast.make_assignment(cast.make_pool(campaign), people.ada)


UNSEEN = "Not judged yet: this is what you are judging"


def open_place(page: Page, assignment: Assignment, place: int) -> None:
    page.goto(f"/judge/{assignment.pk}/{place}/")


def ready(page: Page) -> None:
    """Waits until the page listens to keys, and knows what stands."""
    page.wait_for_selector("html[data-desk=ready]", state="attached")


def stocked(page: Page, place: int) -> None:
    """Waits until the items that come after a place are here: from now on the desk can do without the server."""
    page.wait_for_selector(f".item[data-place='{place + 1}']", state="attached")


def saved(page: Page) -> None:
    """Waits until the server has everything."""
    page.wait_for_selector('html[data-waiting="0"]', state="attached")


def idle(page: Page) -> None:
    """Waits until the next decision would be heard."""
    page.wait_for_selector("html:not([data-busy])", state="attached")


def at(page: Page, place: int) -> None:
    """Waits until the item of a place is on the screen, in the address bar, and hears keys."""
    page.wait_for_selector(f'html[data-painted="{place}"]', state="attached")
    page.wait_for_url(re.compile(rf"/{place}/(\?|#|$)"))


def press_key(page: Page, key: str, to: int = 0) -> None:
    """Once the desk hears it; then waits for the place that it leads to, if that is named."""
    idle(page)
    page.keyboard.press(key)
    if to:
        at(page, to)


def expect_saved(page: Page, assignment: Assignment, decisions: dict[str, str]) -> None:
    """When the server has everything: these decisions, by document."""
    saved(page)
    assert decisions_of(assignment) == decisions


def note_statuses(page: Page) -> None:
    """From now on the script's ``told`` lists what the status line says, however soon something else stands there."""
    page.evaluate("""() => {
        window.told = [];
        const status = document.querySelector("#status");
        new MutationObserver(() => told.push(status.textContent)).observe(status, { childList: true });
    }""")


def until(page: Page, is_so: Callable[..., Any], seconds: int = 30) -> None:
    """Waits for what no selector tells."""
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert is_so()


def resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    print(f"The window has {width} x {height}")  # a test that fails shows it


def current(page: Page) -> Locator:
    """The item on the screen."""
    return page.locator(".item.current")


def display(formula_id: str, tex: str) -> str:
    """A formula on lines of its own, in canonical HTML."""
    return cast.math(formula_id, tex).replace(">", ' data-display="block">', 1)


LIGHT = """colour => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255)
        .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
}"""
"""The relative luminance of a colour of style sheets."""


def met(assignment: Assignment, unit: str) -> list[str]:
    """The documents of a unit in the order in which the assessor meets them."""
    return [card.instance.doc_id for card in documents.open_item(assignment, place_of(assignment, unit)).cards]


def write(assignment: Assignment, *, topic: str = "", answer: str = "", unit: str = "11") -> None:
    """Other texts for the topic, or for an answer, as if the pool had been frozen with them."""
    if topic:
        assignment.topic.body = topic
        assignment.topic.save()
    if answer:
        Post.objects.filter(post_id=unit).update(body=answer)
    instances = Instance.objects.filter(entry__topic=assignment.topic)
    freezing.seal_all(assignment.topic.campaign, instances, cast.on_progress)


def turn_to(page: Page, assignment: Assignment, unit: str) -> None:
    """By the keys of the desk."""
    here, there = int(page.locator(".item.current").get_attribute("data-place")), place_of(assignment, unit)
    for place in range(here, there, 1 if here < there else -1):
        at(page, place)
        idle(page)
        page.keyboard.press("j" if here < there else "k")
    at(page, there)


PRESSED = """keys => {
    const key = { bubbles: true, cancelable: true };
    for (const one of keys) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { ...key, key: one }));
}"""


def at_once(page: Page, keys: str) -> None:
    """As a browser that was busy hears them, in one moment."""
    page.evaluate(PRESSED, list(keys))


def leave(box: Locator) -> None:
    """By Escape, once it is open, and waits until the desk knows: its own listener comes before ours. The texts of a
    closed box are those of the last time, so they don't tell that it is open."""
    expect(box).to_be_visible()
    box.evaluate("""box => {
        const leave = () => setTimeout(() => box.setAttribute("data-left", ""));
        box.addEventListener("close", leave, { once: true });
    }""")
    box.page.keyboard.press("Escape")
    expect(box).to_have_attribute("data-left", "")
    expect(box).to_be_hidden()
    box.evaluate("box => box.removeAttribute('data-left')")


def sign_in_again(page: Page, password: str = cast.PASSWORD) -> None:
    """In the box that asks for the password."""
    box = page.locator("dialog#login")
    box.get_by_label("Password").fill(password)
    box.get_by_role("button", name="Sign in").click()
