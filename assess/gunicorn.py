"""How gunicorn serves Assess, wherever it is started: `gunicorn --config python:assess.gunicorn assess.wsgi`."""

worker_class = "gthread"
threads = 8
# Seconds. Assessors read for minutes between two judgments. Chromium closes an idle connection after five minutes; if
# the server did so first, the next judgment would meet a closed one.
keepalive = 320
control_socket_disable = True
