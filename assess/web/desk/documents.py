"""What an assessor sees of a document, and sends back about it."""

import re
from itertools import groupby
from typing import Any
from uuid import uuid4

from django.http import QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from assess.ir.collection import folding
from assess.ir.collection.html import REL, plain_text, title_above
from assess.ir.common.rows import NOT_MATCHING
from assess.models import Member, Post
from assess.services.common.errors import Refused
from assess.services.desk import decisions, documents
from assess.services.desk.decisions import MAX_LENGTHS, NO_TEXT
from assess.services.pool.content import Card
from assess.web.common.html import HIGHLIGHTED, inside_links, numbered, post_html
from assess.web.common.responses import as_number
from assess.web.desk import labels
from assess.web.pool.pools import thread_address

SIDED = re.compile(r"<(?:ul|ol|table|blockquote)\b")
FROM_RIGHT = frozenset(["ar", "arc", "azb", "ckb", "dv", "fa", "he", "iw", "pnb", "ps", "sd", "syr", "ug", "ur", "yi"])
"""The languages that are written from right to left."""


def decision_of(sent: QueryDict) -> decisions.Decision:
    """What a page or a script sends for one document. Each grade and each outcome is a button, so there is always a
    word, which is empty if a judgment is taken back. Raises Refused. (No form of Django's: it takes longer than
    keeping the decision.)"""
    return decisions.Decision(
        instance_id=whole_number_in(sent, "instance"),
        content_hash=text_in(sent, "content_hash", is_needed=True),
        word=text_in(sent, "word"),
        comment=text_in(sent, "comment"),
        active_ms=whole_number_in(sent, "active_ms"),
        wall_ms=whole_number_in(sent, "wall_ms"),
        key=text_in(sent, "key", is_needed=True),
        after=text_in(sent, "after"),
        rulings=whole_number_in(sent, "rulings") if sent.get("rulings") else None,
        passage=text_in(sent, "passage"),
    )


def text_in(sent: QueryDict, name: str, *, is_needed: bool = False) -> str:
    value = sent.get(name, "").replace("\0", "")  # which PostgreSQL cannot keep
    if len(value) > MAX_LENGTHS[name] or (is_needed and not value):
        raise Refused(_("%(name)s: 1 to %(length)s characters.") % {"name": name, "length": MAX_LENGTHS[name]})
    return value


def whole_number_in(sent: QueryDict, name: str) -> int:
    value = as_number(sent.get(name) or "0")
    if value is None:
        raise Refused(_("%(name)s: a whole number is needed.") % {"name": name})
    return value


Shown = dict[str, Any]
"""A post or a document as the template takes it."""


def posts_of(
    item: documents.Item, *, with_mathml: bool = True, sent: QueryDict | None = None, problem: str = ""
) -> list[Shown]:
    """The posts of an item in the order of their first documents, with what was stored or, if a save was refused, with
    what was sent and why. Each is shown once, with its documents: itself, or each instance of the formula in it.
    ``judged``: how its assessor judged another formula in it, as that is called. ``address`` and ``attributes``
    (direction and language) are those of a document that is no post."""
    campaign = item.campaign
    inside = inside_links(campaign, Member.Role.ASSESSOR, [card.body for card in item.cards])
    names = labels.labels(campaign.rules) if item.judged_in_posts else {}
    posts = []
    for _post, group in groupby(item.cards, lambda card: documents.post_id_of(card.instance)):
        cards = list(group)
        first, post, highlight = cards[0], cards[0].post, [formula for card in cards for formula in card.highlight]
        title, body = (
            numbered(post_html(campaign, html, highlight, with_mathml, inside), highlight)
            for html in (title_above(post.title, first.body) if post else "", first.body)
        )
        before, after = _("Beginning of the post (about {} words)"), _("Rest of the post (about {} words)")
        folded = mark_safe(folding.folded(body, HIGHLIGHTED, before, after))
        kind = _(campaign.words.document.capitalize())  # also of a written answer, so that nothing tells it apart
        if campaign.is_formulas:
            kind = _("Question post") if post and post.kind == Post.Kind.QUESTION else _("Answer post")
        made = {
            "post_id": first.instance.post_id,
            "kind": kind,
            "title": title,
            "body": with_directions(folded, post),
            "tags": post.tags if post else [],
            "judged": names.get(item.judged_in_posts.get(first.instance.post_id, ""), ""),
            "address": address_html(post),
            "attributes": attributes_of(post),
            "documents": [shown_document(item, card, (title, body), sent, problem) for card in cards],
        }
        posts.append(made)
    return posts


def address_html(post: Post | None) -> SafeString:
    """The address of a document; a link if a browser can open it, and without the reader's page as its referrer."""
    if not post or not post.url:
        return mark_safe("")
    if not post.url.lower().startswith(("http://", "https://")):
        return format_html("{}", post.url)
    return format_html('<a href="{}" target="_blank" rel="{}">{}</a>', post.url, REL, post.url)


def attributes_of(post: Post | None) -> SafeString:
    """The direction of a document is that of its language, else that of its first letter with one; then each paragraph
    has its own, too (`styles/posts.css`)."""
    if not post or post.kind != Post.Kind.DOCUMENT:
        return mark_safe("")
    if not post.language:
        return mark_safe(' dir="auto"')
    direction = "rtl" if post.language.lower().partition("-")[0] in FROM_RIGHT else "auto"
    return format_html(' dir="{}" lang="{}"', direction, post.language)


def with_directions(body: SafeString, post: Post | None) -> SafeString:
    """Lists, tables and quotations of a document whose language is unknown begin at the side of their own letters."""
    is_unknown = post and post.kind == Post.Kind.DOCUMENT and not post.language
    return mark_safe(SIDED.sub(r'\g<0> dir="auto"', body)) if is_unknown else body


def shown_document(
    item: documents.Item, card: Card, post: tuple[str, str], sent: QueryDict | None, problem: str
) -> Shown:
    """``post``: the title and the body of its post. ``key``: that of the next decision; ``missing``: what the
    collection lacks, in words; ``filled_in``: whether the comment says so already."""
    title, body = post
    rules, language = item.campaign.rules, get_language() or ""
    judgment = card.instance.own_judgment
    chosen, comment = (judgment.decision, judgment.comment) if judgment else ("", "")
    if not judgment and not card.body:
        comment = NO_TEXT
    is_refused = sent is not None and sent.get("instance") == str(card.instance.pk)
    # A single instance has no others to match; that outcome is offered only if it was chosen before.
    left_out = NOT_MATCHING if len(item.cards) == 1 and chosen != NOT_MATCHING else None
    outcomes = tuple(each.word for each in rules.outcomes if each.word != left_out)
    return {
        "card": card,
        "judgment": judgment,
        "key": str(uuid4()),
        "thread": thread_address(item.campaign, card, body),
        "missing": what_is_missing(card, title + body),
        "comment": sent.get("comment", "") if sent and is_refused else comment,
        "filled_in": not is_refused and comment == NO_TEXT,
        "grades": labels.buttons(rules, tuple(map(str, rules.values)), chosen, language),
        "outcomes": labels.buttons(rules, outcomes, chosen, language),
        "problem": problem if is_refused else "",
    }


def what_is_missing(card: Card, html: str) -> str:
    if not card.body:
        return _("The collection holds no text for this document. There is nothing to read.")
    if card.highlight and f'data-formula-id="{card.highlight[0]}"' not in html:
        return _("The formula cannot be marked: the text of this post does not hold it.")
    if not (len(html) > 500 or "<img" in html or plain_text(html)):  # to read a long one takes time
        return _("This text is empty. There is nothing to read.")
    return ""
