"""What the pages of an evaluation share."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from assess.models import Campaign, Evaluation
from assess.services.common.access import ORGANIZER
from assess.services.scores.results import measures_with_means, with_topic_values
from assess.web.common.doors import campaign_page
from assess.web.common.files import FileTable, as_attachment
from assess.web.common.measure_names import asked, key_of, measure_links, on_screen


def evaluations_of(campaign: Campaign) -> QuerySet[Evaluation]:
    return Evaluation.objects.of(campaign).select_related("qrels__pool__campaign")


def evaluation_view(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give a view the evaluation of its address. For organizers only: people who judge must not see runs. A view that
    takes a ``file_format`` answers with the tables of its page as a file, if the address has one."""

    @campaign_page(ORGANIZER, section="results")
    @wraps(view)
    def door(request: HttpRequest, campaign: Campaign, /, *, pk: int, **others: Any) -> HttpResponse:
        evaluation = get_object_or_404(evaluations_of(campaign), pk=pk)
        evaluation.qrels.pool.campaign = campaign
        return view(request, evaluation, **others)

    return door  # type: ignore[return-value]


def as_files(evaluation: Evaluation, tables: Sequence[FileTable], part: str, file_format: str) -> HttpResponse:
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
