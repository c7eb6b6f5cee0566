from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("assess", "0013_no_stored_reports_on_pools")]
    operations = [
        migrations.RemoveField("member", "team"),
        migrations.RemoveField("member", "own_topics"),
    ]
