"""Links in posts: which post one leads to, and how a reader is told where it leads."""

import re
from collections.abc import Mapping
from html import escape, unescape
from urllib.parse import SplitResult, urlsplit

SITE = "math.stackexchange.com"
"""Where the posts of the collection come from: their ids are its ids."""
OUTSIDE = "leads outside"
"""How a reader is told, in English."""

_PATH = re.compile(
    r"""/questions/(?P<question>\d+)(?:/[^/]*(?:/(?P<answer>\d+))?)?/?
    |/[qa]/(?P<short>\d+)(?:/\d+)?/?  # the second number is who shared it""",
    re.VERBOSE,
)
_LINK = re.compile(r'<a((?: [\w-]+="[^"]*")*)>(.*?)</a>', re.DOTALL)
_ATTRIBUTE = re.compile(r' ([\w-]+)="([^"]*)"')
_HREF = re.compile(r'<a (?:[\w-]+="[^"]*" )*?href="([^"]*)"')


def post_of(address: str) -> str | None:
    """The id of the question or, where the address names one, of the answer on the site; None for any other page."""
    parts = _parts(address)
    found = _PATH.fullmatch(parts.path)
    if found is None or (parts.hostname or "").removeprefix("www.") != SITE:
        return None
    anchor = parts.fragment if found["question"] and parts.fragment.isdecimal() else None
    return found["short"] or anchor or found["answer"] or found["question"]


def _parts(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:  # brackets around something else than an IPv6 address
        return urlsplit("")


def linked_posts(html: str) -> set[str]:
    """The posts that the links of canonical HTML lead to."""
    if SITE not in html:
        return set()
    return {post for address in _HREF.findall(html) if (post := post_of(unescape(address)))}


def signposted(html: str, inside: Mapping[str, str], outside: str = OUTSIDE) -> str:
    """Links to the posts in ``inside`` lead to the addresses given there; all others are marked as leading outside,
    for eyes (by a class), by a title and for screen readers, in the words ``outside``. All open in a window of their
    own."""
    return _LINK.sub(lambda match: _signposted(match, inside, outside), html) if "<a " in html else html


def _signposted(match: re.Match[str], inside: Mapping[str, str], outside: str) -> str:
    attributes = dict(_ATTRIBUTE.findall(match[1]))
    address = unescape(attributes.get("href", ""))
    if not address:
        return match[0]
    ours = inside.get(post_of(address) or "")
    note = "" if ours else f'<span class="visually-hidden"> ({escape(outside)})</span>'
    classes = [attributes.get("class", ""), "inside" if ours else "outside"]
    attributes |= {
        "href": escape(ours) if ours else attributes["href"],
        "class": " ".join(filter(None, classes)),
        "title": attributes.get("title", "") if ours else _title(attributes.get("title", ""), address, escape(outside)),
        "target": "_blank",
    }
    written = "".join(f' {name}="{value}"' for name, value in attributes.items() if value)
    return f"<a{written}>{match[2]}{note}</a>"


def _title(own: str, address: str, outside: str) -> str:
    """The title that the link has, and where it leads."""
    host = escape(_parts(address).hostname or "")
    where = f"{outside}: {host}" if host else outside
    return f"{own} ({where})" if own else where.capitalize()
