"""The start page: what a person is a member of, and what there is to judge."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from assess.models import Assignment, Member
from assess.services import progress


def home(request: HttpRequest) -> HttpResponse:
    """My campaigns with my role in each, and my assignments with how far I am."""
    memberships = (
        Member.objects.filter(user_id=request.user.pk)
        .select_related("campaign")
        .order_by("-campaign__created", "-campaign__pk")
    )
    mine = list(
        Assignment.objects.filter(assessor_id=request.user.pk, topic__campaign__members__user_id=request.user.pk)
        .select_related("topic", "round__pool__campaign", "assessor")
        .order_by("-round__pool__campaign__created", "topic__number", "pk")
    )
    paces = progress.of_assessor(mine)
    assignments = [(one, paces[one.pk]) for one in mine]
    context = {"memberships": memberships, "assignments": assignments}
    return render(request, "home.html", context)


urlpatterns = [path("", home, name="home")]
