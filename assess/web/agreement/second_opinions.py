"""Judgments made elsewhere beside those of the assessors: on the page of agreement, and as files for organizers."""

from collections.abc import Iterable, Iterator

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from assess.models import AgreementReport, Campaign, SecondOpinion
from assess.services.common.access import ORGANIZER
from assess.web.common.doors import campaign_page
from assess.web.common.files import FileTable, as_attachment

HEADER = ("source", "judged by", "compared with", "topic", "n", "same grade", "relevant")
KAPPA = ("kappa", "low", "high")
OFFICIAL, ALL = "official judgments", "all"


@campaign_page(ORGANIZER)
def second_opinions_file(request: HttpRequest, campaign: Campaign, pk: int, file_format: str) -> HttpResponse:
    """All second opinions of a report as CSV, with a line for each judge and each topic; or as LaTeX without topics."""
    report = get_object_or_404(AgreementReport, pk=pk, pool__campaign=campaign)
    opinions = list(report.second_opinions.select_related("source"))
    if not opinions:
        raise Http404
    rows = list(file_lines(opinions))
    relevant = report.pool.rules.relevant_label
    kappas = (*KAPPA, *(f"{name} {relevant}" for name in KAPPA))
    table = FileTable(
        (*HEADER, *kappas, "note"),
        rows,
        f"{campaign}: judgments made elsewhere beside those of the assessors. Not official.",
        latex_header=(*HEADER[:3], *HEADER[4:], *kappas),
        latex_rows=[(*row[:3], *row[4:-1]) for row in rows if row[3] == ALL],
    )
    return as_attachment([table], f"{campaign.slug}.second-opinions-{pk}", file_format)


def file_lines(opinions: Iterable[SecondOpinion]) -> Iterator[tuple[object, ...]]:
    """The official judgments and each assessor over all topics, then the official judgments by topic."""
    for opinion in opinions:
        for row in [*opinion.rows["judges"], *opinion.rows["topics"]]:
            who, topic = row.get("who") or OFFICIAL, row.get("topic", ALL)
            about = opinion.source.name, opinion.source.kind, who, topic, row["n"], row["agreement"], row["prevalence"]
            kappas = [row[name][part] for name in ("kappa", "kappa_hm") for part in ("value", "low", "high")]
            yield (*about, *kappas, row["note"])
