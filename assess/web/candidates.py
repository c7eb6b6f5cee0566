"""What an assessor sees and fills in for one candidate."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from assess.ir import presets
from assess.models import Campaign, Instance, Post
from assess.models.judging import NEEDS_COMMENT
from assess.services import judging
from assess.services.judging import NO_TEXT
from assess.services.shown import Shown
from assess.web.html import HIGHLIGHTED, post_html


class JudgmentForm(forms.Form):
    """The controls of one candidate. Left alone, it decides nothing, whatever comment it came with."""

    word = forms.ChoiceField(required=False)
    comment = forms.CharField(required=False, max_length=5000, strip=True)
    content_hash = forms.CharField()
    active_ms = forms.IntegerField(required=False, min_value=0)

    def __init__(self, instance: Instance, words: list[str], data: QueryDict | None, initial: dict[str, Any]) -> None:
        super().__init__(data, prefix=f"i{instance.pk}", initial=initial)
        self.instance = instance
        field = self.fields["word"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", ""), *((word, word) for word in words)]

    @property
    def is_decided(self) -> bool:
        return bool(self.cleaned_data["word"])

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("word") in NEEDS_COMMENT and not data.get("comment"):
            label = presets.OUTCOME_LABELS[data["word"]]
            self.add_error("comment", f"{label} needs a comment that says why.")
        if data.get("comment") not in ("", None, self.initial["comment"]) and data.get("word") == "":
            self.add_error("word", "There is a comment but no decision: choose a grade, or clear the comment.")
        return data

    def decision(self) -> judging.Decision:
        data = self.cleaned_data
        return judging.Decision(
            self.instance.pk, data["content_hash"], data["word"], data["comment"], data["active_ms"] or 0
        )


class Candidate(NamedTuple):
    """A candidate as the template takes it. ``missing`` says what the collection lacks, in words; ``filled_in``,
    whether the comment says so already."""

    form: JudgmentForm
    kind: str
    title: SafeString
    body: SafeString
    tags: list[str]
    thread: str
    missing: str
    filled_in: bool
    is_judged: bool


def candidates(page: judging.Page, data: QueryDict | None = None) -> list[Candidate]:
    """The candidates of a page, with what was stored or, on a save, with what was sent."""
    words = judging.allowed_words(page.campaign)
    return [candidate(page, card, words, data) for card in page.cards]


def candidate(page: judging.Page, card: judging.Card, words: list[str], data: QueryDict | None) -> Candidate:
    shown = card.shown
    title, body = (
        post_html(page.campaign, html, shown.highlight) for html in (shown.post.title if shown.post else "", shown.body)
    )
    before = stored(card)
    return Candidate(
        form=JudgmentForm(shown.instance, words, data, before),
        kind=kind(page, shown.post),
        title=title,
        body=body,
        tags=shown.post.tags if shown.post else [],
        thread=thread_address(page.campaign, shown, body),
        missing=what_is_missing(shown, title + body),
        filled_in=before["comment"] == NO_TEXT,
        is_judged=card.judgment is not None,
    )


def stored(card: judging.Card) -> dict[str, Any]:
    judgment = card.judgment
    return {
        "word": judgment.decision if judgment else "",
        "comment": judgment.comment if judgment else "" if card.shown.body else NO_TEXT,
        "content_hash": card.shown.content_hash,
    }


def kind(page: judging.Page, post: Post | None) -> str:
    """Written answers stand among those of the collection without a sign of where they come from."""
    if not page.campaign.is_formulas:
        return "Answer"
    return "Question post" if post and post.kind == Post.Kind.QUESTION else "Answer post"


def thread_address(campaign: Campaign, shown: Shown, body: str) -> str:
    """Of the thread, at the formula to judge or, where the body does not hold it, at the post."""
    if shown.post is None:
        return ""
    address = reverse("thread", args=[campaign.slug, shown.post.thread_id])
    query = f"?{urlencode({'formula': shown.highlight[0]})}" if shown.highlight else ""
    return f"{address}{query}#{'formula' if HIGHLIGHTED in body else f'post-{shown.post.post_id}'}"


def what_is_missing(shown: Shown, html: str) -> str:
    if not shown.body:
        return f"{NO_TEXT} There is nothing to read."
    if shown.highlight and f'data-formula-id="{shown.highlight[0]}"' not in html:
        return "The formula cannot be marked: the text of this post does not hold it."
    return ""
