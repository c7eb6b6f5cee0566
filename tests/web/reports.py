"""Shared by the tests of progress, agreement, releases and results."""

import json
import re
from typing import Any

from benchmarks.parts import address_of
from tests.lab import Lab, client_of


def url_of(name: str, lab: Lab, **more: object) -> str:
    arguments: dict[str, dict[str, object]] = {
        "agreement_report": {"pk": lab.report.pk},
        "agreement_pair": {"pk": lab.report.pk, "first": "ada", "second": "emmy"},
        "release": {"version": 1},
        "release_manifest": {"version": 1},
        "release_items": {"version": 1},
        "verification_start": {"version": 1},
        "release_file": {"version": 1, "unit": "post", "grades": "graded"},
        "evaluation": {"pk": lab.evaluation.pk},
        "evaluation_file": {"pk": lab.evaluation.pk, "file_format": "csv"},
        "evaluation_categories": {"pk": lab.evaluation.pk},
        "evaluation_significance": {"pk": lab.evaluation.pk},
        "evaluation_pair": {"pk": lab.evaluation.pk},
        "evaluation_correlations": {"pk": lab.evaluation.pk},
        "evaluation_run_file": {
            "file_format": "csv",
            "pk": lab.evaluation.pk,
            "run_pk": lab.campaign.runs.get(name="alpha").pk,
        },
        "evaluation_run": {"pk": lab.evaluation.pk, "run_pk": lab.campaign.runs.get(name="alpha").pk},
    }
    return address_of(name, **{"slug": lab.campaign.slug, **arguments.get(name, {}), **more})


def page_of(lab: Lab, name: str, person: str = "olga", query: str = "", **more: object) -> str:
    response = client_of(getattr(lab.cast, person)).get(with_query(url_of(name, lab, **more), query))
    assert response.status_code == 200
    return squeeze(response.content.decode())


def with_query(address: str, query: str) -> str:
    return address + query.replace("?", "&") if "?" in address else address + query


def squeeze(page: str) -> str:
    """With one space for white space, and none around rows and cells of tables, where it means nothing."""
    return re.sub(r" ?(</?(?:thead|tbody|tr|th|td)\b[^>]*>) ?", r"\1", " ".join(page.split()))


def json_in(page: str, element: str) -> Any:
    """The data that a page has for its script."""
    match = re.search(f'<script id="{element}" type="application/json">(.*?)</script>', page)
    assert match
    return json.loads(match[1])
