"""The pool of a topic for organizers, with votes and runs."""

from collections import defaultdict
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import SafeString

from assess.models import Campaign, Instance, Pool, PoolEntry, Topic
from assess.services.collection import collections
from assess.services.common.access import ORGANIZER
from assess.services.pool import freezing
from assess.services.pool.content import Card, cards_of
from assess.web.common.doors import campaign_page
from assess.web.common.html import query_html, tex_html
from assess.web.pool.content import text_of, thread_address


class EntryRow(NamedTuple):
    """An entry with its formula or first words, and its documents, each with the address of its thread."""

    entry: PoolEntry
    text: str | SafeString
    documents: list[tuple[Card, str]]


@campaign_page(ORGANIZER)
def pool_topic(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    topic = get_object_or_404(campaign.topics, topic_id=request.GET["topic"])
    current = campaign.current_pool()
    rows = entry_rows(current, topic) if current else []
    context = {
        "pool": current,
        "topic": topic,
        "query": query_html(topic),
        "rows": rows,
        "documents": sum(len(row.documents) for row in rows),
        "missing": freezing.missing_texts(current) if current else set(),
        "assignments": topic.assignments.filter(round__pool=current).select_related("assessor", "round"),
    }
    return render(request, "pool/topic.html", context)


def entry_rows(pool: Pool, topic: Topic) -> list[EntryRow]:
    """The entries, most votes first, in a fixed number of queries."""
    instances = Instance.objects.filter(entry__pool=pool, entry__topic=topic).select_related("entry")
    documents: defaultdict[int, list[Card]] = defaultdict(list)
    for document in cards_of(pool.campaign, topic, instances):
        documents[document.instance.entry_id].append(document)
    texts = tex_of(pool.campaign, [cards[0].instance.doc_id for cards in documents.values()]) if not pool.frozen else {}
    rows = []
    for cards in documents.values():
        first, readable = cards[0].instance, next((card for card in cards if card.body), None)
        text = text_of(pool.campaign, readable) if readable else texts.get(first.doc_id, "")
        rows.append(EntryRow(first.entry, text, [(card, thread_address(pool.campaign, card, "")) for card in cards]))
    return sorted(rows, key=lambda row: (-row.documents[0][0].instance.votes, row.entry.unit_id))


def tex_of(campaign: Campaign, first: list[str]) -> dict[str, SafeString]:
    """The formulas of the first instances, by id, from the index, because posts are loaded by the freeze."""
    if not campaign.is_formulas or campaign.collection is None:
        return {}
    rows = collections.index_rows(campaign.collection, first)
    return {formula_id: tex_html(campaign, row.latex) for formula_id, row in rows.items()}
