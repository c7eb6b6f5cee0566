"""Releases of qrels: making, reading and downloading them; and downloads of all judgments."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.dateparse import parse_datetime

from assess.ir.campaign.protocol import Protocol
from assess.ir.formats.judgment_export import ExportFormat
from assess.models import Campaign, Qrels, QrelsLine
from assess.services import job_kinds
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.pool import freezing
from assess.services.releases import derivation, export, manifest, qrels, release_folder, signing
from assess.services.rounds import progress
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.forms import render_form
from assess.web.common.jobs import start_job
from assess.web.common.responses import attachment, number_in, streamed, unfinished
from assess.web.releases.release_compare import all_releases, compare_releases
from assess.web.releases.release_form import ReleaseForm
from assess.web.releases.release_words import facts

TYPES: dict[ExportFormat, str] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


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
    other = all_releases(campaign).exclude(pk=release.pk).first()
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
        "main_round": progress.MainRound(**release.main_round),
        "facts": [fact for fact in facts(release) if fact.text and not fact.is_usual],
        "signed_by": signer and signing.fingerprint(signer),
        "hashes": sorted(release.manifest["files"].items()),
        "later": [event | {"at": parse_datetime(event["at"])} for event in later],
        "running": unfinished(campaign, job_kinds.verify_release),
        "other": other,
        "pair": sorted(each.version for each in (release, other) if each),
    }
    return render(request, "releases/release.html", context)


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
