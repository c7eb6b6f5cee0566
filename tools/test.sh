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

# The parts share nothing, so they go side by side: one waits where another computes.
parts=()
trap 'kill "${parts[@]}" 2>/dev/null || true; rm -rf "$results"' EXIT
beside() { # NAME ARGUMENTS…
    local name=$1
    shift
    $python -m pytest "$@" -o cache_dir="$results/cache-$name" --junitxml="$results/$name.xml" \
        </dev/null >"$results/$name.txt" 2>&1 &
    parts+=($!)
}
failed=0
beside postgres-browser --postgres tests/browser
beside postgres --postgres --ignore tests/browser
beside browser tests/browser tests/ir tests/management
say "Tests on SQLite, Celery over files"
$python -m pytest --ignore tests/browser --ignore tests/ir --ignore tests/management --junitxml="$results/sqlite.xml" \
    </dev/null || failed=1
for part in "${parts[@]}"; do
    wait "$part" || failed=1
done
trap 'rm -rf "$results"' EXIT
say "Beside them: tests in Chromium, of the science and of the commands"
cat "$results/browser.txt"
say "Tests on PostgreSQL, Celery over Redis"
cat "$results/postgres.txt"
say "Tests in Chromium, on PostgreSQL"
cat "$results/postgres-browser.txt"

say "All tests"
$python tools/count_tests.py "$results"/*.xml
exit $failed
