"""Property tests have no deadline for one example: the first also loads a library, and machines are busy."""

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
