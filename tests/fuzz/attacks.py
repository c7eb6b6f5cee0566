"""What `tests.fuzz.server` sends to a server that is at work, and what it then finds in the database."""

import gzip
import logging
import re
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

import django
from django.apps import apps

from benchmarks.browsing import Browser
from tests.archives import zipped

if not apps.ready:
    django.setup()  # before models are imported

from django.core.management import call_command
from django.db.models import Count, Max
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from assess.models import Action, Campaign, Deferral, Job
from benchmarks.parts import address_of
from tests.cast import Cast, make_campaign, make_cast
from tests.fuzz.site import Form, crawl, forms
from tests.fuzz.test_fuzz import ABOUT, ABOUT_ROUND, ABOUT_SOURCE, HOSTILE, ROUTES, TOKENS, UPLOADS, Upload, distinct
from tests.hostile import SHAPES
from tests.lab import add_run, client_as, make_formulas, make_lab
from tests.lab_steps import RUNS

MINUTE = 60
IN_A_STATE = 40
"""So many requests meet one state of a campaign, which some of them change or archive."""
SIGNS = [b"\t", b"\n", b"\r", b'"', b"\r\n", b"<", b"&#0;", b"&#xD800;", b"\xff", b"\0", b"\xed\xa0\x80", b"'", b""]
LONG = [b"x" * 200_000, b"'" * 140_000, b"1 " * 70_000, b"\t" * 70_000, "é\n".encode() * 3000]
LARGEST = 3_000_000
"""Bytes of a file, so that what takes long is reading it, not sending it."""
TOKEN = "a" * 32
STORED = [model for model in apps.get_app_config("assess").get_models() if model not in (Action, Deferral, Job)]


def damaged(chance: Random, whole: bytes) -> bytes:
    """A file with hostile cells or stray signs, and sometimes cut, encoded or packed in another way."""
    content = bytearray(whole)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        cells = [match.span() for match in TOKENS.finditer(content)] or [(0, 0)]
        begin = chance.randint(0, len(content))
        begin, end = chance.choice([*chance.choices(cells, k=3), (begin, begin + chance.randint(0, 8))])
        content[begin:end] = piece(chance)
    packed = bytes(content)
    match chance.randrange(20):
        case 0:
            return packed[: chance.randint(0, len(packed))]
        case 1:
            return gzip.compress(packed)[: chance.choice([None, -1, -9, 20])]
        case 2:
            return packed.decode(errors="replace").encode(
                chance.choice(["utf-16", "utf-16-le", "utf-8-sig", "latin-1"]), "replace"
            )
        case 3:
            names = chance.sample(["a", "a\\", "", "/", "../b", "x/y.xml", "ü" * 300, "A.1", "a\0b", "run.tsv"], 3)
            return zipped({name: chance.choice([packed, whole, b""]) for name in names})
        case 4:
            lines = packed.splitlines(keepends=True)
            return b"".join(chance.choices(lines or [b""], k=chance.choice([3, 3000])))[:LARGEST]
        case 5:
            return chance.randbytes(chance.randint(0, 300))
    return packed


def piece(chance: Random) -> bytes:
    """Something that belongs into no cell."""
    kinds = [
        chance.choice(SIGNS),
        chance.choice(HOSTILE).encode(),
        chance.choice(HOSTILE).encode(),
        chance.randbytes(4),
    ]
    if chance.randrange(4) == 0:
        shape = chance.choice(list(SHAPES.values()))(20_000)
        kinds = [shape.encode(), shape.replace("<", "&lt;").encode(), chance.choice(LONG)]
    return chance.choice(kinds)


class Request(NamedTuple):
    """``kind``: its name in the report. ``is_upload``: a form whose page is shown again if it is refused."""

    kind: str
    method: str
    path: str
    data: dict[str, Any] = {}
    headers: tuple[str, ...] = ()
    is_upload: bool = False


class Attack:
    """Requests to the server at a socket, and what came of them."""

    def __init__(self, socket: Path, seed: int) -> None:
        self.browser, self.chance, self.folder = Browser(socket), Random(seed), socket.parent / "files"
        self.folder.mkdir()
        self.statuses: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.faults: dict[str, list[str]] = {"500s": [], "partial imports": [], "jobs over a minute": []}
        self.slowest, self.longest = (0.0, ""), (0.0, "")

    def run(self, number: int) -> bool:
        for count in range(number):
            if count % IN_A_STATE == 0:
                self.make_state(count // IN_A_STATE)
            self.one()
        print(f"  requests: {number} ({', '.join(f'{count} {kind}' for kind, count in sorted(self.kinds.items()))})")
        print(f"  answers: {', '.join(f'{status}: {count}' for status, count in sorted(self.statuses.items()))}")
        for name, found in self.faults.items():
            print(f"  {name}: {len(found)}", *[f"    {what[:1000]}" for what in found[:10]], sep="\n")
        print(f"  the slowest request: {self.slowest[0]:.1f} s ({self.slowest[1]})")
        print(f"  the longest job: {self.longest[0]:.1f} s ({self.longest[1]})")
        return not any(self.faults.values())

    def make_state(self, number: int) -> None:
        """Empties the database for topics with a run, a whole lab, or formulas."""
        call_command("flush", interactive=False, verbosity=0)
        match number % 3:
            case 0:
                self.campaign: Campaign = make_campaign(name="Young")
                make_cast(self.campaign)
                add_run(self.campaign, self.folder, RUNS["alpha"])
            case 1:
                self.campaign = make_lab(self.folder).campaign
            case 2:
                self.campaign = make_formulas(self.folder)
                make_cast(self.campaign)
        self.cast: Cast = make_cast()
        self.doors = {who: distinct(list(forms(crawl(client_as(self.cast, who))))) for who in ("olga", "ada")}

    def one(self) -> None:
        who = self.chance.choice(["olga", "olga", "olga", "ada", "mallory", None])
        makers = [self.upload, self.upload, self.upload, self.form, self.path, self.raw]
        maker = self.chance.choice(makers)
        who = "olga" if maker == self.upload and self.chance.randrange(8) else who
        request = maker(who)
        self.kinds[request.kind.split()[0]] += 1
        before, last = stored(), Job.objects.aggregate(last=Max("pk"))["last"] or 0
        begun = time.monotonic()
        status = self.send(request, who)
        self.slowest = max(self.slowest, (time.monotonic() - begun, request.kind))
        self.statuses[status] += 1
        what = f"{status} {request.method} {request.path} as {who}: {request.kind} {request.data} {request.headers}"
        if status.startswith("5") or status == "none":
            self.faults["500s"].append(what)
        refused = status[0] in "45" or (request.is_upload and status != "302")
        for job in self.ended(last):
            seconds = (job.finished - job.started).total_seconds() if job.finished and job.started else MINUTE * 2
            self.longest = max(self.longest, (seconds, f"{job.kind}, {request.kind}"))
            if seconds > MINUTE:
                self.faults["jobs over a minute"].append(f"{job.kind}: {what}")
            if job.error.startswith("Unexpected error"):
                self.faults["500s"].append(f"{job.kind}: {job.error}: {what}")
            refused |= job.state == Job.State.FAILED
        if refused and (changed := before.items() ^ stored().items()):
            self.faults["partial imports"].append(f"{sorted({name for name, _ in changed})}: {what}")

    def ended(self, last: int) -> list[Job]:
        """The jobs after this one, once they have ended."""
        end = time.monotonic() + 2 * MINUTE
        while Job.objects.unfinished().exists() and time.monotonic() < end:
            time.sleep(0.02)
        return list(Job.objects.filter(pk__gt=last))

    def send(self, request: Request, who: str | None) -> str:
        """The status of the answer; ``none`` without one."""
        session = client_as(self.cast, who).cookies["sessionid"].value if who else ""
        head = [f"{request.method} {request.path} HTTP/1.1", "Host: localhost", "Connection: close"]
        head += [f"Cookie: sessionid={session}; csrftoken={TOKEN}", f"X-CSRFToken: {TOKEN}", *request.headers]
        body = b""
        if request.method != "GET":
            body = encode_multipart(BOUNDARY, request.data)
            head += [f"Content-Type: {MULTIPART_CONTENT}", f"Content-Length: {len(body)}"]
        try:
            answer = self.browser.send("\r\n".join([*head, "\r\n"]).encode(errors="replace") + body)
        except OSError:  # without a session a large body is refused unread, so its sender may see no answer
            return "413" if not session and len(body) > 1_000_000 else "none"
        return answer.split(b" ")[1].decode() if b" " in answer else "none"

    def upload(self, _who: str | None) -> Request:
        page, field, text, others = self.chance.choice(UPLOADS)
        data: dict[str, Any] = ABOUT_SOURCE if page == "judgment_sources" else ABOUT
        if page == "round_prepare":
            data = ABOUT_ROUND | {"members": str(self.campaign.members.values_list("pk", flat=True)[0])}
        data = data | {other: Upload("file.xml", self.perhaps(whole)) for other, whole in others.items()}
        name = self.chance.choice(["file.xml", "A.1.html", self.chance.choice(HOSTILE)[:200]])
        data[field] = Upload(name, damaged(self.chance, text.encode()))
        address = address_of(page, slug=self.campaign.slug)
        return Request(f"uploads of {page} {field}", "POST", address, data, is_upload=True)

    def perhaps(self, whole: str) -> bytes:
        return whole.encode() if self.chance.randrange(4) else damaged(self.chance, whole.encode())

    def form(self, who: str | None) -> Request:
        form: Form = self.chance.choice(self.doors["ada" if who == "ada" else "olga"] or self.doors["olga"])
        data: dict[str, Any] = {}
        for field in form.fields:
            if field.name == "csrfmiddlewaretoken":  # of the page's cookie; the header has ours
                continue
            value = self.chance.choice([value for value in field.values if value] or ["1", "gauss", "11", "ada"])
            if self.chance.randrange(6) == 0:
                value = self.chance.choice(HOSTILE)
            content = damaged(self.chance, self.chance.choice(UPLOADS)[2].encode())
            data[field.name] = Upload("file.xml", content) if field.kind == "file" else value
        return Request(f"forms to {re.sub('[0-9]+', '0', form.action)}", "POST", form.action, data)

    def path(self, _who: str | None) -> Request:
        right = {"slug:slug": self.campaign.slug, "slug:unit": "post", "slug:grades": "graded", "str:topic_id": "A.1"}
        route = self.chance.choice(ROUTES)

        def part(match: re.Match[str]) -> str:
            value = self.chance.choice(HOSTILE) if self.chance.randrange(3) == 0 else right.get(match[1], "1")
            return quote(value[:1000], safe="/")

        name, word = self.chance.choice(["q", "show", "page", "sort"]), self.chance.choice(HOSTILE)[:500]
        method = self.chance.choice(["GET", "GET", "POST", "PUT", "DELETE"])
        address = "/" + re.sub("<([^>]+)>", part, route) + self.chance.choice(["", f"?{name}={quote(word)}"])
        return Request(f"addresses like {route}", method, address)

    def raw(self, _who: str | None) -> Request:
        """Headers and cookies that no browser sends."""
        words = [word[:3000] for word in self.chance.choices(HOSTILE, k=3)]
        names = ["Accept", "Accept-Language", "Cookie", "Referer", "Content-Type", "X-Forwarded-For", "Origin", "Range"]
        headers = tuple(f"{name}: {word}" for name, word in zip(self.chance.sample(names, 3), words, strict=True))
        address = self.chance.choice(["/", "/login/", f"/c/{self.campaign.slug}/", f"/c/{self.campaign.slug}/members/"])
        return Request("headers", self.chance.choice(["GET", "POST"]), address, headers=headers)


def stored() -> dict[str, tuple[int, int]]:
    """Of each table how many rows it has, and the last key: another one if rows were replaced."""
    found = {model.__name__: model._default_manager.aggregate(rows=Count("pk"), last=Max("pk")) for model in STORED}
    return {name: (row["rows"], row["last"] or 0) for name, row in found.items()}


if __name__ == "__main__":
    logging.getLogger("assess.accounts").disabled = True
    sys.exit(not Attack(Path(sys.argv[1]), int(sys.argv[3])).run(int(sys.argv[2])))
