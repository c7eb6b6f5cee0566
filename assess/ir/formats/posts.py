"""The XML files of a Stack Exchange site (``Posts.xml`` and its companions), one ``<row …/>`` per record.

They are read row by row in constant memory: the posts of the labs' collection fill four gigabytes. Defects
are collected and raised as ``BadInput`` after the last row, so keep nothing until the end is reached. The caller
checks for repeated ids. Scores, dates and users may be missing, as in some files of the labs.
"""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape, unescape
from typing import BinaryIO, Literal, NamedTuple

from lxml import etree

from assess.ir.common.problems import Problems, refuse
from assess.ir.common.rows import LONGEST_NAME, LONGEST_TEXT, CommentRow, PostRow, wrong_id
from assess.ir.formats.packed import unpacked
from assess.ir.formats.xml import XmlSource, line_of, refuse_doctype, split_tags, xml_errors

KINDS: dict[str, Literal["question", "answer"]] = {"1": "question", "2": "answer"}
LINKS: dict[str, Literal["related", "duplicate"]] = {"1": "related", "3": "duplicate"}
VOTES = {"2": 1, "3": -1}
LONGEST_DATE = 30
NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
MATH = "math-container"
MARKED = re.compile(rf'(<span class="{MATH}"[^<>]*>.*?</span>)', re.DOTALL)
DOLLARS = re.compile(r"\$[^$\n]{1,300}\$")
UNMARKED = "posts have text between dollars but no marked formulas, so it is shown as it stands"
ROOTS = {name.lower(): f"{name}.xml" for name in ("Posts", "Comments", "PostLinks", "Users", "Votes")}
"""The root element of each file of a site. Unknown roots are accepted; a known one in the wrong place is not."""


class LinkRow(NamedTuple):
    """The author of ``post_id`` or a reader linked it to ``related_id``: as related, or as its duplicate."""

    post_id: str
    related_id: str
    kind: Literal["related", "duplicate"]


class RecordElement(NamedTuple):
    """One ``<row …/>``: its element, its attributes, and the list that collects defects."""

    element: etree._Element
    values: dict[str, str]
    problems: Problems

    def need(self, *names: str) -> bool:
        """Whether the record has these attributes; a missing one is a defect, except that a body may be empty."""
        missing = [name for name in names if not self.values.get(name) and (name != "Body" or name not in self.values)]
        if not missing:
            return True
        self.fail(f"no {', '.join(missing)}; add what is missing or leave the row out")
        return False

    def text(self, name: str) -> str:
        return self.values.get(name, "")

    def html(self, name: str) -> str:
        value = self.text(name)
        if len(value) > LONGEST_TEXT:
            self.fail(f"{name} has {len(value):,} characters, at most {LONGEST_TEXT:,} are allowed")
            return ""
        return value

    def id(self, name: str) -> str:
        """An id; empty if it is missing, which only some may be."""
        value = self.text(name)
        if value and (reason := wrong_id(value)):
            self.fail(f"{name} {reason}")
        return value

    def number(self, name: str) -> int | None:
        value = self.text(name)
        if not value or NUMBER.fullmatch(value):
            return int(value) if value else None
        self.fail(f"{name} is {value[:40]!r}; use a whole number of at most nine digits")
        return None

    def fail(self, reason: str) -> None:
        self.problems.add(line_of(self.element), f"row {self.values.get('Id', 'without Id')}: {reason}")


def iter_posts(source: BinaryIO, name: str, changes: Counter[str] | None = None) -> Iterator[PostRow]:
    """Questions and answers; other kinds of posts (such as tag wikis) are left out. ``changes`` counts what was left
    out, and posts whose formulas are not marked as such."""
    changes = Counter() if changes is None else changes
    for record in _records(source, name, "posts", changes):
        kind = KINDS.get(record.text("PostTypeId"))
        if kind is None:
            if record.need("PostTypeId"):
                changes[f"posts of type {record.text('PostTypeId')}, neither question nor answer, left out"] += 1
        elif record.need("Id", "Title", "Body") if kind == "question" else record.need("Id", "ParentId", "Body"):
            post = PostRow(
                post_id=record.id("Id"),
                kind=kind,
                thread_id=record.id("Id" if kind == "question" else "ParentId"),
                title=record.html("Title"),
                body=record.html("Body"),
                tags=split_tags(record.text("Tags")),
                score=record.number("Score"),
                created=record.text("CreationDate")[:LONGEST_DATE],
                owner=(record.text("OwnerUserId") or record.text("OwnerDisplayName"))[:LONGEST_NAME],
                accepted_id=record.id("AcceptedAnswerId"),
            )
            if post.body.count("$") > 1 and MATH not in post.body and DOLLARS.search(post.body):
                changes[UNMARKED] += 1
            yield post


def iter_comments(source: BinaryIO, name: str, changes: Counter[str] | None = None) -> Iterator[CommentRow]:
    for record in _records(source, name, "comments", changes):
        if record.need("Id", "PostId", "Text"):
            yield CommentRow(
                comment_id=record.id("Id"),
                post_id=record.id("PostId"),
                text=comment_html(record.html("Text")),
                score=record.number("Score"),
                created=record.text("CreationDate")[:LONGEST_DATE],
                owner=(record.text("UserId") or record.text("UserDisplayName"))[:LONGEST_NAME],
            )


def comment_html(text: str) -> str:
    """A comment as HTML. A site has comments as plain text, in which the labs have marked the formulas."""
    head, closed, rest = text.rpartition("</span>")  # the rest is not searched: so the time is linear
    pieces = MARKED.split(head + closed)
    pieces[-1] += rest
    pieces[::2] = [escape(unescape(piece), quote=False) for piece in pieces[::2]]
    return "".join(pieces)


def iter_post_links(source: BinaryIO, name: str, changes: Counter[str] | None = None) -> Iterator[LinkRow]:
    """The links of ``PostLinks.xml``; types other than related (1) and duplicate (3) are left out and counted."""
    for record in _records(source, name, "postlinks", changes):
        if record.need("PostId", "RelatedPostId", "LinkTypeId"):
            if kind := LINKS.get(record.text("LinkTypeId")):
                yield LinkRow(record.id("PostId"), record.id("RelatedPostId"), kind)
            elif changes is not None:
                changes[f"links of type {record.text('LinkTypeId')} left out"] += 1


def user_names(source: BinaryIO, name: str) -> dict[str, str]:
    users = (record for record in _records(source, name, "users") if record.need("Id"))
    return {record.id("Id"): record.text("DisplayName")[:LONGEST_NAME] for record in users}


def vote_scores(source: BinaryIO, name: str) -> dict[str, int]:
    """The score of each post in ``Votes.xml``: votes up (type 2) minus votes down (type 3)."""
    scores = Counter[str]()
    for record in _records(source, name, "votes"):
        if record.need("PostId", "VoteTypeId") and (vote := VOTES.get(record.text("VoteTypeId"))):
            scores[record.text("PostId")] += vote
    return scores


def _records(source: BinaryIO, name: str, root: str, changes: Counter[str] | None = None) -> Iterator[RecordElement]:
    problems = Problems(name)
    file = XmlSource(unpacked(source, name), name, drops=True)
    with xml_errors(name):
        for element in _rows(file, name, root):
            yield RecordElement(element, dict(element.items()), problems)  # type: ignore[arg-type]
    problems.check()
    if file.dropped and changes is not None:
        changes["references to control characters, which XML cannot hold, left out"] += file.dropped


def _rows(source: XmlSource, name: str, expected: str) -> Iterator[etree._Element]:
    """The ``<row>`` elements below the root, each freed after use. A row's start tag holds all its data."""
    options = {"resolve_entities": False, "no_network": True, "remove_comments": True, "remove_pis": True}
    events = etree.iterparse(source, events=("start",), **options)
    root = next(events)[1]
    refuse_doctype(root.getroottree(), name)
    if (other := root.tag.lower()) != expected and other in ROOTS:
        reason = f"starts with <{root.tag}>, so this is {ROOTS[other]}; choose {ROOTS[expected]}"
        raise refuse(name, f"{reason}, which starts with <{expected}>", 1)
    has_rows = False
    for _, element in events:
        parent = element.getparent()
        while parent is not None and parent[0] is not element:
            del parent[0]  # the parser may already hold later ones
        if element.tag == "row" and parent is root:
            has_rows = True
            yield element
    if not has_rows:
        raise refuse(name, f"<{root.tag}> contains no <row …/>; is this the right file?")
