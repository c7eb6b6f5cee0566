"""The runs scored with a source, beside the release.

The release of the small lab has 11: 3, 12: 0, 21: 2 for A.1; alpha has 11 12 21, beta 12 21 11, floor 12.
"""

from math import log2
from pathlib import Path
from typing import Any

import pytest

from assess.ir.common.rows import Qrel
from assess.models import Evaluation, Qrels, WhatIf
from assess.services.common.errors import Refused
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.scores import what_if
from assess.services.scores.what_if import ALONE, COMPLETED, GRADINGS, OFFICIAL
from tests.cast import import_index, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, judge, make_formulas, make_source, qrels_of

pytestmark = pytest.mark.django_db


def table(lab: Lab, tmp_path: Path, text: str, measure: str = "nDCG'") -> dict[str, Any]:
    made = what_if.score_what_if(make_source(lab.campaign, tmp_path, text), lab.release, on_progress)
    return next(table for table in made.tables if table["measure"] == measure)


def ranks(shown: dict[str, Any], grading: str) -> dict[str, int]:
    return {row["run"]: row[grading]["rank"] for row in shown["rows"]}


def test_a_source_that_grades_the_other_way_round_turns_the_order(lab: Lab, tmp_path: Path) -> None:
    shown = table(lab, tmp_path, qrels_of({"11": 0, "12": 3, "21": 0}))
    assert ranks(shown, OFFICIAL) == {"alpha": 1, "beta": 2, "floor": 3}
    assert ranks(shown, ALONE) == {"beta": 1, "floor": 1, "alpha": 3}
    assert [row["run"] for row in shown["rows"]] == ["alpha", "beta", "floor"]
    # alpha over beta and floor is turned round, beta and floor are tied: (0 - 2) / sqrt(3 · 2)
    assert shown["tau"][ALONE]["value"] == pytest.approx(-2 / 6**0.5)
    assert (ranks(shown, COMPLETED), shown["tau"][COMPLETED]["value"]) == (ranks(shown, OFFICIAL), pytest.approx(1))


def test_the_official_way_is_the_evaluation_of_the_release(lab: Lab, tmp_path: Path) -> None:
    before = list(lab.release.lines.values_list())
    source = make_source(lab.campaign, tmp_path, qrels_of({"11": 0, "99": 3}))
    made = what_if.score_what_if(source, lab.release, on_progress)
    shown = {
        (row["run"], table["measure"]): row[OFFICIAL]["value"]
        for table in made.tables
        for row in table["rows"]
        if row[OFFICIAL]["value"] is not None
    }
    assert shown == {(row["run"], row["measure"]): row["value"] for row in lab.evaluation.means}
    assert list(lab.release.lines.values_list()) == before  # nothing official changes
    assert (Qrels.objects.count(), Evaluation.objects.count(), WhatIf.objects.count()) == (1, 1, 1)


def test_a_source_completes_the_topics_of_the_release_only(lab: Lab, tmp_path: Path) -> None:
    source = make_source(lab.campaign, tmp_path, qrels_of({"11": 0, "99": 3}) + qrels_of({"21": 3}, "A.2"))
    official = {"post": lab.release.lines_of("post")}
    alone = what_if.lines_of(source, lab.release)
    assert {line[:2] for line in alone["post"]} == {("A.1", "11"), ("A.1", "99")}  # the release has no line of A.2
    done = {line[1]: line.grade for line in what_if.completed_lines(official, alone)["post"]}
    assert done == {"11": 3, "12": 0, "21": 2, "99": 3}
    shown = what_if.score_what_if(source, lab.release, on_progress).tables[0]
    assert (shown["grades"], shown["added"]) == (2, 1)


@pytest.mark.parametrize(
    ("items", "grades"),
    [
        ("document", {"110": 1, "120": 3, "210": 2, "999": 3}),  # v1 has the highest grade; 999 has no visual id
        ("unit", {"v1": 3, "v2": 2}),
    ],
)
def test_formulas_of_a_source_count_under_the_visual_ids_of_the_release(
    items: str, grades: dict[str, int], tmp_path: Path
) -> None:
    campaign = make_campaign("arqmath3-task2")
    import_index(campaign, tmp_path, ("110", "v1", "x"), ("120", "v1", "x"), ("210", "v2", "y"), ("220", "v2", "y"))
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "0", "120": "0"})
    release = qrels.release(pool, cast.olga, on_progress)
    text = qrels_of(grades, "B.1") + qrels_of(dict.fromkeys(grades, 3), "B.2")  # the release has no line of B.2
    source = make_source(campaign, tmp_path, text, items=items)
    assert what_if.lines_of(source, release)["visual"] == [("B.1", "v1", 3), ("B.1", "v2", 2)]


def test_formulas_are_scored_by_their_visual_ids(tmp_path: Path) -> None:
    """The release has 310: 3 and 110: 0 of B.1, the source the other way round; the run has 310 220 110."""
    campaign = make_formulas(tmp_path)
    cast = make_cast(campaign)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    judge(make_assignment(pool, cast.ada), {"310": "3", "110": "0"})
    release = qrels.release(pool, cast.olga, on_progress)
    source = make_source(campaign, tmp_path, qrels_of({"310": 0, "110": 3, "220": 2}, "B.1"))
    made = what_if.score_what_if(source, release, on_progress)
    [shown] = [table for table in made.tables if table["measure"] == "nDCG'"]
    assert (shown["grades"], shown["added"]) == (3, 1)  # v220
    [row] = shown["rows"]
    ideal = 3 + 2 / log2(3)
    assert [row[grading]["value"] for grading in GRADINGS] == pytest.approx(
        [1.0, (2 / log2(3) + 3 / 2) / ideal, (3 + 2 / log2(3)) / ideal]
    )


def test_the_source_alone_is_compared_on_common_topics() -> None:
    official = {"post": [Qrel("A.1", "11", 3), Qrel("A.2", "12", 1)]}
    assert what_if.common_lines(official, {"post": [Qrel("A.1", "11", 0)]}) == {"post": [Qrel("A.1", "11", 3)]}


def test_a_source_without_a_topic_of_the_campaign_is_refused(lab: Lab, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="other has no grade for a topic of Release 1"):
        table(lab, tmp_path, qrels_of({"11": 0}, "A.77"))
