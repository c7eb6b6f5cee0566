"""Formulas that assessors' browsers could not set."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assess", "0009_desk")]

    operations = [
        migrations.CreateModel(
            name="MathProblem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("document", models.CharField(max_length=40)),
                ("tex", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("message", models.CharField(max_length=500)),
                ("count", models.PositiveIntegerField(default=1)),
                ("first", models.DateTimeField(default=django.utils.timezone.now)),
                ("last", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="math_problems",
                        to="assess.campaign",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="assess.topic"
                    ),
                ),
            ],
            options={
                "ordering": ["-count", "document", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "document", "digest"), name="math_problem_once")
                ],
            },
        ),
    ]
