"""How gunicorn serves Assess, wherever it is started: `gunicorn --config python:assess.gunicorn assess.wsgi`."""

worker_class = "gthread"
threads = 8
# Seconds. Assessors read for minutes between two judgments. Chromium closes an idle connection after five minutes; if
# the server did so first, the next judgment would meet a closed one.
keepalive = 320
# A worker that serves one request at a time (--worker-class sync) is silent while it receives 20 GB.
timeout = 1800
control_socket_disable = True
