"""Judging in a real browser: ``python -m benchmarks.desk`` (ten minutes).

A topic of 450 of the labs' real answers and one of 200 of their formulas, judged by keys in Chromium: how long it takes
from the key to the next item on the screen, all formulas in view set, how many requests a judgment takes, and how much
memory the page holds at the end. An item is on the screen when the desk says so (formulas set, the judgment safe in the
browser) and Chromium has presented what the key changed and its text (Event Timing, to 8 ms, and Element Timing, which
for an item drawn ahead says that its text was there before), whichever is latest. Of a formula, the first post is
judged by one key and the others by another, which is measured. ``--quick`` judges 60 answers and 30 formulas; the exit
code is 0 only if every limit is kept.
"""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.load import web_server
from benchmarks.measuring import (
    Figure,
    environment_of,
    need_packages_of_tests,
    options_of,
    p95,
    report_figures,
    run_step,
)

LIMITS = {"requests": 1.2, "megabytes": 300.0}
"""Requests of the desk for each judgment, batches included; memory of the page at the end."""
MILLISECONDS = {
    "answers": {"median": 16.0, "p95": 33.0, "worst": 100.0},
    "formulas": {"median": 33.0, "p95": 50.0, "worst": 100.0},
}
"""The most from the key to the next item painted, to a tenth."""
ITEMS = {"answers": 449, "formulas": 199}
QUICK = {"answers": 60, "formulas": 30}
PAUSE_MS = 350
"""Between a painted item and the next key: far quicker than anybody reads. Nothing is asked of the page meanwhile:
Playwright's selectors pass through every element, which took 9 ms of 25."""
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
    """An item: milliseconds until the next one was painted, how many formulas that has, and whether Chromium has
    reported its text."""

    milliseconds: float
    formulas: int
    is_reported: bool


class Measured(NamedTuple):
    """What was painted when, how many documents were judged, the requests that this took, the megabytes of the page,
    and how many judgments the database holds otherwise than decided."""

    painted: list[Painted]
    judgments: int
    requests: int
    megabytes: float
    wrong: int


def judge(page: Any, items: int) -> tuple[list[Painted], dict[str, str]]:
    """Judges by keys, place after place; what was decided of each document goes into a ledger."""
    painted: list[Painted] = []
    ledger: dict[str, str] = {}
    page.evaluate(WATCH, TIMED)
    for number in range(items):
        place = page.evaluate("document.documentElement.dataset.painted")
        instances = page.locator(".item.current input[name=instance]").evaluate_all(
            "all => all.map(input => input.value)"
        )
        ledger |= dict.fromkeys(instances, str(number % 4))
        page.keyboard.press(str(number % 4))
        if len(instances) > 1:
            page.wait_for_timeout(PAUSE_MS)
            page.keyboard.press("r")
        page.wait_for_timeout(PAUSE_MS)
        page.wait_for_selector(f'html:not([data-painted="{place}"])', state="attached")
        painted.append(Painted(*page.evaluate(PAINTED)))
        page.wait_for_timeout(painted[-1].milliseconds)  # the pause begins when it is painted: earlier keys do nothing
    return painted, ledger


def measure(task: str, items: int) -> Measured:
    from playwright.sync_api import sync_playwright

    from tests import servers
    from tests.conftest import CHROMIUM_FLAGS

    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assess-desk-")))
        environment = environment_of(work)
        made = run_step("load", environment, "--prepare", 1, items + 1, 1, *["--formulas"] * (task == "formulas"))
        port = servers.free_port()
        options = ("--bind", f"127.0.0.1:{port}", "--worker-class", "gthread", "--threads", "8")
        stack.enter_context(web_server(environment, work, lambda: servers.answers(port), *options))
        playwright = stack.enter_context(sync_playwright())
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        stack.callback(browser.close)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        _name, session, (assignment,) = made["people"][0]
        cookie = {"name": "sessionid", "value": session, "url": f"http://127.0.0.1:{port}/"}
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto(f"http://127.0.0.1:{port}/judge/{assignment}/1/")
        page.wait_for_selector("html[data-desk=ready]", state="attached")
        page.wait_for_timeout(2000)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "/judge/" in request.url else None)
        painted, ledger = judge(page, items)
        page.wait_for_selector('html[data-waiting="0"]', state="attached")
        (work / "said.json").write_text(json.dumps(ledger))
        held = run_step("load", environment, "--check", work / "said.json")
        return Measured(painted, len(ledger), len(asked), megabytes(page), held["wrong"])


def megabytes(page: Any) -> float:
    """What the process of the page holds after a garbage collection, files and shared memory not counted (Linux)."""
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    system = page.context.browser.new_browser_cdp_session()
    processes = system.send("SystemInfo.getProcessInfo")["processInfo"]
    return max(anonymous(process["id"]) for process in processes if process["type"] == "renderer") / 1e6


def anonymous(pid: int) -> int:
    """The bytes of anonymous memory of a process; 0 if it has just ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


def report(measured: Measured, limits: dict[str, float]) -> bool:
    painted = measured.painted
    times = [item.milliseconds for item in painted]
    for least, most in GROUPS:
        group = [item.milliseconds for item in painted if least <= item.formulas <= most]
        if len(group) > 1:
            print(f"  {least} to {most} formulas: {len(group)} items, {spread(group)}")
    print(f"  items of whose text Chromium reported nothing: {sum(not item.is_reported for item in painted)}")
    figures = {
        "median": median(times),
        "p95": p95(times),
        "worst": max(times),
        "requests": measured.requests / measured.judgments,
        "megabytes": measured.megabytes,
        "judgments that the database holds otherwise than decided": measured.wrong,
    }
    return report_figures(Figure(name, value, limits.get(name, 0)) for name, value in figures.items())


def spread(times: Sequence[float]) -> str:
    return f"median {median(times):.0f} ms, p95 {p95(times):.0f} ms, worst {max(times):.0f} ms"


def main(arguments: list[str]) -> int:
    parser = options_of("desk", __doc__, "60 answers and 30 formulas, under two minutes")
    parser.add_argument("--task", choices=list(ITEMS), help="only this one")
    asked = parser.parse_args(arguments)
    need_packages_of_tests("playwright", "pytest")
    are_kept = []
    for task, items in (QUICK if asked.quick else ITEMS).items():
        if asked.task in (None, task):
            print(f"From the key to the next item with its formulas on the screen, {items} {task}:", flush=True)
            are_kept.append(report(measure(task, items), LIMITS | MILLISECONDS[task]))
    return 0 if all(are_kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
