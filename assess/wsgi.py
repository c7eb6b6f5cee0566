"""The WSGI entry point: `gunicorn assess.wsgi`."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")
application = get_wsgi_application()
get_resolver().url_patterns  # noqa: B018 -- loads the pages with all their packages
gc.freeze()  # they stay: to look through them for garbage again and again would add 0.1 s to every tenth page
