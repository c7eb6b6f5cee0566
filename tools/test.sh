#!/usr/bin/env bash
# Every check on this machine. Sets up what it needs.
#   tools/test.sh          make test: every test on SQLite, and on PostgreSQL those that depend on the database
#   tools/test.sh --all    make test-all: also whole benchmarks, fuzzing, and every test of a database on PostgreSQL
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf '\n— %s\n' "$*"; }

unset PYTHONDONTWRITEBYTECODE # each of some sixty processes would compile every package again
tools/setup.sh --tests
python=.venv/bin/python
# Results go here; the checks must not touch the database that `make run` uses.
results=$(mktemp -d)
# Types are checked beside everything else, and shown after the tests on SQLite.
$python -m mypy >"$results/mypy.txt" 2>&1 &
mypy=$!
# A new checkout is compiled once, and not again by each process of the tests.
compiling=""
compgen -G 'tests/__pycache__/conftest*' >/dev/null || { $python -m pytest -qq --collect-only >/dev/null & compiling=$!; }
trap 'kill $mypy $compiling 2>/dev/null || true; rm -rf "$results"' EXIT

say "Style: ruff"
$python -m ruff check .
$python -m ruff format --check .
say "Migrations are complete"
ASSESS_VAR="$results/var" $python manage.py makemigrations --check --dry-run
say "Types of the front end: tsc; its tests: node's test runner"
(cd frontend && npm run --silent check && npm run --silent test)

failed=0
tests() { # NAME PROCESSES ARGUMENTS…
    local name=$1 processes=$2
    shift 2
    $python -m pytest -n "$processes" --dist worksteal "$@" --junitxml="$results/$name.xml" </dev/null || failed=1
}
say "Tests on SQLite, Celery over files"
[ -z "$compiling" ] || wait $compiling || true # an error comes again
tests sqlite 3 "$@" # those in a browser wait a third of their time, so three processes keep two cores busy
say "Types: mypy"
wait $mypy || failed=1
cat "$results/mypy.txt"
say "Tests on PostgreSQL, Celery over Redis"
tests postgres 2 --postgres "$@"

say "All tests"
$python tools/count_tests.py "$results"/*.xml
exit $failed
