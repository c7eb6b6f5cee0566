"""Campaigns, their topics, what they search, and their jobs."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework.serializers import BooleanField, CharField, ChoiceField, FileField, IntegerField, JSONField

from assess.api.doors import Door, JobSerializer, KeyField, NameField, answer_job, changes, lists, reads, rows, starts
from assess.ir.campaign.presets import PRESETS, write_lab
from assess.models import Campaign, Collection, Job, Member, Topic
from assess.services import job_kinds
from assess.services.campaign import campaigns as service
from assess.services.collection import collections
from assess.services.common import history
from assess.services.common.access import EVERYONE, STAFF, campaign_for, creator, job_for
from assess.services.common.errors import Refused
from assess.services.common.workspace import keep_file
from assess.services.jobs import job_queue

CampaignSerializer = rows(
    Campaign,
    "slug name edition protocol seed collection created archived",
    "A campaign; ``role`` is what the person asking may do in it.",
    role=ChoiceField(choices=Member.Role.choices, read_only=True),
)
TopicSerializer = rows(
    Topic,
    "topic_id number title body tags formula_id latex category",
    "A topic; ``title``, ``body`` and ``fields``, its other texts by name, are sanitized HTML.",
    fields=JSONField(read_only=True),
)
CollectionSerializer = rows(Collection, "id name counts sources notes")
ALL_KINDS = collections.DOCUMENTS | collections.KINDS
FILES = {kind: FileField(required=False, help_text=label) for kind, label in ALL_KINDS.items()}

TOML = CharField(required=False, max_length=1_000_000, trim_whitespace=False)
YEARS = {name: IntegerField(min_value=1990, max_value=2100, default=None) for name in ("first_year", "last_year")}


@lists("/campaigns/", CampaignSerializer)
def campaigns(door: Door) -> Any:
    """The campaigns that you are a member of."""
    return Campaign.objects.visible_to(door.person).annotate(role=F("members__role"))  # type: ignore[no-redef]


@changes(
    "/campaigns/",
    find=lambda door: creator(door.person),
    answers=CampaignSerializer,
    status=201,
    name=NameField(),
    edition=CharField(max_length=service.LONGEST_EDITION, default=""),
    preset=ChoiceField(choices=list(PRESETS), required=False),
    toml=TOML,
    collection=KeyField(required=False),
)
def campaign_new(
    door: Door, by: User, name: str, edition: str, preset: str = "", toml: str = "", collection: int | None = None
) -> Campaign:
    """Makes a campaign with the rules of a ``preset`` or of a lab's TOML file, sent as text. ``collection``: that of
    another campaign of yours."""
    if bool(preset) == bool(toml):
        raise Refused("Send either a preset or a toml file.")
    of_file = service.read_lab_file(toml, "toml")[0] if toml else None
    edition = service.chosen_edition(edition, of_file)
    shared = get_object_or_404(service.collections_of(by), pk=collection) if collection is not None else None
    rules = of_file or PRESETS[preset]
    with transaction.atomic():
        made = service.create_campaign(name=name, preset=rules, edition=edition, by=by, collection=shared)
        history.note(by, f"Created with the rules of {preset or 'a TOML file'}", made, page="campaign")
    return campaign_for(by, made.slug)


@reads("", CampaignSerializer, roles=EVERYONE)
def campaign(door: Door) -> Campaign:
    """One campaign with its protocol."""
    return door.campaign


@changes(
    "",
    method="patch",
    answers=CampaignSerializer,
    name=NameField(required=False),
    edition=CharField(max_length=service.LONGEST_EDITION, required=False),
    seed=KeyField(required=False),
    toml=TOML,
)
def campaign_change(door: Door, toml: str = "", **about: Any) -> Campaign:
    """Changes what is sent; a TOML file replaces all rules. Seed and rules only until the pool is frozen."""
    with transaction.atomic():
        if toml:
            rules = service.read_lab_file(toml, "toml")[0]
            service.replace_protocol(door.campaign, rules, "a TOML file", door.person)
        if about:
            service.change_settings(door.campaign, door.person, rules={}, changed=sorted(about), **about)
    return door.campaign


@reads("lab.toml", OpenApiTypes.STR)
def campaign_toml(door: Door) -> HttpResponse:
    """The rules as a lab's TOML file, which a program can change and send back."""
    text = write_lab(replace(door.campaign.rules, edition=door.campaign.edition))
    return HttpResponse(text, content_type="application/toml; charset=utf-8")


@lists("topics/", TopicSerializer, roles=STAFF)
def topics(door: Door) -> Any:
    """The topics of a campaign."""
    return door.campaign.topics.all()


@changes("topics/", status=201, file=FileField(), anyway=BooleanField(default=False))
def topics_import(door: Door, file: Any, anyway: bool) -> Any:
    """Adds the topics of a file as the lab publishes it. ``anyway``: also those of another year."""
    if not anyway and (warning := service.other_year(door.campaign, file, file.name)):
        raise Refused(f"{warning} Send anyway=true if that is intended.")
    return service.import_topics(door.campaign, file, file.name, door.person)


@reads("collection/", CollectionSerializer)
def collection(door: Door) -> Collection:
    """What the campaign searches: the files with their SHA-256, and how many rows of each kind."""
    if door.campaign.collection is None:
        raise Http404("The campaign has no collection yet.")
    return door.campaign.collection


@starts("collection/", **FILES, **YEARS, key=CharField(max_length=120, allow_blank=True, default=""))
def collection_import(door: Door, key: str, first_year: int | None, last_year: int | None, **files: Any) -> Any:
    """Imports files by their kind. ``key``: of documents without the usual names, the names of id, text, title, address
    and language, with commas between them. ``first_year`` and ``last_year`` leave out posts of other years (posts
    only)."""
    campaign, known = door.campaign, collections.file_kinds(door.campaign.rules)
    if not files or not files.keys() <= known.keys():
        raise Refused(f"Send files of these kinds: {', '.join(known)}.")
    collections.refuse_useless_files(campaign.collection, files.keys())
    with transaction.atomic():
        if not (used := campaign.collection):
            is_taken = Collection.objects.filter(name=campaign.name).exists()
            used = Collection.objects.create(name=campaign.slug if is_taken else campaign.name)
            service.use_collection(campaign, used, door.person)
        collections.require_importable(used, files.keys())
        more = {"key": key} if key else {}
        sources = [{"kind": kind, "name": file.name, "path": keep_file(file)} | more for kind, file in files.items()]
        params = {"collection": used.pk, "files": sources, "years": [first_year, last_year]}
        return answer_job(door, (job_kinds.import_collection, params))


@reads("/jobs/<int:pk>/", JobSerializer)
def job(door: Door, pk: int) -> Job:
    """State and progress of a job, its result or its error."""
    return job_for(door.person, pk)


@changes("/jobs/<int:pk>/cancel/", answers=JobSerializer)
def job_cancel(door: Door, pk: int) -> Job:
    """Ends a job that waits, or a running one when it next reports progress."""
    job_queue.cancel_job(job_for(door.person, pk), door.person)
    return job_for(door.person, pk)
