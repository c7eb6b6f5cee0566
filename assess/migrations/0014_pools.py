"""What seeds a pool of formulas is called by what it is, in pools and in what releases keep of them; a pool knows who
froze it."""

from collections.abc import Callable
from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models


def renamed(before: str, after: str) -> Callable[[Apps, Any], None]:
    """Gives one name of what releases keep another."""

    def rename(apps: Apps, _: Any) -> None:
        for qrels in apps.get_model("assess", "Qrels").objects.all():
            kept = qrels.made_with.get("pool", {})
            if before in kept:
                kept[after] = kept.pop(before)
                qrels.save(update_fields=["made_with"])

    return rename


def find_who_froze(apps: Apps, _: Any) -> None:
    """Take from the jobs who froze the pools that there are."""
    froze = apps.get_model("assess", "Job").objects.filter(kind="freeze", state="done").order_by("id")
    by_pool = {job.params["pool"]: job.created_by for job in froze.select_related("created_by")}
    for pool in apps.get_model("assess", "Pool").objects.filter(pk__in=by_pool, frozen__isnull=False):
        pool.frozen_by = by_pool[pool.pk]
        for was in pool.history[:1]:
            was["by"] = was["by"] or pool.frozen_by.username
        pool.save(update_fields=["frozen_by", "history"])


class Migration(migrations.Migration):

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('assess', '0013_releases'),
    ]

    operations = [
        migrations.RenameField(
            model_name='pool',
            old_name='answers',
            new_name='answer_pool',
        ),
        migrations.AddField(
            model_name='pool',
            name='frozen_by',
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name='+',
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(renamed("answers", "answer_pool"), renamed("answer_pool", "answers")),
        migrations.RunPython(find_who_froze, migrations.RunPython.noop),
    ]
