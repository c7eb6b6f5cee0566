"""Who judges which topic of the pool: as a list, and on a board of topics and assessors."""

from collections import Counter
from collections.abc import Iterator, Sequence

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from assess.ir.common.rows import grouped
from assess.models import Action, Assignment, Campaign, Judgment, Pool, Round
from assess.services.common.access import ORGANIZER
from assess.services.common.errors import Refused
from assess.services.common.wording import number
from assess.services.pipeline import next_elsewhere
from assess.services.rounds import assignments as service
from assess.services.rounds.progress import TopicProgress, overview
from assess.services.rounds.replacement import plan_replacement, replace_assessor
from assess.web.common.doors import campaign_action, campaign_page, campaign_view
from assess.web.common.responses import errors_on, number_in, person, refusals, render_form, tell_done
from assess.web.rounds import round_forms

TAKEN_BACK = "assess.taken_back"
"""In a session: the assignments that were taken back last."""


@campaign_page(ORGANIZER)
def assignments(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    if current := campaign.frozen_pool():
        return show_assignments(request, campaign, current)
    return render(request, "rounds/assignments.html")


def show_assignments(request: HttpRequest, campaign: Campaign, current: Pool, **refused: forms.Form) -> HttpResponse:
    """``refused``: the form that was, as ``form`` or ``spread``."""
    view = overview(current)
    late = grouped((assignment.topic_id, assignment) for assignment in service.late_assignments(current))
    context = {
        "pool": current,
        "rows": [(progress, late[progress.topic.pk]) for progress in view.topics],
        "open": sum(not progress.is_assigned for progress in view.topics),
        "form": round_forms.AssignTopicsForm(pool=current, loads=view.assessors),
        "next": next_elsewhere(campaign, "assignments"),
        "taken_back": service.taken_back(current, keys) if (keys := request.session.get(TAKEN_BACK)) else [],
        "spread": round_forms.SpreadForm(pool=current, loads=view.assessors),
        "assessors": service.assessors_of(current).count(),
        "ticked": request.POST.getlist("topics"),
        **refused,
    }
    return render(request, "rounds/assignments.html", context, status=422 if refused else 200)


def pool_to_assign(campaign: Campaign) -> Pool:
    """The frozen pool; 404 before there is one."""
    return get_object_or_404(campaign.pools.order_by("-version"), frozen__isnull=False)


@campaign_action(ORGANIZER, "assignments")
def assign(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse | None:
    current = pool_to_assign(campaign)
    form = round_forms.AssignTopicsForm(request.POST, pool=current, loads=overview(current).assessors)
    if not form.is_valid():
        return show_assignments(request, campaign, current, form=form)
    data = form.cleaned_data
    chosen = [(topic, data["assessor"]) for topic in data["topics"]]
    return service.assign_topics(current, chosen, person(request), data["round"])


@campaign_action(ORGANIZER, "assignments")
def spread(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse | None:
    current = pool_to_assign(campaign)
    form = round_forms.SpreadForm(request.POST, pool=current, loads=overview(current).assessors)
    if not form.is_valid():
        return show_assignments(request, campaign, current, spread=form)
    return service.spread_open_topics(current, form.cleaned_data["assessors"], person(request))


@campaign_action(ORGANIZER, "assignments")
def take_back_all(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    current = pool_to_assign(campaign)
    form = round_forms.TakeBackForm(request.POST, pool=current)
    if not form.is_valid():
        raise Refused("Tick the topics to take back.")
    data = form.cleaned_data
    assigned = Assignment.objects.filter(round__pool=current, round__kind=data["round"], topic__in=data["topics"])
    assigned = assigned.filter(assessor=data["assessor"]) if data["assessor"] else assigned
    is_begun = Exists(Judgment.objects.filter(assignment=OuterRef("pk")))
    rows = assigned.select_related("assessor", "topic")
    fresh, begun = list(rows.exclude(is_begun)), list(rows.filter(is_begun))
    if not fresh:
        whose = f"{data['assessor']}" if data["assessor"] else "anybody"
        stay = f" {number(len(begun), 'assignment')} with judgments stay." if begun else ""
        messages.info(request, f"Nothing to take back from {whose} in this round.{stay}")
    elif "sure" not in request.POST:
        context = {"fresh": fresh, "begun": begun, "sent": data, "kind": Round.Kind(data["round"]).label}
        return render(request, "rounds/take_back.html", context)
    else:
        take_back_from(request, fresh)
    return redirect("assignments", campaign.slug)


def take_back_from(request: HttpRequest, assignments: Sequence[Assignment]) -> None:
    """Take assignments back; the page of assignments then says so itself, beside the button that undoes it."""
    service.take_back_assignments(assignments, person(request))
    request.session[TAKEN_BACK] = [assignment.pk for assignment in assignments]


@campaign_action(ORGANIZER, "assignments")
def give_back(request: HttpRequest, campaign: Campaign) -> Action:
    keys = request.session.get(TAKEN_BACK, [])
    done = service.give_back_assignments(pool_to_assign(campaign), keys, person(request))
    del request.session[TAKEN_BACK]
    return done


def assignment_of(campaign: Campaign, pk: int) -> Assignment:
    """An assignment that is not handed over."""
    current = Assignment.objects.select_related("assessor", "round__pool", "topic").filter(handed_over=None)
    return get_object_or_404(current, pk=pk, round__pool__campaign=campaign)


@campaign_action(ORGANIZER, "assignments", asks=True)
def hand_over(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    assignment = assignment_of(campaign, number_in(request.GET, "hand_over"))
    form = round_forms.HandOverForm(request.POST or None, pool=assignment.round.pool, without=assignment.assessor)
    if form.is_valid():
        assessor, done = form.cleaned_data["assessor"], form.cleaned_data["done"] or service.Done.KEEP
        with errors_on(form, "assessor"):
            return service.hand_over_topic(assignment, assessor, person(request), done)
    judged = assignment.judgments.count()
    context = {"assignment": assignment, "form": form, "judged": judged}
    return render_form(request, "rounds/hand_over.html", context | {"left": len(assignment.instance_order) - judged})


@campaign_action(ORGANIZER, "assignments")
def pause(request: HttpRequest, campaign: Campaign, pk: int) -> Action:
    return service.pause_assignment(assignment_of(campaign, pk), person(request), request.POST.get("pause") != "no")


@campaign_action(ORGANIZER, "assignments")
def take_back(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    take_back_from(request, [assignment_of(campaign, pk)])
    return redirect("assignments", campaign.slug)


@campaign_action(ORGANIZER, "assignments", section="members", asks=True)
def replace_member(request: HttpRequest, campaign: Campaign) -> Action | HttpResponse:
    """First shows who would get what; the button below it does that."""
    member = get_object_or_404(campaign.members.select_related("user"), pk=number_in(request.GET, "replace"))
    leaving, pool = member.user, pool_to_assign(campaign)
    form, plan = round_forms.ReplaceForm(request.POST or None, pool=pool, without=leaving), []
    if form.is_valid():
        successors = form.cleaned_data["successors"]
        with errors_on(form, "successors"):
            if "sure" in request.POST:
                return replace_assessor(pool, leaving, successors, person(request))
            plan = plan_replacement(pool, leaving, successors)
    context = {"leaving": leaving, "form": form, "plan": plan}
    return render_form(request, "rounds/replace.html", context)


BoardCell = tuple[User, list[str], bool]
"""An assessor, the rounds in which a topic is theirs, and whether they should not judge it."""


@campaign_view(ORGANIZER, section="board")
def assignment_board(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    pool = campaign.frozen_pool()
    if pool is None:
        return redirect("assignments", campaign.slug)  # which says what to do first
    people = list(service.assessors_of(pool))
    if request.method == "POST":
        by_pk = {str(user.pk): user for user in people}
        wanted = ((topic, request.POST.get(f"topic-{topic.pk}", "")) for topic in campaign.topics.all())
        chosen = [(topic, by_pk[pk]) for topic, pk in wanted if pk in by_pk]
        with refusals(request):
            tell_done(request, service.assign_topics(pool, chosen, person(request)))
            return redirect("assignments", campaign.slug)
    rows, documents = list(board_rows(pool, people)), Counter[int]()
    for share in (share for progress, _ in rows for share in progress.official):
        documents[share.assignment.assessor_id] += share.pace.total  # of the main round
    context = {"people": [(user, documents[user.pk]) for user in people], "rows": rows}
    open_topics = sum(not progress.is_assigned for progress, _ in rows)
    return render(request, "rounds/assignment_board.html", context | {"open": open_topics})


def board_rows(pool: Pool, people: Sequence[User]) -> Iterator[tuple[TopicProgress, list[BoardCell]]]:
    topics = overview(pool).topics
    barred = service.conflicts_of_interest(pool, [progress.topic.topic_id for progress in topics])
    for progress in topics:
        topic = progress.topic.topic_id
        given = [share.assignment for share in progress.assignments]
        rounds = grouped((assignment.assessor_id, str(assignment.round)) for assignment in given)
        yield progress, [(user, rounds[user.pk], (topic, user.username) in barred) for user in people]
