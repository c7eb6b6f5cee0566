"""Versions of the map from formulas to visual ids. The maps are stored in columns (`services.formulas.visual_ids`)."""

from django.db import models

from assess.models.collection import Collection


class VisualMap(models.Model):
    """One version of a collection's visual ids, valid only for the formula index with ``index_sha256``.

    ``applied`` is empty until the version takes effect (a repair is reviewed first); ``base`` is the version it was
    made from. ``counts`` has the numbers of formulas and units, and for a repair what it changes ({"clusters": 12,
    "moved": 40, "joined": 3, "new": 11}).
    """

    class Kind(models.TextChoices):
        INDEX = "index", "From the index"
        COMPUTED = "computed", "Computed"
        REPAIR = "repair", "Repaired"

    class Scope(models.TextChoices):
        ALL = "all", "Every formula of the collection"
        SUBMITTED = "submitted", "Formulas that runs retrieved"

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="visual_maps")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.ALL)
    base = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    index_sha256 = models.CharField(max_length=64)
    counts = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey("auth.User", models.PROTECT, related_name="+")
    applied = models.DateTimeField(null=True)
    job = models.OneToOneField("assess.Job", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["collection", "number"], name="visual_map_version_once")]

    def __str__(self) -> str:
        return f"Visual ids {self.number} ({self.get_kind_display().lower()})"
