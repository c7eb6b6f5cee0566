"""The list of an assignment, where assessors find, reread and change their own judgments; its filters, and the way
through a filtered list from item to item."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assess.ir.campaign.protocol import Protocol
from assess.ir.collection.html import plain_text
from assess.ir.common.rows import grouped
from assess.models import Assignment, Campaign, Instance, Judgment, Ruling
from assess.services.common.access import assignment_for, own_assignments
from assess.services.desk import documents, post_tasks, rulings
from assess.services.pool.content import Card, cards_of
from assess.web.common.html import post_html
from assess.web.common.responses import number_in, person
from assess.web.desk.labels import labels
from assess.web.desk.sidebar import own_progress, topic_to_continue, topics_of
from assess.web.pool.pools import text_of

CLOSED = gettext_lazy("This topic is paused or no longer yours. Your judgments are kept.")


def home_if_not_open(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Leads from a person's topic that was paused, taken back or handed over to the start page, which says so."""

    @wraps(view)
    def checked(request: HttpRequest, pk: int, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, pk, **kwargs)
        except Http404:
            assignment = own_assignments(request.user).filter(pk=pk).first()
            if assignment is None or assignment.is_open:
                raise
            messages.warning(request, CLOSED)
            return redirect("home")

    return checked


class ListLine(NamedTuple):
    """One place. ``judgments``: of each document in the assessor's order, None while it is open; empty if all are.
    ``where``: how often a formula occurs; ``states``: the filters that keep it; ``words``: what a search looks at."""

    place: int
    text: str | SafeString
    judgments: list[Judgment | None]
    where: str
    states: set[str]
    words: str

    @property
    def changed(self) -> datetime | None:
        """When it was judged last."""
        return max((judgment.changed for judgment in self.judgments if judgment), default=None)


def sorted_lines(lines: list[ListLine], rules: Protocol, order: str) -> list[ListLine]:
    """By a column of the list, what lacks it last; by place without one."""
    ranks = {word: rank for rank, word in enumerate(rules.names)}
    keys: dict[str, Callable[[ListLine], Any]] = {
        "document": lambda line: line.words,
        "judgment": lambda line: min((ranks[each.decision] for each in line.judgments if each), default=len(ranks)),
        "when": lambda line: -line.changed.timestamp() if line.changed else 0,
    }
    return sorted(lines, key=keys[order]) if order in keys else lines


def list_lines(assignment: Assignment) -> list[ListLine]:
    """The places in the assessor's order, in a fixed number of queries."""
    campaign = assignment.campaign
    judgments = {judgment.instance_id: judgment for judgment in assignment.judgments.all()}
    deferred = set(assignment.deferrals.values_list("entry_id", flat=True))
    instances = Instance.objects.filter(entry__pool=assignment.round.pool_id, entry__topic=assignment.topic)
    presented = cards_of(campaign, assignment.topic, documents.presented(assignment, instances))
    cards_at = grouped((card.instance.entry_id, card) for card in presented)
    lines = []
    for place, entry in enumerate(assignment.order, start=1):
        cards = documents.cards_by_post(cards_at[entry])
        judged = [judgments.get(card.instance.pk) for card in cards]
        own = [judgment for judgment in judged if judgment]
        state = "judged" if len(own) == len(cards) else "deferred" if entry in deferred else "open"
        states = {state, *(judgment.decision for judgment in own)}
        texts = [plain_text(f"{card.post.title if card.post else ''} {card.body}") for card in cards]
        words = " ".join([*texts, *(judgment.comment for judgment in own)]).casefold()
        shown = judged if own else []
        lines.append(ListLine(place, text_of(campaign, cards[0]), shown, where(cards), states, words))
    return lines


def where(cards: list[Card]) -> str:
    """In how many posts the instances are, if there are several."""
    count, number = len(cards), len({documents.post_id_of(card.instance) for card in cards})
    posts = ngettext("%(posts)s post", "%(posts)s posts", number) % {"posts": number}
    if count == number:
        return posts if count > 1 else ""
    return _("%(count)s times in %(posts)s") % {"count": count, "posts": posts}


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

    def keep(self, assignment: Assignment, lines: list[ListLine]) -> list[ListLine]:
        words = self.words.casefold().split()
        lines = [line for line in lines if all(word in line.words for word in words)]
        if self.show:
            lines = [line for line in lines if self.show in line.states]
        if self.before:
            earlier = rulings.entries_before(assignment, self.before)
            lines = [line for line in lines if assignment.order[line.place - 1] in earlier]
        return lines


def filters_in(assignment: Assignment, sent: QueryDict) -> Filters:
    """From an address: ``?show=``, ``?q=``, ``?before=``; an unknown state is ignored."""
    show, before = sent.get("show", ""), number_in(sent, "before")
    return Filters(
        show if show in state_labels(assignment.campaign) else "",
        sent.get("q", "").strip(),
        rulings.ruling_for(assignment, before) if before else None,
    )


def state_labels(campaign: Campaign) -> dict[str, str]:
    """The states by which a list can be filtered, in order."""
    return {"open": _("Open"), "deferred": _("Deferred"), "judged": _("Judged"), **labels(campaign.rules)}


class ListNavigation(NamedTuple):
    """The places to go through, ascending; ``query``: of their list, empty if it is the whole list."""

    places: list[int]
    query: str = ""

    def previous(self, place: int) -> int:
        """0 before the first."""
        return max((listed for listed in self.places if listed < place), default=0)

    def next(self, place: int) -> int:
        """0 after the last."""
        return min((listed for listed in self.places if listed > place), default=0)

    def position(self, place: int) -> int:
        """How many places come up to and including this one."""
        return sum(listed <= place for listed in self.places)


def list_navigation(assignment: Assignment, sent: QueryDict) -> ListNavigation:
    chosen = filters_in(assignment, sent)
    if not chosen.query:
        return ListNavigation(list(range(1, len(assignment.order) + 1)))
    return ListNavigation([line.place for line in chosen.keep(assignment, list_lines(assignment))], chosen.query)


@never_cache
@require_safe
@home_if_not_open
def next_open(request: HttpRequest, pk: int) -> HttpResponse:
    """To the next open document of a topic; to its list if all is judged."""
    assignment = assignment_for(request.user, pk)
    place = documents.first_open(documents.states(assignment))
    return redirect("judge", pk, place) if place else redirect(assignment)


@never_cache
@require_safe
@home_if_not_open
def assignment_list(request: HttpRequest, pk: int) -> HttpResponse:
    """All places of an assignment with the assessor's own judgments, or those that the filters keep."""
    assignment = assignment_for(request.user, pk)
    lines = list_lines(assignment)
    counts = Counter(state for line in lines for state in line.states)
    given = Counter(judgment.decision for line in lines for judgment in line.judgments if judgment)
    chosen, sort = filters_in(assignment, request.GET), request.GET.get("sort", "")
    states, rules = documents.states(assignment), assignment.campaign.rules
    first_open, unit = documents.first_open(states), _(rules.words.unit.capitalize())
    context = {
        "assignment": assignment,
        "rules": rules,
        "title": post_html(assignment.campaign, assignment.topic.title),
        "rows": sorted_lines(chosen.keep(assignment, lines), rules, sort),
        "sort": sort or "place",
        "columns": [("document", unit), ("judgment", _("Judgment")), ("when", _("When"))],
        "query": chosen.query,
        "total": len(lines),
        "judged": counts["judged"],
        "first_open": first_open,
        "second_look": states.find(documents.UNKNOWN) + 1,
        "unknown": states.count(documents.UNKNOWN),
        "rulings": rulings.rulings_for_assessor(assignment),
        "before": chosen.before,
        **own_progress(request, assignment),
        "next_topic": None if first_open else topic_to_continue(topics_of(person(request)), assignment.campaign),
        "done": [] if first_open else [(word, given[word]) for word in rules.names if given[word]],
        "written": post_tasks.waiting_answers(assignment) if documents.is_all_judged(states) else None,
        "show": chosen.show,
        "q": chosen.words,
        "unsearched": chosen._replace(words="").query or "?",
        "filters": [
            (state, label, counts[state], state in ("open", "judged", "deferred"))
            for state, label in state_labels(assignment.campaign).items()
            if counts[state] or state == chosen.show
        ],
    }
    return render(request, "desk/assignment.html", context)
