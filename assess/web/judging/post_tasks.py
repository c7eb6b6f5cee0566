"""Two questions about each written answer of a judged topic, and for organizers what came of them."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from assess.ir.campaign.words import ANSWER_GRADES, OUTCOME_LABELS
from assess.ir.common.percent import percent
from assess.models import Assignment, Campaign, PostTask
from assess.services.common.access import STAFF, assignment_for, campaign_for
from assess.services.common.errors import Refused
from assess.services.judging import post_tasks
from assess.services.judging.post_tasks import Share, Written
from assess.web.common.html import excerpt, post_html
from assess.web.common.responses import attachment, number_in, see_other, wants_json
from assess.web.judging.labels import labels, style

DECISIONS = (*(str(one.grade) for one in ANSWER_GRADES), *OUTCOME_LABELS)


class Choice(NamedTuple):
    """An answer to one of the two questions, with its key."""

    value: str
    label: str
    key: int
    is_chosen: bool


def questions(sent: dict[str, str]) -> list[tuple[str, str, list[Choice]]]:
    """The two questions with their names and choices."""
    words = {
        "machine": _("Does it seem to have been written by a machine?"),
        "unrelated": _("Does it contain information that has nothing to do with the question?"),
    }
    return [(name, text, choices(3 * row, sent.get(name))) for row, (name, text) in enumerate(words.items())]


def choices(keys: int, chosen: str | None) -> list[Choice]:
    """The answers to a question, whose keys follow those that are taken."""
    return [
        Choice(one, str(one.label), keys + number, chosen == one) for number, one in enumerate(PostTask.Reply, start=1)
    ]


def next_number(found: list[Written], after: int = 0) -> int | None:
    """The next answer of which nothing is said: after this one, else before it."""
    numbers = [one.number for one in found if one.said is None]
    return next((number for number in numbers if number > after), numbers[0] if numbers else None)


def judged_and_written(request: HttpRequest, pk: int) -> tuple[Assignment, list[Written]]:
    mine = assignment_for(request.user, pk)
    found = post_tasks.written_of(mine)
    if not found:
        raise Http404
    return mine, found


@require_safe
def written(request: HttpRequest, pk: int) -> HttpResponse:
    """The written answers of a topic with what was said of them."""
    mine, found = judged_and_written(request, pk)
    context = {
        "assignment": mine,
        "rows": [(one, excerpt(one.shown.body)) for one in found],
        "next": next_number(found),
        "said": sum(one.said is not None for one in found),
    }
    return render(request, "judging/post_task_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def written_answer(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """One written answer with the two questions; when both are answered, the next one. A script is told where to go."""
    if request.method != "POST":
        return show(request, pk, number)
    try:
        found = post_tasks.reply(pk, cast(User, request.user), number, said_by(request.POST))
    except Refused as error:
        if not wants_json(request):
            return show(request, pk, number, str(error))
        messages.error(request, str(error))
        return JsonResponse({"next": request.path}, status=422)
    messages.success(request, _("Saved"))
    following = next_number(found, number)
    address = reverse("written_answer", args=[pk, following]) if following else reverse("written", args=[pk])
    return JsonResponse({"next": address}) if wants_json(request) else see_other(address)


def said_by(sent: QueryDict) -> post_tasks.Said:
    """An old page names no document, and so none that there is."""
    machine, unrelated = sent.get("machine", ""), sent.get("unrelated", "")
    return post_tasks.Said(machine, unrelated, number_in(sent, "instance"), sent.get("content_hash", ""))


def show(request: HttpRequest, pk: int, number: int, problem: str = "") -> HttpResponse:
    mine, found = judged_and_written(request, pk)
    if not 1 <= number <= len(found):
        raise Http404
    chosen, campaign = found[number - 1], mine.round.pool.campaign
    said = {"machine": chosen.said.machine, "unrelated": chosen.said.unrelated} if chosen.said else {}
    if problem and request.POST.get("instance") == str(chosen.shown.instance.pk):
        said = request.POST.dict()
    context = {
        "assignment": mine,
        "number": number,
        "total": len(found),
        "title": post_html(campaign, mine.topic.title),
        "topic_body": post_html(campaign, mine.topic.body),
        "body": post_html(campaign, chosen.shown.body),
        "shown": chosen.shown,
        "questions": questions(said),
        "problem": problem,
    }
    return render(request, "judging/post_task.html", context, status=422 if problem else 200)


@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """For each system how many answers seem to be a machine's or hold unrelated information, and by grade."""
    campaign = campaign_for(request.user, slug, STAFF)
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {"campaign": campaign, "section": "written_report", "report": None}
    if pool:
        found = post_tasks.report(pool)
        low, whole = post_tasks.not_relevant(found.crossed, campaign.rules.level)
        context |= {
            "report": found,
            "crossed": [
                (style(one), name, found.crossed[one])
                for one, name in labels("written").items()
                if one in found.crossed
            ],
            "whole": whole,
            "low": low,
            "low_unrelated": percent(low.yes, whole.yes) if whole.yes else None,
            "low_whole": percent(low.total, whole.total) if whole.total else None,
        }
    return render(request, "judging/post_task_report.html", context)


REPLIES = tuple(PostTask.Reply.values)


def table(rows: list[list[Any]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def systems_file(found: post_tasks.Report) -> str:
    """A line for each run: counts of replies, fractions (per cent), and of those with unrelated information the
    number by grade or outcome, with that of all answers."""
    head = ["run", "team", "answers", "replied", *(f"machine_{one}" for one in REPLIES), "MG"]
    head += [*(f"unrelated_{one}" for one in REPLIES), "UI"]
    head += [f"{name}_{decision}" for decision in DECISIONS for name in ("unrelated", "all")]
    rows: list[list[Any]] = [head]
    for one in found.systems:
        row = [one.run.name, one.run.team, one.answers, one.machine.total, *one.machine, shown(one.machine)]
        row += [*one.unrelated, shown(one.unrelated)]
        by_decision = [one.crossed.get(decision, Share(0, 0, 0)) for decision in DECISIONS]
        rows.append(row + [count for each in by_decision for count in (each.yes, each.total)])
    return table(rows)


def shown(share: Share) -> str:
    return "" if share.percent is None else f"{share.percent:.1f}"


def answers_file(found: post_tasks.Report) -> str:
    """A line for each answer, as the labs' own file begins: 1 yes, 0 no, empty where it could not be told."""
    numbers = {"yes": "1", "no": "0", "cannot_tell": ""}
    head = ["topic", "answer", "machine_generated", "unrelated", "decision"]
    rows = [
        [one.topic_id, one.doc_id, numbers[one.machine], numbers[one.unrelated], one.decision] for one in found.replies
    ]
    return table([head, *rows])


FILES = {"systems": systems_file, "answers": answers_file}


@require_safe
def report_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The counts by system, or the replies by answer."""
    campaign: Campaign = campaign_for(request.user, slug, STAFF)
    pool = campaign.frozen_pool()
    if pool is None or name not in FILES:
        raise Http404
    return attachment(FILES[name](post_tasks.report(pool)), f"{campaign.slug}.written-{name}.tsv")


urlpatterns = [
    path("judge/<int:pk>/written/", written, name="written"),
    path("judge/<int:pk>/written/<int:number>/", written_answer, name="written_answer"),
    path("c/<slug:slug>/written/", report, name="written_report"),
    path("c/<slug:slug>/written/<slug:name>.tsv", report_file, name="written_file"),
]
