"""The members of a campaign, and the people invited to it: nobody becomes a member unasked. Lines of text say who gets
an account, which role and which topics."""

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Count
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from assess.ir.common.problems import Problems
from assess.ir.formats.table import first_line, read_table
from assess.ir.formats.text import json_objects
from assess.models import Action, Assignment, Campaign, Invitation, Member, Round
from assess.services.campaign import accounts
from assess.services.common import history
from assess.services.common.access import require_open
from assess.services.common.errors import Refused
from assess.services.common.wording import listed

COLUMNS = ("username", "name", "email", "role", "topics")
WITHOUT_TOPICS = COLUMNS[:-1]
SYNONYMS = {"account": "username", "user": "username", "user name": "username", "e-mail": "email", "topic": "topics"}
JUDGING = (Member.Role.ASSESSOR, Member.Role.EXPERT)
LONGEST = 150
"""The most characters of a user name, and of a person's name."""


class Invitee(NamedTuple):
    """Whom to invite. Name and e-mail are for a new account; that of somebody who has one is not changed. ``topics``:
    the ids of those to judge."""

    username: str
    name: str = ""
    email: str = ""
    role: str = Member.Role.ASSESSOR
    topics: tuple[str, ...] = ()


def read_people(
    text: str, name: str, role: str = Member.Role.ASSESSOR, columns: Sequence[str] = COLUMNS
) -> list[Invitee]:
    """People, one on a line: JSON, or a table in the order of the ``columns`` unless a header names them. ``role``:
    that of lines without one. Topics are a list, or a text with spaces or commas between them. Raises BadInput with all
    that is wrong."""
    problems, people = Problems(name), list[tuple[int, Invitee]]()
    for line, row in rows_of(text, name, columns, problems):
        topics = row.pop("topics", None) or []
        topics = topics.replace(",", " ").split() if isinstance(topics, str) else topics
        if reason := wrong_row(row, topics, columns):
            problems.add(line, reason)
            continue
        given = {"role": role} | {key: value for key, value in row.items() if value}
        people.append((line, Invitee(**given | {"role": given["role"].lower(), "topics": tuple(map(str, topics))})))
    return check_people(people, problems)


def rows_of(text: str, name: str, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    first = first_line(text)
    if first.startswith("{"):
        lines = enumerate(text.splitlines(), start=1)
        for number, row in json_objects(lines, problems, ": write one on each line, in braces"):
            yield number, {column_of(key): value for key, value in row.items()}
    if not first or first.startswith("{"):
        return
    table = read_table(io.BytesIO(text.encode(errors="surrogatepass")), name, headed=True)
    for number, cells in ((table.header_line, table.heads), *table.rows()):
        names = list(map(column_of, cells))
        if number == table.header_line and not {*names}.isdisjoint(COLUMNS):
            columns = names
        elif len(cells) > len(columns):
            problems.add(number, f"found {len(cells)} fields, at most {len(columns)} are known: {', '.join(columns)}")
        elif any(names):
            yield number, dict(zip(columns, cells, strict=False))


def column_of(name: str) -> str:
    name = name.strip().casefold()
    return SYNONYMS.get(name, name)


def wrong_row(row: Mapping[str, Any], topics: Any, columns: Sequence[str]) -> str:
    if unknown := {*row, *(["topics"] if topics else [])} - {*columns}:
        return f"no such column {listed(sorted(unknown))}: use {', '.join(columns)}"
    if not row.get("username"):
        return "has no username: name the account"
    if not all(isinstance(value, str) for value in row.values()):
        return "username, name, email and role must be texts"
    if not isinstance(topics, list) or not all(isinstance(topic, str | int) for topic in topics):
        return "topics must be a list of ids"
    return ""


def check_people(people: Sequence[tuple[int, Invitee]], problems: Problems) -> list[Invitee]:
    """Raises BadInput with all that is wrong with people, by their lines."""
    for line, person in people:
        if reason := wrong_person(person):
            problems.add(line, reason)
    for username, count in Counter(person.username for _, person in people).items():
        if count > 1:
            problems.add(0, f"{username} is listed {count} times: keep one line")
    if not people and not problems.counts:
        problems.add(0, f"nobody is listed: write one person on each line, with {', '.join(COLUMNS)}")
    problems.check()
    return [person for _, person in people]


def wrong_person(person: Invitee) -> str:
    if max(len(person.username), len(person.name)) > LONGEST:
        return f"a name has at most {LONGEST} characters"
    if person.role not in Member.Role.values:
        return f"the role is {person.role!r}: use {', '.join(Member.Role.values)}"
    if person.topics and person.role not in JUDGING:
        return f"{person.username} has topics, but the role {person.role}: use {' or '.join(JUDGING)}"
    return invalid("user name", person.username, User.username_validator) or (
        invalid("e-mail address", person.email, validate_email) if person.email else ""
    )


def invalid(field: str, value: str, check: Callable[[str], None]) -> str:
    try:
        check(value)
    except ValidationError as error:
        return f"{value!r} is not a valid {field}: {' '.join(map(str, error.messages))}"
    return ""


Invited = tuple[Invitation, bool]
"""An invitation, and whether its user has just got an account."""


def accounts_of(people: Sequence[Invitee]) -> dict[str, User]:
    """Those that there are, by user name."""
    return User.objects.in_bulk([each.username for each in people], field_name="username")


@transaction.atomic
def invite_people(campaign: Campaign, invitees: Sequence[Invitee], by: User, name: str) -> tuple[Action, list[Invited]]:
    """All or none; those unknown get an account. Raises BadInput for members and for open invitations."""
    lock_members(campaign)
    known, problems = accounts_of(invitees), Problems(name)
    for member in campaign.members.filter(user__username__in=known).select_related("user"):
        problems.add(0, f"{member.user} is already a member")
    for waiting in campaign.invitations.filter(user__username__in=known, declined=None).select_related("user"):
        problems.add(0, f"{waiting.user} is already invited; give them a new link, or withdraw the invitation")
    problems.check()
    invited = []
    for username, full_name, email, role, _ in invitees:
        user = known.get(username) or accounts.make_account(username, by, full_name, email)
        terms = {"role": role, "invited_by": by, "declined": None}
        invitation, _ = Invitation.objects.update_or_create(campaign=campaign, user=user, defaults=terms)
        invited.append((invitation, username not in known))
    names_and_roles = listed(f"{invitation.user} ({invitation.role})" for invitation, _ in invited)
    return history.note(by, f"Invited {names_and_roles}", campaign, page="members"), invited


def send_invitations(invited: Iterable[Invited], site: Callable[[str], str]) -> Iterator[accounts.SentLink]:
    """To those who are new with a link to choose a password. ``site`` makes a whole address of a path."""
    for invitation, is_new in invited:
        user, role = invitation.user, invitation.get_role_display().lower()
        link, about = "", f"{site(reverse('home'))}\n\nSign in there to accept or decline."
        if is_new:
            link = site(accounts.new_link(user))
            about = f"{link}\n\nChoose a password with this link. {accounts.VALIDITY}"
        text = f"{invitation.invited_by} invites you to “{invitation.campaign}” as {role}.\n\n{about}\n"
        yield accounts.mail_link(user, link, f"Invitation to {invitation.campaign}", text)


Joined = tuple[User, Invitee, str]
"""A person of a lab's file, with the path of the one-time link of a new account, which is a member at once; empty for
somebody who had an account, and has to accept an invitation."""


@transaction.atomic
def add_people(campaign: Campaign, people: Sequence[Invitee], by: User, name: str) -> list[Joined]:
    """Make an account and a membership for everybody who has none, and invite the others: nobody becomes a member
    unasked, but who uses the link of a new account knows what it is for."""
    known = accounts_of(people)
    if invited := [invitee for invitee in people if invitee.username in known]:
        invite_people(campaign, invited, by, name)
    joined: list[Joined] = []
    for invitee in people:
        user, link = known.get(invitee.username), ""
        if user is None:
            user = accounts.make_account(invitee.username, by, invitee.name, invitee.email)
            Member.objects.create(campaign=campaign, user=user, role=invitee.role)
            link = accounts.new_link(user)
        joined.append((user, invitee, link))
    if new := [user.username for user, _, link in joined if link]:
        history.note(by, "Accounts made", campaign, [listed(new)], page="members")
    return joined


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


@transaction.atomic
def change_role(member: Member, role: str, by: User) -> Action:
    """Give a member another role. Raises Refused if the campaign would lose its last organizer."""
    lock_members(member.campaign)
    if role != Member.Role.ORGANIZER:
        require_other_organizer(member)
    Member.objects.filter(pk=member.pk).update(role=role)
    action = f"Role of {member.user} changed from {member.role} to {role}"
    return history.note(by, action, member.campaign, page="members")


def unfinished_assignments(campaign: Campaign, user: User) -> dict[Assignment, int]:
    """What others have to judge if this person leaves (no training), with the number of documents left."""
    own = Assignment.objects.filter(topic__campaign=campaign, assessor=user, handed_over=None)
    rows = own.exclude(round__kind__in=Round.PREPARATORY).select_related("topic", "round__pool")
    rows = rows.annotate(done=Count("judgments"))
    return {row: left for row in rows if (left := len(row.instance_order) - row.done)}


@transaction.atomic
def remove_member(member: Member, by: User) -> Action:
    """End a membership. The member's judgments stay, and count. Raises Refused if topics are left to judge."""
    lock_members(member.campaign)
    require_other_organizer(member)
    if waiting := unfinished_assignments(member.campaign, member.user):
        topics = listed(row.topic for row in waiting)
        raise Refused(f"{member.user} has not judged all of {topics}. Replace them in these topics, or take them back.")
    member.delete()
    return history.note(by, f"{member.user} is no longer a member", member.campaign, page="members")


@transaction.atomic
def change_interests(member: Member, by: User, *, team: str, own_topics: list[str]) -> Action:
    """Keep the team and the own topics of a member, which they are then not given to judge. Raises Refused for topics
    that the campaign lacks, if it has any."""
    topics = set(member.campaign.topics.values_list("topic_id", flat=True))
    if topics and (unknown := [topic for topic in own_topics if topic not in topics]):
        raise Refused(f"Not saved: the campaign has no topic {listed(unknown)}.")
    Member.objects.filter(pk=member.pk).update(team=team, own_topics=own_topics)
    own = [f"the team {team}"] * bool(team) + [f"topics {listed(own_topics)}"] * bool(own_topics)
    return history.note(by, f"Conflicts of interest of {member.user}", member.campaign, own or ["none"], page="members")


@transaction.atomic
def write_to_members(campaign: Campaign, text: str, by: User) -> Action:
    """Keep what all members read on their start page, in place of what was written before; nothing if it is empty."""
    Campaign.objects.filter(pk=campaign.pk).update(notice=text)
    action = "Wrote to all members" if text else "Took back what was written to all members"
    return history.note(by, action, campaign, [f"“{text}”"] * bool(text), page="members")


def lock_members(campaign: Campaign) -> None:
    """Until the end of the transaction nobody else changes members or assigns topics to them."""
    list(campaign.members.select_for_update().order_by("pk"))


def require_other_organizer(member: Member) -> None:
    others = Member.objects.filter(campaign=member.campaign, role=Member.Role.ORGANIZER).exclude(pk=member.pk)
    if not others.exists():
        raise Refused("A campaign needs an organizer. Make another member organizer first.")
