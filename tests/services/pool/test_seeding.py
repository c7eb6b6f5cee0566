"""A frozen pool of answers seeds the pool of formulas of its edition: with formulas in its posts, at any rank."""

from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from assess.models import Campaign, Instance, Pool
from assess.services.campaign import campaigns
from assess.services.common.errors import Refused
from assess.services.pool import extension, freezing, planning, pool_import, pools, reports, seeding
from assess.services.pool.extension import Extension
from tests.cast import make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, client_of, make_siblings

pytestmark = pytest.mark.django_db

LATE = "B.1\t320\t32\t1\t9\tlate\nB.1\t120\t12\t2\t8\tlate\nB.1\t220\t22\t3\t7\tlate\n"
ANSWER = "A.1\t22\t1\t9\tlate\n"


@pytest.fixture
def answers(settings: Settings, tmp_path: Path) -> Campaign:
    settings.MEDIA_ROOT = tmp_path
    return make_siblings(tmp_path)[0]


@pytest.fixture
def campaign(answers: Campaign) -> Campaign:
    return Campaign.objects.get(name="Formulas")


def formulas_of(pool: Pool) -> list[tuple[str, str]]:
    instances = Instance.objects.filter(entry__pool=pool).order_by("entry__topic__topic_id", "doc_id")
    return list(instances.values_list("entry__topic__topic_id", "doc_id"))


def extend_answers(answers: Campaign, folder: Path) -> Pool:
    """Add 22 to the pool of answers."""
    late = add_run(answers, folder, ANSWER, pool_role="none")
    organizer = answers.members.get().user
    return extension.extend(answers.current_pool(), Extension({late.pk: "primary"}, {}), organizer, on_progress)


def test_formulas_in_pooled_answers_are_pooled_at_any_rank(campaign: Campaign, answers: Campaign) -> None:
    pool = pools.build(campaign, on_progress)
    assert formulas_of(pool) == [("B.1", "110"), ("B.1", "310"), ("B.2", "320")]
    assert pool.answer_pool == {"campaign": "Answers", "pool": answers.frozen_pool().pk, "version": 1}
    assert freezing.freeze(pool, on_progress).frozen


def test_without_the_rule_nothing_is_seeded(campaign: Campaign) -> None:
    campaign.protocol["seed_from_task1"] = False
    campaign.save()
    pool = pools.build(campaign, on_progress)
    assert formulas_of(pool) == [("B.1", "310"), ("B.2", "320")]
    assert pool.answer_pool == {}


@pytest.mark.parametrize("change", ["open", "edition", "collection"])
def test_without_frozen_pool_of_answers_building_is_refused(change: str, campaign: Campaign, answers: Campaign) -> None:
    if change == "open":
        freezing.unfreeze(answers.frozen_pool())
    elif change == "edition":
        campaigns.update(answers, name="Answers", edition="ARQMath-2", seed=answers.seed, rules={})
    else:
        campaigns.use_collection(campaign, make_campaign().collection)
    for step in (pools.build, planning.compute):
        with pytest.raises(Refused, match=r"edition ARQMath-3 has a frozen pool"):
            step(campaign, on_progress)
    assert planning.find(campaign) is None
    planner = client_of(campaign.members.get().user).get(reverse("pool_plan", args=[campaign.slug]))
    assert planner.status_code == 200


def test_if_there_are_several_pools_of_answers_the_edition_decides(campaign: Campaign, answers: Campaign) -> None:
    other = make_campaign(name="Other answers")
    other.collection = answers.collection
    other.save()
    make_pool(other)
    with pytest.raises(Refused, match="Answers, Other answers"):
        pools.build(campaign, on_progress)
    campaigns.update(other, name=other.name, edition="Trial", seed=other.seed, rules={})
    assert pools.build(campaign, on_progress).answer_pool["campaign"] == "Answers"


def test_few_queries_suffice(
    campaign: Campaign, answers: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        other = make_campaign(name=f"Other answers {number}")
        other.collection = answers.collection
        other.save()
    with django_assert_num_queries(1):
        answer_pools = [(pool.pk, pool.campaign.name) for pool in seeding.answer_pools(campaign)]
    assert answer_pools == [(answers.frozen_pool().pk, "Answers")]


def test_seeding_needs_the_formula_index(campaign: Campaign) -> None:
    campaign.collection.sources = {}
    campaign.collection.save()
    with pytest.raises(Refused, match="formula index"):
        pools.build(campaign, on_progress)


def test_extending_the_answers_means_building_again(campaign: Campaign, answers: Campaign, tmp_path: Path) -> None:
    pool = pools.build(campaign, on_progress)
    extend_answers(answers, tmp_path)
    with pytest.raises(Refused, match=r"pool of answers .* changed"):
        freezing.freeze(pool, on_progress)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assert formulas_of(pool) == [("B.1", "110"), ("B.1", "220"), ("B.1", "310"), ("B.2", "320")]
    assert pool.answer_pool["version"] == 2


def test_freezing_is_refused_if_pool_of_answers_is_unfrozen_meanwhile(campaign: Campaign, answers: Campaign) -> None:
    pool = pools.build(campaign, on_progress)

    def unfreeze(done: int, total: int = 0, message: str = "") -> None:
        if answers.frozen_pool():
            freezing.unfreeze(answers.frozen_pool())

    with pytest.raises(Refused, match="seeded from Task 1"):
        freezing.freeze(pool, unfreeze)
    pool.refresh_from_db()
    assert pool.frozen is None


def test_renaming_the_campaign_of_answers_does_not_matter(campaign: Campaign, answers: Campaign) -> None:
    pool = pools.build(campaign, on_progress)
    campaigns.update(answers, name="Renamed", edition=answers.edition, seed=answers.seed, rules={})
    freezing.freeze(pool, on_progress)


def test_extending_the_answers_outdates_the_plan(campaign: Campaign, answers: Campaign, tmp_path: Path) -> None:
    planning.compute(campaign, on_progress)
    pool = pools.build(campaign, on_progress)
    assert planning.find(campaign).about["units"][1][1] == pool.entries.count() == 3
    extend_answers(answers, tmp_path)
    assert planning.is_outdated(campaign)


def test_an_extension_is_seeded_by_the_same_answers(campaign: Campaign, answers: Campaign, tmp_path: Path) -> None:
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    extend_answers(answers, tmp_path)  # after the pool of formulas was frozen
    late = add_run(campaign, tmp_path, LATE, pool_role="none")
    extension.extend(pool, Extension({late.pk: "primary"}, {}), campaign.members.get().user, on_progress)
    new = Instance.objects.filter(entry__pool=pool, version=2)
    assert sorted(new.values_list("doc_id", flat=True)) == ["120", "320"]  # 320 is first, 120 is in answer 12
    pool.refresh_from_db()
    assert pool.answer_pool["version"] == 1


def test_the_report_counts_seeded_formulas_for_the_runs_that_retrieved_them(campaign: Campaign) -> None:
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    reports.compute(pool, on_progress)
    report = reports.find(pool)
    assert [(run["units"], run["top"], run["judged"]) for run in report["runs"]] == [(3, 4, 3)]
    assert {"is_met": True, "detail": "3 of 3"}.items() <= report["checks"][2].items()  # units that runs retrieved


def test_a_pool_that_seeds_a_frozen_one_cannot_be_unfrozen(campaign: Campaign, answers: Campaign) -> None:
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    with pytest.raises(Refused, match="pool of Formulas"):
        freezing.unfreeze(answers.frozen_pool())
    freezing.unfreeze(pool)
    freezing.unfreeze(answers.frozen_pool())


def test_without_its_pool_of_answers_no_pool_is_extended(campaign: Campaign, answers: Campaign, tmp_path: Path) -> None:
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    answers.pools.all().delete()
    late = add_run(campaign, tmp_path, LATE, pool_role="none")
    with pytest.raises(Refused, match="pool of Answers"):
        extension.new_lines(pool, Extension({late.pk: "primary"}, {}), on_progress)


def test_an_imported_pool_records_the_pool_of_answers_too(campaign: Campaign, tmp_path: Path) -> None:
    path = tmp_path / "pool.tsv"
    path.write_text(pools.as_file(pools.build(campaign, on_progress)))
    with path.open("rb") as source:
        pool = pool_import.import_pool(campaign, source, path.name)
    assert pool.answer_pool["campaign"] == "Answers"
    freezing.freeze(pool, on_progress)


def test_a_campaign_older_than_the_rule_can_be_renamed_after_the_freeze(answers: Campaign) -> None:
    make_cast(answers)
    del answers.protocol["seed_from_task1"]
    answers.save()
    campaigns.update(answers, name="New name", edition="E", seed=answers.seed, rules={})
    assert (answers.name, answers.rules.seed_from_task1) == ("New name", False)
