# Assess: `make run` starts it, `make test` tests it. See docs/operations.md.
.PHONY: run setup test test-all texts
MANAGE = .venv/bin/python manage.py

run: setup
	@exec $(MANAGE) serve $(SERVE)

setup:
	@tools/setup.sh

test:
	@tools/test.sh

# Also runs whole benchmarks, the fuzzing, and every test that touches a database on PostgreSQL.
test-all:
	@tools/test.sh --all

# make texts LOCALE=de: writes or updates a translation file (needs GNU gettext).
texts:
	@mkdir -p assess/locale
	@$(MANAGE) makemessages --locale $(LOCALE) --add-location file --no-wrap --ignore 'var/*' --ignore 'tests/*' --ignore 'frontend/*' --ignore 'benchmarks/*'
