"""Shared by the tests of progress, agreement, releases and results."""

import json
import re
from typing import Any

from benchmarks.parts import address_of
from tests.lab import Lab, client_of
from tests.web.site import ROUTES, TEXTS


def url_of(name: str, lab: Lab, **more: object) -> str:
    about = lab.report if name.startswith("agreement") else lab.evaluation
    known = {**TEXTS, "slug": lab.campaign.slug, "pk": about.pk, "version": 1}
    known |= {"run_pk": lab.campaign.runs.get(name="alpha").pk, **more}
    return address_of(name, **{part: known[part] for part in ROUTES[name]})


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
