"""The command line: `assess`, or `manage.py` in a checkout."""

import os
import sys

SCORING = ("score", "compare")


def main() -> None:
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")
    if sys.argv[1:2] and sys.argv[1] in SCORING:  # they read one small run at a time: more threads only hold memory
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
