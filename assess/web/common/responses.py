"""What the views of several rooms share: messages, refused forms, downloads, redirects and numbers in requests."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.forms import Form, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header

from assess.ir.common.problems import BadInput
from assess.models import Action, Campaign, Job, JobKind
from assess.services.common.errors import Refused

Row = TypeVar("Row", bound=Model)

TABLE = "text/tab-separated-values; charset=utf-8"


def person(request: HttpRequest) -> User:
    """The user of a page that needs one."""
    assert isinstance(request.user, User)
    return request.user


@contextmanager
def refusals(request: HttpRequest) -> Iterator[Callable[[Action | None], None]]:
    """Show a refusal of a service on the next page; ``with refusals(request) as tell: tell(service(...))`` shows there
    what the service did and noted."""
    try:
        yield partial(tell_done, request)
    except Refused as error:
        messages.error(request, str(error))


def tell_done(request: HttpRequest, done: Action | None) -> None:
    """Show on the next page what a service did, in the words of the history; None if it changed nothing."""
    if done:
        messages.success(request, str(done))
    else:
        messages.info(request, "Nothing was changed.")


@contextmanager
def errors_on(form: Form, field: str | None = None) -> Iterator[None]:
    """Show a refusal of a service as errors of the form or field, one line for each problem."""
    try:
        yield
    except BadInput as error:
        form.add_error(field, ValidationError(str(error).splitlines()))
    except Refused as error:
        form.add_error(field, str(error))


def checked_fields(form: Form) -> dict[str, Any]:
    """What the form of a button says. Raises Refused with all that is wrong."""
    if not form.is_valid():
        labels = {field.name: f"{field.label}: " for field in form}
        wrong = [f"{labels.get(name, '')}{error}" for name, errors in form.errors.items() for error in errors]
        raise Refused(" ".join(wrong))
    return form.cleaned_data


def render_form(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """A page with ``form`` in its context: 422 if the form was refused, as the API answers."""
    return render(request, template, context, status=422 if context["form"] and context["form"].errors else 200)


def confirm(
    request: HttpRequest, title: str, text: str, action: str, back: str, links: Iterable[tuple[str, str]] = ()
) -> HttpResponse:
    """Asks before something is removed; its button posts to the same address. ``links``: what else to do."""
    context = {"title": title, "text": text, "action": action, "back": back, "links": list(links)}
    return render(request, "campaign/confirm.html", context)


def unfinished(campaign: Campaign, *kinds: JobKind) -> Job | None:
    """A waiting or running job of one of these kinds."""
    return campaign.jobs.unfinished().filter(kind__in=[kind.key for kind in kinds]).first()


def attachment(text: str, name: str, content_type: str = TABLE) -> HttpResponse:
    """A text to download under a file name."""
    return HttpResponse(text, content_type=content_type, headers=download(name))


def streamed(pieces: Iterable[bytes], name: str, content_type: str) -> StreamingHttpResponse:
    """A file to download under a name, sent while it is made."""
    return StreamingHttpResponse(pieces, content_type=content_type, headers=download(name))


def download(name: str) -> dict[str, str]:
    return {"Content-Disposition": content_disposition_header(True, name) or "attachment"}


def see_other(address: str) -> HttpResponse:
    """A redirect that the browser follows with GET, even after a POST."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response


def number_in(sent: QueryDict, name: str) -> int:
    """A number in a query or form; 0 if it is missing or cannot be a key."""
    return as_number(sent.get(name, "")) or 0


def asked_row(request: HttpRequest, name: str, rows: QuerySet[Row]) -> Row | None:
    """The row whose key the address has under this name, if it has one. Raises Http404 if there is no such row."""
    return get_object_or_404(rows, pk=number_in(request.GET, name)) if name in request.GET else None


def as_number(text: str) -> int | None:
    """A whole number of a size that databases take."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None


def wants_json(request: HttpRequest) -> bool:
    """Whether the request comes from a script, not from a form."""
    return request.headers.get("Accept") == "application/json"
