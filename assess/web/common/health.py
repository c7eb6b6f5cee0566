"""Whether this host can serve requests: load balancers and docker-compose.yml ask without signing in."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from kombu.exceptions import OperationalError

from assess.celery import app


def database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def broker_answers() -> bool:
    try:
        with app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=2)
    except OperationalError:
        return False
    return True


@login_not_required
def health(request: HttpRequest) -> JsonResponse:
    """200 with ``{"database": true}``, or 503; ``?full=1`` also asks the broker."""
    checks = {"database": database_answers()}
    if "full" in request.GET:
        checks["broker"] = broker_answers()
    return JsonResponse(checks, status=200 if all(checks.values()) else 503)
