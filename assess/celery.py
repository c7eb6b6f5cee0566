"""The Celery application: `celery -A assess worker`."""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")

app = Celery("assess")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["assess"])


@setup_logging.connect
def keep_own_logging(loglevel: Any = None, **kwargs: Any) -> None:
    """Lines of a worker look like those of the web server. That a task succeeded is not said: the job may have failed,
    which its own line says (``assess.jobs``)."""
    logging.config.dictConfig(settings.LOGGING)
    logging.getLogger("celery").setLevel(loglevel or logging.WARNING)
