from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0051_campaign_files'),
    ]

    operations = [
        migrations.RenameField(model_name='qrels', old_name='stand', new_name='main_round'),
    ]
