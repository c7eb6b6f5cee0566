"""The form of a release: its default is one button, all options are folded away."""

from typing import Any

from django import forms

from assess.ir.campaign.presets import RANGES
from assess.ir.campaign.words import OUTCOME_LABELS, outcomes
from assess.ir.releases.release_options import AGGREGATIONS, JUDGES, OPTIONS, ReleaseOptions
from assess.ir.releases.retention import ADDITIONAL, KINDS, REMOVED, TEST
from assess.models import Assignment, Campaign, Judgment, Pool
from assess.services.formulas import visual_ids
from assess.services.rounds import adjudication

TOPICS = {
    "": ("Test and additional topics", (TEST, ADDITIONAL)),
    "test": ("Test topics", (TEST,)),
    "training": ("Additional and removed topics", (ADDITIONAL, REMOVED)),
    "all": ("All judged topics", tuple(KINDS)),
}
"""The groups of topics that the labs published, and all of them."""
UNJUDGED, ZERO = "unjudged", "zero"
MAIN = ("note", "min_relevant")


def words(name: str) -> dict[str, Any]:
    """What an option is called."""
    return {key: OPTIONS[name][key] for key in ("label", "help_text")}


class ReleaseForm(forms.Form):
    """A release of the frozen pool of a campaign. What a campaign has nothing of can't be chosen."""

    note = forms.CharField(max_length=200, required=False, help_text="What the release is for, in a few words.")
    min_relevant = forms.IntegerField(min_value=0, max_value=RANGES["min_relevant"][1], **words("min_relevant"))
    judges = forms.ChoiceField(required=False, **words("judges"))
    round = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, **words("round"))
    assessor = forms.ChoiceField(required=False, **words("assessor"))
    excluded = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple, **words("excluded"))
    topics = forms.ChoiceField(
        choices=[(name, label) for name, (label, _) in TOPICS.items()], required=False, **words("topics")
    )
    aggregation = forms.ChoiceField(choices=list(AGGREGATIONS.items()), required=False, **words("aggregation"))
    visual_ids = forms.TypedChoiceField(coerce=int, empty_value=None, required=False, **words("visual_ids"))

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.task = campaign.rules.task
        for outcome in outcomes(self.task):
            self.fields[outcome] = self.field_of(outcome, campaign)
        if not campaign.has_visual_ids:
            del self.fields["aggregation"]
        self.offer_versions(campaign)
        self.offer_judges(campaign.frozen_pool())

    def field_of(self, outcome: str, campaign: Campaign) -> forms.ChoiceField:
        usual = "Unjudged" + (", written answers grade 0" if campaign.rules.written else "")
        choices = [("", usual), (ZERO, "Grade 0")]
        choices += [(UNJUDGED, "Unjudged, written answers too")] if campaign.rules.written else []
        return forms.ChoiceField(label=OUTCOME_LABELS[outcome], choices=choices, required=False)

    def offer_versions(self, campaign: Campaign) -> None:
        collection = campaign.collection if campaign.has_visual_ids else None
        versions = visual_ids.applied(collection) if collection else []
        self.offer("visual_ids", [(version.number, str(version)) for version in versions])

    def offer_judges(self, pool: Pool | None) -> None:
        """Rounds and assessors with judgments; settled grades if there are any."""
        rounds = list(enumerate(pool.rounds.order_by("pk"), start=1)) if pool else []
        names = sorted(assessors_of(pool)) if pool else []
        self.offer("round", [("", "—"), *((number, str(each)) for number, each in rounds)])
        self.offer("assessor", [("", "—"), *((name, name) for name in names)])
        self.offer("excluded", [(name, name) for name in names])
        has_settled = pool is not None and adjudication.settling(pool).exists()
        self.offer("judges", [each for each in JUDGES.items() if has_settled or each[0] != "adjudicated"])

    def offer(self, name: str, choices: list[tuple[Any, str]]) -> None:
        if choices:
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.options()
            except ValueError as error:
                name, _, reason = str(error).partition(": ")
                self.add_error(name if name in self.fields else None, reason)
        return cleaned

    def options(self) -> ReleaseOptions:
        """What was chosen. Raises ``ValueError`` for a round without its number, and the like."""
        chosen = {name: value for name, value in self.cleaned_data.items() if value not in ("", None, [])}
        given = {name: chosen[name] for name in ("judges", "round", "assessor", "aggregation") if name in chosen}
        answers = {outcome: chosen.get(outcome, "") for outcome in outcomes(self.task)}
        usual = ReleaseOptions()
        return ReleaseOptions.from_dict(
            given
            | {
                "min_relevant": self.cleaned_data["min_relevant"],
                "visual_ids": chosen.get("visual_ids"),
                "excluded": sorted(chosen.get("excluded", [])),
                "topics": list(TOPICS[chosen.get("topics", "")][1]),
                "outcomes_as_zero": [outcome for outcome, answer in answers.items() if answer == ZERO],
                "written_outcomes_as_zero": [
                    outcome for outcome in usual.written_outcomes_as_zero if answers.get(outcome) != UNJUDGED
                ],
            }
        )

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in MAIN]

    @property
    def further_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in MAIN]

    @property
    def is_open(self) -> bool:
        """Whether the options are shown from the start: one of them is wrong, or was chosen before."""
        return any(field.errors or field.data not in (None, "", [], "official", "max") for field in self.further_fields)


def assessors_of(pool: Pool) -> set[str]:
    """The user names of those who have judged the pool."""
    judged = Judgment.objects.filter(assignment__round__pool=pool).values("assignment")
    return set(Assignment.objects.filter(pk__in=judged).values_list("assessor__username", flat=True))
