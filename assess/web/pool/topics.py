"""How pages show a document of a pool; and for organizers the pool of a topic: votes, runs, and what was judged."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assess.models import Assignment, Campaign, Instance, Judgment, Pool, Topic
from assess.services.collection import collections
from assess.services.common.access import ORGANIZER
from assess.services.pool import freezing
from assess.services.pool.content import Card, cards_of
from assess.web.common.doors import campaign_page
from assess.web.common.html import HIGHLIGHTED, excerpt, formula_alone, query_html, tex_html


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
    by_entry: defaultdict[int, list[Card]] = defaultdict(list)
    for card in cards_of(pool.campaign, topic, instances):
        by_entry[card.instance.entry_id].append(card)
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
