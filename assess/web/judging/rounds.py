"""The rounds of a campaign, and the form for training and qualification rounds."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.ir.judging.training import SPREAD, WHOLE_TOPICS
from assess.models import Campaign, Job, JudgmentSource, Member, Pool, Round
from assess.services.common import uploads
from assess.services.common.access import STAFF, campaign_for
from assess.services.common.wording import number
from assess.services.judging import adjudication, assignments, repeats
from assess.services.judging import rounds as service
from assess.services.pool import freezing
from assess.web.common.forms import NameField, errors_on, render_form
from assess.web.common.job_start import start
from assess.web.common.responses import refusals, unfinished


class MembersField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.user} ({obj.get_role_display().lower()})"


class RoundForm(forms.Form):
    """A training or qualification round. The default numbers are those of ARQMath-3."""

    kind = forms.ChoiceField(
        choices=[
            (Round.Kind.TRAINING, "Training: everybody judges the same, then you discuss it"),
            (Round.Kind.QUALIFICATION, "Qualification: candidates judge, an expert admits them"),
        ],
        widget=forms.RadioSelect,
        initial=Round.Kind.TRAINING,
    )
    name = NameField(required=False, help_text="Shown to its members. By default the kind and a number.")
    topics_file = forms.FileField(label="Topics", help_text="The lab’s XML file of an earlier edition.")
    qrels_file = forms.FileField(
        label="Qrels",
        required=False,
        help_text="Of the same edition and of documents in this collection; for formulas by formula instance. Their "
        "grades are the gold grades.",
    )
    source = forms.ModelChoiceField(
        JudgmentSource.objects.none(),
        label="Or imported judgments",
        required=False,
        empty_label="None",
        help_text="A source whose grades are the gold grades, in place of a file of qrels.",
    )
    topics = forms.IntegerField(
        label="Number of topics",
        min_value=1,
        max_value=100,
        initial=SPREAD.topics,
        help_text=f"ARQMath-3 used {SPREAD.topics}, ARQMath-2 {WHOLE_TOPICS.topics}.",
    )
    items = forms.IntegerField(
        label="Documents of each topic",
        min_value=0,
        max_value=1000,
        initial=SPREAD.items,
        help_text="Spread over the grades. 0 for all that are judged, as in ARQMath-2.",
    )
    chosen = forms.CharField(
        label="Only these topics",
        required=False,
        max_length=2000,
        help_text="Such as A.1 A.5 A.9. By default a random choice.",
    )
    members = MembersField(Member.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        possible = service.possible_members(campaign)
        self.fields["members"].queryset = possible  # type: ignore[attr-defined]
        self.initial.setdefault("members", possible.exclude(role=Member.Role.EXPERT))
        sources = campaign.judgment_sources.filter(items=JudgmentSource.Items.DOCUMENT)
        if sources:
            self.fields["source"].queryset = sources  # type: ignore[attr-defined]
        else:
            del self.fields["source"]
            self.fields["qrels_file"].required = True

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if "source" in self.fields and bool(data.get("source")) == bool(data.get("qrels_file")):
            self.add_error("qrels_file", "Choose either a file of qrels or imported judgments.")
        return data

    def clean_chosen(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["chosen"].replace(",", " ").split()))


class AssignForm(forms.Form):
    """Who judges what in a further round over the pool. ``leads_to``: the page on which it is seen then."""

    leads_to = "rounds"

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pool = pool
        if "people" in self.fields:
            self.fields["people"].queryset = assignments.assessors_of(pool)  # type: ignore[attr-defined]

    def assign(self) -> str:
        """Gives the valid form's people what they judge, and says what that was. Raises Refused."""
        raise NotImplementedError


class DualForm(AssignForm):
    """A dual round by rule. The rules of the labs: `ir.judging.allocation.dual_topics`."""

    leads_to = "assignments"

    prefix = "dual"
    people = forms.ModelMultipleChoiceField(User.objects.none(), label="Assessors", widget=forms.CheckboxSelectMultiple)
    others = forms.IntegerField(
        label="Topics for each",
        min_value=1,
        max_value=50,
        initial=1,
        help_text="Each comes from another assessor. ARQMath-2 and -3 used 1 for answers and 2 for formulas.",
    )
    fewest_relevant = forms.ChoiceField(
        label="Which topic of the other",
        choices=[
            ("", "By chance"),
            ("yes", "The one with the fewest relevant units, to confirm them"),
        ],
        widget=forms.RadioSelect,
        required=False,
        initial="",
    )
    name = NameField(required=False, help_text="By default “Dual” and a number.")

    def assign(self) -> str:
        data = self.cleaned_data
        options = {"fewest_relevant": bool(data["fewest_relevant"]), "name": data["name"]}
        given = assignments.assign_dual(self.pool, data["people"], data["others"], **options)
        return f"{given[0].round}: {number(len(given), 'topic')} assigned."


class AdjudicationForm(AssignForm):
    """Who settles which disagreements."""

    prefix = "adjudication"
    expert = forms.ModelChoiceField(User.objects.none(), empty_label="Choose …")
    least = forms.TypedChoiceField(
        label="Grades at least this far apart",
        coerce=int,
        choices=[(distance, str(distance)) for distance in adjudication.DISTANCES],
        initial=adjudication.FAR_APART,
    )

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, pool=pool, **kwargs)
        self.fields["expert"].queryset = adjudication.experts(pool)  # type: ignore[attr-defined]

    def assign(self) -> str:
        expert = self.cleaned_data["expert"]
        count = adjudication.adjudicate(self.pool, expert, self.cleaned_data["least"])
        return f"{expert} settles {number(count, 'document')}."


class RepeatForm(AssignForm):
    """Who judges how much again."""

    prefix = "repeat"
    people = forms.ModelMultipleChoiceField(User.objects.none(), label="Assessors", widget=forms.CheckboxSelectMultiple)
    percent = forms.IntegerField(
        label="Percent of their documents", min_value=1, max_value=100, initial=5, help_text="Of each topic, at random."
    )

    def assign(self) -> str:
        count = repeats.repeat(self.pool, self.cleaned_data["people"], self.cleaned_data["percent"])
        return f"{number(count, 'document')} will be judged again."


@require_safe
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    """All rounds with their progress."""
    campaign = campaign_for(request.user, slug, STAFF)
    return render_rounds(request, campaign)


def first_distance(apart: list[tuple[int, int]]) -> dict[str, int]:
    """The form's first choice: the usual distance, or the largest below it that has documents to settle."""
    least = (distance for distance, documents in apart if documents and distance <= adjudication.FAR_APART)
    return {"least": max(least, default=adjudication.FAR_APART)}


def render_rounds(request: HttpRequest, campaign: Campaign, refused: forms.Form | None = None) -> HttpResponse:
    """The page, with a form that was refused in the place of a fresh one."""
    pool = campaign.frozen_pool()
    apart = adjudication.counts_apart(pool) if pool else []
    fresh: list[forms.Form] = [RoundForm(campaign=campaign)]
    if pool:
        fresh += [
            DualForm(pool=pool),
            AdjudicationForm(pool=pool, initial=first_distance(apart)),
            RepeatForm(pool=pool),
        ]
    shown = {type(form): form for form in [*fresh, *([refused] if refused else [])]}
    every = (
        Round.objects.filter(pool__campaign=campaign)
        .select_related("pool")
        .order_by(F("created").asc(nulls_first=True), "pk")
        .annotate(people=Count("assignments__assessor", distinct=True), judged=Count("assignments__judgments"))
    )
    context = {
        "campaign": campaign,
        "rounds": [stage for stage in every if stage.people],
        "pool": pool,
        "is_judged": pool is not None and freezing.is_judged(pool),
        "form": refused,
        "round_form": shown[RoundForm],
        "dual_form": shown.get(DualForm),
        "adjudication_form": shown.get(AdjudicationForm),
        "repeat_form": shown.get(RepeatForm),
        "judged_topics": len(assignments.judged_topics(pool)) if pool else 0,
        "apart": apart,
        "can_prepare": campaign.collection is not None and bool(campaign.collection.counts),
        "running": unfinished(campaign, Job.Kind.TRAINING),
    }
    return render_form(request, "judging/rounds.html", context)


@require_POST
def round_prepare(request: HttpRequest, slug: str) -> HttpResponse:
    """Starts the job that prepares a training or qualification round."""
    campaign = campaign_for(request.user, slug)
    form = RoundForm(request.POST, request.FILES, campaign=campaign)
    if not form.is_valid():
        return render_rounds(request, campaign, form)
    data = form.cleaned_data
    sent = [data[name] for name in ("topics_file", "qrels_file") if data[name]]
    files = [{"path": uploads.store(file), "name": file.name} for file in sent]
    options = {name: data[name] for name in ("kind", "name", "topics", "items", "chosen")}
    options["members"] = [member.user_id for member in data["members"]]
    source = {"source": data["source"].pk} if data.get("source") else {}
    return start(request, campaign, Job.Kind.TRAINING, files=files, plan=options, **source)


class NameAndDateForm(forms.Form):
    name = NameField(required=False)
    due = forms.DateField(required=False)


@require_POST
def round_change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Changes the name of a round, and the day by which it should be judged."""
    stage = get_object_or_404(Round, pk=pk, pool__campaign=campaign_for(request.user, slug))
    form = NameAndDateForm(request.POST)
    if form.is_valid():
        Round.objects.filter(pk=stage.pk).update(**form.cleaned_data)
        messages.success(request, f"{form.cleaned_data['name'] or stage} changed.")
    else:
        messages.error(request, "Not changed: the day must be a date, and a name has at most 120 characters.")
    return redirect("rounds", slug)


@require_POST
def round_assign(request: HttpRequest, slug: str, make: type[AssignForm]) -> HttpResponse:
    """Opens a dual round by rule, gives an expert the disagreements that nobody settles yet, or has assessors judge a
    share of their documents again."""
    campaign = campaign_for(request.user, slug)
    pool = get_object_or_404(campaign.pools.order_by("-version"), frozen__isnull=False)
    form = make(request.POST, pool=pool)
    if form.is_valid():
        with errors_on(form):
            messages.success(request, form.assign())
            return redirect(form.leads_to, slug)
    return render_rounds(request, campaign, form)


def preparatory_round(request: HttpRequest, slug: str, pk: int, roles: tuple[str, ...] | None = None) -> Round:
    """A training or qualification round, for organizers, or who has one of the roles."""
    campaign = campaign_for(request.user, slug, *([roles] if roles else []))
    chosen = Round.objects.select_related("pool__campaign").filter(kind__in=Round.PREPARATORY)
    return get_object_or_404(chosen, pk=pk, pool__campaign=campaign)


@require_POST
def round_discuss(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Opens a round for discussion, or closes it."""
    stage = preparatory_round(request, slug, pk, STAFF)
    is_open = request.POST.get("open") != "no"
    service.discuss(stage, is_open)
    seen = "now see all judgments and the gold grades" if is_open else "no longer see the judgments of others"
    messages.success(request, f"The members of {stage} {seen}.")
    return redirect(stage)


@require_POST
def round_join(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Adds a member to a round."""
    stage = preparatory_round(request, slug, pk)
    member = get_object_or_404(service.possible_members(stage.pool.campaign), pk=request.POST.get("member") or 0)
    with refusals(request, f"{member.user} takes part in {stage}."):
        service.join(stage, member)
    return redirect(stage)


@require_POST
def round_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    stage = preparatory_round(request, slug, pk)
    with refusals(request, f"{stage} is deleted."):
        service.delete(stage)
        return redirect("rounds", slug)
    return redirect(stage)


@require_POST
def admit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Makes a candidate an assessor."""
    campaign = campaign_for(request.user, slug, STAFF)
    member = get_object_or_404(campaign.members.select_related("user"), pk=pk)
    with refusals(request, f"{member.user} is now an assessor."):
        service.admit(member)
    back = Round.objects.filter(pk=request.POST.get("round") or 0, pool__campaign=campaign).first()
    return redirect(back or "rounds", *([] if back else [slug]))


urlpatterns = [
    path("c/<slug:slug>/rounds/", rounds, name="rounds"),
    path("c/<slug:slug>/rounds/dual/", round_assign, {"make": DualForm}, name="round_dual"),
    path("c/<slug:slug>/rounds/adjudicate/", round_assign, {"make": AdjudicationForm}, name="round_adjudicate"),
    path("c/<slug:slug>/rounds/repeat/", round_assign, {"make": RepeatForm}, name="round_repeat"),
    path("c/<slug:slug>/rounds/prepare/", round_prepare, name="round_prepare"),
    path("c/<slug:slug>/rounds/<int:pk>/change/", round_change, name="round_change"),
    path("c/<slug:slug>/rounds/<int:pk>/discuss/", round_discuss, name="round_discuss"),
    path("c/<slug:slug>/rounds/<int:pk>/members/", round_join, name="round_join"),
    path("c/<slug:slug>/rounds/<int:pk>/delete/", round_delete, name="round_delete"),
    path("c/<slug:slug>/members/<int:pk>/admit/", admit, name="member_admit"),
]
