"""The comparison of two releases: how they were made, their topics and judgments, and what they do to runs."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from assess.ir.common.ids import natural
from assess.ir.releases.differences import count_changes
from assess.models import Campaign, Member, Qrels, QrelsLine
from assess.services.common.access import ORGANIZER, STAFF, campaign_for
from assess.services.scores import release_changes
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.forms import render_form
from assess.web.common.measure_names import asked, measure_links
from assess.web.releases.release_words import contrasts

PAGE_SIZE = 200
"""Differences on one page."""
LINES = ("change", "topic", "unit", "before", "after")
MOVES = ("measure", "run", "place_before", "place_after", "before", "after", "change")
Pair = tuple[Qrels, Qrels]


def all_releases(campaign: Campaign) -> QuerySet[Qrels]:
    releases = Qrels.objects.of(campaign)
    return releases.select_related("pool__campaign", "released_by", "visual_map")


class CompareForm(forms.Form):
    """Two releases of a campaign, by default the last two, and which of their files to compare. Raises Http404 if there
    are no two."""

    first = forms.TypedChoiceField(coerce=int)
    second = forms.TypedChoiceField(coerce=int)
    unit = forms.ChoiceField(label="Unit")

    def __init__(self, sent: QueryDict, campaign: Campaign) -> None:
        released = {release.version: release for release in all_releases(campaign)}
        if len(released) < 2:
            raise Http404
        second, first, *_ = released.values()
        initial = {"first": first.version, "second": second.version, "unit": next(iter(second.counts))}
        super().__init__({**initial, **sent.dict()})
        self.releases = released
        units = dict.fromkeys(unit for release in released.values() for unit in release.counts)
        versions = [(version, str(release)) for version, release in released.items()]
        labels = [(unit, QrelsLine.Unit(unit).label) for unit in units]
        for name, choices in {"first": versions, "second": versions, "unit": labels}.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]

    def chosen(self) -> tuple[Pair, str]:
        first, second, unit = (self.cleaned_data[name] for name in ("first", "second", "unit"))
        return (self.releases[first], self.releases[second]), unit


def compare_releases(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The differences between two releases; for organizers also what they do to the runs, and links to judgments."""
    form = CompareForm(request.GET, campaign)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        pair, unit = form.chosen()
        changed = release_changes.line_changes(*pair, unit)
        page = Paginator(changed, PAGE_SIZE).get_page(request.GET.get("page"))
        context |= {
            "pair": pair,
            "unit": unit,
            "contrasts": contrasts(*pair),
            "topics": topics_of_pair(campaign, pair, unit),
            "counts": count_changes(changed).items(),
            "page": page,
        }
        if campaign.role == Member.Role.ORGANIZER:
            moves, lacking = release_changes.run_changes(*pair)
            names = list(dict.fromkeys(move.measure for move in moves))
            measure = asked(request.GET, names)
            context |= {"moves": [move for move in moves if move.measure == measure], "lacking": lacking}
            context["measures"] = measure_links(names, measure)
    return render_form(request, "releases/compare.html", context)


def topics_of_pair(campaign: Campaign, pair: Pair, unit: str) -> list[dict[str, Any]]:
    """Of each release the number of topics in the file of this unit, and those that only it has, with the addresses of
    their pages."""
    before, after = (
        set(release.lines.filter(unit=unit).values_list("topic_id", flat=True).distinct()) for release in pair
    )
    addresses = {
        topic.topic_id: topic.get_absolute_url() for topic in campaign.topics.filter(topic_id__in=before ^ after)
    }
    return [
        {"number": len(topics), "only": [(topic, addresses.get(topic, "")) for topic in sorted(only, key=natural)]}
        for topics, only in ((before, before - after), (after, after - before))
    ]


@require_safe
def compare_file(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """The changed lines, or for organizers the changes of the runs by all measures, as CSV."""
    campaign = campaign_for(request.user, slug, ORGANIZER if kind == "runs" else STAFF)
    form = CompareForm(request.GET, campaign)
    if kind not in ("lines", "runs") or not form.is_valid():
        raise Http404
    pair, unit = form.chosen()
    if kind == "runs":
        moves, _ = release_changes.run_changes(*pair)
        table = FileTable(MOVES, [[getattr(move, name) for name in MOVES] for move in moves], "")
    else:
        lines = release_changes.line_changes(*pair, unit)
        table = FileTable(LINES, [(each.kind, *each[1:]) for each in lines], "")
    name = f"{slug}.releases-{pair[0].version}-{pair[1].version}.{unit if kind == 'lines' else 'runs'}"
    return as_attachment([table], name, "csv")
