"""A plan covers every depth and is kept until runs, topics or rules change."""

from pathlib import Path

import pytest
from pytest_django import Settings

from assess.ir.pool.planning import Cost, Dials, PoolContribution
from assess.models import Campaign, Job, Judgment
from assess.services.campaign import campaigns
from assess.services.collection.preparing import CollectionFile
from assess.services.common.errors import Refused
from assess.services.job_steps import STEPS
from assess.services.jobs import job_queue
from assess.services.pool import planning, pools
from tests.cast import import_files, make_assignment, make_campaign, make_pool, make_user, on_progress
from tests.lab import add_run, judge, make_shallow_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return make_shallow_campaign(tmp_path)


def planned(campaign: Campaign) -> planning.StoredPlan:
    planning.compute(campaign, on_progress)
    stored = planning.find(campaign)
    assert stored is not None
    return stored


def test_the_plan_says_what_the_pool_will_be(campaign: Campaign) -> None:
    stored = planned(campaign)
    pool = pools.build(campaign, on_progress)
    planned_pool = planning.planned_pool(campaign, stored, planning.current(campaign.rules))
    assert [(topic.topic_id, topic.units) for topic in planned_pool.topics] == [("A.1", 2), ("A.2", 0)]
    assert pool.entries.count() == stored.about["units"][2][1] == stored.about["documents"][2][1] == 2
    assert stored.about["units"][3][1] == 3  # alpha's third


def test_a_plan_has_the_contributions_of_runs_and_teams(campaign: Campaign) -> None:
    pool = planning.planned_pool(campaign, planned(campaign), Dials(2, 1))
    # alpha 11 12 | 21; beta 12 | 21 11; floor 12: 21 is not judged
    assert pool.runs == [
        PoolContribution("alpha", 2, 1, 3, 2),
        PoolContribution("beta", 1, 0, 3, 2),
        PoolContribution("floor", 1, 0, 1, 1),
    ]
    assert [team.name for team in pool.teams] == ["Alpha", "Beta", "Organizers"]
    assert pool.overlap[0] == [1, 0.5, 0.5]


def test_every_preset_of_the_task_is_compared(campaign: Campaign) -> None:
    costs = {row["preset"]: Cost(row["units"], row["documents"]) for row in planned(campaign).about["presets"]}
    assert set(costs) == {
        *(f"arqmath{year}-task1" for year in (1, 2, 3)),
        *("ntcir10-text", "ntcir11-main", "ntcir12-text"),
    }
    assert costs["arqmath1-task1"] == Cost(3, 3)


def test_a_campaign_without_visual_ids_is_compared_with_others(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path
    campaign = make_campaign("ntcir12-formula")
    rows = "".join(f"B.1\t{formula}\t11\t{n}\t{9 - n}\tr\n" for n, formula in enumerate(("110", "120", "220"), start=1))
    add_formula_run(campaign, tmp_path, rows)
    costs = {row["preset"]: row for row in planned(campaign).about["presets"]}
    assert costs["ntcir12-formula"]["units"] == 3
    assert (costs["arqmath3-task2"]["units"], costs["arqmath3-task2"]["documents"]) == (2, 3)


def add_formula_run(campaign: Campaign, folder: Path, rows: str) -> None:
    """A run over an index in which 110 and 120 look the same."""
    index = folder / "index.tsv"
    lines = ["id\tpost_id\tthread_id\ttype\tvisual_id\tformula"]
    lines += ["110\t11\t10\tanswer\tv1\tx", "120\t12\t10\tanswer\tv1\tx", "220\t22\t20\tanswer\tv2\ty"]
    index.write_text("\n".join(lines) + "\n")
    import_files(campaign.collection, [CollectionFile("formulas", index.name, index)], on_progress)
    add_run(campaign, folder, rows)


@pytest.mark.parametrize("change", ["role", "topic", "rules", "coverage"])
def test_changes_of_runs_topics_or_rules_make_a_plan_outdated(change: str, campaign: Campaign) -> None:
    planned(campaign)
    assert not planning.is_outdated(campaign)
    if change == "role":
        campaign.runs.filter(name="beta").update(pool_role="none")
    elif change == "topic":
        campaign.topics.filter(topic_id="A.2").delete()
    elif change == "coverage":
        campaign.runs.filter(name="beta").update(coverage={"documents": 3, "known": 2, "questions": 0})
    else:
        campaign.protocol["max_instances"] = 3
        campaign.save()
    assert planning.find(campaign) is None
    assert planning.is_outdated(campaign)


def test_a_plan_does_not_depend_on_depths_and_guidelines(campaign: Campaign) -> None:
    planned(campaign)
    campaign.protocol |= {"primary_depth": 7, "guidelines": ["Be kind."]}
    campaign.save()
    assert planning.find(campaign)


def test_a_new_plan_replaces_the_old_one(campaign: Campaign) -> None:
    planned(campaign)
    campaign.runs.filter(name="beta").update(pool_role="none")
    planned(campaign)
    assert len(list(planning.folder(campaign).iterdir())) == 1


def test_a_change_while_the_plan_is_made_is_refused(campaign: Campaign) -> None:
    def interfere(done: int, total: int, message: str) -> None:
        campaign.runs.filter(name="beta").update(pool_role="none")

    with pytest.raises(Refused, match="changed while"):
        planning.compute(campaign, interfere)
    assert planning.find(campaign) is None


def test_without_runs_a_plan_is_refused(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    with pytest.raises(Refused, match="topics and at least one run"):
        planning.compute(make_campaign(), on_progress)


def test_plans_are_made_by_a_job(campaign: Campaign) -> None:
    job = job_queue.submit(campaign, Job.Kind.PLAN, campaign.members.get().user)
    job_queue.perform(job_queue.claim(job.pk), STEPS[job.kind])
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    assert planning.find(campaign)


def test_a_protocol_with_a_pool_size_has_one_dial(campaign: Campaign) -> None:
    campaign.protocol |= {"pool_rule": "rank_by_rank", "pool_size": 2}
    campaign.save()
    stored = planned(campaign)
    assert planning.current(campaign.rules) == Dials(2, 0)
    # Rank 1 brings 11 and 12, rank 2 brings 21.
    assert [row[0] for row in stored.about["units"][:4]] == [0, 2, 2, 3]
    assert planning.sizes(campaign.rules, Dials(9)) == {"pool_size": 9}


def test_settings_are_limited_to_the_planned_ones() -> None:
    campaign = make_campaign()
    campaign.protocol |= {"primary_depth": 500}
    assert planning.current(campaign.rules) == Dials(100, 20)


def test_the_pace_is_the_campaigns_or_others_or_a_labs(monkeypatch: pytest.MonkeyPatch, campaign: Campaign) -> None:
    monkeypatch.setattr(planning, "MIN_JUDGMENTS", 1)
    ada = make_user("ada")
    assert planning.estimate_pace(campaign) == planning.PaceEstimate(
        44.1, 0, "lab", "overview of ARQMath-3 (CLEF 2022)"
    )
    for name, expected in (("Other", ("elsewhere", 2, 3.0)), (None, ("here", 1, 8.0))):
        judged = make_campaign(name=name) if name else campaign
        assignment = make_assignment(make_pool(judged), ada)
        judge(assignment, {"11": "3", "12": "0"} if name else {"11": "3"}, 3000 if name else 8000)
        pace = planning.estimate_pace(campaign)
        assert (pace.where, pace.judgments, pace.seconds) == expected


def test_the_demo_sets_no_pace_for_other_campaigns(monkeypatch: pytest.MonkeyPatch, campaign: Campaign) -> None:
    monkeypatch.setattr(planning, "MIN_JUDGMENTS", 1)
    demo = make_campaign(name="Demo task1")
    assert demo.slug == "demo-task1"
    judge(make_assignment(make_pool(demo), make_user("ada")), {"11": "3"}, 2000)
    assert planning.estimate_pace(campaign).where == "lab"


def test_a_few_judgments_do_not_make_a_pace(campaign: Campaign) -> None:
    judge(make_assignment(make_pool(campaign), make_user("ada")), {"11": "3"}, 2000)
    assert planning.estimate_pace(campaign).where == "lab"


def test_untimed_judgments_and_other_tasks_do_not_count(monkeypatch: pytest.MonkeyPatch, campaign: Campaign) -> None:
    monkeypatch.setattr(planning, "MIN_JUDGMENTS", 1)
    ada = make_user("ada")
    other = make_campaign("arqmath3-task2", "Formulas")
    judge(make_assignment(make_pool(other), ada), {"220": "3"})
    judge(make_assignment(make_pool(campaign), ada), {"11": "3"}, 0)
    assert Judgment.objects.count() == 2
    assert planning.estimate_pace(campaign).where == "lab"


def test_a_spread_has_minimum_mean_and_maximum() -> None:
    assert planning.spread([4, 2]) == {"least": 2, "mean": 3, "most": 4}
    assert planning.spread([]) == {"least": 0, "mean": 0, "most": 0}


def test_a_setting_can_be_put_into_the_protocol(campaign: Campaign) -> None:
    rules = planning.sizes(campaign.rules, Dials(3, 2))
    campaigns.update(campaign, name="N", edition="E", seed=campaign.seed, rules=rules)
    assert planning.current(campaign.rules) == Dials(3, 2)
