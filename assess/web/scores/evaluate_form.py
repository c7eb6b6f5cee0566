"""The form that starts an evaluation."""

from collections.abc import Iterable
from typing import Any

from django import forms

from assess.ir.campaign.protocol import Protocol
from assess.ir.scores.definitions import CS, Measure, find_measure, offered_measures
from assess.ir.scores.measures import official_measures, order_measures
from assess.models import Campaign, Evaluation, Qrels, Run
from assess.services.common import workspace
from assess.services.common.wording import listed
from assess.web.common.measure_names import on_screen

KINDS = {
    "judged": "Unjudged documents removed",
    "whole": "Unjudged documents count as not relevant",
    "first": "First document only",
}
MANY = 20
"""Measures that are named in one sentence."""
HIGHEST_SUM = 4
"""Of the points of two assessors."""
AVERAGES = "The labs used all topics of the qrels for answers (Task 1), the run's judged ones for formulas (Task 2)."
JUDGED = "How much is judged"
Choices = list[tuple[str, str]]


class EvaluateForm(forms.ModelForm):  # type: ignore[type-arg]
    """A release, the measures, and every choice that changes a number. At first, these are as in the evaluation
    ``last``, with the latest release. What is not sent is as the labs did it."""

    measures = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple({"class": "in-columns"}))
    written_measures = forms.MultipleChoiceField(
        label="Measures of written answers", widget=forms.CheckboxSelectMultiple({"class": "in-columns"})
    )
    scores = forms.FileField(
        label="Values computed elsewhere",
        help_text="Lines of run, topic, measure and value, for CS (not computed here) or LO with other tokens.",
    )

    class Meta:
        model = Evaluation
        fields = dict.fromkeys(("qrels", "average", "measures", "written_measures", "scores", *Evaluation.OPTIONS))
        labels = {"qrels": "Release"}
        widgets = {"average": forms.RadioSelect, "level": forms.Select}

    def __init__(
        self, data: Any = None, files: Any = None, *, campaign: Campaign, last: Evaluation | None = None
    ) -> None:
        releases = Qrels.objects.of(campaign).select_related("pool__campaign")
        initial: dict[str, Any] = {"level": ""}
        if latest := next(iter(releases), None):
            initial |= {"qrels": latest.pk, "average": latest.pool.rules.kind.average}
            initial["measures"] = official_measures(latest.pool.rules)
        if last:
            del initial["average"], initial["measures"]
            if last.level != last.qrels.protocol["level"]:
                del initial["level"]
        super().__init__(data, files, instance=last or Evaluation(), initial=initial)
        fields: dict[str, Any] = self.fields
        fields["qrels"].queryset, fields["qrels"].empty_label = releases, None
        fields["average"].choices = Evaluation.Average.choices
        rules, highest = campaign.rules, HIGHEST_SUM if any(release.is_sum for release in releases) else 0
        if rules.kind.has_threads:
            fields["average"].help_text = AVERAGES
        fields["measures"].choices = grouped_choices(rules)
        levels = {value for value in rules.values if value > 0} | set(range(1, highest + 1))
        levels |= {self.initial["level"] or rules.level}
        fields["level"].widget.choices = [("", "As the release has it"), *((level, level) for level in sorted(levels))]
        label = "" if rules.relevant_label == "relevant" else f" ({rules.relevant_label})"
        fields["level"].help_text = f"For all measures but nDCG and AR. The protocol: {rules.level}{label}."
        self.usual = listed(map(on_screen, official_measures(rules)), MANY)
        fields["written_measures"].choices = choices_of(
            measure for measure in offered_measures("written") if measure.name != CS
        )
        if not campaign.runs.filter(format=Run.Format.TASK3).exists():
            del self.fields["written_measures"], self.fields["scores"]
        for option in self.options:
            option.field.required = False

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields that are rarely changed."""
        return [field for field in self if field.name not in ("qrels", "average")]

    @property
    def has_wrong_option(self) -> bool:
        return any(field.errors for field in self.options)

    def params(self) -> dict[str, Any]:
        """For the job: the release and the options that were sent."""
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        if file := chosen.pop("scores", None):
            chosen |= {"path": workspace.keep_file(file), "name": file.name}
        return {**chosen, "qrels": self.cleaned_data["qrels"].pk}


def grouped_choices(rules: Protocol) -> list[tuple[str, Choices]]:
    """The measures of rankings by what becomes of unjudged documents, the official ones first."""
    official = official_measures(rules)
    names = [*official, *(measure.name for measure in offered_measures(rules.task))]
    groups: dict[str, list[Measure]] = {}
    for measure in map(find_measure, order_measures(names, official)):
        kind = JUDGED if measure.family == "judged" else KINDS[measure.input]
        groups.setdefault(kind, []).append(measure)
    return [(kind, choices_of(measures)) for kind, measures in groups.items()]


def choices_of(measures: Iterable[Measure]) -> Choices:
    return [(measure.name, on_screen(measure.name)) for measure in measures]
