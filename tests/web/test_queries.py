"""How many queries each page takes, and that more rows take no more."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.lab import client_as
from tests.web.site import Site
from tests.web.test_doors import COUNTED, WHO, is_open

pytestmark = pytest.mark.django_db

AT_MOST = {
    7: "api-pool api-pool-documents api-release-lines api-scores collection_images "
    "evaluation_pair evaluation_pair_file evaluation_significance evaluation_significance_file what_if",
    8: "evaluation_categories evaluation_categories_file fuse hand_over health outcomes release release_items run "
    "replace_member written written_answer",
    9: "evaluation_run_file formulas pool_extend questions topic topic_threads written_file written_report",
    10: "progress reliability reliability_report thread",
    11: "board campaign_edit home pool_topic",
    12: "desk_news evaluation_file history results_file topic_thread",
    13: "agreement agreement_report preview",
    14: "evaluation_run releases_compare topic_set",
    15: "baselines",
    16: "judge judgment_source pool_plan pool_report statistics statistics_file",
    19: "disagreements releases",
    20: "evaluation results runs",
    21: "collection topics",
    22: "round",
    24: "members",
    25: "assignment rounds",
    28: "assignments campaign",
    29: "pool",
}
"""Other addresses take 6 at most. Counted for an organizer, an expert and an assessor, as far as they may open it."""


def queries_of_all_pages(site: Site, people: int = len(COUNTED)) -> dict[tuple[str, str], int]:
    """By page and person, of so many people who may open it."""
    counted = {}
    clients = {person: client_as(site.cast, person) for person in COUNTED}
    for name, (readers, _) in WHO.items():
        if name == "api-schema":  # is about no rows, and takes as long as twenty others
            continue
        for person in sorted(clients.keys() & set(readers))[:people]:
            with CaptureQueriesContext(connection) as queries:
                assert is_open(clients[person].get(site.url(name))), name
            counted[name, person] = len(queries)
    return counted


def test_no_page_takes_more_queries_for_more_rows(site: Site) -> None:
    site.grow(3)
    queries_of_all_pages(site, people=1)  # fills caches
    few = queries_of_all_pages(site)
    for number in (4, 5):
        site.grow(number)
    many = queries_of_all_pages(site)
    assert {page: (few[page], count) for page, count in many.items() if count > few[page]} == {}
    limits = {name: limit for limit, names in AT_MOST.items() for name in names.split()}
    assert {page: count for page, count in few.items() if count > limits.get(page[0], 6)} == {}
