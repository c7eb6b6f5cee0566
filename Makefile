# Assess: `make run` starts it, `make test` tests it. See docs/operations.md.
.PHONY: run dev setup check test test-all fuzz texts wheel
MANAGE = .venv/bin/python manage.py

run: setup
	@exec $(MANAGE) serve $(SERVE)

# For changing it: the server and the worker start again with every change of Python, the front end is built again, and
# templates are read anew, until Ctrl-C. Not beside `make run` on the same folder.
dev: export DEBUG = True
dev: setup
	@trap 'kill 0' EXIT; \
	node frontend/build.mjs --watch & \
	PYTHONPATH=. .venv/bin/python tools/dev_worker.py & \
	$(MANAGE) demo && $(MANAGE) runserver $(PORT)

setup:
	@tools/setup.sh

# Style, types, and the tests of the science, which need no database, browser or data of the labs: under a minute. Those of
# damaged files take as long as all others together.
check:
	@tools/setup.sh --tests
	@.venv/bin/ruff check . && .venv/bin/ruff format --check .
	@.venv/bin/python -m mypy & mypy=$$!; \
	ASSESS_DATA=none .venv/bin/python -m pytest -q -n 2 --ignore tests/ir/formats/test_damaged.py \
		tests/ir tests/test_architecture.py tests/test_styles.py && wait $$mypy

test:
	@tools/test.sh

# Also runs whole benchmarks, the fuzzing, and every test that touches a database on PostgreSQL.
test-all:
	@tools/test.sh --all

# Damaged files and hostile requests, 8,000 or N of them, through a real server on SQLite and on PostgreSQL.
fuzz:
	@tools/setup.sh --tests
	@.venv/bin/python -m tests.fuzz.server $(N)

# dist/assess-….whl with the built front end: whoever installs it needs neither Node nor git nor make.
wheel: setup
	@rm -rf build
	@.venv/bin/python -m pip wheel . --no-deps --quiet --wheel-dir dist

# make texts LOCALE=de: writes or updates a translation file (needs GNU gettext). The words of the presets stand in one
# file meanwhile, as gettext reads no TOML.
PRESETS := assess/words_of_presets.py
texts:
	@mkdir -p assess/locale
	@sed -nE 's/^(name|definition|meaning|question) = (".*")$$/_(\2)/p; s/^ +(".*"),$$/_(\1)/p' assess/ir/campaign/presets/*.toml | sort -u > $(PRESETS)
	@trap 'rm -f $(PRESETS)' EXIT; $(MANAGE) makemessages --locale $(LOCALE) --add-location file --no-wrap --ignore 'var/*' --ignore 'tests/*' --ignore 'frontend/*' --ignore 'benchmarks/*'
