"""What several screens answer with: a refusal told on the next page, a file to save, a job that runs already, the
next page."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.http import content_disposition_header

from assess.models import Campaign, Job
from assess.services.common.errors import Refused

TABLE = "text/tab-separated-values; charset=utf-8"


@contextmanager
def refusals(request: HttpRequest, success: str = "") -> Iterator[None]:
    """What a service refuses is told on the next page; so is success."""
    try:
        yield
    except Refused as error:
        messages.error(request, str(error))
    else:
        if success:
            messages.success(request, success)


def unfinished(campaign: Campaign, *kinds: str) -> Job | None:
    """The job of these kinds that waits or runs, if there is one."""
    return campaign.jobs.unfinished().filter(kind__in=kinds).first()


def attachment(text: str, name: str, content_type: str = TABLE) -> HttpResponse:
    """A text to save under a name."""
    disposition = content_disposition_header(True, name)
    return HttpResponse(text, content_type=content_type, headers={"Content-Disposition": disposition or "attachment"})


def see_other(address: str) -> HttpResponse:
    """A redirect that makes the browser GET, whatever it came from."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response


def number_in(sent: QueryDict, name: str) -> int:
    """A number that an address or a form names; 0 where it names none, or none that anything here can have."""
    value = sent.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 16 else 0


def wants_json(request: HttpRequest) -> bool:
    """Whether a script asks, not a person."""
    return request.headers.get("Accept") == "application/json"
