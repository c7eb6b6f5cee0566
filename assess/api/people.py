"""Members and invitations."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework.serializers import CharField, ChoiceField, ListField

from assess.api.doors import JUDGE, Door, changes, lists, rows, sends
from assess.ir.common.problems import Problems
from assess.models import Invitation, Member
from assess.services.campaign import accounts
from assess.services.campaign import members as service

MemberSerializer = rows(Member, "id user role team own_topics username=user.username name=user.first_name")
InvitationSerializer = rows(Invitation, "id user role created declined username=user.username campaign=campaign.slug")
InvitedSerializer = rows(
    Invitation,
    "id user role username=user.username",
    "``link``: with it, the person of a new account chooses a password, once; empty for others. ``mailed``: of "
    "the e-mail with it, whether it was sent, or why not; empty if the server sends none, or knows no address.",
    "Invited",
    link=str,
    mailed=str,
)
PersonSerializer = sends(
    "Person",
    "Name and e-mail are for a new account.",
    username=CharField(max_length=service.LONGEST),
    name=CharField(max_length=service.LONGEST, allow_blank=True, default=""),
    email=CharField(max_length=254, allow_blank=True, default=""),
    role=ChoiceField(choices=Member.Role.choices, default=Member.Role.ASSESSOR),
)
LinkSerializer = sends("Link", link=str, mailed=str)


@lists("members/", MemberSerializer, role="role")
def members(door: Door) -> Any:
    """The members of a campaign."""
    return door.campaign.members.select_related("user").order_by("pk")


@changes("members/<int:pk>/", method="delete")
def member(door: Door, pk: int) -> Any:
    """Ends a membership; judgments stay."""
    found = get_object_or_404(door.campaign.members.select_related("user"), pk=pk)
    return service.remove_member(found, door.person)


@changes("users/<int:pk>/link/", answers=LinkSerializer, status=201)
def member_link(door: Door, pk: int) -> dict[str, str]:
    """A new link with which somebody chooses a password; the earlier ones no longer work."""
    user = get_object_or_404(accounts.linkable(door.person, door.campaign), pk=pk)
    _, sent = accounts.give_link(user, door.campaign, door.person, door.request.build_absolute_uri)
    return {"link": sent.link, "mailed": sent.mailed}


@lists("invitations/", InvitationSerializer)
def invitations_open(door: Door) -> Any:
    """Who is invited and has not accepted."""
    return door.campaign.invitations.select_related("user", "campaign")


@changes(
    "invitations/",
    answers=InvitedSerializer(many=True),
    status=201,
    people=ListField(child=PersonSerializer(), allow_empty=False, max_length=1000),
)
def invite(door: Door, people: list[dict[str, Any]]) -> list[Invitation]:
    """Invites people, all or none."""
    invitees = service.check_people([(0, service.Invitee(**each)) for each in people], Problems("people"))
    _, invited = service.invite_people(door.campaign, invitees, door.person, "people")
    sent = service.send_invitations(invited, door.request.build_absolute_uri)
    for (invitation, _), (_, link, _, mailed) in zip(invited, sent, strict=True):
        invitation.link, invitation.mailed = link, mailed  # type: ignore[attr-defined]
    return [invitation for invitation, _ in invited]


@changes("invitations/<int:pk>/", method="delete")
def invitation(door: Door, pk: int) -> Any:
    """Withdraws an invitation."""
    found = get_object_or_404(door.campaign.invitations.select_related("user"), pk=pk)
    return service.withdraw_invitation(found, door.person)


@lists("/invitations/", InvitationSerializer)
def own_invitations(door: Door) -> Any:
    """Your own invitations."""
    return Invitation.objects.filter(user=door.person, declined=None).select_related("user", "campaign")


@changes(
    "/invitations/<int:pk>/",
    scope=JUDGE,
    find=lambda door, pk: get_object_or_404(Invitation, pk=pk, user=door.person, declined=None),
    shape=sends("Answer", answer=ChoiceField(choices=["accept", "decline"])),
)
def own_invitation(door: Door, found: Invitation, answer: str) -> Any:
    """Accepts or declines an invitation."""
    accepted = answer == "accept"
    service.answer_invitation(door.person, found.pk, accepted=accepted)
    return f"{'Accepted' if accepted else 'Declined'}: {found.campaign}."
