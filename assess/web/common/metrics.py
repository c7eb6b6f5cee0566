"""What Prometheus reads: requests by django-prometheus, and the queue of jobs."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare

from assess.services.jobs import job_queue


@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """For the token in ``METRICS_TOKEN`` only; without that setting there is no such page."""
    sent = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}"):
        raise Http404
    from django_prometheus.exports import ExportToDjangoView  # it need not be installed

    response: HttpResponse = ExportToDjangoView(request)
    by_state, age = job_queue.describe_queue()
    response.write(
        "# HELP assess_queue_age_seconds How long the first waiting job has waited.\n"
        f"# TYPE assess_queue_age_seconds gauge\nassess_queue_age_seconds {age.total_seconds()}\n"
        "# HELP assess_jobs Jobs by state.\n# TYPE assess_jobs gauge\n"
    )
    response.writelines(f'assess_jobs{{state="{state}"}} {number}\n' for state, number in by_state.items())
    return response
