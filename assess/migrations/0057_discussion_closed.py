from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0056_action_places'),
    ]

    operations = [
        migrations.AddField(model_name="round", name="discussion_closed", field=models.DateTimeField(null=True)),
    ]
