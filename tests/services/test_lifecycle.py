"""Campaigns are deleted with all that is theirs and nothing of others."""

from pathlib import Path

import pytest
from django.apps import apps

from assess.models import Campaign, Collection, Judgment, Pool
from assess.services import lifecycle
from assess.services.agreement import agreement
from assess.services.desk import rulings
from assess.services.scores import what_if
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import judge, make_lab, make_source, qrels_of

KEPT = {"Account", "Collection", "Post", "Comment", "PostLink", "VisualMap"}


def rows() -> dict[str, int]:
    """How many rows each model has."""
    return {model.__name__: model._default_manager.count() for model in apps.get_app_config("assess").get_models()}


@pytest.mark.engines
@pytest.mark.django_db(transaction=True)
def test_a_deleted_campaign_leaves_nothing_and_others_stay(tmp_path: Path) -> None:
    other = make_campaign(name="Other")
    judge(make_assignment(make_pool(other), make_cast(other).ada), {"11": "3"})
    before = rows()
    lab = make_lab(tmp_path)
    rulings.ask_question(lab.official.pk, lab.cast.ada, 1, "Why?", 0)
    judge(lab.official, {"11": "do_not_know"})
    source = make_source(lab.campaign, tmp_path, qrels_of({"11": 1}))
    agreement.report(lab.pool, on_progress, opinions=agreement.compare_sources(lab.pool, [source]))
    what_if.score_what_if(source, lab.release, on_progress)
    Pool.objects.filter(pk=lab.pool.pk).update(judgment_source=source)
    campaign, collection = lab.campaign, lab.campaign.collection
    lifecycle.delete_campaign(campaign)
    assert not Campaign.objects.filter(pk=campaign.pk).exists()
    assert Collection.objects.filter(pk=collection.pk).exists()
    after = rows()
    assert {name for name in before if before[name] != after[name]} <= KEPT
    assert Judgment.objects.count() == 1
