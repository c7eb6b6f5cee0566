"""How runs are scored with a release: options, measures of written answers, runs that were not pooled."""

from math import log2
from pathlib import Path
from typing import Any

import pytest

from assess.ir.common.problems import BadInput
from assess.models import Evaluation, Instance, PostTask, Run
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.scores import evaluation, results
from tests.cast import make_assignment, make_campaign, make_cast, on_progress
from tests.lab import Lab, add_run, import_runs, judge, make_formulas
from tests.written import make_written

pytestmark = pytest.mark.django_db


def means(made: Evaluation) -> dict[tuple[str, str], tuple[float, int]]:
    """The means and numbers of topics, by run and measure."""
    return {(row["run"], row["measure"]): (row["value"], row["topics"]) for row in made.means}


def test_measures_gain_level_and_order_are_stored_and_used(lab: Lab) -> None:
    names = ("nDCG'", "bpref hm", "AR", "P@5")
    options: dict[str, Any] = {"gain": "exponential", "level": 3, "order": "rank"}
    scored = evaluation.evaluate(lab.release, "run", on_progress, measures=names[::-1], **options)
    made = Evaluation.objects.get(pk=scored.pk)
    assert (made.measures, made.gain, made.level, made.order) == (list(names), "exponential", 3, "rank")
    of = means(made)
    # beta: 12 (0), 21 (2), 11 (3); by rank 1, 2, 3. The best order has gains 7 and 3.
    assert of["beta", "nDCG'"][0] == pytest.approx((3 / log2(3) + 7 / 2) / (7 + 3 / log2(3)))
    assert of["beta", "P@5"][0] == pytest.approx(1 / 5)
    assert of["beta", "AR"] == (0, 1)
    assert {name for run, name in of if run == "beta"} == set(names)
    stored = set(made.scores.filter(run__name="beta").values_list("measure", flat=True))
    assert stored == {"nDCG'", "bpref full", "bpref partial", "P@5", "AR"}


@pytest.mark.parametrize("average", ["run", "qrels"])
def test_judged_at_ten_is_kept_as_if_it_were_asked_for(average: str, lab: Lab) -> None:
    made = evaluation.evaluate(lab.release, average, on_progress)
    asked = evaluation.evaluate(lab.release, average, on_progress, measures=["judged@10"])
    kept = {profile.run.name: profile.judged for profile in made.profiles.all()}
    assert {(run, "judged@10"): (sum(of.values()) / len(of), len(of)) for run, of in kept.items()} == means(asked)


def test_late_and_unofficial_runs_are_not_pooled(tmp_path: Path) -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    import_runs(campaign, tmp_path)
    Run.objects.filter(name="floor").update(pool_role="none")
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    judge(make_assignment(pool, cast.ada), {"11": "3", "12": "0"})
    release = qrels.release(pool, cast.olga, on_progress)
    add_run(campaign, tmp_path, "A.1\t11\t1\t9\tlate\n", pool_role="none")
    made = evaluation.evaluate(release, "qrels", on_progress)
    Run.objects.filter(name="late").update(name="renamed", pool_role="alternate")
    rows = results.results_tables(made)["main"].rows
    assert {row.run.name for row in rows if not row.is_pooled} == {"floor", "renamed"}


def test_formulas_are_scored_one_by_one_if_the_protocol_says_so(tmp_path: Path) -> None:
    """As in NTCIR. The ranking has visual ids."""
    campaign = make_formulas(tmp_path)
    campaign.protocol |= {"unit": "document"}
    campaign.save()
    cast, pool = make_cast(campaign), freezing.freeze(pools.build(campaign, on_progress), on_progress)
    judge(make_assignment(pool, cast.ada), {"310": "3", "110": "0"})
    release = qrels.release(pool, cast.olga, on_progress)
    assert means(evaluation.evaluate(release, "qrels", on_progress))["r", "nDCG'"] == (1, 1)


def test_written_answers_by_replies_and_by_their_words(tmp_path: Path) -> None:
    """gpt: “Surely it is 7.” (3); ext: “By Euler it is 8.” (2); post 11, relevant: “Answer 11 says x+1.”"""
    two = make_written(tmp_path)
    two.judge_all(gpt="3", ext="2")
    about: Any = {"instance": Instance.objects.get(doc_id=two.documents["gpt"]), "by": two.cast.ada}
    PostTask.objects.create(assignment=two.assignment, **about, machine="yes", unrelated="cannot_tell")
    release = qrels.release(two.assignment.round.pool, two.cast.olga, on_progress)
    made = evaluation.evaluate(release, "qrels", on_progress, written_measures=("AR", "LO", "MG", "UI"))
    of = means(made)
    assert (of["gpt", "AR"], of["ext", "AR"]) == ((3, 1), (2, 1))
    assert (of["gpt", "MG"], of["gpt", "UI"]) == ((1, 1), (0, 1))
    assert ("ext", "MG") not in of  # no replies
    # shared by "surely it is 7 ." and "by euler it is 8 .": it, is and the full stop, of 5 and 6 tokens
    assert of["gpt", "LO"] == of["ext", "LO"]
    assert of["gpt", "LO"][0] == pytest.approx(2 * 3 / 11)
    assert not made.scores.filter(run__format="task1", measure="LO").exists()


def test_contextual_similarity_is_imported_and_never_computed(tmp_path: Path) -> None:
    two = make_written(tmp_path)
    two.judge_all(gpt="3", ext="2")
    release = qrels.release(two.assignment.round.pool, two.cast.olga, on_progress)
    table = tmp_path / "scores.tsv"
    table.write_text("gpt\tA.1\tCS\t0.9\ngpt\tA.1\tLO\t0.4\n")
    imported = evaluation.read_imported(table, "scores.tsv", two.campaign)
    made = evaluation.evaluate(release, "qrels", on_progress, imported=imported)
    assert made.written_measures == ["AR", "P@1", "LO", "CS"]
    of = means(made)
    assert (of["gpt", "CS"], of["gpt", "LO"]) == ((0.9, 1), (0.4, 1))
    assert ("ext", "LO") not in of  # two tokenizers are not mixed
    for line, reason in (
        ("posts\tA.1\tCS\t1", "unknown run posts: written answers here have ext, gpt"),
        ("gpt\tZ.9\tCS\t1", "unknown topic Z.9"),
        ("gpt\tA.1\tAR\t1", "unknown measure AR: written answers here have CS, LO"),
    ):
        table.write_text(f"{line}\n")
        with pytest.raises(BadInput, match=reason):
            evaluation.read_imported(table, "scores.tsv", two.campaign)
