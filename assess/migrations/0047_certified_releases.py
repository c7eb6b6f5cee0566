"""Releases know their options and what they can be checked by; events say whether they came after a hand-over."""

from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models


def mark_late(apps: Apps, _: Any) -> None:
    """The events that came while their topic was somebody else's, of topics that are so still."""
    events = apps.get_model("assess", "JudgmentEvent").objects
    late = events.filter(at__gt=models.F("assignment__handed_over")).values("pk")
    events.filter(pk__in=list(late.values_list("pk", flat=True))).update(late=True)


def fill_options(apps: Apps, _: Any) -> None:
    """What earlier releases were made with; all else was as it is by default."""
    for qrels in apps.get_model("assess", "Qrels").objects.select_related("visual_map"):
        qrels.options = {
            "judges": "adjudicated" if "settled" in qrels.made_with else "official",
            "min_relevant": qrels.protocol.get("min_relevant", 0),
            "visual_ids": qrels.visual_map and qrels.visual_map.number,
        }
        qrels.save(update_fields=["options"])


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0046_written_answers_of_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='judgmentevent',
            name='late',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='qrels',
            name='options',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='qrels',
            name='manifest',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='qrels',
            name='units',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='qrels',
            name='verification',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='qrels',
            name='verified',
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('collection', 'Import collection'), ('topic_threads', 'Import topic threads'), ('visual_ids', 'Compute visual ids'), ('mixed', 'Look for mixed visual ids'), ('repair', 'Repair visual ids'), ('runs', 'Import runs'), ('baseline', 'Make baseline run'), ('pool', 'Build pool'), ('pool_file', 'Import pool'), ('freeze', 'Freeze pool'), ('extend', 'Extend pool'), ('plan', 'Plan pool'), ('pool_report', 'Report on pool'), ('training', 'Prepare round'), ('agreement', 'Compute agreement'), ('release', 'Release qrels'), ('verify', 'Verify release'), ('evaluate', 'Evaluate runs')], max_length=20),
        ),
        migrations.CreateModel(
            name='QrelsPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('settles', models.BooleanField(default=False)),
                ('events', models.PositiveIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='assess.assignment')),
                ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='parts', to='assess.qrels')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('qrels', 'assignment'), name='qrels_part_once')],
            },
        ),
        migrations.RunPython(mark_late, migrations.RunPython.noop),
        migrations.RunPython(fill_options, migrations.RunPython.noop),
    ]
