"""Two questions about each written answer of a judged topic, and a report of the replies for organizers."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from assess.ir.common.figures import percent
from assess.ir.formats.table import write_table
from assess.models import Campaign, PostTask
from assess.services.common.access import STAFF, assignment_for
from assess.services.common.errors import Refused
from assess.services.desk import post_tasks
from assess.services.desk.post_tasks import Written
from assess.web.common.doors import campaign_page
from assess.web.common.html import post_html
from assess.web.common.responses import attachment, number_in, person, see_other, wants_json


def next_number(answers: list[Written], after: int = 0) -> int | None:
    """The next answer without replies: after this one, else before it."""
    numbers = [number for number, answer in enumerate(answers, start=1) if answer.replies is None]
    return next((number for number in numbers if number > after), numbers[0] if numbers else None)


@require_safe
def next_written(request: HttpRequest, pk: int) -> HttpResponse:
    """To the first written answer of a topic without replies, else to the first."""
    answers = post_tasks.written_of(assignment_for(request.user, pk))
    return redirect("written_answer", pk, next_number(answers) or 1)


@require_http_methods(["GET", "HEAD", "POST"])
def written_answer(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """One written answer with the two questions; after the replies, the next one. A script gets its address."""
    if request.method != "POST":
        return show_answer(request, pk, number)
    replies = {name: request.POST.get(name, "") for name in ("machine", "unrelated")}
    sent = PostTask(instance_id=number_in(request.POST, "instance"), **replies)
    try:
        answers = post_tasks.save_replies(pk, person(request), number, sent, request.POST.get("content_hash", ""))
    except Refused as error:
        if not wants_json(request):
            return show_answer(request, pk, number, str(error))
        messages.error(request, str(error))
        return JsonResponse({"detail": str(error), "next": request.path}, status=422)
    messages.success(request, _("Saved"))
    following = next_number(answers, number)
    address = reverse("written_answer", args=[pk, following]) if following else reverse("assignment", args=[pk])
    return JsonResponse({"next": address}) if wants_json(request) else see_other(address)


def show_answer(request: HttpRequest, pk: int, number: int, problem: str = "") -> HttpResponse:
    assignment = assignment_for(request.user, pk)
    answers = post_tasks.written_of(assignment)
    if not 1 <= number <= len(answers):
        raise Http404
    card, latest = answers[number - 1].card, answers[number - 1].replies
    replies = {"machine": latest.machine, "unrelated": latest.unrelated} if latest else {}
    if problem and request.POST.get("instance") == str(card.instance.pk):
        replies = request.POST.dict()
    campaign = assignment.campaign
    context = {
        "assignment": assignment,
        "number": number,
        "total": len(answers),
        "title": post_html(campaign, assignment.topic.title),
        "topic_body": post_html(campaign, assignment.topic.body),
        "body": post_html(campaign, card.body),
        "card": card,
        "questions": [
            ("machine", _("Does it seem to have been written by a machine?"), replies.get("machine"), 1),
            ("unrelated", _("Does it contain information unrelated to the question?"), replies.get("unrelated"), 4),
        ],
        "choices": PostTask.Reply.choices,
        "problem": problem,
    }
    return render(request, "desk/post_task.html", context, status=422 if problem else 200)


@campaign_page(STAFF, section="written_report")
def written_report(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """How many answers of each system seem to be written by a machine or contain unrelated information; by grade."""
    if not campaign.rules.kind.has_threads:
        raise Http404
    pool = campaign.frozen_pool()
    context: dict[str, Any] = {"report": None}
    if pool:
        report = context["report"] = post_tasks.report_replies(pool)
        if report.whole.yes:
            context["low_unrelated"] = percent(report.low.yes, report.whole.yes)
            context["low_whole"] = percent(report.low.total, report.whole.total)
    return render(request, "desk/post_task_report.html", context)


@campaign_page(STAFF)
def written_file(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A line for each answer, as the labs' own file begins: 1 yes, 0 no, empty for "cannot tell"."""
    pool = campaign.frozen_pool()
    if pool is None:
        raise Http404
    numbers = {"yes": "1", "no": "0", "cannot_tell": ""}
    head = ["topic", "answer", "machine_generated", "unrelated", "decision"]
    rows = [
        [reply.topic_id, reply.doc_id, numbers[reply.machine], numbers[reply.unrelated], reply.decision]
        for reply in post_tasks.replies_of(pool)
    ]
    return attachment(write_table([head, *rows]), f"{campaign.slug}.written-answers.tsv")
