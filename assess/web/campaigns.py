"""A campaign: made, looked over, edited, peopled."""

from django.contrib import messages
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.views.decorators.http import require_POST

from assess.models import Assignment, Campaign, Member
from assess.services import campaigns, pools
from assess.services.access import EVERYONE, campaign_for
from assess.web import jobs, pipeline
from assess.web.answers import refusals
from assess.web.beside import OwnTopic, own_topics
from assess.web.forms import CampaignForm, MemberForm, NewCampaignForm, RoleForm, organized_by, pooled_how, told

INVITATION = "invitation"
"""Key of the session under which a new member's link waits to be shown once."""


def campaign_new(request: HttpRequest) -> HttpResponse:
    """Staff of the installation make campaigns and become their organizers."""
    user = request.user
    if not isinstance(user, User) or not user.is_staff:
        raise PermissionDenied
    form = NewCampaignForm(request.POST or None, user=user)
    if form.is_valid():
        given = form.cleaned_data
        made = campaigns.create(name=given["name"], preset=given["preset"], by=user, collection=given["share"])
        return redirect(made)
    return render(request, "campaigns/new.html", {"form": form})


def campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """The overview: the pipeline for organizers, their own topics for all others."""
    found = campaign_for(request.user, slug, EVERYONE)
    if found.role != Member.Role.ORGANIZER:  # type: ignore[attr-defined]
        return render(request, "campaigns/member.html", {"campaign": found, "mine": topics_of(request, found)})
    steps = pipeline.steps(found)
    context = {
        "campaign": found,
        "rules": found.rules,
        "how": pooled_how(found.rules),
        "steps": steps,
        "next": pipeline.next_step(steps),
        "math_problems": found.math_problems.count(),
        "jobs": [(job, jobs.listed(job)) for job in found.jobs.select_related("created_by")[:5]],
    }
    return render(request, "campaigns/overview.html", context)


def topics_of(request: HttpRequest, found: Campaign) -> list[OwnTopic]:
    """A person's topics in a campaign."""
    mine = Assignment.objects.filter(topic__campaign=found, assessor_id=request.user.pk)
    return own_topics(mine.select_related("round", "topic"))


def campaign_edit(request: HttpRequest, slug: str) -> HttpResponse:
    found = campaign_for(request.user, slug)
    pool = found.frozen_pool()
    form = CampaignForm(request.POST or None, campaign=found, frozen=bool(pool))
    if form.is_valid():
        given = form.cleaned_data
        with told(form):
            campaigns.update(found, name=given["name"], edition=given["edition"], seed=given["seed"], rules=form.rules)
            messages.success(request, "Saved.")
            warn_of_depths(request, found)
            return redirect(found)
    is_judged = pool is not None and pools.is_judged(pool)
    context = {"campaign": found, "form": form, "pool": pool, "is_judged": is_judged, "section": "campaign"}
    return render(request, "campaigns/edit.html", context)


def warn_of_depths(request: HttpRequest, found: Campaign) -> None:
    """Deeper alternate than primary runs are allowed, and most likely a slip."""
    rules = found.rules
    if rules.alternate_depth > rules.primary_depth:
        text = f"Alternate runs are pooled deeper ({rules.alternate_depth}) than primary ones ({rules.primary_depth})."
        messages.warning(request, f"{text} Is that meant?")


def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who takes part; a form to add somebody; once, the link for a person whose account is new."""
    found = campaign_for(request.user, slug)
    form = MemberForm(request.POST or None)
    if form.is_valid():
        with told(form, "username"):
            member, is_new = campaigns.add_member(found, form.cleaned_data["username"], form.cleaned_data["role"])
            messages.success(request, f"{member.user} is now {member.get_role_display().lower()}.")
            if is_new:
                invite(request, member)
            return redirect("members", slug)
    context = {
        "campaign": found,
        "form": form,
        "members": found.members.select_related("user"),
        "invitable": invitable(request, found),
        "roles": Member.Role.choices,
        "next": pipeline.elsewhere(found, "members"),
        "invitation": request.session.pop(INVITATION, None),
    }
    return render(request, "campaigns/members.html", context)


def invite(request: HttpRequest, member: Member) -> None:
    """Put a one-time link with which a person chooses a password where the next page shows it."""
    uid = urlsafe_base64_encode(force_bytes(member.user.pk))
    link = reverse("set_password", args=[uid, default_token_generator.make_token(member.user)])
    request.session[INVITATION] = {"user": member.user.username, "link": request.build_absolute_uri(link)}


def invitable(request: HttpRequest, found: Campaign) -> set[int]:
    """The members to whom the organizer may pass on a (new) link: their account has no password yet, and no
    campaign of other organizers relies on it."""
    elsewhere = Member.objects.exclude(campaign__in=organized_by(request.user))
    fresh = found.members.filter(user__password__startswith=UNUSABLE_PASSWORD_PREFIX, user__is_staff=False)
    return set(fresh.exclude(user__in=elsewhere.values("user")).values_list("pk", flat=True))


@require_POST
def member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a role, or make a new link."""
    found = campaign_for(request.user, slug)
    one = get_object_or_404(found.members.select_related("user"), pk=pk)
    if "invite" in request.POST and one.pk in invitable(request, found):
        invite(request, one)
        return redirect("members", slug)
    form = RoleForm(request.POST)
    if form.is_valid():
        with refusals(request, f"{one.user}: role changed."):
            campaigns.change_role(one, form.cleaned_data["role"])
    return redirect("campaign" if one.user == request.user else "members", slug)


def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = campaign_for(request.user, slug)
    one = get_object_or_404(found.members.select_related("user"), pk=pk)
    if request.method == "POST":
        with refusals(request, f"{one.user} is no longer a member."):
            campaigns.remove_member(one)
        return redirect("home") if one.user == request.user else redirect("members", slug)
    context = {
        "campaign": found,
        "title": f"Remove {one.user}?",
        "text": "The person no longer sees the campaign. Nobody's judgments change.",
        "action": "Remove",
        "back": reverse("members", args=[slug]),
    }
    return render(request, "campaigns/confirm.html", context)


urlpatterns = [
    path("campaigns/new/", campaign_new, name="campaign_new"),
    path("c/<slug:slug>/", campaign, name="campaign"),
    path("c/<slug:slug>/edit/", campaign_edit, name="campaign_edit"),
    path("c/<slug:slug>/members/", members, name="members"),
    path("c/<slug:slug>/members/<int:pk>/", member, name="member"),
    path("c/<slug:slug>/members/<int:pk>/remove/", member_remove, name="member_remove"),
]
