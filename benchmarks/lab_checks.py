"""What a simulated lab must show, computed once more from the log of what was judged."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count
from statistics import fmean
from typing import Any, NamedTuple

from lxml import html

from benchmarks.simulation import ADJUDICATION, BEFORE, DUAL, MAIN, Row, Simulation

Check = tuple[str, bool]
Grades = dict[tuple[str, str], int]
"""By topic and answer."""
LEVEL, LABELS = 2, [0, 1, 2, 3]
TINY = 1e-12
COLUMNS = {"kappa": "Kappa, 4-way", "kappa_hm": "Kappa, H+M", "linear": "Linear", "quadratic": "Quadratic"}


class Pair(NamedTuple):
    """What two raters have in common, by scikit-learn; NaN if it is undefined."""

    n: int
    agreement: float
    confusion: list[list[int]]
    kappa: float
    kappa_hm: float
    linear: float
    quadratic: float
    is_degenerate: bool
    is_degenerate_hm: bool


def pair(first: Grades, second: Grades) -> Pair | None:
    """None without common answers."""
    from sklearn import metrics  # takes seconds, which tests of other benchmarks need not wait

    common = sorted(first.keys() & second.keys())
    a, b = [first[item] for item in common], [second[item] for item in common]
    if not common:
        return None
    hm = [grade >= LEVEL for grade in a], [grade >= LEVEL for grade in b]
    return Pair(
        len(common),
        metrics.accuracy_score(a, b),
        metrics.confusion_matrix(a, b, labels=LABELS).tolist(),
        kappa(a, b),
        kappa(*hm, labels=[False, True]),
        kappa(a, b, "linear"),
        kappa(a, b, "quadratic"),
        min(len(set(a)), len(set(b))) == 1,
        min(map(len, map(set, hm))) == 1,
    )


def kappa(a: Sequence[int], b: Sequence[int], weights: str | None = None, labels: Sequence[int] = LABELS) -> float:
    from sklearn import metrics

    if len({*a, *b}) == 1:
        return math.nan
    return float(metrics.cohen_kappa_score(a, b, weights=weights, labels=labels))


def grades_of(rows: Iterable[Row]) -> dict[str, Grades]:
    """By assessor."""
    grades: dict[str, Grades] = {}
    for row in rows:
        grades.setdefault(row.assessor, {})[row.topic, row.document] = row.grade
    return grades


def same(value: float | None, computed: float, tolerance: float = TINY) -> bool:
    return math.isnan(computed) if value is None else abs(value - computed) <= tolerance


def shown(text: str, computed: float, digits: int) -> bool:
    """Whether a number on a page is the computed one, rounded."""
    return same(None if text == "—" else float(text.replace("−", "-")), computed, 0.5 * 10**-digits + 1e-9)


def mean(values: Iterable[tuple[float, bool]]) -> float:
    """Of the kappas that are not degenerate."""
    counted = [value for value, is_degenerate in values if not is_degenerate]
    return fmean(counted) if counted else math.nan


class Lab:
    """The log, computed, and what the product says."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation, self.log = simulation, simulation.log
        self.by = grades_of(row for row in self.log if row.round in (MAIN, DUAL))
        compared = {names: pair(self.by[names[0]], self.by[names[1]]) for names in combinations(sorted(self.by), 2)}
        self.pairs = {names: each for names, each in compared.items() if each}
        self.api = self.read_api("agreement/")
        self.page = simulation.olga.read(simulation.at("agreement/")).page

    def read_api(self, path: str) -> Any:
        return self.simulation.olga.read(f"/api{self.simulation.at(path).replace('/c/', '/campaigns/')}").json

    def api_rows(self, path: str) -> Iterator[Any]:
        """All rows of a list, page by page."""
        for number in count(1):
            page = self.read_api(f"{path}?page={number}")
            yield from page["results"]
            if not page["next"]:
                return

    def with_others(self, name: str) -> float:
        return mean((each.kappa, each.is_degenerate) for names, each in self.pairs.items() if name in names)

    def rounds(self, *names: str) -> list[Row]:
        return [row for row in self.log if row.round in names]


def checks(simulation: Simulation) -> Iterator[Check]:
    """Each with whether it holds."""
    lab = Lab(simulation)
    yield from agreement(lab)
    yield from rounds(lab)
    yield from numbers(lab)
    yield from people(lab)
    yield "wrong roles are refused, and members see a round once it is discussed", all(simulation.doors)
    yield "no assessor reads another's name or judgment, or that topics are judged twice", not simulation.seen_too_much


def agreement(lab: Lab) -> Iterator[Check]:
    known = {(row["first"], row["second"]): row for row in lab.api["pairs"] if row["n"]}
    yield f"the API compares the {len(lab.pairs)} pairs of the log", known.keys() == lab.pairs.keys()
    for name in ("n", "agreement", "confusion"):
        equal = all(known[names][name] == getattr(each, name) for names, each in lab.pairs.items())
        yield f"each pair's {name} is that of the log", equal
    for name in COLUMNS:
        equal = all(same(of_api(known[names], name), getattr(each, name)) for names, each in lab.pairs.items())
        yield f"each pair's {name} is scikit-learn's to 1e-12", equal
    means = {row["assessor"]: row["kappa"] for row in lab.api["assessors"]}
    yield (
        "each assessor's mean kappa is that of the log",
        all(same(means[name], lab.with_others(name)) for name in lab.by),
    )
    yield "the page of agreement shows these numbers", all(map(row_is_right, *zip(*rows_of(lab), strict=True)))
    yield "the page of each pair shows its confusion matrix", all(matrix_is_right(lab, names) for names in lab.pairs)
    yield "no other judgments are in the agreement", lab.api["judgments"] == len(lab.rounds(MAIN, DUAL))


def of_api(row: Mapping[str, Any], name: str) -> float | None:
    kappa: dict[str, float | None] = row["weighted"].get(name) or row[name]
    return kappa["value"]


def cells(table: html.HtmlElement) -> list[dict[str, str]]:
    """The rows of a table, by the heads of its columns."""
    heads = [each.text_content() for each in table.xpath("thead/tr/th")]
    rows = [[" ".join(each.text_content().split()) for each in row] for row in table.xpath("tbody/tr")]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def rows_of(lab: Lab) -> list[tuple[dict[str, str], Pair]]:
    rows = {tuple(row["Assessors"].split(", ")): row for row in cells(lab.page.get_element_by_id("pairs"))}
    return [(rows[names], each) for names, each in lab.pairs.items()]


def row_is_right(row: Mapping[str, str], computed: Pair) -> bool:
    kappas = all(shown(row[head], getattr(computed, name), 4) for name, head in COLUMNS.items())
    return kappas and int(row["n"]) == computed.n and shown(row["Same grade"], computed.agreement, 4)


def matrix_is_right(lab: Lab, names: tuple[str, str]) -> bool:
    path = lab.simulation.at(f"agreement/?report={lab.api['id']}&first={names[0]}&second={names[1]}")
    page = lab.simulation.olga.read(path).page
    rows = page.find_class("matrix")[0].xpath("tbody/tr")
    return [[int(cell.text_content()) for cell in row.xpath("td")] for row in rows] == lab.pairs[names].confusion


def rounds(lab: Lab) -> Iterator[Check]:
    for name in BEFORE:
        by = grades_of(lab.rounds(name))
        page = lab.simulation.expert.visitor.read(lab.simulation.rounds[name]).page
        rows = page.xpath("//table[@id='participants']/tbody/tr")
        right = [participant_is_right(lab, by, [each.text_content().strip() for each in row]) for row in rows]
        yield f"{name}: kappas with gold and with the others are those of the log", right == [True] * len(by)


def participant_is_right(lab: Lab, by: Mapping[str, Grades], texts: list[str]) -> bool:
    """The columns: name, judged, kappas with gold, on how many documents, and kappas with the others."""
    name, judged, *columns = texts
    n = int(columns.pop(2))
    gold = pair(lab.simulation.truth[2020], by[name])
    others = [each for other in by if other != name and (each := pair(by[name], by[other]))]
    assert gold
    computed = (
        gold.kappa,
        gold.kappa_hm,
        mean((each.kappa, each.is_degenerate) for each in others),
        mean((each.kappa_hm, each.is_degenerate_hm) for each in others),
    )
    is_whole = (judged, n) == (f"{len(by[name])} of {len(by[name])}", gold.n)
    return is_whole and all(shown(text, value, 3) for text, value in zip(columns, computed, strict=True))


def numbers(lab: Lab) -> Iterator[Check]:
    assigned = [row for row in lab.api_rows("assignments/") if row["kind"] in (MAIN, DUAL, ADJUDICATION)]
    official = lab.rounds(MAIN)
    everybody = Counter(row.assessor for row in lab.rounds(MAIN, DUAL, ADJUDICATION))
    counted = Counter[str]()
    for row in assigned:
        counted[row["assessor"]] += row["judged"]
    yield "assignments count everybody's judgments", counted == everybody
    judged = sum(row["judged"] for row in assigned if row["official"])
    yield "assignments count the official judgments", judged == len(official)
    plain = {(row.topic, row.document): row.grade for row in official}
    settled = {(row.topic, row.document): row.grade for row in lab.rounds(ADJUDICATION)}
    apart = {item for grades in lab.by.values() for item in grades.keys() & plain.keys() if grades[item] != plain[item]}
    yield f"the expert settled all {len(apart)} disagreements", settled.keys() == apart
    yield "the first release has the official grades and no others", released(lab, 1) == plain
    yield "the second release has the settled grades where there are some", released(lab, 2) == plain | settled


def released(lab: Lab, version: int) -> Grades:
    path = lab.simulation.at(f"releases/{version}/post/graded/")
    rows = [line.split() for line in lab.simulation.olga.read(path).text.splitlines()]
    return {(topic, document): int(grade) for topic, _, document, grade in rows}


def people(lab: Lab) -> Iterator[Check]:
    careless = lab.simulation.careless
    for name in BEFORE:
        gold = {each: pair(lab.simulation.truth[2020], by) for each, by in grades_of(lab.rounds(name)).items()}
        lowest = min(gold, key=lambda each: gold[each].kappa)  # type: ignore[union-attr]
        yield f"{name}: the careless assessor has the lowest kappa with gold", lowest == careless
    rows = [row for row in cells(lab.page.get_element_by_id("assessors")) if row["Kappa, 4-way"] != "—"]
    lowest_row = min(rows, key=lambda row: float(row["Kappa, 4-way"]))
    is_lowest = lowest_row["Assessor"] == careless
    yield "the careless assessor has the lowest mean kappa with the others on the page", is_lowest
