"""The Celery application: `celery -A assess worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")

app = Celery("assess")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["assess"])
