"""A pool of exactly what a source judged, for a collection whose judgments were published."""

from pathlib import Path

import pytest

from assess.ir.common.problems import BadInput
from assess.models import GoldGrade, Instance, Pool
from assess.services.common.errors import Refused
from assess.services.pool import freezing, judgment_sources, pools, reports, source_pool
from tests.cast import make_campaign, make_cast, make_pool, on_progress
from tests.formulas import import_index
from tests.sources import make_source, qrels_of

pytestmark = pytest.mark.django_db


def documents(pool: Pool) -> list[tuple[str, str, str]]:
    rows = Instance.objects.filter(entry__pool=pool).order_by("pk")
    return sorted(rows.values_list("entry__topic__topic_id", "entry__unit_id", "doc_id"))


def gold(pool: Pool) -> dict[str, int]:
    return dict(GoldGrade.objects.filter(instance__entry__pool=pool).values_list("instance__doc_id", "grade"))


def test_the_pool_has_what_the_source_judged_and_is_frozen(tmp_path: Path) -> None:
    campaign = make_campaign()
    campaign.collection = None  # published topics and qrels are all there is
    campaign.save()
    cast = make_cast(campaign)
    text = "topic,document,grade\nA.1,901,3\nA.1,902,Do not know\nA.2,901,0\n"
    source = make_source(campaign, tmp_path, text, "published", "human")
    pool = source_pool.make(campaign, source, cast.olga, on_progress)
    assert documents(pool) == [("A.1", "901", "901"), ("A.1", "902", "902"), ("A.2", "901", "901")]
    assert sorted(GoldGrade.objects.values_list("instance__entry__topic__topic_id", "instance__doc_id", "grade")) == [
        ("A.1", "901", 3),
        ("A.2", "901", 0),
    ]
    assert (pool.frozen is not None, pool.frozen_by, pool.judgment_source) == (True, cast.olga, source)
    assert pool.source == "published (published.file)"
    assert judgment_sources.uses(source) == ["1 pool"]
    assert all(Instance.objects.values_list("content_hash", flat=True))
    assert reports.source_check(pool)[1:] == (True, "3 of 3")
    Instance.objects.filter(doc_id="902").update(doc_id="903")
    assert reports.source_check(pool)[1:] == (False, "2 of 3")


def test_unknown_topics_are_refused_and_nothing_is_stored(tmp_path: Path) -> None:
    campaign = make_campaign()
    source = make_source(campaign, tmp_path, qrels_of({"11": 1}) + qrels_of({"12": 1}, "A.9"))
    with pytest.raises(BadInput, match=r"other\.file: unknown topic A\.9: import its topics first"):
        source_pool.make(campaign, source, make_cast(campaign).olga, on_progress)
    assert not Pool.objects.exists()


def test_a_frozen_pool_is_not_replaced_but_an_open_one_is(tmp_path: Path) -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    source = make_source(campaign, tmp_path, qrels_of({"11": 1}))
    make_pool(campaign, frozen=False)
    pool = source_pool.make(campaign, source, cast.olga, on_progress)
    assert list(Pool.objects.all()) == [pool]
    with pytest.raises(Refused, match="The pool is frozen"):
        source_pool.make(campaign, source, cast.olga, on_progress)
    freezing.unfreeze(pool)
    pools.discard(campaign)
    assert judgment_sources.uses(source) == []


def test_instances_get_their_visual_ids_from_the_index(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    import_index(campaign, tmp_path, ("110", "v1", "x"), ("120", "v1", "x"), ("210", "v2", "y"), ("220", "", "z"))
    source = make_source(campaign, tmp_path, qrels_of({"110": 1, "120": 3, "210": 0}, "B.1"))
    pool = source_pool.make(campaign, source, make_cast(campaign).olga, on_progress)
    assert documents(pool) == [("B.1", "v1", "110"), ("B.1", "v1", "120"), ("B.1", "v2", "210")]
    assert set(pool.entries.get(unit_id="v1").instances.values_list("post_id", flat=True)) == {"11", "12"}
    freezing.unfreeze(pool)
    unknown = make_source(campaign, tmp_path, qrels_of({"999": 1}, "B.1"), "unknown")
    with pytest.raises(BadInput, match=r"unknown\.file: formula 999 has no visual id"):
        source_pool.make(campaign, unknown, make_cast(campaign).olga, on_progress)


def test_visual_ids_need_no_index_and_have_one_document_each(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    import_index(campaign, tmp_path, ("110", "v1", "x"))
    source = make_source(campaign, tmp_path, qrels_of({"v1": 2, "110": 1}, "B.1"), items="unit")  # 110: a visual id
    pool = source_pool.make(campaign, source, make_cast(campaign).olga, on_progress)
    assert documents(pool) == [("B.1", "110", "unit:110"), ("B.1", "v1", "unit:v1")]
    assert gold(pool) == {"unit:110": 1, "unit:v1": 2}
    assert set(Instance.objects.values_list("kind", "post_id")) == {("formula", "")}
