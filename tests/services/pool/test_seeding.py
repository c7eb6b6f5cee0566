"""A frozen pool of answers seeds the pool of formulas of the same edition: formulas of its posts, from any rank."""

import pytest
from django.urls import reverse

from assess.models import Campaign, Instance
from assess.services.campaign import campaigns
from assess.services.common.errors import Refused
from assess.services.pool import extension, planning, pools, reports, seeding
from assess.services.pool.extension import Change
from tests.cast import make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, client_of, make_siblings

pytestmark = pytest.mark.django_db

LATE = "B.1\t320\t32\t1\t9\tlate\nB.1\t120\t12\t2\t8\tlate\nB.1\t220\t22\t3\t7\tlate\n"
ANSWER = "A.1\t22\t1\t9\tlate\n"


@pytest.fixture
def answers(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return make_siblings(tmp_path)[0]


@pytest.fixture
def campaign(answers):
    return Campaign.objects.get(name="Formulas")


def formulas_of(pool):
    found = Instance.objects.filter(entry__pool=pool).order_by("entry__topic__topic_id", "doc_id")
    return list(found.values_list("entry__topic__topic_id", "doc_id"))


def grow(answers, folder):
    """The pool of answers takes in 22."""
    late = add_run(answers, folder, ANSWER, pool_role="none")
    organizer = answers.members.get().user
    return extension.extend(answers.current_pool(), Change({late.pk: "primary"}, {}), organizer, on_progress)


def test_formulas_of_pooled_answers_come_in_from_any_rank(campaign, answers):
    pool = pools.build(campaign, on_progress)
    assert formulas_of(pool) == [("B.1", "110"), ("B.1", "310"), ("B.2", "320")]
    assert pool.answer_pool == {"campaign": "Answers", "pool": answers.frozen_pool().pk, "version": 1}
    assert pools.freeze(pool, on_progress).frozen


def test_without_the_rule_they_do_not(campaign):
    campaign.protocol["seed_from_task1"] = False
    campaign.save()
    pool = pools.build(campaign, on_progress)
    assert formulas_of(pool) == [("B.1", "310"), ("B.2", "320")]
    assert pool.answer_pool == {}


@pytest.mark.parametrize("change", ["open", "edition", "collection"])
def test_without_a_frozen_pool_of_answers_the_refusal_says_what_is_needed(change, campaign, answers):
    if change == "open":
        pools.unfreeze(answers.frozen_pool())
    elif change == "edition":
        campaigns.update(answers, name="Answers", edition="ARQMath-2", seed=answers.seed, rules={})
    else:
        campaigns.use_collection(campaign, make_campaign().collection)
    for step in (pools.build, planning.compute):
        with pytest.raises(Refused, match=r"edition ARQMath-3 has a frozen pool. Freeze"):
            step(campaign, on_progress)
    assert planning.find(campaign) is None
    planner = client_of(campaign.members.get().user).get(reverse("pool_plan", args=[campaign.slug]))
    assert planner.status_code == 200


def test_of_several_pools_of_answers_the_organizer_names_one_by_the_edition(campaign, answers):
    other = make_campaign(name="Other answers")
    other.collection = answers.collection
    other.save()
    make_pool(other)
    with pytest.raises(Refused, match=r"Answers, Other answers. Give those that are not meant another edition"):
        pools.build(campaign, on_progress)
    campaigns.update(other, name=other.name, edition="Trial", seed=other.seed, rules={})
    assert pools.build(campaign, on_progress).answer_pool["campaign"] == "Answers"


def test_more_campaigns_on_the_collection_ask_no_more_queries(campaign, answers, django_assert_num_queries):
    for number in range(3):
        other = make_campaign(name=f"Other answers {number}")
        other.collection = answers.collection
        other.save()
    with django_assert_num_queries(1):
        found = [(pool.pk, pool.campaign.name) for pool in seeding.answer_pools(campaign)]
    assert found == [(answers.frozen_pool().pk, "Answers")]


def test_without_an_index_nobody_knows_which_formulas_stand_in_the_answers(campaign):
    campaign.collection.sources = {}
    campaign.collection.save()
    with pytest.raises(Refused, match="import the formula index"):
        pools.build(campaign, on_progress)


def test_after_the_pool_of_answers_grew_the_other_is_made_again(campaign, answers, tmp_path):
    pool = pools.build(campaign, on_progress)
    grow(answers, tmp_path)
    with pytest.raises(Refused, match="pool of answers that seeds it has changed"):
        pools.freeze(pool, on_progress)
    pool = pools.freeze(pools.build(campaign, on_progress), on_progress)
    assert formulas_of(pool) == [("B.1", "110"), ("B.1", "220"), ("B.1", "310"), ("B.2", "320")]
    assert pool.answer_pool["version"] == 2


def test_a_pool_whose_answers_are_unfrozen_while_it_is_being_frozen_stays_open(campaign, answers):
    pool = pools.build(campaign, on_progress)

    def unfreeze(done, total=0, message=""):
        if answers.frozen_pool():
            pools.unfreeze(answers.frozen_pool())

    with pytest.raises(Refused, match="Make the pool again"):
        pools.freeze(pool, unfreeze)
    pool.refresh_from_db()
    assert pool.frozen is None


def test_another_name_of_its_campaign_changes_nothing(campaign, answers):
    pool = pools.build(campaign, on_progress)
    campaigns.update(answers, name="Renamed", edition=answers.edition, seed=answers.seed, rules={})
    pools.freeze(pool, on_progress)


def test_the_plan_is_that_of_the_seeded_pool_and_outdated_once_the_answers_grew(campaign, answers, tmp_path):
    planning.compute(campaign, on_progress)
    pool = pools.build(campaign, on_progress)
    assert planning.find(campaign).about["units"][1][1] == pool.entries.count() == 3
    grow(answers, tmp_path)
    assert planning.is_outdated(campaign)


def test_an_extension_is_seeded_by_the_same_answers(campaign, answers, tmp_path):
    pool = pools.freeze(pools.build(campaign, on_progress), on_progress)
    grow(answers, tmp_path)  # by 22, after the pool of formulas was frozen
    late = add_run(campaign, tmp_path, LATE, pool_role="none")
    extension.extend(pool, Change({late.pk: "primary"}, {}), campaign.members.get().user, on_progress)
    fresh = Instance.objects.filter(entry__pool=pool, version=2)
    assert sorted(fresh.values_list("doc_id", flat=True)) == ["120", "320"]  # first, and in 12
    pool.refresh_from_db()
    assert pool.answer_pool["version"] == 1


def test_the_report_knows_who_brought_in_what_was_seeded(campaign):
    pool = pools.freeze(pools.build(campaign, on_progress), on_progress)
    reports.compute(pool, on_progress)
    report = reports.find(pool)
    assert [(run["units"], run["top"], run["judged"]) for run in report["runs"]] == [(3, 4, 3)]
    assert {check["name"]: check["is_met"] for check in report["checks"]}["Every unit was retrieved by one of the runs"]


def test_a_pool_of_answers_stays_while_a_frozen_pool_was_seeded_by_it(campaign, answers):
    pool = pools.freeze(pools.build(campaign, on_progress), on_progress)
    with pytest.raises(Refused, match="frozen pool of Formulas was seeded from this one"):
        pools.unfreeze(answers.frozen_pool())
    pools.unfreeze(pool)
    pools.unfreeze(answers.frozen_pool())


def test_a_pool_of_answers_that_is_gone_is_named(campaign, answers, tmp_path):
    pool = pools.freeze(pools.build(campaign, on_progress), on_progress)
    answers.pools.all().delete()
    late = add_run(campaign, tmp_path, LATE, pool_role="none")
    with pytest.raises(Refused, match="pool of Answers that has seeded this one is gone"):
        extension.fresh_lines(pool, Change({late.pk: "primary"}, {}), on_progress)


def test_a_pool_from_a_file_names_the_pool_of_answers_too(campaign, tmp_path):
    path = tmp_path / "pool.tsv"
    path.write_text(pools.as_file(pools.build(campaign, on_progress)))
    with path.open("rb") as source:
        pool = pools.import_file(campaign, source, path.name)
    assert pool.answer_pool["campaign"] == "Answers"
    pools.freeze(pool, on_progress)


def test_a_campaign_of_before_the_rule_can_be_renamed_with_its_pool_frozen(answers):
    make_cast(answers)
    del answers.protocol["seed_from_task1"]
    answers.save()
    campaigns.update(answers, name="New name", edition="E", seed=answers.seed, rules={})
    assert (answers.name, answers.rules.seed_from_task1) == ("New name", False)
