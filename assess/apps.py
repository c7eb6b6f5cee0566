"""What is done once, when the application starts."""

from importlib import import_module

from django.apps import AppConfig


class AssessConfig(AppConfig):
    name = "assess"

    def ready(self) -> None:
        """Fill the registry of jobs, whichever door is used."""
        import_module("assess.services.job_kinds")
