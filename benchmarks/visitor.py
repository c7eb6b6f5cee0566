"""Somebody who uses the pages as a browser without scripts does: signs in, fills in forms, follows redirects."""

import json
from collections.abc import Mapping
from http.cookiejar import CookieJar
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from lxml import html


class Answer(NamedTuple):
    """What came back after all redirects, with the address that it came from."""

    status: int
    address: str
    text: str

    @property
    def page(self) -> html.HtmlElement:
        return html.fromstring(self.text)

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def path(self) -> str:
        """With the query, which names a part of a page."""
        return urlsplit(self.address)._replace(scheme="", netloc="").geturl()


class Visitor:
    """A person and their browser, on a server."""

    def __init__(self, server: str, name: str) -> None:
        self.server, self.name = server, name
        self.cookies = CookieJar()
        self.opener = build_opener(HTTPCookieProcessor(self.cookies))

    def get(self, path: str) -> Answer:
        return self.ask(Request(urljoin(self.server, path)))

    def read(self, path: str) -> Answer:
        """A page that the visitor must be able to see."""
        return expect(self.get(path))

    def post(self, path: str, fields: Mapping[str, Any], accept: str = "text/html") -> Answer:
        head = {"Content-Type": MULTIPART_CONTENT, "Accept": accept}
        return self.ask(Request(urljoin(self.server, path), encode_multipart(BOUNDARY, dict(fields)), head))

    def post_json(self, path: str, content: object) -> Answer:
        head = {"Content-Type": "application/json", "Accept": "application/json"}
        return self.ask(Request(urljoin(self.server, path), json.dumps(content).encode(), head))

    def ask(self, request: Request) -> Answer:
        if request.data is not None and (token := self.cookie("csrftoken")):
            request.add_header("X-CSRFToken", token)
        try:
            answer = self.opener.open(request, timeout=120)
        except HTTPError as refusal:
            answer = refusal
        with answer:
            return Answer(answer.status or 0, answer.url, answer.read().decode())

    def cookie(self, name: str) -> str:
        return next((cookie.value or "" for cookie in self.cookies if cookie.name == name), "")

    def submit(self, path: str, action: str, **fields: Any) -> Answer:
        """Open a page, fill in its form for this address ("" for the page's own), and send it. A list of labels ticks
        their boxes."""
        page = self.read(path).page
        form = next(form for form in page.forms if (form.get("action") or "") in (action, urljoin(path, action)))
        values: dict[str, Any] = {}
        for name, value in form.form_values():
            values.setdefault(name, []).append(value)
        values |= fields
        values |= {name: ticked(form, name, value) for name, value in fields.items() if isinstance(value, list)}
        return self.require_done(expect(self.post(form.get("action") or path, values)))

    def require_done(self, answer: Answer) -> Answer:
        """If a form has started a job, it must have ended well."""
        if answer.path.startswith("/jobs/"):
            job = self.read(f"/api{answer.path}").json
            if job["state"] != "done":
                raise SystemExit(f"{job['kind']}: {job['state']} {job['error']}")
        return answer

    def sign_in(self, password: str) -> None:
        self.cookies.clear()
        if self.submit("/login/", "", username=self.name, password=password).path == "/login/":
            raise SystemExit(f"{self.name} could not sign in")


def expect(answer: Answer) -> Answer:
    """An answer that is neither refused nor shows an error."""
    errors = [] if answer.text[:1] in "[{" else answer.page.find_class("error")
    if answer.status != 200 or errors:
        raise SystemExit(f"{answer.address}: {answer.status} {[error.text_content() for error in errors]}")
    return answer


def ticked(form: html.HtmlElement, name: str, labels: list[str]) -> list[str]:
    """The values of the boxes or options whose labels begin with these words."""
    boxes = form.xpath(".//input[@name=$name]/.. | .//select[@name=$name]/option", name=name)
    values = {box.text_content().split()[0]: box.xpath("(. | input)/@value")[0] for box in boxes}
    return [values[label] for label in labels]
