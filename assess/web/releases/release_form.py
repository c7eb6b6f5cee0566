"""The form of a release: its default is one button, all options are folded away."""

from typing import Any

from django import forms

from assess.ir.releases.release_options import (
    ADDITIONAL,
    AGGREGATIONS,
    JUDGES,
    KINDS,
    OPTIONS,
    REMOVED,
    TEST,
    ReleaseOptions,
)
from assess.models import Assignment, Campaign, Judgment
from assess.services.formulas import visual_ids
from assess.services.releases import derivation
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


def called(name: str) -> dict[str, Any]:
    """What an option is called."""
    return {"label": OPTIONS[name].label, "help_text": OPTIONS[name].help}


def optional_number(name: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(coerce=int, empty_value=None, required=False, **called(name))


class ReleaseForm(forms.Form):
    """A release of the frozen pool of a campaign. What a campaign has nothing of can't be chosen."""

    note = forms.CharField(max_length=200, required=False, help_text="What the release is for, in a few words.")
    min_relevant = forms.IntegerField(min_value=0, **called("min_relevant"))
    judges = forms.ChoiceField(required=False, **called("judges"))
    round = optional_number("round")
    assessor = forms.ChoiceField(required=False, **called("assessor"))
    excluded = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple, **called("excluded"))
    topics = forms.ChoiceField(
        choices=[(name, label) for name, (label, _) in TOPICS.items()], required=False, **called("topics")
    )
    aggregation = forms.ChoiceField(choices=AGGREGATIONS, required=False, **called("aggregation"))
    visual_ids = optional_number("visual_ids")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_frozen = campaign.frozen_pool() is not None
        self.outcomes, written = campaign.rules.outcomes, campaign.rules.written
        answers = {"": "Unjudged" + (", written answers grade 0" if written else ""), ZERO: "Grade 0"}
        answers |= {UNJUDGED: "Unjudged, written answers too"} if written else {}
        for outcome in self.outcomes:
            counts = "" if outcome.qrels is None else ZERO
            self.fields[outcome.word] = forms.ChoiceField(
                label=outcome.name, choices=answers, required=False, initial=counts
            )
        if not campaign.has_visual_ids:
            del self.fields["aggregation"]
        collection = campaign.collection if campaign.has_visual_ids else None
        versions = visual_ids.applied_versions(collection) if collection else ()
        self.offer("visual_ids", [(version.number, str(version)) for version in versions])
        self.offer_judges(campaign)

    def offer_judges(self, campaign: Campaign) -> None:
        """Rounds, and assessors with judgments; settled grades if there are any."""
        pool = campaign.frozen_pool()
        judged = Judgment.objects.filter(assignment__round__pool=pool).values("assignment")
        people = Assignment.objects.filter(pk__in=judged).values_list("assessor__username", flat=True)
        names = [(name, name) for name in sorted(set(people))]
        rounds = enumerate(pool.rounds.order_by("pk"), start=1) if pool else ()
        self.offer("round", [("", "—"), *((number, str(each)) for number, each in rounds)])
        self.offer("assessor", [("", "—"), *names])
        self.offer("excluded", names)
        self.fields["judges"].initial = derivation.usual_options(pool).judges if pool else ""
        has_settled = pool is not None and adjudication.settling(pool).exists()
        self.offer("judges", [each for each in JUDGES.items() if has_settled or each[0] != "adjudicated"])

    def offer(self, name: str, choices: list[tuple[Any, str]]) -> None:
        if choices:
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.is_frozen:
            self.add_error(None, "Nothing has been judged: the pool is not frozen.")
        elif not self.errors:
            try:
                self.options()
            except ValueError as error:
                name, _, reason = str(error).partition(": ")
                self.add_error(name if name in self.fields else None, reason)
        return cleaned

    def options(self) -> ReleaseOptions:
        """What was chosen. Raises ``ValueError`` for a round without its number, and the like."""
        chosen = {name: value for name, value in self.cleaned_data.items() if value not in ("", None, [])}
        names = ("judges", "round", "assessor", "aggregation", "visual_ids", "min_relevant")
        unjudged = [each.word for each in self.outcomes if chosen.get(each.word) == UNJUDGED]
        written = ReleaseOptions().written_outcomes_as_zero
        return ReleaseOptions.from_dict(
            {name: chosen[name] for name in names if name in chosen}
            | {
                "excluded": sorted(chosen.get("excluded", [])),
                "topics": list(TOPICS[chosen.get("topics", "")][1]),
                "outcomes_as_zero": [each.word for each in self.outcomes if chosen.get(each.word) == ZERO],
                "written_outcomes_as_zero": [outcome for outcome in written if outcome not in unjudged],
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
        usual: tuple[Any, ...] = (None, "", [], "official", "max")
        return any(field.errors or field.data not in (*usual, field.initial) for field in self.further_fields)
