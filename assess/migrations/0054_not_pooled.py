from typing import Any

from django.db import migrations
from django.db.models import Q


def to_ids(apps: Any, schema_editor: Any) -> None:
    """The ids of the runs for their names, which the means know even if a run was renamed since."""
    runs = apps.get_model("assess", "Run").objects
    for evaluation in apps.get_model("assess", "Evaluation").objects.exclude(not_pooled=[]).select_related("qrels__pool"):
        names = set(evaluation.not_pooled)
        ids = {row["run_id"] for row in evaluation.means if row["run"] in names and "run_id" in row}
        others = names - {row["run"] for row in evaluation.means if "run_id" in row}
        found = Q(pk__in=ids) | Q(name__in=others)
        own = runs.filter(found, campaign=evaluation.qrels.pool.campaign_id)
        evaluation.not_pooled = sorted(own.values_list("pk", flat=True))
        evaluation.save(update_fields=["not_pooled"])


def to_names(apps: Any, schema_editor: Any) -> None:
    runs = apps.get_model("assess", "Run").objects
    for evaluation in apps.get_model("assess", "Evaluation").objects.exclude(not_pooled=[]):
        evaluation.not_pooled = sorted(runs.filter(pk__in=evaluation.not_pooled).values_list("name", flat=True))
        evaluation.save(update_fields=["not_pooled"])


def without_failed_imports(apps: Any, schema_editor: Any) -> None:
    """Migration 53 let their jobs stay without a campaign, which cannot be undone while there are any. They are deleted
    here, because PostgreSQL alters no table in a transaction that has deleted rows of it."""
    apps.get_model("assess", "Job").objects.filter(campaign=None).delete()


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0053_failed_imports'),
    ]

    operations = [
        migrations.RunPython(to_ids, to_names),
        migrations.RunPython(migrations.RunPython.noop, without_failed_imports),
    ]
