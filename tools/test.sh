#!/usr/bin/env bash
# Every check, on this machine: `make test`. Sets up what it needs; stops at the first kind of check that fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf '\n— %s\n' "$*"; }

tools/setup.sh --tests
python=.venv/bin/python
# Results land here; the checks must not touch the database that `make run` uses.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

say "Style: ruff"
$python -m ruff check .
$python -m ruff format --check .
say "Types: mypy"
$python -m mypy
say "Types: tsc"
(cd frontend && npm run --silent check)
say "Migrations are complete"
ASSESS_VAR="$results/var" $python manage.py makemigrations --check --dry-run

failed=0
say "Tests on SQLite, Celery over files"
$python -m pytest --junitxml="$results/sqlite.xml" </dev/null || failed=1
say "Tests on PostgreSQL, Celery over Redis"
$python -m pytest --postgres --junitxml="$results/postgres.xml" </dev/null || failed=1

say "All tests"
$python tools/count_tests.py "$results"/*.xml
exit $failed
