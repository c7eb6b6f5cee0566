# One image for the web server and the worker; docker-compose.yml says which of the two it is.
FROM node:24-slim AS frontend
WORKDIR /app/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --ignore-scripts
COPY frontend/ ./
RUN node build.mjs

FROM python:3.13-slim AS wheel
WORKDIR /build
COPY pyproject.toml setup.py requirements.in LICENSE manage.py ./
COPY assess/ assess/
COPY templates/ templates/
COPY fixtures/ fixtures/
COPY docs/ docs/
COPY --from=frontend /app/frontend/dist/ frontend/dist/
RUN pip wheel --no-cache-dir --no-deps --wheel-dir dist .

FROM python:3.13-slim
# MALLOC_ARENA_MAX: memory that a thread gave back is there for the others.
ENV PYTHONUNBUFFERED=1 PIP_DISABLE_PIP_VERSION_CHECK=1 MALLOC_ARENA_MAX=2 \
    ASSESS_VAR=/var/lib/assess ASSESS_MEDIA=/var/lib/assess/media ASSESS_STATIC=/app/static
WORKDIR /app
RUN useradd --system --uid 10001 --no-create-home assess \
    && install -d -o assess -g assess /var/lib/assess /var/lib/assess/media
COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: -r requirements.txt
COPY --from=wheel /build/dist/ dist/
RUN pip install --no-cache-dir --no-deps --no-index dist/*.whl
# Collecting reads no secret and no database; the key is for this one command.
RUN SECRET_KEY=collecting REDIS_URL=redis://nowhere assess collectstatic --noinput --verbosity 0
USER assess
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
