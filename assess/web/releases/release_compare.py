"""The comparison of two releases: how they were made, their topics and judgments, and what they do to runs."""

from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from assess.ir.releases.differences import ChangedLine, count_changes
from assess.models import Campaign, Member, Qrels, QrelsLine
from assess.services.common.access import ORGANIZER, STAFF, campaign_for
from assess.services.scores import release_changes
from assess.services.scores.release_changes import JudgedDocument, TopicUnit
from assess.web.common.doors import campaign_view
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.forms import render_form
from assess.web.common.measure_names import asked, measure_links
from assess.web.releases.release_words import contrasts
from assess.web.releases.releases import find, releases_of

PAGE_SIZE = 200
"""Differences on one page."""
LINES = ("change", "topic", "unit", "before", "after")
MOVES = ("measure", "run", "place_before", "place_after", "before", "after", "change")
Pair = tuple[Qrels, Qrels]


class CompareForm(forms.Form):
    """Two releases of a campaign, and which of their files to compare."""

    first = forms.TypedChoiceField(coerce=int)
    second = forms.TypedChoiceField(coerce=int)
    unit = forms.ChoiceField(label="Unit")

    def __init__(self, *args: Any, releases: list[Qrels], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        units = dict.fromkeys(unit for release in releases for unit in release.counts)
        versions = [(release.version, str(release)) for release in releases]
        labels = [(unit, QrelsLine.Unit(unit).label) for unit in units]
        for name, choices in {"first": versions, "second": versions, "unit": labels}.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]


class TopicsOf(NamedTuple):
    """A release's number of topics, and those that only it has, each with the address of its page or without one."""

    number: int
    only: list[tuple[str, str]]


@require_safe
@campaign_view(STAFF)
def compare(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The differences between two releases, by default the last two by visual id or post; for organizers also what
    they do to the runs, and links to judgments."""
    form = compare_form(request, campaign)
    context: dict[str, Any] = {"campaign": campaign, "section": "releases", "form": form}
    if form.is_valid():
        pair, unit = pair_of(campaign, form), form.cleaned_data["unit"]
        is_organizer = campaign.role == Member.Role.ORGANIZER
        changed = release_changes.line_changes(*pair, unit)
        page = Paginator(changed, PAGE_SIZE).get_page(request.GET.get("page"))
        addresses = addresses_of(campaign, pair, unit, page) if is_organizer else {}
        context |= {
            "pair": pair,
            "unit": unit,
            "contrasts": contrasts(*pair),
            "topics": topics_of(campaign, pair, unit),
            "counts": count_changes(changed).items(),
            "page": page,
            "rows": [(each, addresses.get((each.topic_id, each.unit_id), "")) for each in page],
        }
        if is_organizer:
            context |= of_runs(pair, request.GET)
    return render_form(request, "releases/compare.html", context)


def compare_form(request: HttpRequest, campaign: Campaign) -> CompareForm:
    """The form with what was asked for; 404 if there are no two releases."""
    released = list(releases_of(campaign))
    if len(released) < 2:
        raise Http404
    initial = {"first": released[1].version, "second": released[0].version, "unit": next(iter(released[0].counts))}
    return CompareForm({**initial, **request.GET.dict()}, releases=released)


def pair_of(campaign: Campaign, form: CompareForm) -> Pair:
    return find(campaign, form.cleaned_data["first"]), find(campaign, form.cleaned_data["second"])


def topics_of(campaign: Campaign, pair: Pair, unit: str) -> list[TopicsOf]:
    """Of both releases, in the file of this unit."""
    only = release_changes.topic_changes(*pair, unit)
    known = campaign.topics.filter(topic_id__in=[*only[0], *only[1]])
    addresses = {topic.topic_id: topic.get_absolute_url() for topic in known}
    return [
        TopicsOf(release.counts.get(unit, {}).get("topics", 0), [(topic, addresses.get(topic, "")) for topic in topics])
        for release, topics in zip(pair, only, strict=True)
    ]


def addresses_of(campaign: Campaign, pair: Pair, unit: str, changed: Iterable[ChangedLine]) -> dict[TopicUnit, str]:
    """Where the judgments of units are; those that nobody has judged here have no address."""
    units = [(each.topic_id, each.unit_id) for each in changed]
    documents = release_changes.judged_documents(pair, unit, units)
    return {key: address_of(campaign.slug, key[0], judged) for key, judged in documents.items()}


def address_of(slug: str, topic_id: str, judged: list[JudgedDocument]) -> str:
    """The history of a document; of several, their judgments beside each other."""
    if len(judged) == 1:
        return reverse("document_history", args=[slug, topic_id, judged[0].instance])
    query = urlencode([("document", each.doc_id) for each in judged])
    return f"{reverse('topic_judgments', args=[slug, topic_id])}?{query}"


def of_runs(pair: Pair, sent: QueryDict) -> dict[str, Any]:
    """Each run's change by the measure that ``?measure=`` names, for the template."""
    changes = release_changes.run_changes(*pair)
    measure = asked(sent, changes.measures)
    return {
        "moves": changes.of(measure),
        "measures": measure_links(changes.measures, measure),
        "lacking": changes.lacking,
    }


def cells_of(line: ChangedLine) -> tuple[str | int | None, ...]:
    return line.kind, line.topic_id, line.unit_id, line.before, line.after


@require_safe
def compare_file(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """The changed lines, or for organizers the changes of the runs by all measures, as CSV."""
    campaign = campaign_for(request.user, slug, ORGANIZER if kind == "runs" else STAFF)
    form = compare_form(request, campaign)
    if kind not in ("lines", "runs") or not form.is_valid():
        raise Http404
    pair, unit = pair_of(campaign, form), form.cleaned_data["unit"]
    if kind == "runs":
        moves = release_changes.run_changes(*pair).moves
        table = FileTable(
            MOVES, [(m.measure, m.run, m.place_before, m.place_after, m.before, m.after, m.change) for m in moves], ""
        )
    else:
        table = FileTable(LINES, [cells_of(each) for each in release_changes.line_changes(*pair, unit)], "")
    name = f"{slug}.releases-{pair[0].version}-{pair[1].version}.{unit if kind == 'lines' else 'runs'}"
    return as_attachment([table], name, "csv")


urlpatterns = [
    path("c/<slug:slug>/releases/compare/", compare, name="releases_compare"),
    path("c/<slug:slug>/releases/compare/<slug:kind>.csv", compare_file, name="releases_compare_file"),
]
