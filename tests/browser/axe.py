"""What axe finds on a page."""

from typing import Any, Literal

from django.conf import settings
from playwright.sync_api import Page

AXE = settings.BASE_DIR / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[Any]:
    """What axe has against the page: the rule, and where."""
    if page.evaluate("!window.axe"):
        page.evaluate(AXE.read_text())
    result = page.evaluate("rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})", RULES)
    return [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in result["violations"]]


LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (400, "dark")]


def violations_in_all_looks(page: Page) -> list[Any]:
    """In a wide and light, and a narrow and dark window."""
    problems = []
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        problems += violations(page)
    return problems
