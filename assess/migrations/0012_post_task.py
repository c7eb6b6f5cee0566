"""Post-task questions about written answers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0011_questions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PostTask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('machine', models.CharField(choices=[('yes', 'Yes'), ('no', 'No'), ('cannot_tell', 'Cannot tell')], max_length=12)),
                ('unrelated', models.CharField(choices=[('yes', 'Yes'), ('no', 'No'), ('cannot_tell', 'Cannot tell')], max_length=12)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='post_tasks', to='assess.assignment')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('instance', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='post_tasks', to='assess.instance')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('machine__in', ['yes', 'no', 'cannot_tell']), ('unrelated__in', ['yes', 'no', 'cannot_tell'])), name='known_reply')],
            },
        ),
    ]
