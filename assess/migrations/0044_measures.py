from django.db import migrations, models

import assess.models.evaluation


class Migration(migrations.Migration):
    dependencies = [("assess", "0043_repeats")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="gain",
            field=models.CharField(
                choices=[("linear", "The grade"), ("exponential", "2 to the power of the grade, minus 1")],
                default="linear",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="order",
            field=models.CharField(
                blank=True, choices=[("score", "Score column"), ("rank", "Rank column")], default="", max_length=10
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="evaluation",
            name="measures",
            field=models.JSONField(default=assess.models.evaluation.main_measures),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="written_measures",
            field=models.JSONField(default=assess.models.evaluation.main_written_measures),
        ),
        migrations.AddField(model_name="evaluation", name="not_pooled", field=models.JSONField(default=list)),
    ]
