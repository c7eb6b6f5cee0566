"""The page of the pool with its buttons, and the documents whose text is not in the collection; the pool of a topic:
votes, runs, and what was judged; and how pages show a document of a pool."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.ir.common.rows import grouped
from assess.ir.formats.table import write_table
from assess.models import Action, Assignment, Campaign, Instance, Judgment, Pool, Topic
from assess.services import job_kinds, pipeline
from assess.services.collection import collections
from assess.services.common import workspace
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.pool import extension, freezing, planning, pools
from assess.services.pool.content import Card, cards_of
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.html import HIGHLIGHTED, excerpt, formula_alone, query_html, tex_html
from assess.web.common.jobs import start_job
from assess.web.common.responses import attachment, confirm, person, render_form, unfinished


class PoolFileForm(forms.Form):
    file = forms.FileField(
        label="Pool file",
        help_text="Tab-separated, with the header topic, unit, doc, votes, runs, as printed by “manage.py pool”.",
    )


@campaign_view(ORGANIZER)
def pool(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The current pool, and a form to import one."""
    form = PoolFileForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        return start_job(request, campaign, job_kinds.import_pool, path=workspace.keep_file(file), name=file.name)
    current = campaign.current_pool()
    topics = pools.topic_counts(current) if current else []
    missing = freezing.missing_of(current) if current else None
    context = {
        "pool": current,
        "rules": current.rules if current else campaign.rules,
        "outdated": freezing.reason_to_rebuild(current) if current and not current.frozen else "",
        "topics": topics,
        "rows": [(row, query_html(row.topic)) for row in topics],
        "versions": versions_of(current) if current else [],
        "entries": sum(row.entries for row in topics),
        "documents": sum(row.documents for row in topics),
        "missing": missing,
        "emptied": freezing.emptied_topics(current) if current else [],
        "freeze_warning": freezing.freeze_warning(current, missing) if current else "",
        "is_judged": current is not None and freezing.is_judged(current),
        "assigned": Assignment.objects.filter(round__pool=current).count() if current else 0,
        "pooled_runs": list(campaign.pooled_runs()) if not current else [],
        "topic_count": campaign.topics.count(),
        "running": unfinished(campaign, job_kinds.build_pool, job_kinds.import_pool, job_kinds.freeze_pool),
        "form": form,
        "next": pipeline.next_elsewhere(campaign, "pool"),
    }
    return render_form(request, "pool/pool.html", context)


def require_pool(campaign: Campaign) -> Pool:
    """The current pool. Raises Refused if it was discarded since the page was loaded."""
    current = campaign.current_pool()
    if current is None:
        raise Refused("This pool no longer exists. Reload the page.")
    return current


@campaign_action(ORGANIZER, "pool")
def pool_freeze(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Freezes the pool; if there is a warning, only if its box is ticked."""
    current = require_pool(campaign)
    if "anyway" not in request.POST and freezing.freeze_warning(current):
        raise Refused("Not frozen: read the warning, then tick “Freeze anyway”.")
    return start_job(request, campaign, job_kinds.freeze_pool, pool=current.pk)


@campaign_action(ORGANIZER, "pool")
def pool_leave_out(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    pool = require_pool(campaign)
    if "sure" in request.POST or pool.frozen:
        return freezing.leave_out_missing(pool, person(request))
    text = "They have no text in the collection, so nobody could judge them. Rebuilding the pool brings them back."
    text = " ".join([text, *planning.effects_of_leaving_out(pool)])
    return confirm(
        request, f"Leave {freezing.missing_of(pool)} out?", text, "Leave out", reverse("pool", args=[campaign.slug])
    )


@campaign_action(ORGANIZER, "pool")
def pool_discard(request: HttpRequest, campaign: Campaign) -> Action:
    require_pool(campaign)
    return pools.discard_pool(campaign, person(request))


@campaign_action(ORGANIZER, "pool")
def pool_unfreeze(request: HttpRequest, campaign: Campaign) -> Action:
    return freezing.unfreeze(require_pool(campaign), person(request))


@campaign_page(ORGANIZER)
def pool_missing_file(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    pool = get_object_or_404(campaign.pools, version=version)
    rows = [("topic", "document", "post", "runs", "votes"), *freezing.list_missing_texts(pool)]
    return attachment(write_table(rows), f"{campaign.slug}.pool-{version}.missing.tsv")


@campaign_page(ORGANIZER)
def pool_file(request: HttpRequest, campaign: Campaign, version: int) -> HttpResponse:
    return attachment(pools.pool_as_file(pool_with(campaign, version), version), f"{campaign.slug}.pool-{version}.tsv")


def pool_with(campaign: Campaign, version: int) -> Pool:
    """The pool that has this version, or had it before it was extended. Raises Http404."""
    for pool in campaign.pools.all():
        if version in (pool.version, *(old["version"] for old in pool.history)):
            return pool
    raise Http404


def versions_of(pool: Pool) -> list[dict[str, Any]]:
    """The versions of an extended pool, newest first; empty if it was never extended."""
    if not pool.history:
        return []
    versions = [extension.version_summary(pool), *reversed(pool.history)]
    return [
        version | {"made": datetime.fromisoformat(version["made"]) if version["made"] else None} for version in versions
    ]


def text_of(campaign: Campaign, document: Card) -> str | SafeString:
    if document.highlight and document.post:
        return formula_alone(campaign, document.post.title + document.post.body, document.highlight[0])
    return excerpt(document.body) or _("(no text)")


def thread_address(campaign: Campaign, card: Card, body: str) -> str:
    """The thread if documents have one, at the formula to judge or, if the body does not contain it, at the post."""
    if card.post is None or not campaign.rules.kind.has_threads:
        return ""
    address = reverse("thread", args=[campaign.slug, card.post.thread_id])
    query = f"?{urlencode({'formula': card.highlight[0]})}" if card.highlight else ""
    return f"{address}{query}#{'formula' if HIGHLIGHTED in body else f'post-{card.post.post_id}'}"


class DocumentRow(NamedTuple):
    """A document of a pool with its formula or first words, the addresses of its thread and of a preview that shows it,
    and the judgment of each assignment: None if it has none yet."""

    card: Card
    text: str | SafeString
    thread: str
    preview: str
    judgments: list[Judgment | None]


@campaign_page(ORGANIZER)
def pool_topic(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The documents of a topic, most votes first, with a column for each assignment. ``?document=``: only this document
    or unit, if the pool has it."""
    topic = get_object_or_404(campaign.topics, topic_id=request.GET["topic"])
    pool, wanted = campaign.current_pool(), request.GET.get("document", "")
    judging = topic.assignments.filter(round__pool=pool).select_related("assessor", "round")
    columns = list(judging.order_by("-official", "pk"))
    rows = list(document_rows(pool, topic, columns)) if pool else []
    some = [row for row in rows if wanted in (row.card.instance.doc_id, row.card.instance.entry.unit_id)]
    context = {
        "pool": pool,
        "topic": topic,
        "query": query_html(topic),
        "rows": some or rows,
        "some": some,
        "columns": columns,
        "missing": freezing.missing_texts(pool) if pool else set(),
        "rules": campaign.rules,
        "is_formulas": campaign.is_formulas,
        "progress": reverse("progress", args=[campaign.slug]),
    }
    return render(request, "pool/topic.html", context)


def document_rows(pool: Pool, topic: Topic, columns: Sequence[Assignment]) -> Iterator[DocumentRow]:
    """In a fixed number of queries."""
    instances = Instance.objects.filter(entry__pool=pool, entry__topic=topic).select_related("entry")
    cards = cards_of(pool.campaign, topic, instances)
    by_entry = grouped((card.instance.entry_id, card) for card in cards)
    judged = Judgment.objects.filter(assignment__in=columns)
    judgments = {(judgment.assignment_id, judgment.instance_id): judgment for judgment in judged}
    places = {entry: place for assignment in columns[:1] for place, entry in enumerate(assignment.order, start=1)}
    firsts = [cards[0].instance.doc_id for cards in by_entry.values()]
    texts = {} if pool.frozen else tex_of(pool.campaign, firsts)
    votes = {entry: cards[0].instance.votes for entry, cards in by_entry.items()}
    for entry, cards in sorted(by_entry.items(), key=lambda row: (-votes[row[0]], row[1][0].instance.entry.unit_id)):
        readable = next((card for card in cards if card.body), None)
        text = text_of(pool.campaign, readable) if readable else texts.get(cards[0].instance.doc_id, "")
        place = places.get(entry)
        preview = reverse("preview", args=[pool.campaign.slug, columns[0].pk, place]) if place else ""
        for card in cards:
            given = [judgments.get((assignment.pk, card.instance.pk)) for assignment in columns]
            yield DocumentRow(card, text, thread_address(pool.campaign, card, ""), preview, given)


def tex_of(campaign: Campaign, first: list[str]) -> dict[str, SafeString]:
    """The formulas of the first instances, by id, from the index, because posts are loaded by the freeze."""
    if not campaign.is_formulas or campaign.collection is None:
        return {}
    rows = collections.index_rows(campaign.collection, first)
    return {formula_id: tex_html(campaign, row.latex) for formula_id, row in rows.items()}
