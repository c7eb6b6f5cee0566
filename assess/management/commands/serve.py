"""``manage.py serve``: everything on one machine, until Ctrl-C."""

import signal
import socket
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from assess.celery import app
from assess.management.supervision import only_one, running_children, watch_children
from assess.models import Campaign
from assess.services import demo
from assess.services.common import bulk
from assess.services.common.wording import number
from assess.tasks import resume_jobs

LOGS = settings.VAR_DIR / "log"
WORKER = [sys.executable, "-m", "celery", "-A", "assess", "worker", "-P", "threads", "-c", "2", "-l", "info"]
"""Threads, because only one process can read the broker's files."""
WEB = [sys.executable, "-m", "gunicorn", "assess.wsgi", "--config", "python:assess.gunicorn", "--workers", "1"]
"""One process with threads: enough for a lab, and SQLite has one writer anyway."""


class Command(BaseCommand):
    help = "Start the web server and a background worker; Ctrl-C stops both."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="0 for any free port (default: 8000)")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo into an empty database")

    def handle(self, *, port: int, host: str, no_demo: bool, **options: Any) -> None:
        with only_one(settings.VAR_DIR / "serve.lock"), listening(host, port) as listener:
            self.prepare()
            if not is_local(host):
                refuse_open_demo(host, will_load=not no_demo and not Campaign.objects.exists())
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
            web = [*WEB, "--bind", f"fd://{listener.fileno()}"]
            commands = {LOGS / "web.log": web, LOGS / "worker.log": WORKER}
            try:
                with running_children(commands, [listener.fileno()]) as children:
                    if not no_demo:
                        start_demo()
                    address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{listener.getsockname()[1]}/"
                    self.say(f"\nAssess is running at {address}   (logs: {LOGS})")
                    self.say("Press Ctrl-C to stop.")
                    watch_children(children)
            except KeyboardInterrupt:
                self.say("Stopped. Interrupted jobs will continue at the next start.")

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def prepare(self) -> None:
        call_command("migrate", verbosity=0)
        bulk.refresh_statistics()
        collected, built = settings.STATIC_ROOT / "staticfiles.json", settings.BASE_DIR / "frontend/dist/page.js"
        if not collected.exists() or collected.stat().st_mtime <= built.stat().st_ctime:  # those of an older version
            call_command("collectstatic", interactive=False, verbosity=0)
        if settings.REDIS_URL:  # workers on other hosts may be doing jobs that are running
            count = resume_jobs()
        else:
            app.control.purge()
            count = resume_jobs(silent_for=timedelta(0))
        if count:
            self.say(f"Resuming {number(count, 'unfinished job')}.")


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """The socket for the web server, opened first so that a port in use stops everything before it starts."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host}:{port}: {error.strerror}. Choose another port: --port 8001, or "
                "make run SERVE='--port 8001'"
            ) from error
        listener.listen(512)
        yield listener


def is_local(host: str) -> bool:
    """Whether only this machine can connect."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refuse_open_demo(host: str, *, will_load: bool) -> None:
    """Everybody knows the demo's password, so its accounts must not be open to other machines."""
    names = ", ".join(user.username for user in demo.open_accounts())
    if will_load or names:
        danger = f"The accounts {names} have the demo's password" if names else "The demo's password is public"
        raise CommandError(
            f"{danger}, and {host} can be reached from other machines. Use --no-demo with an empty database (another "
            "ASSESS_VAR), or change these passwords first: manage.py changepassword NAME"
        )


def start_demo() -> None:
    """In its own process, while the servers start: both take seconds."""
    if subprocess.run([sys.executable, str(settings.BASE_DIR / "manage.py"), "demo"], check=False).returncode:
        raise CommandError("The demo could not be loaded and nothing of it was kept. See the error above.")
