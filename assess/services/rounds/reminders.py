"""What is mailed once a week: to assessors their overdue topics, to organizers what waits in their campaigns."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date

from django.contrib.auth.models import User
from django.utils.formats import date_format

from assess.models import Campaign, Member, Question
from assess.services.common.wording import number
from assess.services.rounds import progress


def weekly_reminders(today: date, site: str) -> list[tuple[str, str]]:
    """Address and text for each person with an address for whom there is something, unless they have switched reminders
    off. ``site``: the beginning of links."""
    lines: defaultdict[int, list[str]] = defaultdict(list)
    for campaign in Campaign.objects.filter(archived=None).order_by("pk"):
        if pool := campaign.frozen_pool():
            for user, line in lines_about(campaign, progress.overview(pool), today, site):
                lines[user].append(line)
    people = User.objects.filter(pk__in=lines, is_active=True).exclude(email="").exclude(account__reminders=False)
    return [(user.email, "\n".join(lines[user.pk])) for user in people.order_by("username")]


def lines_about(campaign: Campaign, view: progress.Overview, today: date, site: str) -> Iterator[tuple[int, str]]:
    """Keys of users, each with a line for them: overdue topics, or for organizers where the campaign stands."""
    for share in view.shares:
        due = share.assignment.round.due
        if due and due < today and share.idle_since:
            left = f"{share.pace.left:,} left, due on {date_format(due, 'j M Y')}"
            address = f"{site}{share.assignment.get_absolute_url()}"
            yield share.assignment.assessor_id, f"{campaign}, {share.assignment.topic}: {left}. {address}"
    questions = Question.objects.filter(topic__campaign=campaign, ruling=None).count()
    if view.whole.left or questions:
        facts = [f"{view.whole.judged:,} of {view.whole.total:,} judged", number(questions, "open question")]
        facts += [f"overdue: {round}, {left:,} left" for round, left in progress.overdue_rounds(view, today)]
        for member in campaign.members.filter(role=Member.Role.ORGANIZER):
            yield member.user_id, f"{campaign}: {'; '.join(facts)}. {site}{campaign.get_absolute_url()}"
