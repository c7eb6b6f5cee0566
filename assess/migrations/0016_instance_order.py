from collections import defaultdict
from typing import Any

from django.db import migrations, models

from assess.ir.judging.allocation import presentation_order


def store(apps: Any, _schema_editor: Any) -> None:
    """The order in which the assessor of each assignment has met the instances so far."""
    Instance = apps.get_model("assess", "Instance")
    chosen = apps.get_model("assess", "Assignment").objects.select_related("round__pool", "topic", "assessor")
    for assignment in chosen.defer("instance_order"):
        documents: defaultdict[int, dict[str, int]] = defaultdict(dict)
        units = {}
        rows = Instance.objects.filter(entry__in=assignment.order)
        for entry, unit_id, doc_id, pk in rows.values_list("entry_id", "entry__unit_id", "doc_id", "pk"):
            documents[entry][doc_id], units[entry] = pk, unit_id
        seed, username = assignment.round.pool.seed, assignment.assessor.username
        assignment.instance_order = [
            documents[entry][doc_id]
            for entry in assignment.order
            for doc_id in presentation_order(
                documents[entry], seed, username, f"{assignment.topic.topic_id} {units.get(entry)}"
            )
        ]
        assignment.save(update_fields=["instance_order"])


class Migration(migrations.Migration):
    """The order of the instances of an entry lies in the assignment; it was made of the assessor's name at each view."""

    dependencies = [("assess", "0015_fewer_indexes")]

    operations = [
        migrations.AddField("assignment", "instance_order", models.JSONField(default=list), preserve_default=False),
        migrations.RunPython(store, migrations.RunPython.noop),
    ]
