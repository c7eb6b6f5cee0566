"""The form that starts an evaluation."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from assess.ir.common.rows import GRADES, Task
from assess.ir.results.measures import MEASURES, WRITTEN_MEASURES
from assess.models import Campaign, Evaluation, Qrels, Run
from assess.services.results import evaluation as scoring
from assess.web.results.measure_names import on_screen

OWN_ORDER = [("", "Each run as chosen at import")]


class EvaluateForm(forms.Form):
    """A release, the measures, and every choice that changes a number."""

    qrels = forms.ModelChoiceField(Qrels.objects.none(), label="Release", empty_label=None)
    average = forms.ChoiceField(
        label="Mean over",
        choices=Evaluation.Average.choices,
        widget=forms.RadioSelect,
        help_text="The labs used all topics of the qrels for answers (Task 1), and the run's judged topics for "
        "formulas (Task 2).",
    )
    measures = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text="If none is ticked, those of the labs."
    )
    written_measures = forms.MultipleChoiceField(
        label="Measures of written answers",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="If none is ticked, AR and P@1.",
    )
    gain = forms.ChoiceField(
        required=False, choices=Evaluation.Gain.choices, help_text="What nDCG adds for a relevant unit."
    )
    level = forms.TypedChoiceField(
        label="Relevant from grade",
        required=False,
        coerce=int,
        empty_value=None,
        choices=[(grade, grade) for grade in sorted(GRADES) if grade],
        help_text="For all measures but nDCG and AR. The labs: 2 (H+M).",
    )
    order = forms.ChoiceField(label="Order of the runs", choices=OWN_ORDER + Run.Order.choices, required=False)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = releases_of(campaign)
        self.fields["qrels"].queryset = releases  # type: ignore[attr-defined]
        self.fields["measures"].choices = choices(campaign.rules.task)  # type: ignore[attr-defined]
        self.fields["written_measures"].choices = choices("written")  # type: ignore[attr-defined]
        if not campaign.runs.filter(format=Run.Format.TASK3).exists():
            del self.fields["written_measures"]
        self.initial = {"measures": MEASURES, "written_measures": WRITTEN_MEASURES}
        if latest := releases.first():
            average, level = scoring.default_average(latest), latest.protocol["level"]
            self.initial |= {"qrels": latest.pk, "average": average, "level": level}

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields that are rarely changed."""
        return [field for field in self if field.name not in ("qrels", "average")]

    @property
    def has_wrong_option(self) -> bool:
        return any(field.errors for field in self.options)

    def params(self) -> dict[str, Any]:
        """For the job: the release, the average, and options that were chosen."""
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        return {**chosen, "qrels": self.cleaned_data["qrels"].pk}


def choices(task: Task) -> list[tuple[str, str]]:
    return [(measure.name, on_screen(measure.name)) for measure in scoring.offered(task)]


def releases_of(campaign: Campaign) -> QuerySet[Qrels]:
    return Qrels.objects.filter(pool__campaign=campaign).select_related("pool__campaign")
