"""What axe finds on a page."""

from typing import Any, Literal

from django.conf import settings
from playwright.sync_api import Page

AXE = settings.BASE_DIR / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": RULES, "resultTypes": ["violations"], "preload": False}
"""Only rules about sounds, and an experimental one, need the files of the page, which take a third of the time."""


CUT = "document.querySelectorAll('.typeset svg > *').forEach(drawn => drawn.remove())"
"""The outlines of set formulas, more than half of the elements of a thread, which no rule is about."""


def violations(page: Page) -> list[Any]:
    """What axe has against the page: the rule, and where."""
    if page.evaluate("!window.axe"):
        page.evaluate(f"{AXE.read_text()}; {CUT}")
    result = page.evaluate("options => axe.run(document, options)", OPTIONS)
    return [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in result["violations"]]


LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (400, "dark")]
"""A wide and light, and a narrow and dark window."""


def violations_in(page: Page, looks: list[tuple[int, Literal["light", "dark"]]] = LOOKS) -> list[Any]:
    problems = []
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        problems += violations(page)
    return problems
