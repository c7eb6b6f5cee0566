"""The start page: what a person is a member of, and what there is to judge."""

from typing import NamedTuple, cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _

from assess.models import Assignment, Campaign, Member, Pool, Qrels
from assess.web.judging.sidebar import OwnTopic, own_topics


class Group(NamedTuple):
    """A person's topics of one campaign."""

    campaign: Campaign
    unfinished: list[OwnTopic]
    finished: list[OwnTopic]


def home(request: HttpRequest) -> HttpResponse:
    """My campaigns with my role in each, and my assignments with how far I am."""
    user = cast(User, request.user)
    memberships = (
        Member.objects.filter(user=user).select_related("campaign").order_by("-campaign__created", "-campaign__pk")
    )
    mine = (
        Assignment.objects.filter(assessor=user, topic__campaign__members__user=user)
        .select_related("round", "topic__campaign")
        .order_by("-round__pool__campaign__created", "topic__number", "pk")
    )
    states = states_of([one.campaign_id for one in memberships])
    context = {
        "memberships": [(one, states.get(one.campaign_id, _("being set up"))) for one in memberships],
        "groups": grouped(own_topics(mine)),
        "judges": any(one.role != Member.Role.ORGANIZER for one in memberships),
    }
    return render(request, "home.html", context)


def grouped(topics: list[OwnTopic]) -> list[Group]:
    """The topics by campaign, the newest first, but those with nothing left to judge last."""
    by_campaign: dict[Campaign, Group] = {}
    for one in topics:
        campaign = one.assignment.campaign
        group = by_campaign.setdefault(campaign, Group(campaign, [], []))
        (group.unfinished if one.own.left else group.finished).append(one)
    return sorted(by_campaign.values(), key=lambda group: not group.unfinished)


def states_of(campaigns: list[int]) -> dict[int, str]:
    """How far each campaign is, in a word; nothing for one without a pool."""
    newest = Pool.objects.filter(campaign__in=campaigns).order_by("version")
    states = {pool.campaign_id: _("being judged") if pool.frozen else _("pool not frozen") for pool in newest}
    released = Qrels.objects.filter(pool__campaign__in=campaigns).values_list("pool__campaign", flat=True)
    return {**states, **dict.fromkeys(released, _("qrels released"))}


urlpatterns = [path("", home, name="home")]
