"""Questions of assessors, and rulings, for organizers."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from django import forms
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from assess.models import Campaign, Question, Ruling, Topic
from assess.services.common.access import campaign_for
from assess.services.judging import rulings
from assess.web.common.responses import refusals

IN_FORCE = Count("assignments", filter=Q(assignments__closed=None))
STATES = {"open": Q(ruling=None), "answered": Q(ruling__isnull=False)}


class RulingForm(forms.Form):
    """A ruling without a question."""

    topic = forms.ModelChoiceField(Topic.objects.none(), to_field_name="topic_id")
    text = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=rulings.MOST_WORDS,
        label="Ruling",
        help_text="Everybody who judges the topic reads it beside each item. Formulas go between dollars: $x^2$.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["topic"].queryset = campaign.topics.all()  # type: ignore[attr-defined]


class Row(NamedTuple):
    """A question, with the address of what its assessor looked at, empty where that is no more."""

    question: Question
    address: str
    place: int


class RulingRow(NamedTuple):
    """A ruling that holds; ``earlier``: the words before; how many of those who judge the topic have seen it."""

    ruling: Ruling
    earlier: list[Ruling]
    seen: int
    judges: int


@require_safe
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """All questions of a campaign, open ones first, and the rulings that hold; ``?show=`` keeps open or answered
    ones."""
    return show_questions(request, campaign_for(request.user, slug))


def show_questions(request: HttpRequest, campaign: Campaign, form: RulingForm | None = None) -> HttpResponse:
    show = request.GET.get("show", "")
    found = Question.objects.filter(topic__campaign=campaign)
    counts = found.aggregate(**{state: Count("pk", filter=rule) for state, rule in STATES.items()})
    shown = found.filter(STATES[show]) if show in STATES else found
    context = {
        "campaign": campaign,
        "section": "questions",
        "rows": [row_of(campaign, one) for one in in_order(shown)],
        "counts": counts,
        "total": sum(counts.values()),
        "show": show,
        "rulings": holding(campaign),
        "form": form or RulingForm(campaign=campaign),
        "most_words": rulings.MOST_WORDS,
    }
    return render(request, "judging/questions.html", context, status=422 if form else 200)


def in_order(found: QuerySet[Question]) -> list[Question]:
    """Open ones first, those that wait longest at the top; then the answered ones, the latest first."""
    rows = list(found.select_related("topic", "by", "assignment", "ruling__by").order_by("pk"))
    return [one for one in rows if one.ruling is None] + [one for one in reversed(rows) if one.ruling]


def row_of(campaign: Campaign, question: Question) -> Row:
    assignment = question.assignment
    if assignment is None or question.entry_id not in assignment.order:
        return Row(question, "", 0)
    place = assignment.order.index(question.entry_id) + 1
    return Row(question, reverse("preview", args=[campaign.slug, assignment.pk, place]), place)


def holding(campaign: Campaign) -> list[RulingRow]:
    """The rulings that no other supersedes, by topic, the latest first; two queries."""
    found = list(
        Ruling.objects.filter(topic__campaign=campaign)
        .select_related("topic", "by")
        .annotate(times_seen=Count("seen", filter=Q(seen__assignment__closed=None)))
        .order_by("topic__number", "topic__topic_id", "-pk")
    )
    judges = dict(campaign.topics.annotate(count=IN_FORCE).values_list("pk", "count"))
    old = {one.supersedes_id for one in found}
    return [
        RulingRow(one, rulings.chain(one, found), one.times_seen, judges[one.topic_id])
        for one in found
        if one.pk not in old
    ]


@require_POST
def answer(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    with refusals(request, "Answered. The assessors of the topic see it as a ruling."):
        rulings.answer(campaign, pk, cast(User, request.user), request.POST.get("text", ""))
    return redirect("questions", slug)


@require_POST
def rule(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    form = RulingForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return show_questions(request, campaign, form)
    topic = form.cleaned_data["topic"]
    with refusals(request, f"Ruled. The assessors of {topic} see it beside their items."):
        rulings.rule(topic, cast(User, request.user), form.cleaned_data["text"])
    return redirect("questions", slug)


@require_POST
def change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    with refusals(request, "Changed. The assessors of the topic see the new words, and are asked to look again."):
        rulings.change(campaign, pk, cast(User, request.user), request.POST.get("text", ""))
    return redirect("questions", slug)


urlpatterns = [
    path("c/<slug:slug>/questions/", questions, name="questions"),
    path("c/<slug:slug>/questions/rule/", rule, name="rule"),
    path("c/<slug:slug>/questions/<int:pk>/answer/", answer, name="answer"),
    path("c/<slug:slug>/questions/rulings/<int:pk>/", change, name="ruling_change"),
]
