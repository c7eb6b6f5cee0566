"""The parts of pages, which a query names, as if each had an address of its own: for what opens all of them."""

import re
from urllib.parse import quote

from django.urls import reverse

PARTS = {
    "agreement_pair": "agreement?report={pk}&first={first}&second={second}",
    "agreement_report": "agreement?report={pk}",
    "baselines": "runs?baselines=",
    "board": "assignments?board=",
    "collection_images": "collection?collection_images=",
    "document_history": "progress?history={pk}",
    "evaluation": "results?evaluation={pk}",
    "evaluation_categories": "results?evaluation={pk}&part=categories",
    "evaluation_categories_file": "results_file?evaluation={pk}&part=categories",
    "evaluation_correlations": "results?evaluation={pk}&part=measures",
    "evaluation_correlations_file": "results_file?evaluation={pk}&part=measures",
    "evaluation_file": "results_file?evaluation={pk}",
    "evaluation_pair": "results?evaluation={pk}&part=two-runs",
    "evaluation_pair_file": "results_file?evaluation={pk}&part=two-runs",
    "evaluation_run": "results?evaluation={pk}&part=run&run={run_pk}",
    "evaluation_run_file": "results_file?evaluation={pk}&part=run&run={run_pk}",
    "evaluation_significance": "results?evaluation={pk}&part=significance",
    "evaluation_significance_file": "results_file?evaluation={pk}&part=significance",
    "formula_cluster": "collection?visual_id={visual_id}",
    "formula_repair": "collection?repair={number}",
    "formulas": "collection?formulas=",
    "fuse": "runs?fuse=",
    "hand_over": "assignments?hand_over={pk}",
    "history": "campaign_edit?history=",
    "judgment_columns": "judgment_sources?columns={refused}",
    "judgment_labels": "judgment_sources?labels=",
    "judgment_source": "judgment_sources?source={pk}",
    "outcomes": "questions?outcomes=",
    "pool_extend": "pool?extend=",
    "pool_plan": "pool?plan=",
    "pool_report": "pool?report_on={version}",
    "pool_topic": "pool?topic={topic_id}",
    "release": "releases?release={version}",
    "releases_compare": "releases?first=1&second=2",
    "reliability_report": "reliability?reliability={pk}",
    "replace_member": "members?replace={pk}",
    "round": "round?round={pk}",
    "run": "runs?run={pk}",
    "settings_desk": "campaign_edit?desk=",
    "statistics": "results?statistics=",
    "topic_set": "releases?topic_set=",
    "topic_thread": "topic?thread=",
    "topic_threads": "topics?topic_threads=",
    "what_if": "results?what_if={pk}",
    "written_report": "results?written_report=",
}
"""The page of each and its query."""


def page_of_part(name: str) -> str:
    return PARTS.get(name, name).partition("?")[0]


def named_in_query(name: str) -> list[str]:
    """What varies in the query of a part."""
    return re.findall(r"{(\w+)}", PARTS.get(name, ""))


def address_of(name: str, /, **arguments: object) -> str:
    """Of a page or part."""
    page, _, query = PARTS.get(name, name).partition("?")
    named = {part: quote(str(arguments.pop(part))) for part in named_in_query(name)}
    return f"{reverse(page, kwargs=arguments)}?{query.format(**named)}".removesuffix("?")
