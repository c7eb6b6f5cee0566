from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0010_marked_passages'),
    ]

    operations = [
        migrations.AddField(
            model_name='account',
            name='reminders',
            field=models.BooleanField(default=True),
        ),
    ]
