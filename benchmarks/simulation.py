"""The people of a simulated lab, and what they do week by week, all of it through a server."""

import logging
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.testcases import LiveServerThread
from django.test.utils import override_settings
from django.utils import timezone
from lxml import html

from assess.celery import app
from assess.ir.common.rows import GRADES, Qrel
from assess.ir.formats.qrels import read_qrels
from benchmarks.campaign import data_file
from benchmarks.lab import Size
from benchmarks.visitor import Visitor, expect

PASSWORD = "a simulated lab 7"
BEGIN = datetime(2022, 1, 10, 9, tzinfo=UTC)  # a Monday
WEEKS = 4
"""Of the main round."""
BATCH = 12
TOPICS = {year: f"topics/topics.arqmath-{year}-task1-origin.xml" for year in (2020, 2021)}
QRELS = {2020: "qrels/qrels.arqmath-2020-task1.txt", 2021: "qrels/qrels.arqmath-2021-task1-official.txt"}
SEED = 8
EXPERT, OUTSIDER = "kurt", "otto"
MAIN, DUAL, ADJUDICATION = "main", "dual", "adjudication"
BEFORE = ("qualification", "training 1", "training 2", "training 3")
FIELD = re.compile(r'name="(instance|content_hash|key|after)" value="([^"]*)"')


class Row(NamedTuple):
    """A judgment as its assessor made it."""

    round: str
    assessor: str
    topic: str
    document: str
    grade: int


class Clock:
    """The clock of the server: it runs, and is set to the beginning of a week."""

    def __init__(self) -> None:
        self.real = timezone.now
        self.set(0)

    def set(self, week: int) -> None:
        self.offset = BEGIN + timedelta(weeks=week) - self.real()

    def now(self) -> datetime:
        return self.real() + self.offset


@contextmanager
def server() -> Iterator[tuple[str, Clock]]:
    """A server in this process, which does jobs at once, with its address and its clock."""
    clock = Clock()
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    quick = override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}, PASSWORD_HASHERS=hashers)
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    logging.getLogger("django.request").setLevel(logging.ERROR)  # refusals are part of the play
    thread = LiveServerThread("127.0.0.1", StaticFilesHandler)
    with quick, mock.patch.object(timezone, "now", clock.now):
        app.conf.task_always_eager = True
        thread.start()
        thread.is_ready.wait()
        try:
            yield f"http://127.0.0.1:{thread.port}/", clock
        finally:
            thread.terminate()
            thread.join()
            app.conf.task_always_eager = False


class Assessor:
    """Gives the true grade but for an ``error`` in so many of all cases, then mostly a neighbouring one."""

    def __init__(self, visitor: Visitor, error: float, *, is_careless: bool = False) -> None:
        self.visitor, self.name = visitor, visitor.name
        self.error, self.is_careless = error, is_careless
        self.draw = random.Random(f"{self.name} {SEED}")

    def grade(self, truth: int) -> int:
        return self.erring(truth) if self.draw.random() < self.error else truth

    def erring(self, truth: int) -> int:
        return self.draw.choice(sorted(GRADES) if self.is_careless else [g for g in GRADES if abs(g - truth) == 1])


class Item(NamedTuple):
    """What the desk shows at a place: a document, with the fields of its form."""

    place: int
    document: str
    fields: dict[str, str]


class Simulation:
    """The lab: its people, what is true, and the log of what was judged."""

    def __init__(self, server: str, clock: Clock, size: Size) -> None:
        self.server, self.clock, self.size = server, clock, size
        for name in ("olga", OUTSIDER):
            User.objects.create_user(name, password=PASSWORD, is_staff=name == "olga")
        self.olga, self.otto = Visitor(server, "olga"), Visitor(server, OUTSIDER)
        self.expert = Assessor(Visitor(server, EXPERT), 0)
        self.assessors = [
            Assessor(Visitor(server, f"assessor{n}"), 0.9 if n == 4 else 0.04 + 0.02 * n, is_careless=n == 4)
            for n in range(1, 10)
        ]
        self.people = [self.expert, *self.assessors]
        self.truth = {year: truth(year) for year in QRELS}
        self.log: list[Row] = []
        self.rounds: dict[str, str] = {}
        self.seen_too_much: list[str] = []
        self.doors: list[bool] = []

    @property
    def careless(self) -> str:
        return next(each.name for each in self.assessors if each.is_careless)

    def play(self) -> None:
        self.sign_in([self.olga, self.otto])
        self.prepare()
        self.invite()
        for week, name in enumerate(BEFORE):
            self.begin_week(week)
            self.train(name)
        self.judge_main()
        self.judge_again()
        self.settle()

    def begin_week(self, week: int) -> None:
        """A session ends after two weeks, so everybody signs in again in every second."""
        self.clock.set(week)
        if week % 2 == 0:
            self.sign_in([self.olga, self.otto, *(each.visitor for each in self.people)])

    def sign_in(self, visitors: list[Visitor]) -> None:
        for visitor in visitors:
            visitor.sign_in(PASSWORD)

    def prepare(self) -> None:
        """Campaign, topics, collection and frozen pool."""
        made = self.olga.submit("/campaigns/new/", "", name="Simulated lab", edition="Lab 1", preset="arqmath2-task1")
        self.path = made.path
        self.page("edit/", seed=SEED)
        self.page("topics/", file=upload(data_file(TOPICS[2021])))
        self.page("collection/", name="Posts of the labs")
        self.page("collection/", posts=upload(data_file("posts/Posts.xml")))
        self.olga.submit(self.at("pool/"), self.at("pool/"), file=pool_file(self.pooled()))
        self.olga.submit(self.at("pool/"), self.at("pool/freeze/"), anyway="on")

    def at(self, page: str) -> str:
        return f"{self.path}{page}"

    def page(self, page: str, **fields: object) -> None:
        self.olga.submit(self.at(page), "", **fields)

    def pooled(self) -> list[Qrel]:
        """Of the topics with the most judged answers that the collection has, so many of each."""
        texts = data_file("posts/Posts.xml").read_text()
        answers = set(re.findall(r'<row Id="(\d+)" PostTypeId="2"', texts))
        by_topic: defaultdict[str, list[Qrel]] = defaultdict(list)
        for (topic, document), grade in self.truth[2021].items():
            if document in answers:
                by_topic[topic].append(Qrel(topic, document, grade))
        largest = sorted(by_topic.values(), key=len, reverse=True)[: self.size.topics]
        return [qrel for qrels in largest for qrel in qrels[: self.size.entries]]

    def invite(self) -> None:
        """Candidates and an expert get links, choose passwords, and accept."""
        roles = [f"{each.name},,,{'expert' if each is self.expert else 'candidate'}" for each in self.people]
        answer = self.olga.submit(self.at("members/"), "", people="\n".join(roles))
        links = dict(line.split("\t") for line in answer.page.get_element_by_id("links").text.splitlines())
        for person in self.people:
            chosen = person.visitor.read(links[person.name])
            person.visitor.submit(chosen.path, "", new_password1=PASSWORD, new_password2=PASSWORD)
            invitation = person.visitor.read("/").page.xpath("//form[starts-with(@action, '/invitations/')]/@action")
            person.visitor.submit("/", invitation[0], answer="accept")

    def train(self, name: str) -> None:
        """A round over answers of the year before; the expert looks at it, then it is discussed."""
        answer = self.olga.submit(
            self.at("rounds/"),
            self.at("rounds/prepare/"),
            kind=name.split()[0],
            name=name,
            topics_file=upload(data_file(TOPICS[2020])),
            qrels_file=upload(data_file(QRELS[2020])),
            topics=self.size.round_topics,
            items=self.size.round_items,
            members=[each.name for each in self.assessors],
        )
        self.rounds[name] = answer.path
        for person in self.assessors:
            self.judge_all(person, name)
        discuss = self.at(f"rounds/{answer.path.rpartition('=')[2]}/discuss/")
        self.try_doors(answer.path, discuss)
        page = self.expert.visitor.read(answer.path).page
        for form in page.xpath("//form[contains(@action, '/admit/')]/@action"):
            self.expert.visitor.submit(answer.path, form)
        self.expert.visitor.submit(answer.path, discuss, open="yes")
        self.doors += [each.visitor.get(answer.path).status == 200 for each in self.assessors]

    def try_doors(self, round_path: str, discuss: str) -> None:
        """Who may not see or do something is refused."""
        person, expert, otto = self.assessors[0].visitor, self.expert.visitor, self.otto
        for path in (self.at("rounds/"), self.at("agreement/"), self.at("progress/")):
            self.doors += [person.get(path).status == 403, otto.get(path).status == 404, expert.get(path).status == 200]
        self.doors += [person.get(round_path).status in (403, 404), otto.get(round_path).status == 404]
        for action in ("rounds/prepare/", "rounds/dual/", "rounds/adjudicate/"):
            tries = [(person, 403), (expert, 403), (otto, 404)]
            self.doors += [visitor.post(self.at(action), {}).status == status for visitor, status in tries]
        self.doors += [person.post(discuss, {}).status == 403, otto.post(discuss, {}).status == 404]

    def judge_main(self) -> None:
        """Everybody judges a quarter of each of their topics in each week."""
        names = [each.name for each in self.assessors]
        self.olga.submit(self.at("assignments/"), self.at("assignments/spread/"), assessors=names)
        for week in range(1, WEEKS + 1):
            self.begin_week(len(BEFORE) + week - 1)
            for person in self.assessors:
                self.judge_all(person, MAIN, WEEKS + 1 - week)
            self.compute_agreement()

    def judge_again(self) -> None:
        self.begin_week(len(BEFORE) + WEEKS)
        names = [each.name for each in self.assessors]
        fields: dict[str, Any] = {"dual-people": names, "dual-others": self.size.dual, "dual-fewest_relevant": ""}
        self.olga.submit(self.at("rounds/"), self.at("rounds/dual/"), **fields)
        for person in self.assessors:
            self.judge_all(person, DUAL)

    def settle(self) -> None:
        """The expert settles all disagreements; agreement is computed and two releases are made."""
        fields: dict[str, Any] = {"adjudication-expert": [EXPERT], "adjudication-least": 1}
        self.olga.submit(self.at("rounds/"), self.at("rounds/adjudicate/"), **fields)
        self.judge_all(self.expert, ADJUDICATION)
        self.compute_agreement()
        for chosen in ({}, {"judges": "adjudicated"}):
            self.olga.submit(self.at("releases/"), self.at("releases/"), min_relevant=0, **chosen)

    def compute_agreement(self) -> None:
        self.olga.submit(self.at("agreement/"), self.at("agreement/compute/"))

    def judge_all(self, person: Assessor, round: str, share: int = 1) -> None:
        """Judge one in so many of the open places of each topic on the start page."""
        home = person.visitor.read("/").page
        open_cards = "//li[@class='card'][.//progress[@value < @max]]//a[@class='card-title']"
        links = [(link.get("href").removesuffix("next/"), link.text_content()) for link in home.xpath(open_cards)]
        for path, topic in links:
            self.judge(person, round, path, topic, share)
        self.try_other(person, links[0][0])
        if person is not self.expert:
            self.look_out(person, home)
            self.look_out(person, person.visitor.read(f"{links[0][0]}1/").page)

    def judge(self, person: Assessor, round: str, path: str, topic: str, share: int) -> None:
        """The first item by its form, the others by the API."""
        states = person.visitor.read(f"{path}items/").json["states"]
        places = [place for place, state in enumerate(states, start=1) if state == "o"]
        items = self.items(person, path, places[: -(-len(places) // share)])
        rows = [self.decide(person, round, topic, item.document) for item in items]
        reason = {"comment": "by the definition"} if round == ADJUDICATION else {}
        sent = [
            item.fields | {"word": str(row.grade), "active_ms": "9000"} | reason
            for item, row in zip(items, rows, strict=True)
        ]
        expect(person.visitor.post(f"{path}{items[0].place}/", sent[0], "application/json"))
        if sent[1:]:
            expect(person.visitor.post_json(f"/api/assignments/{path.split('/')[2]}/judgments/", sent[1:]))
        self.log += rows

    def decide(self, person: Assessor, round: str, topic: str, document: str) -> Row:
        truth = self.truth[2020 if round in BEFORE else 2021][topic, document]
        return Row(round, person.name, topic, document, person.grade(truth))

    def items(self, person: Assessor, path: str, places: list[int]) -> list[Item]:
        """What the desk shows at these places."""
        query = ["&".join(f"place={place}" for place in places[at : at + BATCH]) for at in range(0, len(places), BATCH)]
        shown = [item for part in query for item in person.visitor.read(f"{path}items/?{part}").json["items"]]
        if person is not self.expert:
            self.seen_too_much += [each["html"] for each in shown if 'aria-pressed="true"' in each["html"]]
        return [Item(each["place"], document_of(each["html"]), dict(FIELD.findall(each["html"]))) for each in shown]

    def look_out(self, person: Assessor, page: html.HtmlElement) -> None:
        """Keep what an assessor should not read outside topics and answers: another's name, or of dual rounds."""
        for text in page.xpath("//*[contains(@class, 'post')] | //p[not(.//*[contains(@class, 'badge')])]"):
            text.drop_tree()
        words = set(re.findall(r"\w+", page.text_content().lower()))
        self.seen_too_much += words & {"dual", *(each.name for each in self.assessors if each is not person)}

    def try_other(self, person: Assessor, path: str) -> None:
        """Nobody else can open a topic or judge it."""
        other = next(each.visitor for each in self.assessors if each is not person)
        judge = other.post_json(f"/api/assignments/{path.split('/')[2]}/judgments/", [])
        self.doors += [other.get(f"{path}1/").status == 404, judge.status == 404]


def document_of(item: str) -> str:
    return item.partition('data-post="')[2].partition('"')[0]


def truth(year: int) -> dict[tuple[str, str], int]:
    """The official grades, by topic and answer."""
    file = data_file(QRELS[year])
    with file.open("rb") as source:
        return {(row.topic_id, row.unit_id): row.grade for row in read_qrels(source, file.name).qrels}


def upload(file: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(file.name, file.read_bytes())


def pool_file(qrels: list[Qrel]) -> SimpleUploadedFile:
    lines = [f"{qrel.topic_id}\t{qrel.unit_id}\t{qrel.unit_id}\t1\t1\n" for qrel in qrels]
    return SimpleUploadedFile("pool.tsv", ("topic\tunit\tdoc\tvotes\truns\n" + "".join(lines)).encode())
