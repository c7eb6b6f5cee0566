from typing import Any

from django.db import migrations


def delete_jobs(apps: Any, schema_editor: Any) -> None:
    """Reports on pools are no longer made by jobs."""
    jobs = apps.get_model("assess", "Job").objects.using(schema_editor.connection.alias)
    jobs.filter(kind="pool_report").delete()


class Migration(migrations.Migration):
    dependencies = [("assess", "0012_notes_of_discussions")]
    operations = [migrations.RunPython(delete_jobs, migrations.RunPython.noop, elidable=True)]
