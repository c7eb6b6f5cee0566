"""What the pages of an evaluation share."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from assess.models import Campaign, Evaluation
from assess.services.scores.results import measures_with_means, with_topic_values
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.measure_names import asked, key_of, measure_links, on_screen
from assess.web.common.responses import asked_row


def evaluations_of(campaign: Campaign) -> QuerySet[Evaluation]:
    return Evaluation.objects.of(campaign).select_related("qrels__pool__campaign")


def asked_evaluation(request: HttpRequest, campaign: Campaign) -> Evaluation | None:
    """The evaluation that ``?evaluation=`` names; by default the latest with the newest release that has one: an older
    release may be scored later, to compare."""
    known = evaluations_of(campaign)
    evaluation = asked_row(request, "evaluation", known) or known.order_by("-qrels_id", "-pk").first()
    if evaluation:
        evaluation.qrels.pool.campaign = campaign
    return evaluation


def part_address(evaluation: Evaluation, part: str, **query: str | int) -> str:
    """Of a part of the page of scores."""
    named = {"evaluation": evaluation.pk, "part": part, **query}
    return reverse("results", args=[evaluation.campaign.slug], query=named)


def as_files(evaluation: Evaluation, tables: Iterable[FileTable], part: str, file_format: str) -> HttpResponse:
    return as_attachment(tables, f"{evaluation.campaign.slug}.results-{evaluation.pk}.{part}", file_format)


def measure_context(
    request: HttpRequest, evaluation: Evaluation, names: Sequence[str] | None = None
) -> tuple[str, dict[str, Any]]:
    """The measure that ``?measure=`` names, and what all pages show. ``names``: the measures to choose from, by default
    all that have values of topics."""
    names = with_topic_values(measures_with_means(evaluation)) if names is None else names
    measure = asked(request.GET, names)
    return measure, {
        "evaluation": evaluation,
        "measures": measure_links(names, measure),
        "measure": on_screen(measure),
        "measure_key": key_of(measure),
    }
