"""Threads as web pages: those that the labs made for their topics, and saved pages of the site itself.

Both mark the parts of a thread by class, itemprop and data attributes, with small differences over the years. Only
these marks matter, not where an element is; elements outside every answer belong to the question. Scores, authors,
dates and ids may be missing.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import PurePath
from typing import Literal, NamedTuple, cast

from lxml import etree

from assess.ir.common.problems import refuse
from assess.ir.common.rows import LONGEST_NAME, CommentRow, PostRow, wrong_id
from assess.ir.formats.posts import LinkRow
from assess.ir.formats.xml import CROWDED, MOST_ATTRIBUTES

Element = etree._Element

ANSWER = ("answer", "suggestedAnswer", "acceptedAnswer")
BODY = ("post-text", "js-post-body", "s-prose", "text")
SCORE = ("upvoteCount", "js-vote-count", "vote-count-post")
LINKS: tuple[tuple[Literal["duplicate", "related"], tuple[str, ...]], ...] = (
    ("duplicate", ("question-originals-of-duplicate", "js-post-notice")),
    ("related", ("linked",)),
)

_ID = re.compile(r"[\w.:-]+")
"""Not a placeholder, such as the #QID# of the labs' pages of 2022."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"[-−]?\d+")
_MOST_DIGITS = 9
_QUESTION = re.compile(r"/(?:questions|q)/(\d+)")
_LISTED = re.compile(r"^[^\S\n]*\[(\d+)\]", re.MULTILINE)
LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{400,}")
_USER = re.compile(r"user id:\s*(?:user$)?")
_SITE = re.compile(r"\s+-\s+(?:Mathematics|Math) Stack Exchange\s*$")


class ThreadPage(NamedTuple):
    """The question, then its answers, with comments and links; all HTML as found."""

    posts: list[PostRow]
    comments: list[CommentRow]
    links: list[LinkRow]

    @property
    def question(self) -> PostRow:
        return self.posts[0]


def read_thread_page(data: bytes, name: str) -> ThreadPage:
    """The thread of one page. A question without an id takes the file's name without its extension; answers and
    comments without ids are numbered after it. Raises ``BadInput`` for a page that is not UTF-8, and for one without a
    question or with too long an id."""
    root = _root(data, name)
    marked = set(_marked(root, *ANSWER))
    answers = [answer for answer in _marked(root, *ANSWER) if marked.isdisjoint(answer.iterancestors())]
    for answer in answers:
        cast("Element", answer.getparent()).remove(answer)
    thread_id = _id(root, "data-questionid", "data-question-id", "question_id") or PurePath(name).stem
    posts = [_post(root, thread_id, thread_id, "question")._replace(title=_title(root))]
    if not posts[0].body:
        raise refuse(name, "no question on this page; choose the thread's page as the lab published it")
    for number, answer in enumerate(answers, start=1):
        post_id = _id(answer, "data-answerid", "data-answer-id", "answer_id", "answerid") or f"{thread_id}-{number}"
        posts.append(_post(answer, post_id, thread_id, "answer"))
    accepted = next((row.post_id for row, answer in zip(posts[1:], answers, strict=True) if _is_accepted(answer)), "")
    posts[0] = posts[0]._replace(accepted_id=accepted)
    comments = [row for post, part in zip(posts, [root, *answers], strict=True) for row in _comments(part, post)]
    links = list(_links(root, thread_id))
    ids = (*(row.post_id for row in posts), *(row.comment_id for row in comments), *(row.related_id for row in links))
    for each in ids:
        if reason := wrong_id(each):
            raise refuse(name, f"the id {each[:20]}… {reason}; correct it, or shorten the name of the file")
    return ThreadPage(posts, comments, links)


def _root(data: bytes, name: str) -> Element:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise refuse(name, f"byte {error.start + 1} is not UTF-8; save the page as UTF-8") from error
    if any(len(tag[0].split(None, MOST_ATTRIBUTES + 1)) > MOST_ATTRIBUTES + 1 for tag in LONG_TAG.finditer(data)):
        raise refuse(name, CROWDED)
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(data.replace(b"\0", b""), parser)
    except etree.XMLSyntaxError as error:
        raise refuse(name, "this is not a web page; choose the HTML file of a thread") from error
    if root is None:
        raise refuse(name, "the page is empty; choose the HTML file of a thread")
    for element in root.iter():
        if any("<!--" in value for value in element.attrib.values()):
            element.attrib.clear()  # libxml2 takes quadratic time to write an address with starts of comments
    return root


def _post(part: Element, post_id: str, thread_id: str, kind: Literal["question", "answer"]) -> PostRow:
    body = _first(part, *BODY)
    return PostRow(
        post_id,
        kind,
        thread_id,
        title="",
        body="" if body is None else _html(body),
        tags=tuple(dict.fromkeys(_text(tag) for tag in _marked(part, "post-tag"))),
        score=_score(_first(part, *SCORE)),
        created=_day(_last(part, "user-action-time")),  # a page names the editors of a post first, then its author
        owner=_author(_last(part, "user-details")),
    )


def _title(root: Element) -> str:
    """The heading, else what the browser would show as the page's title."""
    headings = [_html(heading) for heading in root.iter("h1") if _text(heading)]
    titles = [escape(_SITE.sub("", _text(title)), quote=False) for title in root.iter("title")]
    return next(iter(headings + titles), "")


def _is_accepted(answer: Element) -> bool:
    """Pages of the labs mark every answer as accepted; a hidden check mark shows that one is not."""
    signs = list(_marked(answer, "js-accepted-answer-indicator", "vote-accepted-on"))
    if signs:
        return any("d-none" not in sign.get("class", "").split() for sign in signs)
    return "accepted-answer" in answer.get("class", "").split()


def _comments(part: Element, post: PostRow) -> Iterator[CommentRow]:
    for number, comment in enumerate(_marked(part, "comment", "js-comment"), start=1):
        if (text := _first(comment, "comment-copy")) is not None:
            comment_id = comment.get("data-comment-id") or f"{post.post_id}-c{number}"
            score, day = _score(_first(comment, "comment-score")), _day(_first(comment, "comment-date"))
            author = _author(_first(comment, "comment-user"))
            yield CommentRow(comment_id, post.post_id, _html(text), score, day, author)


def _links(root: Element, post_id: str) -> Iterator[LinkRow]:
    """Each linked question once, as a duplicate if it is one. Pages of the labs list ``[id] title``."""
    seen = {post_id}
    for kind, marks in LINKS:
        for box in _marked(root, *marks):
            addresses = " ".join(link.get("href") or "" for link in box.iter("a"))
            for related in [*_QUESTION.findall(addresses), *_LISTED.findall(_raw_text(box))]:
                if related not in seen:
                    yield LinkRow(post_id, related, kind)
                seen.add(related)


def _marked(part: Element, *marks: str) -> Iterator[Element]:
    """The elements that have one of the marks, as a class or as itemprop."""
    for element in part.iter(etree.Element):
        if not {*element.get("class", "").split(), element.get("itemprop", "")}.isdisjoint(marks):
            yield element


def _first(part: Element, *marks: str) -> Element | None:
    return next(_marked(part, *marks), None)


def _last(part: Element, *marks: str) -> Element | None:
    return next(iter([*_marked(part, *marks)][::-1]), None)


def _id(part: Element, *names: str) -> str:
    values = (element.get(name, "").strip() for element in part.iter(etree.Element) for name in names)
    return next((value for value in values if _ID.fullmatch(value)), "")


def _html(element: Element) -> str:
    children = "".join(etree.tostring(child, encoding="unicode", method="html") for child in element)
    return (escape(element.text or "", quote=False) + children).strip()


def _raw_text(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def _text(element: Element) -> str:
    return " ".join(_raw_text(element).split())


def _score(element: Element | None) -> int | None:
    match = None if element is None else _NUMBER.search(element.get("data-value") or _text(element))
    return int(match[0].replace("−", "-")) if match and len(match[0].lstrip("-−")) <= _MOST_DIGITS else None


def _day(element: Element | None) -> str:
    """The first date in the title or the text of an element."""
    if element is None:
        return ""
    titles = " ".join(descendant.get("title") or "" for descendant in element.iter())
    match = _DAY.search(f"{titles} {_text(element)}")
    return match[0] if match else ""


def _author(element: Element | None) -> str:
    """The name, which comes first in the author's box, before points and badges."""
    if element is None:
        return ""
    named = next((part for part in element.iter("a", "span") if _text(part)), element)
    return _USER.sub("", _text(named))[:LONGEST_NAME]
