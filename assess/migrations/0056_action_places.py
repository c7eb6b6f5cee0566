from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0055_round_coverage'),
    ]

    operations = [
        migrations.AddField(model_name="action", name="place", field=models.JSONField(default=dict)),
    ]
