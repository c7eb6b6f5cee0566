"""The members of a campaign."""

from django.contrib import messages
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.tokens import default_token_generator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.views.decorators.http import require_POST

from assess.models import Campaign, Member
from assess.services import pipeline
from assess.services.campaign import campaigns
from assess.services.common.access import campaign_for
from assess.web.campaign.forms import MemberForm, RoleForm, organized_by
from assess.web.common.forms import errors_on, render_form
from assess.web.common.responses import confirm, refusals

INVITATION = "invitation"
"""The session key of a new member's link, which is shown once."""


def members(request: HttpRequest, slug: str) -> HttpResponse:
    """The members, a form to add one and, once, the link for a new account."""
    campaign = campaign_for(request.user, slug)
    form = MemberForm(request.POST or None)
    if form.is_valid():
        with errors_on(form, "username"):
            member, is_new = campaigns.add_member(campaign, form.cleaned_data["username"], form.cleaned_data["role"])
            messages.success(request, f"{member.user} is now {member.get_role_display().lower()}.")
            if is_new:
                invite(request, member)
            return redirect("members", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "members": campaign.members.select_related("user"),
        "invitable": invitable(request, campaign),
        "roles": Member.Role.choices,
        "next": pipeline.next_elsewhere(campaign, "members"),
        "invitation": request.session.pop(INVITATION, None),
    }
    return render_form(request, "campaign/members.html", context)


def invite(request: HttpRequest, member: Member) -> None:
    """Have the next page show a one-time link to set a password."""
    uid = urlsafe_base64_encode(force_bytes(member.user.pk))
    link = reverse("set_password", args=[uid, default_token_generator.make_token(member.user)])
    request.session[INVITATION] = {"user": member.user.username, "link": request.build_absolute_uri(link)}


def invitable(request: HttpRequest, campaign: Campaign) -> set[int]:
    """The members who can get a (new) link: their account has no password yet, and is in no campaign of other
    organizers."""
    elsewhere = Member.objects.exclude(campaign__in=organized_by(request.user))
    invited = campaign.members.filter(user__password__startswith=UNUSABLE_PASSWORD_PREFIX, user__is_staff=False)
    return set(invited.exclude(user__in=elsewhere.values("user")).values_list("pk", flat=True))


@require_POST
def member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a role, or make a new link."""
    campaign = campaign_for(request.user, slug)
    member = get_object_or_404(campaign.members.select_related("user"), pk=pk)
    if "invite" in request.POST and member.pk in invitable(request, campaign):
        invite(request, member)
        return redirect("members", slug)
    form = RoleForm(request.POST)
    if form.is_valid():
        with refusals(request, f"Role of {member.user} changed."):
            campaigns.change_role(member, form.cleaned_data["role"])
    return redirect("campaign" if member.user == request.user else "members", slug)


def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    member = get_object_or_404(campaign.members.select_related("user"), pk=pk)
    if request.method == "POST":
        with refusals(request, f"{member.user} is no longer a member."):
            campaigns.remove_member(member)
        return redirect("home") if member.user == request.user else redirect("members", slug)
    text = "They will no longer see the campaign. Their judgments stay."
    return confirm(request, campaign, f"Remove {member.user}?", text, "Remove", reverse("members", args=[slug]))


urlpatterns = [
    path("c/<slug:slug>/members/", members, name="members"),
    path("c/<slug:slug>/members/<int:pk>/", member, name="member"),
    path("c/<slug:slug>/members/<int:pk>/remove/", member_remove, name="member_remove"),
]
