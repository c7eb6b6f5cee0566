"""Decisions that carry a key, and entries that are put off."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Value
from django.db.models.functions import Cast, Coalesce, Concat


def give_keys(apps: Any, schema_editor: Any) -> None:
    """Decisions from before get keys of their own; each judgment that of its last event."""
    events = apps.get_model("assess", "JudgmentEvent").objects
    events.update(key=Concat(Value("event-"), Cast("pk", models.CharField(max_length=20))))
    last = (
        events.filter(assignment=models.OuterRef("assignment"), instance=models.OuterRef("instance"))
        .order_by("-pk")
        .values("key")[:1]
    )
    apps.get_model("assess", "Judgment").objects.update(
        key=Coalesce(models.Subquery(last), Value("imported"))
    )


class Migration(migrations.Migration):
    dependencies = [("assess", "0008_made_files")]

    operations = [
        migrations.AddField("judgment", "key", models.CharField(max_length=36, default=""), preserve_default=False),
        migrations.AddField("judgmentevent", "key", models.CharField(max_length=36, default=""), preserve_default=False),
        migrations.AddField("judgmentevent", "wall_ms", models.PositiveBigIntegerField(default=0)),
        migrations.AlterField("judgmentevent", "decision", models.CharField(blank=True, max_length=20)),
        migrations.RunPython(give_keys, migrations.RunPython.noop),
        migrations.AddConstraint(
            "judgmentevent", models.UniqueConstraint(fields=("assignment", "key"), name="decision_once")
        ),
        migrations.AddField("assignment", "closed", models.DateTimeField(null=True)),
        migrations.CreateModel(
            name="Deferral",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deferrals", to="assess.assignment"
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="assess.poolentry"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("assignment", "entry"), name="deferred_once")],
            },
        ),
    ]
