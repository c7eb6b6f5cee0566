"""The entry point of the server."""

import subprocess
import sys


def test_the_loaded_pages_are_not_searched_for_garbage() -> None:
    code = "import gc, sys, assess.wsgi; assert 'assess.web.home' in sys.modules; print(gc.get_freeze_count())"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(shown.stdout) > 100_000
