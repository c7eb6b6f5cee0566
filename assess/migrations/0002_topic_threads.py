from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assess", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="topic_threads",
            field=models.OneToOneField(
                blank=True, null=True, on_delete=models.SET_NULL, related_name="+", to="assess.collection"
            ),
        ),
        migrations.AddField(
            model_name="topic",
            name="thread_id",
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AlterField(
            model_name="job",
            name="kind",
            field=models.CharField(
                choices=[
                    ("collection", "Import collection"),
                    ("topic_threads", "Import topic threads"),
                    ("runs", "Import run"),
                    ("pool", "Build pool"),
                    ("pool_file", "Import pool"),
                    ("freeze", "Freeze pool"),
                    ("agreement", "Compute agreement"),
                    ("release", "Release qrels"),
                    ("evaluate", "Evaluate runs"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddIndex(
            model_name="instance",
            index=models.Index(fields=["post_id"], name="assess_inst_post_id_a7a04b_idx"),
        ),
        migrations.AddIndex(
            model_name="postlink",
            index=models.Index(fields=["related_id"], name="assess_post_related_3e3b18_idx"),
        ),
    ]
