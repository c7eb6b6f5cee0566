"""Links in posts: which post a link leads to, and how readers see where it leads."""

import re
from collections.abc import Mapping
from html import escape, unescape
from urllib.parse import SplitResult, urlsplit

SITE = "math.stackexchange.com"
"""The site that the collection was taken from; its posts have the same ids there."""
OUTSIDE = "leads outside"
"""Marks an external link, in English."""

_PATH = re.compile(
    r"""/questions/(?P<question>\d+)(?:/[^/]*(?:/(?P<answer>\d+))?)?/?
    |/[qa]/(?P<short>\d+)(?:/\d+)?/?  # the second number is who shared it""",
    re.VERBOSE,
)
_LINK = re.compile(r'<a((?: [\w-]+="[^"]*")*)>(.*?)</a>', re.DOTALL)
_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
_HREF = re.compile(r'<a (?:[\w-]+="[^"]*" )*?href="([^"]*)"')


def post_of(address: str) -> str | None:
    """The id of the post on the site: the answer if the address names one, else the question. None for other pages."""
    parts = _parts(address)
    match = _PATH.fullmatch(parts.path)
    if match is None or (parts.hostname or "").removeprefix("www.") != SITE:
        return None
    anchor = parts.fragment if match["question"] and parts.fragment.isdecimal() else None
    return match["short"] or anchor or match["answer"] or match["question"]


def _parts(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:  # brackets around anything but an IPv6 address
        return urlsplit("")


def linked_posts(html: str) -> set[str]:
    if SITE not in html:
        return set()
    return {post for address in _HREF.findall(html) if (post := post_of(unescape(address)))}


def signposted(html: str, inside: Mapping[str, str], outside: str = OUTSIDE) -> str:
    """Links to the posts in ``inside`` lead to the addresses given there. All others are marked as external, with the
    words ``outside``: by a class, in the title and for screen readers. These links open in a new window."""
    return _LINK.sub(lambda match: _signposted(match, inside, outside), html) if "<a " in html else html


def _signposted(match: re.Match[str], inside: Mapping[str, str], outside: str) -> str:
    attributes = dict(_ATTRIBUTE.findall(match[1]))
    address, title = unescape(attributes.get("href", "")), attributes.get("title", "")
    if not address or address.startswith("#"):  # a place in the post
        return match[0]
    ours = inside.get(post_of(address) or "")
    note = "" if ours else f'<span class="visually-hidden"> ({escape(outside)})</span>'
    if not ours:  # its own title and the host that it leads to
        where = ": ".join(filter(None, (escape(outside), escape(_parts(address).hostname or ""))))
        title = f"{title} ({where})" if title else where.capitalize()
    classes = [attributes.get("class", ""), "inside" if ours else "outside"]
    attributes |= {
        "href": escape(ours) if ours else attributes["href"],
        "class": " ".join(filter(None, classes)),
        "title": title,
        "target": "_blank",
    }
    rewritten = "".join(f' {name}="{value}"' for name, value in attributes.items() if value)
    return f"<a{rewritten}>{match[2]}{note}</a>"
