"""What seeds a pool of formulas is called by what it is, in pools and in what releases keep of them."""

from collections.abc import Callable
from typing import Any

from django.apps.registry import Apps
from django.db import migrations


def renamed(before: str, after: str) -> Callable[[Apps, Any], None]:
    """Gives one name of what releases keep another."""

    def rename(apps: Apps, _: Any) -> None:
        for qrels in apps.get_model("assess", "Qrels").objects.all():
            kept = qrels.made_with.get("pool", {})
            if before in kept:
                kept[after] = kept.pop(before)
                qrels.save(update_fields=["made_with"])

    return rename


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0013_releases'),
    ]

    operations = [
        migrations.RenameField(
            model_name='pool',
            old_name='answers',
            new_name='answer_pool',
        ),
        migrations.RunPython(renamed("answers", "answer_pool"), renamed("answer_pool", "answers")),
    ]
