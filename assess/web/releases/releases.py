"""Releases of qrels: making, reading, comparing and downloading them; and downloads of all judgments."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import localtime

from assess.ir.campaign.protocol import OPTIONS as PROTOCOL
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.options import Option
from assess.ir.formats.judgments import ExportFormat
from assess.ir.releases.differences import count_changes
from assess.ir.releases.release_options import JUDGES, OPTIONS, ReleaseOptions
from assess.models import Assignment, Campaign, Judgment, Member, Pool, Qrels, QrelsLine
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.common.errors import Refused
from assess.services.common.wording import number
from assess.services.formulas import visual_ids
from assess.services.pool import freezing
from assess.services.releases import derivation, export, manifest, qrels, release_folder
from assess.services.rounds import adjudication, progress
from assess.services.scores.results import run_changes
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.forms import form_field
from assess.web.common.jobs import start_job
from assess.web.common.measure_names import asked, measure_links
from assess.web.common.responses import attachment, number_in, render_form, streamed, unfinished

MAIN = ("note", "min_relevant")
"""The fields of a release that are not folded away."""
PAGE_SIZE = 200
"""Differences on one page."""
TOLD = ("round", "assessor", "min_relevant", "visual_ids")
"""The options that other facts tell."""
TYPES: dict[ExportFormat, str] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


class ReleaseForm(forms.Form):
    """A release of the frozen pool of a campaign. What a campaign has nothing of can't be chosen."""

    note = forms.CharField(max_length=200, required=False, help_text="What the release is for, in a few words.")

    def __init__(self, data: Any = None, *, campaign: Campaign) -> None:
        self.pool = campaign.frozen_pool()
        initial = derivation.chosen_options(self.pool, {}).to_dict() if self.pool else {}
        super().__init__(data, initial=initial)
        for name, option in offered_options(campaign, self.pool).items():
            self.fields[name] = form_field(option, required=option.least is not None and option.default is not None)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.pool is None:
            self.add_error(None, "Nothing has been judged: the pool is not frozen.")
        elif not self.errors:
            given = {name: value for name, value in cleaned.items() if name in OPTIONS and value not in ("", None)}
            given |= {name: self.with_usual(name, value) for name, value in given.items() if isinstance(value, list)}
            try:
                self.options = derivation.chosen_options(self.pool, given)
            except Refused as error:
                name, _, reason = str(error).partition(": ")
                self.add_error(name if name in self.fields else None, capfirst(reason))
        return cleaned

    def with_usual(self, name: str, chosen: list[str]) -> list[str]:
        """In the usual order, with what is usual and can't be chosen here: outcomes that the campaign does not have."""
        field: Any = self.fields[name]
        usual = [value for value in self.initial[name] if value in chosen or not field.valid_value(value)]
        return list(dict.fromkeys([*usual, *chosen]))

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in MAIN]

    @property
    def further_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in MAIN]

    @property
    def is_open(self) -> bool:
        """Whether the options are shown from the start: one of them is wrong, or was chosen before."""
        return self.is_bound and any(field.errors or field.name in self.changed_data for field in self.further_fields)


def offered_options(campaign: Campaign, pool: Pool | None) -> dict[str, Option]:
    """The options with the choices that a campaign has: rounds, assessors with judgments, settled grades if there are
    any."""
    judged = Judgment.objects.filter(assignment__round__pool=pool).values("assignment")
    people = Assignment.objects.filter(pk__in=judged).values_list("assessor__username", flat=True)
    names = {name: name for name in sorted(set(people))}
    rounds = enumerate(pool.rounds.order_by("pk") if pool else (), start=1)
    outcomes = {outcome.word: outcome.name for outcome in campaign.rules.outcomes}
    collection = campaign.collection if campaign.has_visual_ids else None
    versions = visual_ids.applied_versions(collection) if collection else ()
    choices: dict[str, dict[Any, str]] = {
        "round": {"": "—"} | {number: str(round) for number, round in rounds},
        "assessor": {"": "—"} | names,
        "excluded": names,
        "outcomes_as_zero": outcomes,
        "written_outcomes_as_zero": outcomes if campaign.rules.written else {},
        "visual_ids": {version.number: str(version) for version in versions},
    }
    if pool is None or not adjudication.settling(pool).exists():
        choices["judges"] = {name: label for name, label in JUDGES.items() if name != "adjudicated"}
    if not campaign.has_visual_ids:
        choices["aggregation"] = {}
    return {
        name: option._replace(choices=choices.get(name, option.choices))
        for name, option in OPTIONS.items()
        if choices.get(name, True)
    }


def all_releases(campaign: Campaign) -> QuerySet[Qrels]:
    releases = Qrels.objects.of(campaign)
    return releases.select_related("pool__campaign", "released_by", "visual_map")


@campaign_view(STAFF, changes=ORGANIZER)
def releases(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All releases, and a form to make one; or the release that ``?release=`` names, or two compared (``?first=``)."""
    if "release" in request.GET:
        return release_page(request, campaign, number_in(request.GET, "release"))
    if "first" in request.GET:
        return compare_releases(request, campaign)
    pool = campaign.frozen_pool()
    form = ReleaseForm(request.POST or None, campaign=campaign)
    if form.is_valid() and pool:
        params = {"pool": pool.pk, "note": form.cleaned_data["note"], "options": form.options.to_dict()}
        return start_job(request, campaign, job_kinds.release_qrels, **params)
    threshold = (pool and pool.rules.min_relevant) or Protocol.min_relevant
    context = {
        "pool": pool,
        "releases": list(all_releases(campaign)),
        "form": form,
        "thin": qrels.topics_left_out(pool, threshold) if pool else [],
        "threshold": threshold,
        "main_round": progress.main_round(pool) if pool else None,
        "usual": Protocol.min_relevant,
        "can_release": pool is not None and freezing.is_judged(pool),
        "running": unfinished(campaign, job_kinds.release_qrels),
    }
    return render_form(request, "releases/releases.html", context)


def release_or_404(campaign: Campaign, version: int) -> Qrels:
    return get_object_or_404(all_releases(campaign), version=version)


def release_page(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    release = release_or_404(campaign, version)
    later = release.verification.get("later", {}).get("first", [])
    signer = release.manifest.get("signed_by")
    rules = release.pool.rules
    context = {
        "release": release,
        "files": [
            (unit, QrelsLine.Unit(unit).label, counts, manifest.grades_of(unit)[1])
            for unit, counts in release.counts.items()
        ],
        "relevant": "relevant" if release.is_sum else rules.label_from(release.protocol["level"]),
        "range": (0, 4) if release.is_sum else (min(rules.values), max(rules.values)),
        "facts": facts(release),
        "signed_by": signer and manifest.fingerprint(signer),
        "hashes": sorted(release.manifest["files"].items()),
        "later": [event | {"at": parse_datetime(event["at"])} for event in later],
        "running": unfinished(campaign, job_kinds.verify_release),
    }
    return render(request, "releases/release.html", context)


def facts(release: Qrels) -> list[tuple[str, str]]:
    """What it was made with, by name; of the options those that are not as for the official qrels."""
    least, left_out, options = release.protocol["min_relevant"], release.made_with["left_out"], release.chosen
    preset, topics = release.protocol["preset"], "all judged topics"
    if least:
        topics = f"with at least {number(least, 'relevant unit')}"
    version, settled, frozen = release.visual_map, release.made_with.get("settled"), release.pool.frozen
    judged = {"campaign": release.pool.campaign, "main_round": progress.MainRound(**release.main_round)}
    on = f", frozen on {date_format(localtime(frozen), 'j M Y')}" if frozen else ""
    rows: list[tuple[str, Any]] = [
        ("Protocol", f"{preset}, changed: {'; '.join(release.changes)}" if release.changes else preset),
        ("Relevant", f"grade {release.protocol['level']} and up"),
        ("Topics", f"{topics}; left out: {', '.join(left_out)}" if left_out else topics),
        ("Visual ids", version and f"version {version.number} ({version.get_kind_display().lower()})"),
        ("Judged", render_to_string("rounds/_main_round.html", judged)),
        ("Settled grades", settled and f"{number(settled, 'document')} with the grade that an expert settled"),
        ("Official grade", PROTOCOL["official_grade"].choices.get(release.manifest.get("official_grade", ""))),
        *(
            (OPTIONS[name].label, options.in_words(name) or "none")
            for name, usual in vars(ReleaseOptions()).items()
            if name not in TOLD and usual != getattr(options, name)
        ),
        ("Pool", f"version {release.made_with['pool']['version']}{on}"),
    ]
    return [(name, text) for name, text in rows if text]


@campaign_page(STAFF)
def release_items(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    """Topic, document and content hash of what a release is about: the manifest has the hash of this file."""
    release = release_or_404(campaign, version)
    items = manifest.judged_items(derivation.replay(release.pool, derivation.parts_as_released(release)))
    return attachment("".join(items), f"{campaign.slug}.release-{version}.items.tsv")


@campaign_action(ORGANIZER, "releases", when_archived=True, release="version")
def verification_start(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    return start_job(request, campaign, job_kinds.verify_release, qrels=release_or_404(campaign, version).pk)


@campaign_page(STAFF)
def release_file(request: HttpRequest, campaign: Campaign, version: int, unit: str, grades: str) -> HttpResponse:
    """One file of a release in the labs' format."""
    release = release_or_404(campaign, version)
    if unit not in release.counts or grades not in manifest.grades_of(unit):
        raise Http404
    text = qrels.as_file(release, unit, binary=grades != "graded")
    return attachment(text, f"{campaign.slug}.release-{version}.{unit}.{grades}.qrels.txt")


@campaign_page(STAFF)
def release_manifest(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    """Everything needed to explain how the lines of a release came about, and to check them."""
    text = manifest.write_provenance(release_or_404(campaign, version))
    return attachment(text, f"{campaign.slug}.release-{version}.manifest.json", "application/json")


@campaign_page(ORGANIZER)
def release_zip(request: HttpRequest, campaign: Campaign, version: int) -> StreamingHttpResponse:
    """Topics, documents, qrels, runs, judgments with their history and a README, as a zip archive for organizers."""
    release = release_or_404(campaign, version)
    return streamed(release_folder.zip_pieces(release), f"{release_folder.folder_name(release)}.zip", "application/zip")


@campaign_page(ORGANIZER)
def export_file(
    request: HttpRequest, campaign: Campaign, kind: str, file_format: ExportFormat
) -> StreamingHttpResponse:
    """One of the exports of a campaign, for its organizers; ``?names=1`` with user names."""
    if kind not in export.EXPORTS or file_format not in TYPES:
        raise Http404
    pieces = export.export_chunks(campaign, kind, file_format, names="names" in request.GET)
    return streamed(pieces, f"{campaign.slug}.{kind}.{file_format}", TYPES[file_format])


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


def compare_releases(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The differences between two releases; for organizers also what they do to the runs, and links to judgments."""
    form = CompareForm(request.GET, campaign)
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        first, second = (form.releases[form.cleaned_data[name]] for name in ("first", "second"))
        changed = qrels.line_changes(first, second, form.cleaned_data["unit"])
        page = Paginator(changed, PAGE_SIZE).get_page(request.GET.get("page"))
        context |= {"pair": (first, second), "counts": count_changes(changed).items(), "page": page}
        if campaign.role == Member.Role.ORGANIZER:
            moves = run_changes(first, second)
            names = list(dict.fromkeys(move.measure for move in moves))
            measure = asked(request.GET, names)
            context |= {"moves": [move for move in moves if move.measure == measure]}
            context["measures"] = measure_links(names, measure)
    return render_form(request, "releases/compare.html", context)
