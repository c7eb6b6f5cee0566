"""Takes the pictures of the organizers' handbook from a server with the demo:
``python tools/pictures.py http://127.0.0.1:8000``. Needs Chromium and ImageMagick."""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
TASK1, TASK2 = "/c/demo-task1/", "/c/demo-task2/"
PICTURES = [
    ("overview", TASK1, "", "", 1020),
    ("runs", f"{TASK1}runs/", "", "", 640),
    ("plan", f"{TASK2}pool/plan/", "", "", 950),
    ("report", f"{TASK1}pool/?report_on=1", "Make report", "", 720),
    ("assignments", f"{TASK1}assignments/", "", "", 1000),
    ("board", f"{TASK1}progress/", "", "", 1140),
    ("agreement", f"{TASK1}agreement/", "", "Each assessor with the others", 850),
    ("disagreements", f"{TASK1}disagreements/", "", "", 690),
    ("statistics", f"{TASK1}statistics/", "", "", 1060),
    ("results", f"{TASK1}results/", "", "", 880),
    ("run", f"{TASK1}results/?part=run&run=1", "", "", 960),
    ("two-runs", f"{TASK1}results/?part=two-runs", "", "", 860),
    ("reliability", f"{TASK1}reliability/", "", "", 1180),
]
"""The name, the page, the button that makes its contents, the heading to begin with, and the height in pixels."""


def take(page: Page, name: str, address: str, button: str, heading: str, height: int) -> None:
    """A picture 1,280 pixels wide, of 64 colours."""
    page.set_viewport_size({"width": 1280, "height": height})
    page.goto(address)
    if button and (making := page.get_by_role("button", name=button, exact=True)).count():
        making.click()
        page.wait_for_timeout(10_000)
        page.goto(address)
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.wait_for_timeout(1000)  # for charts
    if heading:
        page.get_by_role("heading", name=heading).evaluate("heading => heading.scrollIntoView()")
    file = FOLDER / f"organizer-{name}.png"
    page.screenshot(path=file)
    subprocess.run(["convert", file, "+dither", "-colors", "64", "-strip", f"PNG8:{file}"], check=True)


def main(server: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(base_url=server, color_scheme="light")
        page.goto("/login/")
        page.locator("[name=username]").fill("olga")
        page.locator("[name=password]").fill("assess-demo")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{server}/")
        for picture in PICTURES:
            take(page, *picture)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
