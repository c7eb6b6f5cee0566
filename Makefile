# Assess: `make run` starts it, `make test` tests it. See docs/operations.md.
.PHONY: run setup test texts
MANAGE = .venv/bin/python manage.py

run: setup
	@exec $(MANAGE) serve $(SERVE)

setup:
	@tools/setup.sh

test:
	@tools/test.sh

# Brings the translation files up to date with the texts (needs GNU gettext).
texts:
	@$(MANAGE) makemessages --all --add-location file --no-wrap --ignore 'var/*' --ignore 'tests/*' --ignore 'frontend/*' --ignore 'benchmarks/*'
