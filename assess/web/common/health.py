"""Whether this host can serve requests: load balancers and docker-compose.yml ask without signing in."""

from django.contrib.auth.decorators import login_not_required
from django.contrib.sessions.backends.db import SessionStore
from django.db import Error
from django.http import HttpRequest, JsonResponse

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
