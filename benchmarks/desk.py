"""Judging in a real browser: ``python -m benchmarks.desk`` (five minutes).

A topic of 450 of the labs' real answers, judged by keys in Chromium: how long it takes from the key to the next
answer on the screen, all its formulas set, and how many requests a judgment takes. It is on the screen when the desk
says so (formulas set, the judgment safe in the browser) and Chromium has presented what the key changed and its text
(Event Timing, to 8 ms, and Element Timing, which for an item drawn ahead says that its text was there before),
whichever is latest. ``--quick`` judges 60; the exit code is 0 only where
every limit is kept.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks.load import step, web_server
from benchmarks.measuring import need_packages_of_tests

LIMITS = {"median": 30.0, "p95": 60.0, "worst": 150.0, "requests": 1.2}
"""Milliseconds from the key to the next item painted; requests of the desk for each judgment, batches included."""
PAUSE_MS = 350
"""Between a painted answer and the next key: far quicker than anybody reads."""
TIMED = ":is(.post > *, .post li)"
WATCH = """(timed) => {
  window.presented = { keys: [], texts: new Map() };
  const { keys, texts } = window.presented;
  const note = (type, write, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(write)).observe({ type, ...options });
  note("event", (one) => one.name === "keydown" && keys.push(one.startTime + one.duration), { durationThreshold: 16 });
  note("element", ({ identifier, renderTime }) => texts.set(identifier, renderTime));
  const watch = () => {
    for (const item of document.querySelectorAll(".item:not([data-watched])")) {
      item.dataset.watched = "";
      for (const one of item.querySelectorAll(timed)) one.setAttribute("elementtiming", item.dataset.place);
    }
  };
  new MutationObserver(watch).observe(document.querySelector("#items"), { childList: true });
  watch();
}"""
"""Notes when what a key changed, and when the last text of each item, was presented. Chromium tells it some time
later."""
PAINTED = """() => {
  const { startTime, duration, detail } = performance.getEntriesByName("assess.painted").at(-1);
  const { keys, texts } = window.presented;
  const text = texts.get(String(detail.place));
  const took = Math.max(duration, (keys.at(-1) ?? 0) - startTime, (text ?? 0) - startTime);
  return [took, document.querySelectorAll(".item.current .math-container").length, text !== undefined];
}"""
GROUPS = ((0, 5), (6, 20), (21, 50), (51, 10_000))


class Painted(NamedTuple):
    """One judgment: milliseconds until the next answer was painted, how many formulas that has, and whether Chromium
    has reported its text."""

    milliseconds: float
    formulas: int
    is_reported: bool


def judge(page: Any, judgments: int) -> tuple[list[Painted], dict[str, str]]:
    """Judges by keys, place after place; what was decided of each document goes into a ledger."""
    painted, ledger = [], {}
    page.evaluate(WATCH, TIMED)
    for number in range(judgments):
        place = page.evaluate("document.documentElement.dataset.painted")
        instance = page.locator(".item.current input[name=instance]").get_attribute("value")
        ledger[instance] = str(number % 4)
        page.keyboard.press(ledger[instance])
        page.wait_for_selector(f'html:not([data-painted="{place}"])', state="attached")
        page.wait_for_timeout(PAUSE_MS)
        painted.append(Painted(*page.evaluate(PAINTED)))
    return painted, ledger


def measure(judgments: int) -> tuple[list[Painted], int, int]:
    """What was painted when, the requests that this took, and what the database then holds otherwise than sent."""
    from playwright.sync_api import sync_playwright

    from tests import servers
    from tests.conftest import CHROMIUM_FLAGS

    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assess-desk-")))
        environment = {**os.environ, "ASSESS_VAR": str(work / "var"), "DATABASE_URL": ""}
        environment["DJANGO_SETTINGS_MODULE"] = "assess.settings"
        made = step(environment, "--prepare", 1, judgments + 1, 0, 0, 0)
        port = servers.free_port()
        options = ("--bind", f"127.0.0.1:{port}", "--worker-class", "gthread", "--threads", "8")
        stack.enter_context(web_server(environment, work, lambda: servers.answers(port), *options))
        playwright = stack.enter_context(sync_playwright())
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        stack.callback(browser.close)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        _name, session, (assignment,) = made["people"][0]  # type: ignore[index]
        cookie = {"name": "sessionid", "value": session, "url": f"http://127.0.0.1:{port}/"}
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto(f"http://127.0.0.1:{port}/judge/{assignment}/1/")
        page.wait_for_selector("html[data-desk=ready]", state="attached")
        page.wait_for_timeout(2000)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/judge/" in request.url else None)
        painted, ledger = judge(page, judgments)
        page.wait_for_selector('html[data-waiting="0"]', state="attached")
        (work / "said.json").write_text(json.dumps(ledger))
        held = step(environment, "--check", work / "said.json")
    return painted, len(asked), int(str(held["wrong"]))


def report(painted: Sequence[Painted], requests: int, wrong: int) -> bool:
    times = [judgment.milliseconds for judgment in painted]
    for least, most in GROUPS:
        group = [judgment.milliseconds for judgment in painted if least <= judgment.formulas <= most]
        if len(group) > 1:
            print(f"  {least} to {most} formulas: {len(group)} answers, {spread(group)}")
    figures = {
        "median": median(times),
        "p95": quantiles(times, n=20)[-1],
        "worst": max(times),
        "requests": requests / len(painted),
    }
    for name, value in figures.items():
        missed = "" if value <= LIMITS[name] else "  MISSED"
        print(f"  {name}: {value:.1f} (limit {LIMITS[name]:g}){missed}")
    print(f"  answers of whose text Chromium reported nothing: {sum(not judgment.is_reported for judgment in painted)}")
    print(f"  judgments that the database holds otherwise than decided: {wrong}")
    return wrong == 0 and all(value <= LIMITS[name] for name, value in figures.items())


def spread(times: Sequence[float]) -> str:
    return f"median {median(times):.0f} ms, p95 {quantiles(times, n=20)[-1]:.0f} ms, worst {max(times):.0f} ms"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.desk", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="60 judgments, under 50 seconds")
    asked = parser.parse_args(arguments)
    need_packages_of_tests("playwright", "pytest")
    judgments = 60 if asked.quick else 449
    print(f"From the key to the next answer with its formulas on the screen, {judgments} judgments:")
    return 0 if report(*measure(judgments)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
