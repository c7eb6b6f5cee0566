"""Formulas that MathJax cannot render: the desk reports them, organizers see the list."""

from __future__ import annotations

from typing import cast

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from assess.services.common.access import campaign_for
from assess.services.common.errors import Refused
from assess.services.judging import math_problems

SHOWN = 500
"""Problems on the page."""


class ProblemForm(forms.Form):
    """A report from the desk. ``instance`` is empty for the topic's own text."""

    instance = forms.IntegerField(required=False)
    tex = forms.CharField(max_length=10_000, strip=False)
    message = forms.CharField(required=False)

    def clean_message(self) -> str:
        return str(self.cleaned_data["message"])[:500]


@require_POST
def math_problem(request: HttpRequest, pk: int) -> HttpResponse:
    """An assessor's browser could not render a formula of this assignment."""
    form = ProblemForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"detail": form.errors.as_text()}, status=422)
    instance, tex, message = (form.cleaned_data[name] for name in ("instance", "tex", "message"))
    try:
        math_problems.report(pk, cast(User, request.user), instance, tex, message)
    except Refused as error:
        return JsonResponse({"detail": str(error)}, status=422)
    return HttpResponse(status=204)


@require_safe
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug)
    rows = math_problems.listed(campaign)
    context = {"campaign": campaign, "section": "campaign", "rows": rows[:SHOWN], "count": len(rows), "shown": SHOWN}
    return render(request, "judging/math_problems.html", context)


urlpatterns = [
    path("judge/<int:pk>/math-problem/", math_problem, name="math_problem"),
    path("c/<slug:slug>/math-problems/", listing, name="math_problems"),
]
