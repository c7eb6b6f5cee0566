"""The list that an item is opened from: what the list is narrowed to, and what comes before and after in it."""

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


class Narrowing(NamedTuple):
    """What a list shows of its entries: those of one state, those whose text or comments hold all of some words, those
    judged before a ruling."""

    show: str
    words: str
    before: Ruling | None

    @property
    def query(self) -> str:
        """As in an address: ``?show=3``; empty where the list is whole."""
        chosen = {"show": self.show, "q": self.words, "before": self.before.pk if self.before else ""}
        asked = urlencode({name: value for name, value in chosen.items() if value})
        return f"?{asked}" if asked else ""

    def of(self, mine: Assignment, rows: list[Entry]) -> list[Entry]:
        found = [row for row in rows if row.holds(self.words) and (not self.show or self.show in row.states)]
        if self.before is None:
            return found
        earlier = rulings.entries_before(mine, self.before)
        return [row for row in found if mine.order[row.place - 1] in earlier]


def narrowing(mine: Assignment, sent: QueryDict) -> Narrowing:
    """What an address asks for: ``?show=``, ``?q=``, ``?before=``; states that there are not, left out."""
    show, before = sent.get("show", ""), number_in(sent, "before")
    return Narrowing(
        show if show and show in state_labels(mine.round.pool.campaign) else "",
        sent.get("q", "").strip(),
        rulings.ruling_for(mine, before) if before else None,
    )


def state_labels(campaign: Campaign) -> dict[str, str]:
    """The states by which the list can be narrowed, in their order."""
    work = {"open": _("Open"), "deferred": _("Deferred"), "judged": _("Judged")}
    own = {"commented": _("With a comment"), "changed": _("Changed")}
    return {**work, **labels(campaign.rules.task), **own}


class Walk(NamedTuple):
    """The places to go through, ascending; ``query``: of the list that they stand in, empty where that is whole."""

    places: list[int]
    query: str = ""

    def previous(self, place: int) -> int:
        """0 where there is none."""
        return max((one for one in self.places if one < place), default=0)

    def next(self, place: int) -> int:
        """0 where there is none."""
        return min((one for one in self.places if one > place), default=0)

    def passed(self, place: int) -> int:
        """How many there are up to a place, and at it."""
        return sum(one <= place for one in self.places)


def walk(mine: Assignment, sent: QueryDict) -> Walk:
    chosen = narrowing(mine, sent)
    if not chosen.query:
        return Walk(list(range(1, len(mine.order) + 1)))
    return Walk([row.place for row in chosen.of(mine, entries_of(mine))], chosen.query)
