"""The rounds of a campaign."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from assess.models import Action, Campaign, Round
from assess.services import job_kinds
from assess.services.agreement import discussion
from assess.services.common import workspace
from assess.services.common.access import ORGANIZER, STAFF
from assess.services.pool import freezing
from assess.services.rounds import adjudication
from assess.services.rounds import rounds as service
from assess.services.rounds.progress import round_states
from assess.web.common.doors import campaign_action, campaign_page
from assess.web.common.jobs import start_job
from assess.web.common.responses import checked_fields, errors_on, person, refusals, render_form, tell_done, unfinished
from assess.web.rounds.assignments import pool_to_assign
from assess.web.rounds.round_forms import AdjudicationForm, DualForm, NameAndDateForm, RoundForm


@campaign_page(STAFF)
def rounds(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All rounds with their progress. ``?open=`` unfolds a form by the id of its section."""
    return render_rounds(request, campaign)


def render_rounds(request: HttpRequest, campaign: Campaign, refused: forms.Form | None = None) -> HttpResponse:
    """The page, with a form that was refused in the place of a fresh one."""
    pool = campaign.frozen_pool()
    apart = adjudication.counts_apart(pool) if pool else []
    fresh: list[forms.Form] = [RoundForm(campaign=campaign)]
    if pool:
        found = [distance for distance, documents in apart if documents and distance <= adjudication.FAR_APART]
        first = {"least": max(found, default=adjudication.FAR_APART)}
        fresh += [DualForm(pool=pool), AdjudicationForm(pool=pool, initial=first)]
    form_of = {type(form): form for form in [*fresh, *([refused] if refused else [])]}
    context = {
        "rounds": round_states(campaign),
        "opened": request.GET.get("open"),
        "pool": pool,
        "is_judged": pool is not None and freezing.is_judged(pool),
        "form": refused,
        "round_form": form_of[RoundForm],
        "dual_form": form_of.get(DualForm),
        "adjudication_form": form_of.get(AdjudicationForm),
        "judged_topics": len(service.judged_topics(pool)) if pool else 0,
        "apart": apart,
        "with_experts": adjudication.settling_progress(pool) if pool else (0, 0),
        "can_prepare": campaign.collection is not None and bool(campaign.collection.counts),
        "running": unfinished(campaign, job_kinds.prepare_round),
    }
    return render_form(request, "rounds/rounds.html", context)


@campaign_action(ORGANIZER, "rounds")
def round_prepare(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = RoundForm(request.POST, request.FILES, campaign=campaign)
    if not form.is_valid():
        return render_rounds(request, campaign, form)
    data = form.cleaned_data
    sent = [data[name] for name in ("topics_file", "qrels_file") if data[name]]
    files = [{"path": workspace.keep_file(file), "name": file.name} for file in sent]
    options = {name: data[name] for name in ("kind", "name", "topics", "items", "chosen", "without_gold")}
    options["members"] = [member.user_id for member in data["members"]]
    source = {"source": data["source"].pk} if data.get("source") else {}
    return start_job(request, campaign, job_kinds.prepare_round, files=files, plan=options, **source)


@campaign_action(ORGANIZER, "rounds")
def round_change(request: HttpRequest, campaign: Campaign, pk: int) -> Action | None:
    round = get_object_or_404(Round, pk=pk, pool__campaign=campaign)
    return service.change_round(round, **checked_fields(NameAndDateForm(request.POST)), by=person(request))


@campaign_action(ORGANIZER, "rounds")
def round_assign(request: HttpRequest, campaign: Campaign, make: type[DualForm | AdjudicationForm]) -> HttpResponse:
    """Opens a dual round by rule, or gives an expert the disagreements that nobody settles yet."""
    form = make(request.POST, pool=pool_to_assign(campaign))
    if form.is_valid():
        with errors_on(form):
            tell_done(request, form.assign(person(request)))
            return redirect(form.leads_to, campaign.slug)
    return render_rounds(request, campaign, form)


def preparatory_round(campaign: Campaign, pk: int) -> Round:
    chosen = Round.objects.select_related("pool__campaign").filter(kind__in=Round.PREPARATORY)
    return get_object_or_404(chosen, pk=pk, pool__campaign=campaign)


@campaign_action(STAFF, "round", round="pk", section="rounds")
def round_discuss(request: HttpRequest, campaign: Campaign, pk: int) -> Action | HttpResponse:
    """Opening it before everybody has finished is asked first: gold grades that were seen measure nobody any more."""
    round, opens = preparatory_round(campaign, pk), request.POST.get("open") != "no"
    waiting = [each for each in discussion.participants(round) if each.judged < each.total] if opens else []
    if waiting and "sure" not in request.POST:
        context = {"round": round, "waiting": waiting, "has_gold": discussion.gold_grades(round).exists()}
        return render(request, "rounds/open_discussion.html", context)
    return service.open_discussion(round, person(request), opens)


@campaign_action(ORGANIZER, "round", round="pk")
def round_join(request: HttpRequest, campaign: Campaign, pk: int) -> Action:
    round = preparatory_round(campaign, pk)
    member = get_object_or_404(service.possible_members(round.pool.campaign), pk=request.POST.get("member") or 0)
    return service.add_to_round(round, member, person(request))


@campaign_action(ORGANIZER, "rounds")
def round_delete(request: HttpRequest, campaign: Campaign, pk: int) -> Action:
    return service.delete_round(preparatory_round(campaign, pk), person(request))


@campaign_action(STAFF, "rounds")
def admit(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    member = get_object_or_404(campaign.members.select_related("user"), pk=pk)
    with refusals(request) as tell:
        tell(service.admit_candidate(member, person(request)))
    back = Round.objects.filter(pk=request.POST.get("round") or 0, pool__campaign=campaign).first()
    return redirect(back) if back else redirect("rounds", campaign.slug)
