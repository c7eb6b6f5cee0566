"""Assessors' questions and the rulings, for organizers."""

from typing import Any, NamedTuple

from django import forms
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from assess.models import Action, Campaign, Question, Ruling, Topic
from assess.services.common.access import ORGANIZER
from assess.services.desk import rulings
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.responses import person

IN_FORCE = Count("assignments", filter=Q(assignments__closed=None))
STATES = {"open": Q(ruling=None), "answered": Q(ruling__isnull=False)}


class RulingForm(forms.Form):
    """A ruling without a question."""

    topic = forms.ModelChoiceField(
        Topic.objects.none(), to_field_name="topic_id", required=False, label="About", empty_label="All topics"
    )
    text = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=rulings.MAX_LENGTH,
        label="Ruling",
        help_text="Assessors see it beside each item; a ruling about all topics also stands in the guidelines.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if campaign.rules.kind.has_threads:
            self.fields["text"].help_text += " Put formulas between dollar signs: $x^2$."
        self.fields["topic"].queryset = campaign.topics.all()  # type: ignore[attr-defined]


class QuestionRow(NamedTuple):
    """A question, with the address and place of what its assessor saw; empty if that is gone."""

    question: Question
    address: str
    place: int


class RulingRow(NamedTuple):
    """A ruling in force; ``earlier``: those it supersedes; in how many of the ``judges`` assignments of its topics it
    was ``seen``."""

    ruling: Ruling
    earlier: list[Ruling]
    seen: int
    judges: int


@campaign_page(ORGANIZER)
def questions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All questions of a campaign, open ones first, and the rulings in force; ``?show=`` keeps open or answered
    questions."""
    return show_questions(request, campaign)


def show_questions(request: HttpRequest, campaign: Campaign, form: RulingForm | None = None) -> HttpResponse:
    show = request.GET.get("show", "")
    every = Question.objects.filter(topic__campaign=campaign)
    counts = every.aggregate(**{state: Count("pk", filter=is_so) for state, is_so in STATES.items()})
    asked = every.filter(STATES[show]) if show in STATES else every
    context = {
        "rows": question_rows(campaign, asked),
        "counts": counts,
        "total": sum(counts.values()),
        "show": show,
        "rulings": ruling_rows(campaign),
        "form": form or RulingForm(campaign=campaign),
        "max_length": rulings.MAX_LENGTH,
    }
    return render(request, "desk/questions.html", context, status=422 if form else 200)


def question_rows(campaign: Campaign, questions: QuerySet[Question]) -> list[QuestionRow]:
    """Open questions first, the oldest at the top; then answered ones, the latest at the top."""
    rows = []
    for question in questions.select_related("topic", "by", "assignment", "ruling__by").order_by("pk"):
        address, place = "", 0
        if question.assignment and question.entry_id in question.assignment.order:
            place = question.assignment.order.index(question.entry_id) + 1
            address = reverse("preview", args=[campaign.slug, question.assignment.pk, place])
        rows.append(QuestionRow(question, address, place))
    return sorted(rows, key=lambda row: (1, -row.question.pk) if row.question.ruling else (0, row.question.pk))


def ruling_rows(campaign: Campaign) -> list[RulingRow]:
    """The rulings that no other supersedes: those about all topics, then by topic, the latest first; two queries."""
    every = (
        Ruling.objects.filter(Q(topic__campaign=campaign) | Q(campaign=campaign))
        .select_related("topic", "campaign", "by")
        .annotate(times_seen=Count("seen", filter=Q(seen__assignment__closed=None)))
        .order_by(F("topic__number").asc(nulls_first=True), "topic__topic_id", "-pk")
    )
    seen = {ruling.pk: ruling.times_seen for ruling in every}
    judges: dict[int | None, int] = dict(campaign.topics.annotate(count=IN_FORCE).values_list("pk", "count"))
    judges[None] = sum(judges.values())
    return [
        RulingRow(ruling, earlier, seen[ruling.pk], judges[ruling.topic_id])
        for ruling, earlier in rulings.rulings_in_force(every)
    ]


@campaign_action(ORGANIZER, "questions")
def question_answer(request: HttpRequest, campaign: Campaign, pk: int) -> Action:
    return rulings.answer_question(campaign, pk, person(request), request.POST.get("text", ""))


@campaign_action(ORGANIZER, "questions")
def ruling_add(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    form = RulingForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return show_questions(request, campaign, form)
    return rulings.make_ruling(campaign, form.cleaned_data["topic"], person(request), form.cleaned_data["text"])


@campaign_action(ORGANIZER, "questions")
def ruling_change(request: HttpRequest, campaign: Campaign, pk: int) -> Action:
    return rulings.change_ruling(campaign, pk, person(request), request.POST.get("text", ""))
