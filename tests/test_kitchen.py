"""The demo's lab of household tips: its files are consistent, and every step of a campaign takes them."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from assess.models import Instance, Judgment
from assess.services import demo
from benchmarks.parts import address_of
from tests.lab import client_of

PAGES = """campaign topics campaign_edit statistics topic_set releases results agreement collection runs runs_template
fuse baselines pool pool_plan pool_extend assignments board progress rounds disagreements outcomes questions
judgment_sources judgment_labels members history reliability jobs guidelines campaign_lab"""
WRONG = re.compile(r"\b(formulas?|posts?|threads?|H\+M|bpref hm|ARQMath|NTCIR|written answers?|visual ids?)\b", re.I)
KITCHEN = Path(__file__).parent.parent / "fixtures" / "kitchen"


@pytest.mark.django_db
def test_it_is_judged_in_part_and_reads_like_no_lab_of_mathematics() -> None:
    olga = demo.make_demo_account(demo.ORGANIZER, is_staff=True)
    campaign = demo.load_kitchen(KITCHEN)
    pool = campaign.frozen_pool()
    assert (pool.missing, Instance.objects.filter(entry__pool=pool).count()) == ([], 25)
    assert Judgment.objects.filter(assignment__topic__campaign=campaign).count() == 21
    [pair] = pool.agreement_reports.get().pairs
    assert (pair["n"], pair["agreement"]) == (8, 0.75)  # two of eight differ by one grade
    assert pool.qrels.get().counts["document"]["lines"] == 12  # of K1 and K2, without one that emmy does not know
    reader = client_of(olga)
    for name in PAGES.split():
        page = reader.get(address_of(name, slug=campaign.slug)).content.decode()
        said = [strip_tags(page[page.index("<body") :] if "<body" in page else page)]
        said += re.findall(r'(?:title|placeholder|alt|aria-label)="([^"]+)"', page)
        assert [text[found.start() - 40 : found.end() + 40] for text in said for found in WRONG.finditer(text)] == [], (
            name
        )
    for file_format in ("csv", "tex", "tsv"):
        table = reader.get(reverse("results_file", args=[campaign.slug, file_format]))
        assert re.findall(r"data|math", table.content.decode()) == []
    for name in ("topic_threads", "written_report", "formulas"):
        assert reader.get(address_of(name, slug=campaign.slug)).status_code == 404
