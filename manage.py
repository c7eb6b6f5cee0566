#!/usr/bin/env python
"""Django's command line for Assess."""

import os
import sys

from django.core.management import execute_from_command_line

SCORING = ("score", "compare")

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assess.settings")
    if sys.argv[1:2] and sys.argv[1] in SCORING:  # they read one small run at a time: more threads only hold memory
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    execute_from_command_line(sys.argv)
