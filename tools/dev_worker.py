"""The job worker of `make dev`: starts again whenever a Python file changes."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")

from django.utils.autoreload import run_with_reloader

from assess.celery import app

if __name__ == "__main__":
    run_with_reloader(app.worker_main, ["worker", "-P", "threads", "-c", "2", "-l", "info"])
