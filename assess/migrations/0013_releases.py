"""What a release was made with stays as it was, whatever becomes of judgments and pool."""

from datetime import datetime
from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.utils.dateparse import parse_datetime


def fill(apps: Apps, _: Any) -> None:
    """Find out for earlier releases what they were made with, from what was only ever added to."""
    released: Any = apps.get_model("assess", "Qrels").objects
    for qrels in released.select_related("pool__campaign"):
        pool: Any = qrels.pool  # as it was then
        version, runs = pool_then(qrels)
        events = main_round(apps, qrels)
        judged = [one["assignment__topic"] for one in standing(events, qrels.created) if one["decision"]]
        documents = apps.get_model("assess", "Instance").objects.filter(entry__pool=pool, version__lte=version)
        topics = documents.order_by().values("entry__topic").distinct().count()
        qrels.stand = {
            "judged": len(judged),
            "documents": documents.count(),
            "topics": topics,
            "untouched": topics - len(set(judged)),
        }
        qrels.decisions = len(events)
        qrels.made_with = {
            "campaign": pool.campaign.slug,
            "name": pool.campaign.name,
            "edition": pool.campaign.edition,
            "pool": {
                "version": version,
                "seed": pool.seed,
                "frozen": pool.frozen.isoformat() if pool.frozen else None,
                "source": pool.source,
                "runs": pool.runs[:runs],
                "answers": pool.answers,
            },
        }
        qrels.save()


def main_round(apps: Apps, qrels: Any) -> list[dict[str, Any]]:
    """The decisions by then, the first one first."""
    in_time = models.Q(assignment__closed=None) | models.Q(at__lte=models.F("assignment__closed"))
    events = apps.get_model("assess", "JudgmentEvent").objects.filter(
        in_time, assignment__round__pool=qrels.pool, assignment__round__kind="main", at__lte=qrels.created
    )
    fields = ("assignment", "instance", "assignment__topic", "assignment__closed", "decision")
    return list(events.order_by("id").values(*fields))


def standing(events: list[dict[str, Any]], then: datetime) -> list[dict[str, Any]]:
    """The last decision on each document; those in an assignment that had been taken back never counted."""
    last = {(one["assignment"], one["instance"]): one for one in events}
    return [one for one in last.values() if not one["assignment__closed"] or one["assignment__closed"] > then]


def pool_then(qrels: Any) -> tuple[int, int]:
    """Which version of the pool there was, and how many runs it was made from: later ones stand behind them."""
    pool = qrels.pool
    found = (pool.version, len(pool.runs))
    made = pool.extended or pool.frozen
    for earlier in reversed(pool.history):
        if made and made <= qrels.created:
            break
        found = (earlier["version"], earlier["runs"])
        made = parse_datetime(earlier["made"])
    return found


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0012_post_task'),
    ]

    operations = [
        migrations.AddField(
            model_name='qrels',
            name='decisions',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='qrels',
            name='made_with',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='qrels',
            name='stand',
            field=models.JSONField(default=dict),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
