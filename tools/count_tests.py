"""Adds up pytest's reports; the last line is the sum over all of them."""

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter


def outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def real_data(case: ElementTree.Element) -> bool:
    """Whether the test reads the labs' real data: `tests/conftest.py` says so in the report."""
    return any(entry.get("name") == "real_data" for entry in case.iter("property"))


def main(paths: list[str]) -> int:
    cases = [case for path in paths for case in ElementTree.parse(path).iter("testcase")]
    every = Counter(map(outcome, cases))
    real = Counter(outcome(case) for case in cases if real_data(case))
    print(f"Tests with the labs' real data: {real['passed'] + real['failed']} ran, {real['skipped']} skipped")
    print(f"{every['passed']} passed, {every['failed']} failed, {every['skipped']} skipped")
    return 1 if every["failed"] or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
