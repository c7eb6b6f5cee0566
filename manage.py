#!/usr/bin/env python
"""Django's command line for Assess."""

from assess.__main__ import main

if __name__ == "__main__":
    main()
