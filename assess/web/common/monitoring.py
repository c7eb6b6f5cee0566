"""What load balancers and Prometheus ask, without signing in: whether this host can serve requests, and how many it
has served; the queue of jobs."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.sessions.backends.db import SessionStore
from django.db import Error
from django.db.models import Count, Min
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from assess.models import Job
from assess.services.common import workspace
from assess.tasks import broker_answers, worker_listens


def database_saves() -> bool:
    """Whether a row can be stored: a full or read-only database still answers."""
    session = SessionStore()
    try:
        session.create()
        session.delete()
    except Error:
        return False
    return True


def files_are_saved() -> bool:
    """Whether a file can be stored in the media store."""
    try:
        path = workspace.new_path()
        try:
            path.write_bytes(bytes(4096))
        finally:
            path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """200 with ``{"database": true, "files": true}``, or 503; ``?full=1`` also asks the broker and the workers."""
    checks = {"database": database_saves(), "files": files_are_saved()}
    if "full" in request.GET:
        broker = broker_answers()
        checks |= {"broker": broker, "worker": broker and worker_listens()}  # workers are asked through the broker
    return JsonResponse(checks, status=200 if all(checks.values()) else 503)


@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """For the token in ``METRICS_TOKEN`` only; without that setting there is no such page."""
    sent = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}"):
        raise Http404
    from django_prometheus.exports import ExportToDjangoView  # it need not be installed

    response: HttpResponse = ExportToDjangoView(request)
    now, by_state = timezone.now(), dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    first = Job.objects.filter(state=Job.State.QUEUED).aggregate(first=Min("created"))["first"] or now
    response.write(
        "# HELP assess_queue_age_seconds How long the first waiting job has waited.\n"
        f"# TYPE assess_queue_age_seconds gauge\nassess_queue_age_seconds {(now - first).total_seconds()}\n"
        "# HELP assess_jobs Jobs by state.\n# TYPE assess_jobs gauge\n"
    )
    response.writelines(f'assess_jobs{{state="{each}"}} {by_state.get(each, 0)}\n' for each in Job.State.values)
    return response
