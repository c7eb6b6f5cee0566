"""The form that starts an evaluation."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from assess.ir.common.rows import GRADES, RELEVANT, Task
from assess.ir.scores.definitions import Measure, find_measure
from assess.ir.scores.measures import MEASURES, WRITTEN_MEASURES, order_measures
from assess.models import Campaign, Evaluation, Qrels, Run
from assess.services.common import uploads
from assess.services.scores import evaluation as scoring
from assess.web.common.measure_names import on_screen

OWN_ORDER = "own"
LEVELS = [(grade, grade) for grade in sorted(GRADES) if grade]
KINDS = {
    "judged": "Unjudged documents removed",
    "whole": "Unjudged documents count as not relevant",
    "first": "First document only",
}
JUDGED = "How much is judged"
Choices = list[tuple[str, str]]


class UsualChoiceField(forms.TypedChoiceField):
    """A choice that is the usual one unless another is sent."""

    def clean(self, value: Any) -> Any:
        return super().clean(value or self.initial)


class EvaluateForm(forms.Form):
    """A release, the measures, and every choice that changes a number. At first, these are as in the evaluation
    ``last``, with the latest release."""

    qrels = forms.ModelChoiceField(Qrels.objects.none(), label="Release", empty_label=None)
    average = forms.ChoiceField(
        label="Mean over",
        choices=Evaluation.Average.choices,
        widget=forms.RadioSelect,
        help_text="The labs used all topics of the qrels for answers (Task 1), and the run's judged topics for "
        "formulas (Task 2).",
    )
    measures = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple({"class": "in-columns"}), initial=MEASURES
    )
    written_measures = forms.MultipleChoiceField(
        label="Measures of written answers",
        required=False,
        widget=forms.CheckboxSelectMultiple({"class": "in-columns"}),
        initial=WRITTEN_MEASURES,
    )
    scores = forms.FileField(
        label="Values computed elsewhere",
        required=False,
        help_text="Lines of run, topic, measure and value, for CS (not computed here) or LO with other tokens.",
    )
    gain = UsualChoiceField(
        choices=Evaluation.Gain.choices, initial=Evaluation.Gain.LINEAR, help_text="What nDCG adds for a relevant unit."
    )
    level = UsualChoiceField(
        label="Relevant from grade",
        coerce=int,
        choices=LEVELS,
        initial=RELEVANT,
        help_text="For all measures but nDCG and AR. The labs: 2 (H+M).",
    )
    order = UsualChoiceField(
        label="Order of the runs",
        choices=[(OWN_ORDER, "Each as chosen at import"), *Run.Order.choices],
        initial=OWN_ORDER,
    )

    def __init__(self, *args: Any, campaign: Campaign, last: Evaluation | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = releases_of(campaign)
        self.fields["qrels"].queryset = releases  # type: ignore[attr-defined]
        self.fields["measures"].choices = grouped(campaign.rules.task)  # type: ignore[attr-defined]
        self.fields["written_measures"].choices = choices(scoring.offered("written"))  # type: ignore[attr-defined]
        if not campaign.runs.filter(format=Run.Format.TASK3).exists():
            del self.fields["written_measures"], self.fields["scores"]
        if latest := releases.first():
            self.initial = {"qrels": latest.pk, "average": scoring.default_average(latest)}
            self.fields["level"].initial = latest.protocol["level"]
        if last:
            self.initial.update(chosen_in(last))

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields that are rarely changed."""
        return [field for field in self if field.name not in ("qrels", "average")]

    @property
    def has_wrong_option(self) -> bool:
        return any(field.errors for field in self.options)

    def params(self) -> dict[str, Any]:
        """For the job: the release, the average, and the options; without measures, those of the labs."""
        chosen = {name: value for name, value in self.cleaned_data.items() if value and value != OWN_ORDER}
        if file := chosen.pop("scores", None):
            chosen |= {"path": uploads.store(file), "name": file.name}
        return {**chosen, "qrels": self.cleaned_data["qrels"].pk}


def chosen_in(evaluation: Evaluation) -> dict[str, Any]:
    """The choices for an evaluation; not its level if that was the release's own, as the next release has its own."""
    names = ("average", "measures", "written_measures", "gain")
    chosen = {name: getattr(evaluation, name) for name in names} | {"order": evaluation.order or OWN_ORDER}
    is_own_level = evaluation.level == evaluation.qrels.protocol["level"]
    return chosen if is_own_level else chosen | {"level": evaluation.level}


def grouped(task: Task) -> list[tuple[str, Choices]]:
    """The measures of rankings by what becomes of unjudged documents, those of the labs first."""
    groups: dict[str, list[Measure]] = {}
    for measure in map(find_measure, order_measures(measure.name for measure in scoring.offered(task))):
        kind = JUDGED if measure.family == "judged" else KINDS[measure.input]
        groups.setdefault(kind, []).append(measure)
    return [(kind, choices(measures)) for kind, measures in groups.items()]


def choices(measures: list[Measure]) -> Choices:
    return [(measure.name, on_screen(measure.name)) for measure in measures]


def releases_of(campaign: Campaign) -> QuerySet[Qrels]:
    return Qrels.objects.of(campaign).select_related("pool__campaign")
