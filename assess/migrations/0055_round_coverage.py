from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0054_not_pooled'),
    ]

    operations = [
        migrations.AddField(model_name="round", name="coverage", field=models.JSONField(default=dict)),
    ]
