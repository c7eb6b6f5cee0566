"""HTML elements, written so that every parser nests them in the same way.

A browser repeats and moves the elements of broken HTML until they form a tree. That tree can be far larger than its
source, and its HTML can parse to yet another tree. Here a start tag closes the elements that must not contain it, and
an end tag the elements still open inside: the result is about as long as its source, and a parser changes nothing.
"""

from collections.abc import Set

TABLE = {"table": 0, "caption": 1, "tbody": 1, "tfoot": 1, "thead": 1, "tr": 2, "td": 3, "th": 3}
"""A table and its parts, each with its level."""
FRAME = {"table", "tbody", "tfoot", "thead", "tr"}
"""The parts of a table that contain no text directly."""
ITEMS = ("dd", "dt", "li")
LISTS = {"dl", "ol", "ul"}
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
ENDS_PARAGRAPH = {"blockquote", "hr", "p", "pre", "table", *ITEMS, *LISTS, *HEADINGS}
ENDS = {"a": ("a",), "dd": ("dd", "dt"), "dt": ("dd", "dt"), "li": ("li",)} | dict.fromkeys(HEADINGS, HEADINGS)
"""The elements, besides paragraphs, that a start tag closes."""
LIMITS = {name: {"table"} for name in TABLE} | {name: LISTS | set(TABLE) for name in ITEMS}
"""The elements that an end tag does not reach beyond; for all others, the parts of a table."""
VOID = {"br", "hr"}
DEEPEST = 100
"""Deeper elements are dropped; their text stays. Real posts have up to nine levels."""


class Nesting:
    """Collects the tags and the text of HTML. Tags that are not allowed are dropped."""

    def __init__(self, allowed: Set[str]) -> None:
        self._allowed = allowed
        self._open: list[str] = []
        self._written: list[str] = []

    def text(self, html: str) -> None:
        if self._open and self._open[-1] in FRAME and not html.isspace():
            self.start("td")
        self._written.append(html)

    def start(self, name: str, attributes: str = "") -> None:
        if name not in self._allowed or not self._make_room(name):
            return
        self._written.append(f"<{name}{attributes}>")
        if name not in VOID:
            self._open.append(name)

    def end(self, name: str) -> None:
        """Closes the innermost element of that name. As in browsers, a stray ``</br>`` or ``</p>`` is an element."""
        if not self._close(name) and name in ("br", "p"):
            self.start(name)
            self._close(name)

    def finish(self) -> str:
        self._end_from(0)
        return "".join(self._written)

    def _make_room(self, name: str) -> bool:
        """Closes and opens elements until this one may start; False if it may not."""
        if name in TABLE and name != "table":
            if "table" not in self._open:
                return False
            # What is not above the level of this part is closed, and the levels that are missing are opened.
            while self._open[-1] == "caption" or TABLE.get(self._open[-1], 4) >= TABLE[name]:
                self._end_from(len(self._open) - 1)
            for part in ("tbody", "tr")[TABLE[self._open[-1]] : TABLE[name] - 1]:
                self.start(part)
            return True
        if self._open and self._open[-1] in FRAME:
            self.start("td")
        if name in ENDS_PARAGRAPH:
            self._close("p")
        for sibling in ENDS.get(name, ()):
            self._close(sibling)
        return len(self._open) < DEEPEST or name in VOID

    def _close(self, name: str) -> bool:
        """Closes the innermost element of that name in this list or table, with its contents. False if none."""
        limits = LIMITS.get(name, TABLE)
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index] == name:
                self._end_from(index)
                return True
            if self._open[index] in limits:
                return False
        return False

    def _end_from(self, index: int) -> None:
        """Closes the open elements from this index on. An empty link is removed."""
        for name in reversed(self._open[index:]):
            if name == "a" and self._written[-1].startswith("<a"):
                self._written.pop()
            else:
                self._written.append(f"</{name}>")
        del self._open[index:]
