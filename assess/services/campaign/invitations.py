"""Invitations: nobody becomes a member of a campaign unasked."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from assess.ir.common.problems import Problems
from assess.ir.formats.table import csv_rows
from assess.models import Action, Campaign, Invitation, Member
from assess.services.campaign import accounts
from assess.services.campaign.campaigns import lock_members
from assess.services.common import history
from assess.services.common.access import require_open
from assess.services.common.wording import listed

COLUMNS = ("user name", "name", "e-mail", "role")
LONGEST = 150
"""The most characters of a user name, and of a person's name."""


class Invitee(NamedTuple):
    """Whom to invite. Name and e-mail are for a new account; that of somebody who has one is not changed."""

    username: str
    name: str = ""
    email: str = ""
    role: str = Member.Role.ASSESSOR


class Invited(NamedTuple):
    """An invitation, and whether its user has just got an account."""

    invitation: Invitation
    is_new: bool


def read_invitees(text: str, name: str, role: str) -> list[Invitee]:
    """People, one on a line: user name, then as far as known name, e-mail and role, separated by tabs, commas or
    semicolons; a header is skipped. ``role`` is that of lines without one. Raises BadInput with all that is wrong."""
    problems, invitees = Problems(name), list[Invitee]()
    for number, line in enumerate(text.splitlines(), start=1):
        delimiter = next((sign for sign in "\t;" if sign in line), ",")
        cells = next(([cell.strip() for cell in row] for _, row in csv_rows([(number, line)], name, delimiter)), [])
        if not any(cells):
            continue
        if number == 1 and cells[0].casefold() in ("user name", "username"):
            continue
        invitee = Invitee(*[*cells, *[""] * (len(COLUMNS) - len(cells))][: len(COLUMNS)])
        invitee = invitee._replace(role=invitee.role.lower() or role)
        if reason := wrong(invitee, len(cells)):
            problems.add(number, reason)
        invitees.append(invitee)
    refuse_repeated_people(invitees, problems)
    if not invitees:
        problems.add(0, "nobody is listed: write a user name on each line")
    problems.check()
    return invitees


def refuse_repeated_people(invitees: Iterable[Invitee], problems: Problems) -> None:
    for username, count in Counter(invitee.username for invitee in invitees).items():
        if count > 1:
            problems.add(0, f"{username} is listed {count} times: keep one line")


def check_invitees(invitees: Sequence[Invitee], name: str) -> Sequence[Invitee]:
    """Raises BadInput as `read_invitees` does."""
    problems = Problems(name)
    for invitee in invitees:
        if reason := wrong(invitee, 0):
            problems.add(0, reason)
    refuse_repeated_people(invitees, problems)
    problems.check()
    return invitees


def wrong(invitee: Invitee, cells: int) -> str:
    if cells > len(COLUMNS):
        return f"found {cells} fields, but there are at most {len(COLUMNS)}: {', '.join(COLUMNS)}"
    if max(len(invitee.username), len(invitee.name)) > LONGEST:
        return f"a name has at most {LONGEST} characters"
    if invitee.role not in Member.Role.values:
        return f"the role is {invitee.role!r}: use {', '.join(Member.Role.values)}"
    return invalid("user name", invitee.username, User.username_validator) or (
        invalid("e-mail address", invitee.email, validate_email) if invitee.email else ""
    )


def invalid(field: str, value: str, check: Callable[[str], None]) -> str:
    try:
        check(value)
    except ValidationError as error:
        return f"{value!r} is not a valid {field}: {' '.join(map(str, error.messages))}"
    return ""


@transaction.atomic
def invite_people(campaign: Campaign, invitees: Sequence[Invitee], by: User, name: str) -> tuple[Action, list[Invited]]:
    """Invite people, all or none; those unknown get an account. People who declined are asked again. Raises BadInput
    for members, and for people whose invitation is still open."""
    lock_members(campaign)
    problems = Problems(name)
    names = [invitee.username for invitee in invitees]
    members = set(campaign.members.filter(user__username__in=names).values_list("user__username", flat=True))
    waiting = campaign.invitations.filter(user__username__in=names, declined=None)
    already_invited = set(waiting.values_list("user__username", flat=True))
    for username in names:
        if username in members:
            problems.add(0, f"{username} is already a member")
        elif username in already_invited:
            problems.add(0, f"{username} is already invited; give them a new link, or withdraw the invitation")
    problems.check()
    accounts_by_name = {user.username: user for user in User.objects.filter(username__in=names)}
    invited = []
    for invitee in invitees:
        user = accounts_by_name.get(invitee.username) or accounts.make_account(
            invitee.username, by, invitee.name, invitee.email
        )
        terms = {"role": invitee.role, "invited_by": by, "declined": None}
        invitation, _ = Invitation.objects.update_or_create(campaign=campaign, user=user, defaults=terms)
        invited.append(Invited(invitation, invitee.username not in accounts_by_name))
    names_and_roles = listed(f"{each.invitation.user} ({each.invitation.role})" for each in invited)
    return history.note(by, f"Invited {names_and_roles}", campaign, page="members"), invited


def send_invitations(invited: Iterable[Invited], site: Callable[[str], str]) -> Iterator[accounts.SentLink]:
    """E-mail people their invitations, those who are new with a link to choose a password. ``site`` makes a whole
    address of a path."""
    for invitation, is_new in invited:
        user, role = invitation.user, invitation.get_role_display().lower()
        link, about = "", f"{site(reverse('home'))}\n\nSign in there to accept or decline."
        if is_new:
            link = site(accounts.new_link(user))
            about = f"{link}\n\nChoose a password with this link. {accounts.VALIDITY}"
        text = f"{invitation.invited_by} invites you to “{invitation.campaign}” as {role}.\n\n{about}\n"
        yield accounts.mail_link(user, link, f"Invitation to {invitation.campaign}", text)


@transaction.atomic
def withdraw_invitation(invitation: Invitation, by: User) -> Action:
    invitation.delete()
    action = f"The invitation of {invitation.user} is withdrawn"
    return history.note(by, action, invitation.campaign, page="members")


@transaction.atomic
def answer_invitation(user: User, pk: int, *, accepted: bool) -> Invitation:
    own = Invitation.objects.select_for_update(of=("self",)).select_related("campaign")
    invitation = get_object_or_404(own, pk=pk, user=user, declined=None)
    if accepted:
        require_open(invitation.campaign)
        Member.objects.get_or_create(campaign=invitation.campaign, user=user, defaults={"role": invitation.role})
        Invitation.objects.filter(pk=pk).delete()
    else:
        Invitation.objects.filter(pk=pk).update(declined=timezone.now())
    action = f"{'Accepted' if accepted else 'Declined'} the invitation as {invitation.role}"
    history.note(user, action, invitation.campaign, page="members")
    return invitation
