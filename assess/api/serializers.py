"""What the API answers with and takes in."""

from typing import Any, get_args

from django.db.models import BigIntegerField
from rest_framework import serializers

from assess.ir.common.ids import CONTROL
from assess.ir.common.rows import LONGEST_ID, LONGEST_NAME
from assess.ir.runs.fusion.ensemble import LastKey
from assess.ir.runs.fusion.methods import METHODS
from assess.ir.runs.fusion.sums import Normalization
from assess.models import (
    AgreementReport,
    Campaign,
    Evaluation,
    Job,
    JudgmentSource,
    Member,
    QrelsLine,
    ReliabilityReport,
    Run,
    Score,
    SourceLine,
    Topic,
)
from assess.services.judging.judging import MAX_ACTIVE_MS, MAX_LENGTHS


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    """A campaign; ``role`` is what the person asking may do in it."""

    role = serializers.ChoiceField(choices=Member.Role.choices, read_only=True)

    class Meta:
        model = Campaign
        fields = ("slug", "name", "edition", "role", "protocol", "created")


class StepSerializer(serializers.Serializer[Any]):
    """A step of a campaign; ``text`` says how far it is."""

    key = serializers.CharField()
    name = serializers.CharField()
    is_done = serializers.BooleanField()
    is_needed = serializers.BooleanField()
    text = serializers.CharField()


class StepsSerializer(serializers.Serializer[Any]):
    """``next`` is the key of the first step that is needed and not done, null if there is none."""

    steps = StepSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class TopicSerializer(serializers.ModelSerializer[Topic]):
    """A topic; ``title`` and ``body`` are sanitized HTML."""

    class Meta:
        model = Topic
        fields = ("topic_id", "number", "title", "body", "tags", "formula_id", "latex")


class RunSerializer(serializers.ModelSerializer[Run]):
    class Meta:
        model = Run
        fields = (
            *("id", "name", "team", "kind", "method", "data", "answers", "pool_role", "format", "order"),
            *("file_name", "sha256", "lines", "topics", "coverage", "notes", "provenance", "created"),
        )


class FusionOptionsSerializer(serializers.Serializer[Any]):
    """The options of methods; each takes only its own, and has defaults for them."""

    k = serializers.FloatField(required=False)
    normalization = serializers.ChoiceField(required=False, choices=get_args(Normalization))
    weights = serializers.ListField(required=False, child=serializers.FloatField())
    alpha = serializers.FloatField(required=False)
    top = serializers.IntegerField(required=False)
    last_key = serializers.ChoiceField(required=False, choices=get_args(LastKey))
    seed_faithful = serializers.BooleanField(required=False)
    folds = serializers.IntegerField(required=False)
    seed = serializers.IntegerField(required=False)
    training = serializers.ListField(required=False, child=serializers.CharField())
    score_training = serializers.BooleanField(required=False)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(set(data) - set(self.fields))):
            raise serializers.ValidationError({name: ["There is no such option."] for name in unknown})
        return super().to_internal_value(data)


class FusionSerializer(serializers.Serializer[Any]):
    """A run to make of several: ids of ``runs`` in their order, and for regression the number of a ``release``."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    method = serializers.ChoiceField(choices=list(METHODS))
    runs = serializers.ListField(child=serializers.IntegerField(min_value=0, max_value=BigIntegerField.MAX_BIGINT))
    options = FusionOptionsSerializer(required=False)
    release = serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=2**31 - 1)

    def validate_name(self, name: str) -> str:
        if CONTROL.search(name):
            raise serializers.ValidationError("Tabs, line breaks and other control characters are not allowed.")
        return name


class PaceSerializer(serializers.Serializer[Any]):
    """How many documents are judged of how many; ``grades`` counts grades and outcomes by word; seconds are of
    attention."""

    judged = serializers.IntegerField()
    total = serializers.IntegerField()
    grades = serializers.DictField(child=serializers.IntegerField())
    mean_seconds = serializers.FloatField(allow_null=True)
    median_seconds = serializers.FloatField(allow_null=True)


class TopicProgressSerializer(serializers.Serializer[Any]):
    topic = serializers.CharField(source="topic.topic_id")
    units = serializers.IntegerField()
    pace = PaceSerializer()


class AssessorProgressSerializer(serializers.Serializer[Any]):
    assessor = serializers.CharField()
    pace = PaceSerializer()


class ProgressSerializer(serializers.Serializer[Any]):
    """The whole campaign and each topic over official judgments, each assessor over all rounds."""

    whole = PaceSerializer()
    topics = TopicProgressSerializer(many=True)
    assessors = AssessorProgressSerializer(many=True)


class AgreementSerializer(serializers.ModelSerializer[AgreementReport]):
    class Meta:
        model = AgreementReport
        fields = ("id", "created", "judgments", "pairs", "assessors", "topics", "means", "visual")


class QrelsLineSerializer(serializers.ModelSerializer[QrelsLine]):
    class Meta:
        model = QrelsLine
        fields = ("unit", "topic_id", "unit_id", "grade")


class MeanSerializer(serializers.Serializer[Any]):
    """The mean of a measure over ``topics`` topics."""

    run = serializers.CharField()
    measure = serializers.CharField()
    value = serializers.FloatField()
    topics = serializers.IntegerField()


class EvaluationSerializer(serializers.ModelSerializer[Evaluation]):
    release = serializers.IntegerField(source="qrels.version")
    means = MeanSerializer(many=True)
    not_pooled = serializers.SerializerMethodField(help_text="The names of runs that added nothing to the pool.")

    def get_not_pooled(self, evaluation: Evaluation) -> list[str]:
        names = Run.objects.filter(pk__in=evaluation.not_pooled).order_by("name").values_list("name", flat=True)
        return list(names)

    class Meta:
        model = Evaluation
        fields = (
            *("id", "release", "average", "level", "gain", "order", "measures", "written_measures"),
            *("not_pooled", "created", "means"),
        )


class EvaluationSummarySerializer(serializers.ModelSerializer[Evaluation]):
    """An evaluation without its numbers."""

    release = serializers.IntegerField(source="qrels.version")

    class Meta:
        model = Evaluation
        fields = ("id", "release", "average", "level", "created")


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """The value of a measure for a run on a topic."""

    run = serializers.CharField(source="run.name")

    class Meta:
        model = Score
        fields = ("run", "topic_id", "measure", "value")


class CellSerializer(serializers.Serializer[Any]):
    """A mean over ``topics`` topics; whether it is the best of its column."""

    value = serializers.FloatField()
    topics = serializers.IntegerField()
    best = serializers.BooleanField()


class ResultsRowSerializer(serializers.Serializer[Any]):
    """A run of a table of results; ``cells`` has a list for each set of topics: for each measure a cell, or null."""

    run = serializers.CharField(source="run.name")
    team = serializers.CharField(source="run.team")
    kind = serializers.CharField(source="run.kind")
    method = serializers.CharField(source="run.method")
    uses = serializers.CharField(source="run.data")
    flags = serializers.CharField()
    is_pooled = serializers.BooleanField()
    cells = serializers.ListField(child=serializers.ListField(child=CellSerializer(allow_null=True)))


class TopicSetSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()


class ResultsTableSerializer(serializers.Serializer[Any]):
    """Runs in the order of the labs' tables: baselines, then teams by their best run."""

    name = serializers.CharField()
    sets = TopicSetSerializer(many=True)
    measures = serializers.ListField(child=serializers.CharField())
    rows = ResultsRowSerializer(many=True)


class PartSerializer(serializers.Serializer[Any]):
    """The mean of a run over the topics of a category, which is empty for topics without one."""

    run = serializers.CharField()
    measure = serializers.CharField()
    column = serializers.CharField()
    category = serializers.CharField(allow_blank=True)
    value = serializers.FloatField()
    topics = serializers.IntegerField()


class ReliabilitySerializer(serializers.ModelSerializer[ReliabilityReport]):
    """``assessors``: the runs under the judgments of each two assessors; ``reusability``: what runs and teams brought
    into the pool, and what changes without each team; ``topics``: by measure, topics needed and stability."""

    release = serializers.IntegerField(source="evaluation.qrels.version")

    class Meta:
        model = ReliabilityReport
        fields = ("id", "release", "evaluation", "created", "assessors", "reusability", "topics")


class JobSerializer(serializers.ModelSerializer[Job]):
    campaign = serializers.SlugRelatedField[Campaign](slug_field="slug", read_only=True)

    class Meta:
        model = Job
        fields = (
            *("id", "campaign", "kind", "state", "done", "total", "message", "error", "result"),
            *("created", "started", "finished"),
        )


class DecisionsSerializer(serializers.ListSerializer[Any]):
    """Decisions that are kept together."""

    def validate(self, attrs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        keys = [decision["key"] for decision in attrs if decision["key"]]
        if len(set(keys)) < len(keys):
            raise serializers.ValidationError("Each decision needs a key of its own.")
        return attrs


class DecisionSerializer(serializers.Serializer[Any]):
    """What an assessor says about one document: ``word`` is a grade (0 to 3, as text) or an outcome, empty to take the
    judgment back. The hash is that of the text that was on screen; it must be the pool's. ``key``: a known one
    is not stored again. ``after``: the key of the judgment that was known, empty if there was none, null to replace
    any."""

    instance = serializers.IntegerField(source="instance_id", min_value=0, max_value=BigIntegerField.MAX_BIGINT)
    content_hash = serializers.CharField(max_length=MAX_LENGTHS["content_hash"])
    word = serializers.CharField(max_length=MAX_LENGTHS["word"], allow_blank=True)
    comment = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_LENGTHS["comment"])
    active_ms = serializers.IntegerField(required=False, default=0, min_value=0, max_value=MAX_ACTIVE_MS)
    key = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_LENGTHS["key"])
    after = serializers.CharField(
        required=False, allow_blank=True, allow_null=True, default=None, max_length=MAX_LENGTHS["after"]
    )

    class Meta:
        list_serializer_class = DecisionsSerializer


class JudgmentSerializer(serializers.Serializer[Any]):
    """A judgment as it is kept; all but its document is empty if it was taken back. ``guide``: the version of the
    guidelines, and how many rulings there were."""

    instance = serializers.IntegerField()
    word = serializers.CharField()
    comment = serializers.CharField()
    key = serializers.CharField()
    guide = serializers.CharField()


class RefusalSerializer(serializers.Serializer[Any]):
    """Why something cannot be done, and what to do instead."""

    detail = serializers.CharField()
    standing = JudgmentSerializer(required=False, help_text="What was decided elsewhere; only with 409.")


class ExportedSerializer(serializers.Serializer[Any]):
    """What judgments and their changes have in common."""

    topic = serializers.CharField()
    unit = serializers.CharField()
    document = serializers.CharField()
    kind = serializers.CharField(help_text="post, formula or written")
    assessor = serializers.CharField(help_text="A pseudonym, unless names are asked for.")
    round = serializers.CharField(help_text="main or dual")
    active_seconds = serializers.FloatField()
    guide = serializers.CharField()
    comment = serializers.CharField()


class ExportedJudgmentSerializer(ExportedSerializer):
    grade = serializers.IntegerField(allow_null=True)
    outcome = serializers.CharField()
    created = serializers.DateTimeField()
    changed = serializers.DateTimeField()


class ExportedEventSerializer(ExportedSerializer):
    at = serializers.DateTimeField()
    by = serializers.CharField(help_text="Who did it: the assessor, or an organizer who took the judgment back.")
    old_decision = serializers.CharField()
    decision = serializers.CharField()
    wall_seconds = serializers.FloatField()
    content_hash = serializers.CharField()
    old_comment = serializers.CharField()


class TrainingTripleSerializer(serializers.Serializer[Any]):
    topic = serializers.CharField()
    item = serializers.CharField(help_text="A post, a written answer or a visually distinct formula.")
    target = serializers.FloatField(help_text="1 for high and medium, 0.5 for low, 0 for not relevant.")


class JudgmentSourceSerializer(serializers.ModelSerializer[JudgmentSource]):
    """Judgments made elsewhere; ``counts`` has lines, items, topics, and lines by grade and labeller."""

    imported_by = serializers.SlugRelatedField[Any](slug_field="username", read_only=True)

    class Meta:
        model = JudgmentSource
        fields = (
            *("id", "name", "kind", "items", "format", "file_name", "sha256", "note", "counts", "notes"),
            *("imported_by", "created"),
        )


class SourceLineSerializer(serializers.ModelSerializer[SourceLine]):
    class Meta:
        model = SourceLine
        fields = ("topic_id", "item_id", "labeller", "grade", "outcome", "comment")


class SourceFileSerializer(serializers.Serializer[Any]):
    """A file with judgments, and what it is. ``format`` is detected if empty, and so are the columns."""

    file = serializers.FileField(max_length=LONGEST_ID)
    name = serializers.CharField(max_length=LONGEST_NAME)
    kind = serializers.ChoiceField(choices=JudgmentSource.Kind.choices)
    items = serializers.ChoiceField(choices=JudgmentSource.Items.choices, required=False, allow_blank=True, default="")
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=2000)
    format = serializers.ChoiceField(
        choices=JudgmentSource.Format.choices, required=False, allow_blank=True, default=""
    )
    topic_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    item_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    grade_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    labeller_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
    comment_column = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_NAME)
