#!/usr/bin/env bash
# Sets Assess up in this folder: what is missing or out of date, nothing else. Run it as often as you like.
#   tools/setup.sh            for running (make setup)
#   tools/setup.sh --tests    for testing: also the tests' packages, PostgreSQL, Redis and Chromium
# PYTHON=/path/to/python3 chooses the Python (3.11, 3.12 or 3.13).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK=1
tests=""
[ "${1:-}" = "--tests" ] && tests=yes

say() { printf '• %s\n' "$*"; }
fail() { printf '\n%s\n' "$*" >&2; exit 1; }
digest() { cat "$@" | sha256sum | cut -d' ' -f1; }
up_to_date() { [ -e "$1" ] && [ "$(cat "$1")" = "$2" ]; }

# Debian packages: installed where we may, named where we may not.
debian() {
    local why=$1; shift
    command -v apt-get >/dev/null || fail "$why Please install: $*"
    [ "$(id -u)" = 0 ] || fail "$why Please run: sudo apt-get install --no-install-recommends $*"
    say "Installing Debian packages: $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null >/dev/null
    apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}

fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; }
has_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# A distribution's own comes first: it is built with optimizations, which one compiled by hand (pyenv) mostly lacks, and
# takes a quarter to a third off the time of plain Python.
find_python() {
    local candidate
    for candidate in /usr/bin/python3.13 /usr/bin/python3.12 /usr/bin/python3.11 python3.13 python3.12 python3.11 python3 "${HOME:-}"/.pyenv/versions/3.1[123].*/bin/python3; do
        fits "$candidate" && "$@" "$candidate" && { echo "$candidate"; return; }
    done
    return 1
}

choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" || fail "PYTHON=$PYTHON: not a Python 3.11, 3.12 or 3.13."
        has_venv "$PYTHON" || debian "$PYTHON lacks the venv module." "$(venv_package "$PYTHON")"
        python=$PYTHON
    elif ! python=$(find_python has_venv); then
        if python=$(find_python true); then
            debian "$python lacks the venv module." "$(venv_package "$python")"
        else
            debian "Assess needs Python 3.11, 3.12 or 3.13." python3 python3-venv
            python=$(find_python has_venv) || fail "Assess needs Python 3.11, 3.12 or 3.13; Debian's is another."
        fi
    fi
}
venv_package() { "$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'; }

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true; }

environment() {
    if [ -n "${PYTHON:-}" ] || ! fits .venv/bin/python; then
        choose_python
        [ "$(version_of .venv/bin/python)" = "$(version_of "$python")" ] && return
        say "Making the virtual environment .venv with Python $(version_of "$python")"
        rm -rf .venv
        "$python" -m venv .venv
    fi
}

# The tests' packages contain those for running.
packages() {
    local file=requirements${tests:+-dev}.txt
    local want; want=$(digest "$file")
    up_to_date ".venv/installed-$file" "$want" && return
    say "Installing the Python packages of $file"
    # pip installs one package after another; two of them use both cores and need two thirds of the time.
    # Every package and all it needs is in the file, so the order does not matter.
    local half installers=() installer
    for half in 0 1; do
        awk -v half=$half '/^[^ #]/ { n++ } n % 2 == half' "$file" > ".venv/half$half-$file"
        .venv/bin/python -m pip install -qq --no-input --no-compile --require-hashes --no-deps --only-binary :all: \
            -r ".venv/half$half-$file" &
        installers+=($!)
    done
    for installer in "${installers[@]}"; do wait "$installer"; done
    echo "$want" > ".venv/installed-$file"
    [ -z "$tests" ] || digest requirements.txt > .venv/installed-requirements.txt
}

node_fits() { [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 18' 2>/dev/null)" = true ]; }

node_and_npm() {
    node_fits && command -v npm >/dev/null || debian "The front end is built with Node.js 18 or newer and npm." nodejs npm
    node_fits || fail "The front end is built with Node.js 18 or newer; this is $(node --version)."
}

front_end() {
    # npm writes to its cache even where HOME is no place to write to.
    [ -w "${HOME:-/nowhere}" ] || export npm_config_cache="$PWD/var/npm-cache"
    local want; want=$(digest frontend/package.json frontend/package-lock.json)
    if ! up_to_date frontend/node_modules/.installed "$want"; then
        say "Installing the front end's npm packages"
        (cd frontend && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null >/dev/null)
        echo "$want" > frontend/node_modules/.installed
    fi
    want=$(find frontend/src frontend/build.mjs frontend/package-lock.json -type f -print0 | sort -z | xargs -0 sha256sum | digest)
    if ! up_to_date frontend/dist/.built "$want"; then
        say "Building the front end"
        node frontend/build.mjs
        echo "$want" > frontend/dist/.built
    fi
}

collect_static() {
    local into=${ASSESS_STATIC:-${ASSESS_VAR:-var}/static} want
    want=$(digest frontend/dist/.built requirements.txt assess/static.py)
    up_to_date "$into/.collected" "$want" && return
    say "Collecting static files"
    .venv/bin/python manage.py collectstatic --noinput --verbosity 0
    echo "$want" > "$into/.collected"
}

servers_for_tests() {
    local missing=()
    # For checks of docker-compose.yml and of the blocks for nginx, and a browser without a window, which takes a fifth
    # less time. Without root, the tests do without them.
    if [ "$(id -u)" = 0 ]; then
        docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || missing+=(docker-compose)
        command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing+=(nginx)
        command -v chromium-headless-shell >/dev/null || missing+=(chromium-headless-shell)
    fi
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || missing+=(postgresql)
    command -v redis-server >/dev/null || missing+=(redis-server)
    command -v xgettext >/dev/null || missing+=(gettext)
    [ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v google-chrome >/dev/null || missing+=(chromium)
    [ ${#missing[@]} = 0 ] || debian "The tests use real servers and a real browser." "${missing[@]}"
}

node_and_npm
front_end &
builder=$!
servers=""
trap 'kill "$builder" $servers 2>/dev/null || true' EXIT
environment
if [ -n "$tests" ]; then
    servers_for_tests &
    servers=$!
    packages
    wait "$servers"
    wait "$builder"
else
    packages
    wait "$builder"
    collect_static &
    builder=$!
    say "Bringing the database up to date"
    .venv/bin/python manage.py migrate --verbosity 0
    wait "$builder"
fi
