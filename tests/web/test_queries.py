"""How many queries each page takes, and that more rows take no more."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.lab import client_as
from tests.web.site import Site
from tests.web.test_doors import COUNTED, WHO, is_open

pytestmark = pytest.mark.django_db

AT_MOST = {
    7: "evaluation_categories evaluation_categories_file evaluation_run_file hand_over outcomes release_items "
    "replace_member run topic",
    8: "campaign_edit formulas health releases_compare reliability reliability_report written written_answer "
    "written_report",
    9: "progress thread",
    10: "baselines board evaluation_run pool_topic",
    11: "agreement agreement_report evaluation_file history home results_file topic_thread",
    12: "desk_news preview topic_set",
    13: "statistics statistics_file",
    14: "pool_plan pool_report",
    15: "judgment_source",
    16: "judge",
    17: "disagreements releases",
    19: "evaluation results round runs",
    20: "collection topics",
    23: "members",
    24: "assignment",
    25: "rounds",
    27: "assignments campaign",
    28: "pool",
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
