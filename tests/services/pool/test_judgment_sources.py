"""Sources of judgments: imported whole or not at all, kept as they are."""

from pathlib import Path

import pytest

from assess.ir.common.problems import BadInput
from assess.models import Campaign, JudgmentSource
from assess.services.agreement import agreement
from assess.services.common.errors import Refused
from assess.services.pool import judgment_sources
from tests.cast import import_index, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import client_of, judge, make_lab, make_source, qrels_of

pytestmark = pytest.mark.django_db


def test_a_source_keeps_what_its_file_says(tmp_path: Path) -> None:
    rows = "topic,document,grade,assessor,comment\nA.1,11,High,gpt,because\nA.1,11,1,eve,\nA.9,12,Do not know,eve,hm\n"
    source = make_source(make_campaign(), tmp_path, rows, note="by the crowd", kind="human")
    assert (source.format, source.kind, source.note) == ("table", "human", "by the crowd")
    assert source.file_name == "other.file"
    grades, labellers = {"3": 1, "1": 1, "do_not_know": 1}, {"eve": 2, "gpt": 1}
    assert source.counts == {"lines": 3, "items": 2, "topics": 2, "grades": grades, "labellers": labellers}
    lines = source.lines.values_list("topic_id", "item_id", "labeller", "grade", "outcome", "comment")
    assert list(lines) == [
        ("A.1", "11", "gpt", 3, "", "because"),
        ("A.1", "11", "eve", 1, "", ""),
        ("A.9", "12", "eve", None, "do_not_know", "hm"),
    ]
    assert judgment_sources.topics_here(source) == 1


def test_a_file_with_an_error_or_that_is_known_or_a_known_name_is_refused_whole(tmp_path: Path) -> None:
    campaign = make_campaign()
    with pytest.raises(BadInput, match=r"other\.file:2: the grade must be 0 to 3, 5 or 6, found 7"):
        make_source(campaign, tmp_path, "A.1\t0\t11\t3\nA.1\t0\t12\t7\n")
    assert not JudgmentSource.objects.exists()
    make_source(campaign, tmp_path, qrels_of({"11": 3}))
    with pytest.raises(Refused, match="already a source with the name other"):
        make_source(campaign, tmp_path, qrels_of({"11": 2}))
    with pytest.raises(Refused, match=r"again\.file has already been imported, as other. To import it again, delete"):
        make_source(campaign, tmp_path, qrels_of({"11": 3}), "again")
    make_source(make_campaign(), tmp_path, qrels_of({"11": 3}))  # elsewhere they are new


def test_coverage_compares_the_pool_with_what_was_judged_by_document_or_by_visual_id(tmp_path: Path) -> None:
    campaign = make_campaign()
    pool = make_pool(campaign)  # four answers for each of two topics
    source = make_source(campaign, tmp_path, qrels_of({"11": 3, "12": 0, "77": 1}) + "A.7\t0\t11\t2\n")
    assert judgment_sources.coverage(source, pool) == {"pooled": 8, "judged": 2, "beyond": 2}
    campaign = make_campaign("arqmath3-task2")
    import_index(campaign, tmp_path, ("110", "v1", "x"))
    pool = make_pool(campaign)  # B.1 and B.2: v1 with 110, 120, 210, and v2 with 220
    instances = make_source(campaign, tmp_path, qrels_of({"110": 3, "220": 1}, "B.1"))
    units = make_source(campaign, tmp_path, qrels_of({"v1": 3, "v9": 1}, "B.2"), "units", items="unit")
    assert judgment_sources.coverage(instances, pool) == {"pooled": 8, "judged": 2, "beyond": 0}
    assert judgment_sources.coverage(units, pool) == {"pooled": 4, "judged": 1, "beyond": 1}


def test_a_source_is_deleted_only_while_nothing_uses_it(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    source, unused = (make_source(lab.campaign, tmp_path, qrels_of({"11": n}), f"s{n}") for n in (3, 2))
    agreement.report(lab.pool, on_progress, opinions=agreement.compare_sources(lab.pool, [source]))
    with pytest.raises(Refused, match=r"s3 can.t be deleted.*1 report on agreement"):
        judgment_sources.delete_source(source, lab.cast.olga)
    judgment_sources.delete_source(unused, lab.cast.olga)
    assert list(JudgmentSource.objects.all()) == [source]


def test_assessors_never_see_imported_judgments(tmp_path: Path) -> None:
    """The desk, its items and lists say the same with and without a source that judged the pool."""
    campaign: Campaign = make_campaign()
    cast, pool = make_cast(campaign), make_pool(campaign)
    assignment = make_assignment(pool, cast.ada)
    judge(assignment, {"11": "3"})

    def pages() -> list[str]:
        client = client_of(cast.ada)
        places = range(1, len(assignment.order) + 1)
        addresses = ["/", campaign.get_absolute_url(), *(f"/judge/{assignment.pk}/{place}/" for place in places)]
        return [client.get(address).content.decode() for address in addresses]

    before = pages()
    rows = "".join(f"A.1,{document},2,oracle-9,secret reasoning\n" for document in ("11", "12", "21", "99"))
    make_source(campaign, tmp_path, "topic,document,grade,assessor,comment\n" + rows, "oracle")
    assert all("oracle" not in page and "secret" not in page for page in pages())
    assert list(map(len, pages())) == list(map(len, before))
