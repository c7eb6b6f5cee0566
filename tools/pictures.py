"""Takes the pictures of the handbooks from a server with the demo, fresh:
``python tools/pictures.py http://127.0.0.1:8000``. Needs Chromium and ImageMagick."""

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
TASK1, TASK2 = "/c/demo-task1/", "/c/demo-task2/"
PICTURES = [
    ("overview", TASK1, "", 1020),
    ("runs", f"{TASK1}runs/", "", 640),
    ("plan", f"{TASK2}pool/?plan", "", 950),
    ("report", f"{TASK1}pool/?report_on=1", "", 720),
    ("assignments", f"{TASK1}assignments/", "", 1000),
    ("board", f"{TASK1}progress/", "", 1140),
    ("agreement", f"{TASK1}agreement/", "Each assessor with the others", 850),
    ("disagreements", f"{TASK1}disagreements/", "", 690),
    ("statistics", f"{TASK1}results/?statistics=", "", 1060),
    ("results", f"{TASK1}results/", "", 880),
    ("run", f"{TASK1}results/?part=run&run=1", "", 960),
    ("two-runs", f"{TASK1}results/?part=two-runs", "", 860),
    ("reliability", f"{TASK1}reliability/", "", 1180),
]
"""The name, the page, the heading to begin with, and the height in pixels."""
DESK = [
    ("assessor-topics", "emmy", "/", "", (1120, 640)),
    ("assessor-desk", "ada", "/judge/3/3/", "", (1120, 640)),
    ("assessor-reason", "ada", "/judge/3/3/", "d4", (1120, 640)),
    ("assessor-list", "ada", "/judge/2/", "", (1120, 640)),
    ("assessor-formulas", "sofia", "/judge/22/4/", "", (1120, 640)),
    ("assessor-reading", "sofia", "/judge/22/4/", "/power series, sum\nexponent\n", (1120, 640)),
    ("desk", "sofia", "/judge/22/4/", "", (1280, 860)),
]
"""The name, the assessor, the page, the keys pressed on it, and the size in pixels."""


def take_desk(page: Page, name: str, address: str, keys: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address)
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.wait_for_timeout(2000)  # for the desk
    for key in keys:
        page.keyboard.press("Enter" if key == "\n" else key)
        page.wait_for_timeout(100)
    store(page, FOLDER / f"{name}.png")


def take(page: Page, name: str, address: str, heading: str, height: int) -> None:
    """A picture 1,280 pixels wide, of 64 colours."""
    page.set_viewport_size({"width": 1280, "height": height})
    page.goto(address)
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.wait_for_timeout(1000)  # for charts
    if heading:
        page.get_by_role("heading", name=heading).evaluate("heading => heading.scrollIntoView()")
    store(page, FOLDER / f"organizer-{name}.png")


def store(page: Page, file: Path) -> None:
    page.screenshot(path=file)
    subprocess.run(["convert", file, "+dither", "-colors", "64", "-strip", f"PNG8:{file}"], check=True)


def sign_in(browser: Browser, server: str, name: str) -> Page:
    page = browser.new_page(base_url=server, color_scheme="light")
    page.goto("/login/")
    page.locator("[name=username]").fill(name)
    page.locator("[name=password]").fill("assess-demo")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{server}/")
    return page


def main(server: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, person, *picture in DESK:
            take_desk(sign_in(browser, server, person), name, *picture)
        page = sign_in(browser, server, "olga")
        for each in PICTURES:
            take(page, *each)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"))
