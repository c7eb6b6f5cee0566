"""The WSGI entry point: `gunicorn assess.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")
application = get_wsgi_application()
