# Assess: `make run` starts it, `make test` tests it. See docs/operations.md.
.PHONY: run setup test

run: setup
	@exec .venv/bin/python manage.py serve $(SERVE)

setup:
	@tools/setup.sh

test:
	@tools/test.sh
