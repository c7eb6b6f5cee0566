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
say "Front end: node's test runner"
(cd frontend && npm run --silent test)
say "Migrations are complete"
ASSESS_VAR="$results/var" $python manage.py makemigrations --check --dry-run

# The two runs share nothing, so they go side by side: one waits where the other computes.
failed=0
$python -m pytest --postgres -o cache_dir="$results/cache" --junitxml="$results/postgres.xml" \
    </dev/null >"$results/postgres.txt" 2>&1 &
other=$!
trap 'kill "$other" 2>/dev/null || true; rm -rf "$results"' EXIT
say "Tests on SQLite, Celery over files"
$python -m pytest --junitxml="$results/sqlite.xml" </dev/null || failed=1
say "Tests on PostgreSQL, Celery over Redis, which ran beside them"
wait "$other" || failed=1
trap 'rm -rf "$results"' EXIT
cat "$results/postgres.txt"

say "All tests"
$python tools/count_tests.py "$results"/*.xml
exit $failed
