import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assess', '0002_topic_threads'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('collection', 'Import collection'), ('topic_threads', 'Import topic threads'), ('visual_ids', 'Compute visual ids'), ('mixed', 'Look for mixed visual ids'), ('repair', 'Repair visual ids'), ('runs', 'Import run'), ('pool', 'Build pool'), ('pool_file', 'Import pool'), ('freeze', 'Freeze pool'), ('agreement', 'Compute agreement'), ('release', 'Release qrels'), ('evaluate', 'Evaluate runs')], max_length=20),
        ),
        migrations.CreateModel(
            name='VisualMap',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('index', 'From the index'), ('computed', 'Computed'), ('repair', 'Repaired')], max_length=10)),
                ('scope', models.CharField(choices=[('all', 'Every formula of the collection'), ('submitted', 'Formulas that runs retrieved')], default='all', max_length=10)),
                ('index_sha256', models.CharField(max_length=64)),
                ('counts', models.JSONField(default=dict)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('applied', models.DateTimeField(null=True)),
                ('base', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='assess.visualmap')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='visual_maps', to='assess.collection')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-number'],
            },
        ),
        migrations.AddField(
            model_name='pool',
            name='visual_map',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pools', to='assess.visualmap'),
        ),
        migrations.AddField(
            model_name='qrels',
            name='visual_map',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='assess.visualmap'),
        ),
        migrations.AddConstraint(
            model_name='visualmap',
            constraint=models.UniqueConstraint(fields=('collection', 'number'), name='visual_map_version_once'),
        ),
    ]
