"""Questions of assessors, rulings, and by which words a judgment was made."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0010_math_problems'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='judgmentevent',
            name='guide',
            field=models.CharField(blank=True, max_length=16),
        ),
        migrations.AddField(
            model_name='topic',
            name='ruling_version',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.CreateModel(
            name='Ruling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('supersedes', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='superseded_by', to='assess.ruling')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rulings', to='assess.topic')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='questions', to='assess.assignment')),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('entry', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='assess.poolentry')),
                ('instance', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='assess.instance')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='assess.topic')),
                ('ruling', models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='questions', to='assess.ruling')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='RulingSeen',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rulings_seen', to='assess.assignment')),
                ('ruling', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seen', to='assess.ruling')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('assignment', 'ruling'), name='ruling_seen_once')],
            },
        ),
    ]
