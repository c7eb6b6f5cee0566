"""Columns of collections say which version prepared them; those of the first versions are completed."""

from pathlib import Path
from typing import Any

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations

from assess.services.collection.upgrading import upgrade


def complete(apps: Apps, _: Any) -> None:
    for collection in apps.get_model("assess", "Collection").objects.all():
        collection.sources = upgrade(Path(settings.MEDIA_ROOT, "collections", str(collection.pk)), collection.sources)
        collection.save(update_fields=["sources"])


class Migration(migrations.Migration):
    dependencies = [("assess", "0018_invitations")]
    operations = [migrations.RunPython(complete, migrations.RunPython.noop)]
