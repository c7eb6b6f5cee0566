"""The results of Task 1 of ARQMath-2 come out as the overview paper prints them (Mansouri et al. 2021, Table 4)."""

from typing import NamedTuple

import pytest

from assess.models import Campaign
from assess.services.scores import results
from assess.services.scores.results import offered_sets
from assess.web.scores.results import results_file_table
from tests.cast import make_campaign, make_cast
from tests.evaluations import make_evaluation

pytestmark = pytest.mark.django_db

TABLE = """\
Baselines|Linked MSE posts|L|bP|0.279|0.203
Baselines|TF-IDF + Tangent-S|B|bP|0.248|0.201
Baselines|TF-IDF|B|bA|0.204|0.185
Baselines|Tangent-S|M|bA|0.158|0.111
MathDowsers|primary|B|P|0.433|0.434
MathDowsers|proximityReRank|B||0.373|0.335
DPRL|QASim|B||0.417|0.388
DPRL|RRF|B|P|0.422|0.347
DPRL|Math Stack Exchange|B||0.409|0.323
TU_DBS|TU_DBS_P|B|P|0.380|0.377
TU_DBS|TU_DBS_A2|B||0.356|0.367
TU_DBS|TU_DBS_A3|B||0.359|0.357
TU_DBS|TU_DBS_A1|B||0.362|0.353
TU_DBS|TU_DBS_A4|B||0.045|0.028
Approach0|B60|B|M|0.364|0.351
Approach0|B60RM3|B|M|0.360|0.349
Approach0|B55|B|PM|0.364|0.344
Approach0|A55|B|M|0.364|0.343
Approach0|P50|B|M|0.361|0.327
MIRMU|WIBC|B||0.381|0.332
MIRMU|RBC|B|P|0.392|0.322
MIRMU|IBC|B||0.338|0.286
MIRMU|CompuBERT|B||0.304|0.262
MIRMU|SCM|B||0.324|0.250
MSM|MG|B|P|0.310|0.278
MSM|PZ|B||0.336|0.275
MSM|MP|B||0.203|0.154
MSM|MH|B||0.184|0.131
MSM|LM|B||0.178|0.128
PSU|PSU|B|P|0.317|0.242
GoogolFuel|2020S41R71|B|P|0.292|0.203
GoogolFuel|2020S41R81|B||0.290|0.203
GoogolFuel|2020S41R91|B||0.289|0.203
GoogolFuel|2020S51R71|B||0.288|0.202
GoogolFuel|2020S41|B||0.281|0.201
BetterThanG|Combiner1vs1|B|PM|0.233|0.157
BetterThanG|LuceneBM25|T||0.179|0.119
BetterThanG|Tangent-S (ours)|M||0.158|0.110"""
"""Team, run, data, flags, nDCG' over the topics of ARQMath-1 and ARQMath-2. Rows that cannot be read are left out."""


class Printed(NamedTuple):
    team: str
    run: str
    data: str
    flags: str
    earlier: str
    own: str


ROWS = [Printed(*line.split("|")) for line in TABLE.splitlines()]
DATA = {"T": "text", "M": "math", "B": "both", "L": "links"}


def about(row: Printed) -> dict[str, str]:
    """What an organizer says of a run that has these flags."""
    is_baseline, is_primary = row.flags.startswith("b"), "P" in row.flags
    return {
        "team": row.team,
        "kind": "baseline" if is_baseline else "primary" if is_primary else "alternate",
        "pool_role": "primary" if is_primary else "alternate",
        "method": "manual" if "M" in row.flags else "automatic",
        "data": DATA[row.data],
    }


def test_the_table_of_arqmath_2_has_its_order_flags_and_best_values_with_both_editions_side_by_side() -> None:
    campaigns = [make_campaign("arqmath2-task1", f"ARQMath-{edition} Task 1") for edition in (1, 2)]
    for edition, campaign in enumerate(campaigns, start=1):
        Campaign.objects.filter(pk=campaign.pk).update(edition=f"ARQMath-{edition}")
    runs = {row.run: about(row) for row in sorted(ROWS)}
    make_evaluation(campaigns[0], {row.run: {"A.1": float(row.earlier)} for row in ROWS}, runs=runs)
    own = make_evaluation(campaigns[1], {row.run: {"A.1": float(row.own)} for row in ROWS}, runs=runs)
    table = results.results_tables(own, offered_sets(own, make_cast().olga), ["nDCG'"])["main"]
    assert [choice.evaluation == own for choice in table.sets] == [False, True]
    printed = [
        Printed(
            row.group or "Baselines",
            row.run.name,
            row.run.data[0].upper(),
            row.flags,
            *(f"{entry.cells[0].value:.3f}" for entry in row.entries if entry.cells[0]),
        )
        for row in table.rows
    ]
    assert printed == ROWS
    best = [{row.run.name for row in table.rows if (cell := row.entries[n].cells[0]) and cell.best} for n in (0, 1)]
    assert best == [{"primary"}, {"primary"}]
    latex = results_file_table(own, table).latex_rows
    assert [row[0] for row in latex if len(row) == 1] == list(dict.fromkeys(row.team for row in ROWS))
