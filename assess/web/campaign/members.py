"""The members of a campaign."""

from django.contrib import messages
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.tokens import default_token_generator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.views.decorators.http import require_POST

from assess.models import Campaign, Member
from assess.services import pipeline
from assess.services.campaign import campaigns
from assess.services.common.access import campaign_for
from assess.web.campaign.forms import (
    MemberForm,
    RoleForm,
    organized_by,
)
from assess.web.common.forms import errors_on
from assess.web.common.responses import refusals

INVITATION = "invitation"
"""Key of the session under which a new member's link waits to be shown once."""


def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Who takes part; a form to add somebody; once, the link for a person whose account is new."""
    found = campaign_for(request.user, slug)
    form = MemberForm(request.POST or None)
    if form.is_valid():
        with errors_on(form, "username"):
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
        "next": pipeline.next_elsewhere(found, "members"),
        "invitation": request.session.pop(INVITATION, None),
    }
    return render(request, "campaign/members.html", context)


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
    return render(request, "campaign/confirm.html", context)


urlpatterns = [
    path("c/<slug:slug>/members/", members, name="members"),
    path("c/<slug:slug>/members/<int:pk>/", member, name="member"),
    path("c/<slug:slug>/members/<int:pk>/remove/", member_remove, name="member_remove"),
]
