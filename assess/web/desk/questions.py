"""The guidelines; assessors' questions and the rulings, and the judgments with an outcome, for organizers."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import Count, F, Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from assess.models import Action, Campaign, Judgment, Question, Ruling, Topic
from assess.services.campaign.campaigns import settings_version
from assess.services.common.access import EVERYONE, ORGANIZER
from assess.services.desk import decisions, rulings
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.forms import ListField
from assess.web.common.responses import as_number, errors_on, person, refusals, render_form, tell_done
from assess.web.desk.desk import words_of_judging

PER_PAGE = 200


class GuidelinesForm(forms.Form):
    seen = forms.CharField(widget=forms.HiddenInput)
    guidelines = ListField(rows=6, help_text="One per line.")
    note = forms.CharField(
        label="What has changed",
        max_length=rulings.MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="People are judging: they see this note as a ruling about all topics.",
    )

    def __init__(self, sent: QueryDict | None, campaign: Campaign) -> None:
        initial = {"seen": settings_version(campaign), "guidelines": campaign.rules.guidelines}
        super().__init__(sent, initial=initial)
        if not rulings.is_note_needed(campaign):
            del self.fields["note"]


@campaign_view(EVERYONE, ORGANIZER)
def guidelines(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Grades, outcomes and guidelines of a campaign, for all its members; organizers change the guidelines."""
    is_sent = request.method == "POST"
    form = GuidelinesForm(request.POST if is_sent else None, campaign) if campaign.role in ORGANIZER else None
    if form and form.is_valid():
        data = form.cleaned_data
        with errors_on(form):
            texts, note = data["guidelines"], data.get("note", "")
            done = rulings.change_guidelines(campaign, texts, note, person(request), seen=data["seen"])
            tell_done(request, done)
            return redirect("guidelines", campaign.slug)
    in_force = rulings.rulings_in_force(campaign.rulings.all())
    context = {**words_of_judging(campaign), "rulings": in_force, "form": form}
    return render_form(request, "desk/guidelines.html", context)


class RulingForm(forms.Form):
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


@campaign_page(ORGANIZER)
def questions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All questions of a campaign, open ones first; and the rulings that no other supersedes: those about all topics,
    then by topic, the latest first."""
    return show_questions(request, campaign, RulingForm(campaign=campaign))


def show_questions(request: HttpRequest, campaign: Campaign, form: RulingForm) -> HttpResponse:
    of_campaign = Ruling.objects.filter(Q(topic__campaign=campaign) | Q(campaign=campaign))
    every = of_campaign.select_related("topic", "campaign", "by")
    every = every.order_by(F("topic__number").asc(nulls_first=True), "topic__topic_id", "-pk")
    context = {"rows": question_rows(campaign), "rulings": rulings.rulings_in_force(every), "form": form}
    return render_form(request, "desk/questions.html", context | {"max_length": rulings.MAX_LENGTH})


def question_rows(campaign: Campaign) -> list[tuple[Question, str, int]]:
    """Questions, each with the address and place of what its assessor saw; empty if that is gone. Open ones first, the
    oldest at the top; then answered ones, the latest at the top."""
    questions, rows = Question.objects.filter(topic__campaign=campaign), []
    for question in questions.select_related("topic", "by", "assignment", "ruling__by").order_by("pk"):
        address, place = "", 0
        if question.assignment and question.entry_id in question.assignment.order:
            place = question.assignment.order.index(question.entry_id) + 1
            address = reverse("preview", args=[campaign.slug, question.assignment.pk, place])
        rows.append((question, address, place))
    return sorted(rows, key=lambda row: (1, -row[0].pk) if row[0].ruling else (0, row[0].pk))


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


class SendBackForm(forms.Form):
    """Judgments, each as its number and its key with a colon between them: the ticked ones, or all that were shown; and
    what was fixed."""

    all = forms.BooleanField(required=False, label="All on this page")
    help_text = "Kept in the history of each judgment."
    reason = forms.CharField(label="What was fixed", max_length=decisions.MAX_LENGTHS["comment"], help_text=help_text)

    def clean(self) -> dict[str, Any]:
        """Adds ``keys``, by judgment."""
        sent = self.data.getlist("shown" if self.cleaned_data.get("all") else "judgments")  # type: ignore[attr-defined]
        parts = [text.partition(":") for text in sent]
        keys = {pk: key for pk, key in ((as_number(before), after) for before, _, after in parts) if pk}
        if not keys:
            raise forms.ValidationError("Tick at least one judgment.")
        return self.cleaned_data | {"keys": keys}


@campaign_view(ORGANIZER, section="outcomes")
def outcome_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Lists outcomes, perhaps of one kind only (``?show=``); a POST sends some back."""
    pool = campaign.frozen_pool()
    form = SendBackForm(request.POST or None)
    if pool and form.is_valid():
        with refusals(request) as tell:
            sent = form.cleaned_data
            tell(decisions.send_back(pool, sent["keys"], person(request), sent["reason"]))
        return redirect(f"{request.path}?outcomes=")
    chosen = decisions.judgments_with_outcome(pool) if pool else Judgment.objects.none()
    counts = chosen.order_by("outcome").values_list("outcome").annotate(Count("pk"))
    show = request.GET.get("show", "")
    listed = chosen.filter(outcome=show) if show in campaign.rules.names else chosen
    related = ("assignment__assessor", "assignment__topic", "assignment__round", "instance")
    page = Paginator(listed.select_related(*related), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "pool": pool,
        "form": form,
        "show": show,
        "ticked": form.data.getlist("judgments") if form.errors else [],  # type: ignore[attr-defined]
        "counts": list(counts),
        "page": page,
        "rows": [(each, each.assignment.order.index(each.instance.entry_id) + 1) for each in page],
    }
    return render(request, "desk/outcomes.html", context, status=422 if form.errors else 200)
