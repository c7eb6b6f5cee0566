"""The site as a script sees it: every page that a person can reach by links, and the forms on these pages."""

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import lxml.html
from django.test import Client

TAKEN_BY_BROWSER = {"submit", "button", "reset", "image"}


class Field(NamedTuple):
    """A field of a form: its kind ("text", "file", "select", …) and the values that the page offers."""

    name: str
    kind: str
    values: tuple[str, ...]


class Form(NamedTuple):
    """A form that changes something."""

    page: str
    action: str
    fields: tuple[Field, ...]

    def __repr__(self) -> str:
        return f"{self.action} on {self.page}"


def crawl(client: Client) -> dict[str, Any]:
    """The HTML of all pages of this site that links lead to, by address."""
    pages: dict[str, Any] = {}
    queue = ["/"]
    while queue:
        address = queue.pop()
        if address in pages or address.startswith(("/static/", "/admin/", "/api/")):
            continue
        response = client.get(address, follow=True)
        assert response.status_code < 500, address
        is_page = response.status_code == 200 and response.headers["Content-Type"].startswith("text/html")
        pages[address] = page = lxml.html.fromstring(response.content) if is_page else None
        if page is not None:
            queue += [target for link in page.iter("a") if (target := here(address, link.get("href", "")))]
    return {address: page for address, page in pages.items() if page is not None}


def here(page: str, link: str) -> str:
    """The address within this site that a link of a page leads to, without a query and fragment; empty if elsewhere."""
    target = urlsplit(urljoin(page, link))
    return "" if target.netloc or target.scheme else target.path


def forms(pages: dict[str, Any]) -> Iterator[Form]:
    """Every form that posts; forms with the same path but other numbers are repeated."""
    for address, page in pages.items():
        for form in page.iter("form"):
            if (form.get("method") or "get").lower() == "post":
                action = here(address, form.get("action") or address)
                yield Form(address, action, tuple(fields(page, form)))


def fields(page: Any, form: Any) -> Iterator[Field]:
    """The fields of a form, also those outside it that name it."""
    outside = page.xpath("//*[@form=$name]", name=form.get("id")) if form.get("id") else []
    for element in [*form.xpath(".//*[@name]"), *[other for other in outside if other.get("name")]]:
        kind = element.get("type", "text") if element.tag == "input" else element.tag
        if element.tag == "select":
            yield Field(element.get("name"), kind, tuple(option.get("value", "") for option in element.iter("option")))
        elif kind in TAKEN_BY_BROWSER or element.tag == "button":
            yield Field(element.get("name"), "button", (element.get("value", ""),))
        else:
            yield Field(element.get("name"), kind, (element.get("value") or element.text or "",))
