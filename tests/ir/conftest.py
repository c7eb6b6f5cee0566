"""Property tests have no deadline for one example: the first also loads a library, and machines are busy. Where
``ASSESS_EXAMPLES`` is "new" they draw other examples each time; else the same, so that a change is judged by itself.
There are as many as `tests.plugin` says."""

import os

from hypothesis import settings

settings.register_profile(
    "no-deadline",
    deadline=None,
    derandomize=os.environ.get("ASSESS_EXAMPLES") != "new",
    max_examples=int(os.environ["ASSESS_MAX_EXAMPLES"]),
)
settings.load_profile("no-deadline")
