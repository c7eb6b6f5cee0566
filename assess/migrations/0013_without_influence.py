from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0012_notes_of_discussions'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='agreementreport',
            name='influence',
        ),
    ]
