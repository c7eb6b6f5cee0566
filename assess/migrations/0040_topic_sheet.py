from django.db import migrations, models

KINDS = [("test", "Test"), ("additional", "Additional"), ("removed", "Removed")]


class Migration(migrations.Migration):
    dependencies = [("assess", "0031_conflicts_of_interest")]

    operations = [
        migrations.AddField("topic", "category", models.CharField(blank=True, default="", max_length=60), preserve_default=False),
        migrations.AddField("topic", "difficulty", models.CharField(blank=True, default="", max_length=60), preserve_default=False),
        migrations.AddField("topic", "dependency", models.CharField(blank=True, default="", max_length=60), preserve_default=False),
        migrations.AddField(
            "topic", "kind", models.CharField(blank=True, choices=KINDS, default="", max_length=20), preserve_default=False
        ),
        migrations.AddField("topic", "kind_reason", models.CharField(blank=True, default="", max_length=500), preserve_default=False),
    ]
