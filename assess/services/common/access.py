"""Who may see and do what. A stranger to a campaign gets 404, a member in the wrong role 403."""

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, Q, QuerySet
from django.shortcuts import get_object_or_404

from assess.models import Assignment, Campaign, Job, Member, Round
from assess.services.common.errors import Archived

Person = User | AnonymousUser

ORGANIZER = (Member.Role.ORGANIZER,)
STAFF = (Member.Role.ORGANIZER, Member.Role.EXPERT)
EVERYONE = tuple(Member.Role)
OPEN_QUESTIONS = Count("topics__questions", filter=Q(topics__questions__ruling=None))


def require_open(campaign: Campaign) -> None:
    """Raises Archived. All that changes a campaign passes here: the doors below with ``changes``, and the saves of
    judgments."""
    if campaign.archived:
        raise Archived(campaign)


def campaign_for(user: Person, slug: str, roles: tuple[str, ...] = ORGANIZER, *, changes: bool = False) -> Campaign:
    """The campaign, if the person has one of the roles; ``changes``: to change it. ``campaign.role`` tells which role,
    ``campaign.open_questions`` how many questions wait for an organizer."""
    campaigns = Campaign.objects.visible_to(user).select_related("collection")
    campaigns = campaigns.annotate(open_questions=OPEN_QUESTIONS, role=F("members__role"))  # type: ignore[no-redef]
    campaign = get_object_or_404(campaigns, slug=slug)
    if campaign.role not in roles:
        raise PermissionDenied
    if changes:
        require_open(campaign)
    return campaign


def creator(user: Person) -> User:
    """The person, if they may create campaigns; else raises PermissionDenied."""
    if not isinstance(user, User) or not user.is_staff:
        raise PermissionDenied
    return user


def own_assignments(user: Person) -> QuerySet[Assignment]:
    """An assessor's, also those taken back, while they are a member. Nobody else sees them."""
    return Assignment.every.filter(assessor_id=user.pk or 0, topic__campaign__members__user_id=user.pk or 0)


def assignment_for(user: Person, pk: int, *, changes: bool = False, lock: bool = False) -> Assignment:
    """An assessor's own assignment that they can judge now; ``changes``: to change something in it. ``lock``: held
    until the end of the transaction, so that two windows of one assessor take turns."""
    assignments = own_assignments(user).select_related("round", "topic__campaign__collection")
    if lock:
        assignments = assignments.select_for_update(of=("self",))
    assignment = get_object_or_404(assignments, pk=pk, closed=None, paused=None, handed_over=None)
    if changes:
        require_open(assignment.campaign)
    return assignment


def job_for(user: Person, pk: int, *, changes: bool = False) -> Job:
    """A job of a campaign that the person organizes; ``changes``: to start it again or delete it."""
    job = get_object_or_404(Job.objects.select_related("campaign", "created_by"), pk=pk)
    job.campaign = campaign_for(user, job.campaign.slug, changes=changes)
    return job


def round_for(user: Person, slug: str, pk: int, *, changes: bool = False) -> Round:
    """For organizers and experts; for its members while it is discussed. ``changes``: to change it."""
    campaign = campaign_for(user, slug, EVERYONE, changes=changes)
    round = get_object_or_404(Round.objects.select_related("pool__campaign"), pk=pk, pool__campaign=campaign)
    round.pool.campaign = campaign
    is_member = round.is_discussion_open and round.assignments.filter(assessor_id=user.pk).exists()
    if campaign.role not in STAFF and not is_member:
        raise PermissionDenied
    return round
