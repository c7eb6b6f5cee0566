"""The filters of an assignment's list, and the way through the filtered list from item to item."""

from __future__ import annotations

from typing import NamedTuple

from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from assess.models import Assignment, Campaign, Ruling
from assess.services.judging import rulings
from assess.web.common.responses import number_in
from assess.web.judging.assignment_list import Entry, entries_of
from assess.web.judging.labels import labels


class Filters(NamedTuple):
    """Which entries a list shows: those in one state, with all of some words in text or comments, judged before a
    ruling."""

    show: str
    words: str
    before: Ruling | None

    @property
    def query(self) -> str:
        """As in an address: ``?show=3``; empty without filters."""
        chosen = {"show": self.show, "q": self.words, "before": self.before.pk if self.before else ""}
        query = urlencode({name: value for name, value in chosen.items() if value})
        return f"?{query}" if query else ""

    def of(self, assignment: Assignment, entries: list[Entry]) -> list[Entry]:
        entries = [entry for entry in entries if entry.has(self.words) and (not self.show or self.show in entry.states)]
        if self.before is None:
            return entries
        earlier = rulings.entries_before(assignment, self.before)
        return [entry for entry in entries if assignment.order[entry.place - 1] in earlier]


def filters(assignment: Assignment, sent: QueryDict) -> Filters:
    """From an address: ``?show=``, ``?q=``, ``?before=``; an unknown state is ignored."""
    show, before = sent.get("show", ""), number_in(sent, "before")
    return Filters(
        show if show in state_labels(assignment.campaign) else "",
        sent.get("q", "").strip(),
        rulings.ruling_for(assignment, before) if before else None,
    )


def state_labels(campaign: Campaign) -> dict[str, str]:
    """The states by which a list can be filtered, in order."""
    work = {"open": _("Open"), "deferred": _("Deferred"), "judged": _("Judged")}
    own = {"commented": _("With a comment"), "changed": _("Changed")}
    return {**work, **labels(campaign.rules.task), **own}


class Walk(NamedTuple):
    """The places to go through, ascending; ``query``: of their list, empty if it is the whole list."""

    places: list[int]
    query: str = ""

    def previous(self, place: int) -> int:
        """0 before the first."""
        return max((each for each in self.places if each < place), default=0)

    def next(self, place: int) -> int:
        """0 after the last."""
        return min((each for each in self.places if each > place), default=0)

    def passed(self, place: int) -> int:
        """How many places come up to and including this one."""
        return sum(each <= place for each in self.places)


def walk(assignment: Assignment, sent: QueryDict) -> Walk:
    chosen = filters(assignment, sent)
    if not chosen.query:
        return Walk(list(range(1, len(assignment.order) + 1)))
    return Walk([entry.place for entry in chosen.of(assignment, entries_of(assignment))], chosen.query)
