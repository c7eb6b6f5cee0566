"""Hostile values at every door. What they do is rolled back after each example; jobs run at once, in the test."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoCaptureOnCommitCallbacks
from rest_framework.throttling import UserRateThrottle

from assess import tasks
from assess.ir.common.problems import BadInput
from assess.models import Campaign, Job
from assess.services.collection.preparing import CollectionFile
from assess.services.common.errors import Refused
from assess.services.pool import freezing, pools
from benchmarks.parts import address_of
from tests.cast import import_files, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.fuzz.site import Form, crawl, forms
from tests.ir.formats.test_thread_pages import LAB
from tests.lab import Lab, add_run, client_as, make_formulas
from tests.lab_steps import ASKED, FILES, FORMULA_RUN, OLD_QRELS, OLD_TOPIC, POOL_FILE, RUNS

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Fuzz = Callable[[Client, Form, dict[str, Any]], None]
"""Sends a form and does the job that it starts."""

many = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), print_blob=False)

HOSTILE = [
    *("", " ", "\0", "a\0b", "a\nb\r\nc", "a\tb", "/", "../../../etc/passwd", "A.1/2", "%00", "%", "?#&"),
    *("<script>alert(1)</script>", "=1+1", "-1", "0", "1e999", "nan", "0.1", str(2**31), str(2**63)),
    "٣",  # a digit, but not ASCII
    *("9" * 20, "9" * 5000, "x" * 300, "ü" * 300, "x" * 70_000, "[" * 2000, '{"a":' * 500, r"$\frac{" * 300),
    *("\N{RIGHT-TO-LEFT OVERRIDE}abc", "\N{FACE WITH TEARS OF JOY}" * 100),
]
WORST = ["\0", "a\nb", "../x", "%00?#&", "<script>alert(1)</script>", "nan", "-1", "9" * 5000, "x" * 300]
"""For what takes long."""
TOKENS = re.compile(rb"[^\t\n\"<>]+")
"""Cells of tables, attributes and texts of XML."""


class Upload(io.BytesIO):
    """A file under any name that a script may send."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name or "file"


@pytest.fixture
def young_campaign(tmp_path: Path) -> Campaign:
    """Topics, a collection and a run, but no pool yet."""
    campaign = make_campaign(name="Young")
    make_cast(campaign)
    add_run(campaign, tmp_path, RUNS["alpha"])
    return campaign


@pytest.fixture
def formula_campaign(tmp_path: Path) -> Campaign:
    campaign = make_formulas(tmp_path)
    make_cast(campaign)
    return campaign


@contextmanager
def undone() -> Iterator[None]:
    """Rolls back what happens in the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def check(response: Any, what: object) -> None:
    assert response.status_code < 500, what
    unfinished = Job.objects.unfinished()
    assert not unfinished.exists(), list(unfinished.values())
    wrong = Job.objects.filter(error__startswith="Unexpected error").first()
    assert wrong is None, (what, wrong.kind, wrong.params, wrong.error)


@pytest.fixture
def fuzz(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Fuzz:
    monkeypatch.setattr("assess.services.jobs.job_queue.RETRY_SECONDS", (0,))
    monkeypatch.setattr("assess.services.jobs.job_queue.BEAT_SECONDS", 1000)

    def send(client: Client, form: Form, data: dict[str, Any]) -> None:
        with undone():
            with django_capture_on_commit_callbacks() as callbacks:
                response = client.post(form.action, data)
            for job in Job.objects.unfinished():
                tasks.run_job(job.pk)
            assert len(callbacks) <= 50
            check(response, (form, data))
            check(client.get(form.page), (form, data))

    return send


def distinct(every: list[Form]) -> list[Form]:
    """One of the forms that differ by numbers only."""
    kinds = {(re.sub(r"\d+", "0", form.action), tuple(field.name for field in form.fields)): form for form in every}
    return list(kinds.values())


@pytest.fixture(
    params=[("lab", "olga", 10), ("lab", "ada", 3), ("young_campaign", "olga", 10), ("formula_campaign", "olga", 10)],
    ids=str,
)
def doors(request: pytest.FixtureRequest) -> tuple[Client, list[Form]]:
    """A person in a campaign, and the forms within reach."""
    state, person, least = request.param
    request.getfixturevalue(state)
    client = client_as(make_cast(), person)
    every = distinct(list(forms(crawl(client))))
    assert len(every) > least
    return client, every


def test_each_field_takes_or_refuses_anything(doors: tuple[Client, list[Form]], fuzz: Fuzz) -> None:
    """All that is hostile in one field, the others as a person fills them in."""
    client, every = doors
    for form in every:
        filled = {
            field.name: next(filter(None, field.values), "gauss") for field in form.fields if field.kind != "file"
        }
        for field in form.fields:
            for word in HOSTILE:
                fuzz(client, form, filled | {field.name: Upload(word, b"x") if field.kind == "file" else word})


TOPICS = """<Topics><Topic number="A.7"><Title>T</Title><Question>Q</Question><Tags>a,b</Tags></Topic></Topics>"""
LIKE_POSTS = ("comments", "links", "users", "votes")
UPLOADS: list[tuple[str, str, str, dict[str, str]]] = [
    ("topics", "file", TOPICS, {}),
    ("topic_sheet", "file", "Topic,Category,Difficulty,Dependency\nA.1,Proof,hard,both\n", {}),
    ("members", "file", "zoe, Zoe Z, zoe@example.org\nada, , , expert\n", {}),
    *[("collection", kind, text, {}) for kind, text in FILES.items()],
    ("collection_images", "images", "GIF89a", {}),
    ("topic_threads", "posts", ASKED, {}),
    *[("topic_threads", kind, FILES[kind], {"posts": ASKED}) for kind in LIKE_POSTS],
    ("topic_threads", "pages", LAB, {}),
    *[("runs", "run_files", text, {}) for text in (*RUNS.values(), FORMULA_RUN)],
    ("runs", "table", "file\tteam\tname\tpool_role\nfile.xml\tAlpha\tfirst\tprimary\n", {"run_files": RUNS["beta"]}),
    ("pool", "file", POOL_FILE, {}),
    ("judgment_sources", "file", "A.1\t0\t11\t2\n", {}),
    ("judgment_sources", "file", "topic,document,grade,assessor\nA.1,11,High,w1\n", {}),
    ("judgment_sources", "file", '{"topic": "A.1", "document": "11", "grade": 2}\n', {}),
    ("round_prepare", "topics_file", OLD_TOPIC, {"qrels_file": OLD_QRELS}),
    ("round_prepare", "qrels_file", OLD_QRELS, {"topics_file": OLD_TOPIC}),
]
"""The page, the field, a valid file and those that are sent with it."""

ABOUT = {"team": "T", "kind": "primary", "method": "manual", "data": "both", "order": "score"}
ABOUT |= {"pool_role": "primary", "year": "2020", "role": "assessor", "name": "N"}
ABOUT_SOURCE = {"kind": "machine", "items": "document"}
ABOUT_ROUND = {"kind": "training", "topics": "1", "items": "0"}


@pytest.mark.parametrize(("page", "field", "text", "others"), UPLOADS)
def test_each_cell_of_each_file_is_taken_or_refused(
    page: str, field: str, text: str, others: dict[str, str], young_campaign: Campaign, fuzz: Fuzz
) -> None:
    """With all that is hostile in one cell, or as the name of the file."""
    client, address = client_as(make_cast(), "olga"), address_of(page, slug=young_campaign.slug)
    about: dict[str, Any] = ABOUT_SOURCE if page == "judgment_sources" else ABOUT
    if page == "round_prepare":
        make_pool(young_campaign)
        about = ABOUT_ROUND | {"members": str(young_campaign.members.get(user__username="ada").pk)}

    def send(name: str, content: bytes) -> None:
        files = {other: Upload("file.xml", whole.encode()) for other, whole in others.items()}
        fuzz(client, Form(address, address, ()), about | files | {field: Upload(name, content)})

    whole = text.encode()
    for begin, end in distinct_cells(whole):
        for word in HOSTILE:
            send("file.xml", whole[:begin] + word[:6000].encode() + whole[end:])
    for word in HOSTILE:
        send(word[:6000], whole)


def test_no_field_for_a_file_is_left_out(doors: tuple[Client, list[Form]]) -> None:
    fields = {
        (resolve(form.action).url_name, field.name)
        for form in doors[1]
        for field in form.fields
        if field.kind == "file"
    }
    assert fields <= {(page, field) for page, field, _text, _others in UPLOADS}


@pytest.mark.parametrize("kind", ["posts", "comments", "links", "users", "formulas"])
def test_whatever_a_collection_took_is_pooled_and_shown(
    kind: str, tmp_path: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    whole = FILES[kind].encode()
    for number, (begin, end) in enumerate(distinct_cells(whole)):
        for word in WORST:
            with undone(), suppress(BadInput, Refused):
                changed = whole[:begin] + word[:6000].encode() + whole[end:]
                show_everything(FILES | {kind: changed.decode()}, tmp_path / f"{number}")


def show_everything(files: dict[str, str], folder: Path) -> None:
    """Import the files, pool and freeze what a run retrieved, and open all pages."""
    campaign = make_campaign("arqmath3-task2", "Hostile")
    campaign.collection.posts.all().delete()
    folder.mkdir(exist_ok=True)
    sources = []
    for kind, text in files.items():
        (folder / kind).write_text(text)
        sources.append(CollectionFile(kind, kind, folder / kind))
    import_files(campaign.collection, sources)
    add_run(campaign, folder, FORMULA_RUN)
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress, make_cast(campaign).olga)
    make_assignment(pool, make_cast().ada, topic="B.1")
    for person in ("olga", "ada"):
        crawl(client_as(make_cast(), person))


def distinct_cells(whole: bytes) -> list[tuple[int, int]]:
    """One of the cells or attributes with the same text."""
    cells = {match[0].strip(): match.span() for match in TOKENS.finditer(whole) if match[0].strip()}
    return list(cells.values())


def routes(resolver: URLResolver, before: str = "") -> Iterator[str]:
    """Every path that the site has, with ``<converter:name>`` for its variable parts."""
    for pattern in resolver.url_patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield path
        elif not path.startswith("admin"):
            yield from routes(pattern, path)


ROUTES = sorted(set(routes(get_resolver())))
METHODS = ["get", "post"]


def test_paths_are_known_or_not(lab: Lab) -> None:
    """Each variable part of each path, with all that is hostile; the others are right."""
    client = client_as(lab.cast, "olga")
    right = {"slug:slug": lab.campaign.slug, "slug:unit": "post", "slug:grades": "graded", "str:topic_id": "A.1"}
    for route in ROUTES:
        for part in re.findall("<([^>]+)>", route):
            for word in HOSTILE:
                values = right | {part: quote(word[:6000], safe="/")}
                address = "/" + re.sub("<([^>]+)>", lambda match: values.get(match[1], "1"), route)  # noqa: B023
                for method in METHODS:
                    with undone():
                        check(getattr(client, method)(f"{address}?q={quote(word[:500])}"), (method, address))


def test_queries_are_only_text(lab: Lab) -> None:
    client = client_as(lab.cast, "olga")
    pages = [*crawl(client), *crawl(client_as(lab.cast, "ada"))]
    for page in pages:
        for name in ("q", "show", "page", "sort", "before", "formula", "place", "first", "second", "primary_depth"):
            for word in WORST:
                check(client.get(page, {name: word[:6000]}), (page, name, word))


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """Requests do not close the connection, which is in the transaction of the test."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def test_the_api_takes_or_refuses_anything(lab: Lab, kept_connection: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": None})
    session = client_as(lab.cast, "olga").cookies["sessionid"].value
    headers = {"Cookie": f"sessionid={session}", "Host": "localhost"}
    schema = schemathesis.openapi.from_wsgi("/api/schema/", get_wsgi_application(), headers=headers)
    cases = [operation.ok().as_strategy() for operation in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(cases) > 70

    @many
    @given(st.one_of(cases))
    def example(case: schemathesis.Case[Any]) -> None:
        with undone():
            response = case.call(headers=headers)
            assert response.status_code < 500, response.text

    example()
