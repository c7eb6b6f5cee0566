"""The form of a release: its default is one button, all options are folded away."""

from typing import Any

from django import forms
from django.utils.text import capfirst

from assess.ir.common.options import Option
from assess.ir.releases.release_options import JUDGES, OPTIONS
from assess.models import Assignment, Campaign, Judgment, Pool
from assess.services.common.errors import Refused
from assess.services.formulas import visual_ids
from assess.services.releases import derivation
from assess.services.rounds import adjudication
from assess.web.common.options import form_field

MAIN = ("note", "min_relevant")


class ReleaseForm(forms.Form):
    """A release of the frozen pool of a campaign. What a campaign has nothing of can't be chosen."""

    note = forms.CharField(max_length=200, required=False, help_text="What the release is for, in a few words.")

    def __init__(self, data: Any = None, *, campaign: Campaign) -> None:
        self.pool = campaign.frozen_pool()
        initial = derivation.chosen_options(self.pool, {}).to_dict() if self.pool else {}
        super().__init__(data, initial=initial)
        for name, option in offered_options(campaign, self.pool).items():
            self.fields[name] = form_field(option, required=option.least is not None and option.default is not None)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.pool is None:
            self.add_error(None, "Nothing has been judged: the pool is not frozen.")
        elif not self.errors:
            given = {name: value for name, value in cleaned.items() if name in OPTIONS and value not in ("", None)}
            given |= {name: self.with_usual(name, value) for name, value in given.items() if isinstance(value, list)}
            try:
                self.options = derivation.chosen_options(self.pool, given)
            except Refused as error:
                name, _, reason = str(error).partition(": ")
                self.add_error(name if name in self.fields else None, capfirst(reason))
        return cleaned

    def with_usual(self, name: str, chosen: list[str]) -> list[str]:
        """In the usual order, with what is usual and can't be chosen here: outcomes that the campaign does not have."""
        field: Any = self.fields[name]
        usual = [value for value in self.initial[name] if value in chosen or not field.valid_value(value)]
        return list(dict.fromkeys([*usual, *chosen]))

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in MAIN]

    @property
    def further_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in MAIN]

    @property
    def is_open(self) -> bool:
        """Whether the options are shown from the start: one of them is wrong, or was chosen before."""
        return self.is_bound and any(field.errors or field.name in self.changed_data for field in self.further_fields)


def offered_options(campaign: Campaign, pool: Pool | None) -> dict[str, Option]:
    """The options with the choices that a campaign has: rounds, assessors with judgments, settled grades if there are
    any."""
    judged = Judgment.objects.filter(assignment__round__pool=pool).values("assignment")
    people = Assignment.objects.filter(pk__in=judged).values_list("assessor__username", flat=True)
    names = {name: name for name in sorted(set(people))}
    rounds = enumerate(pool.rounds.order_by("pk") if pool else (), start=1)
    outcomes = {outcome.word: outcome.name for outcome in campaign.rules.outcomes}
    collection = campaign.collection if campaign.has_visual_ids else None
    versions = visual_ids.applied_versions(collection) if collection else ()
    choices: dict[str, dict[Any, str]] = {
        "round": {"": "—"} | {number: str(round) for number, round in rounds},
        "assessor": {"": "—"} | names,
        "excluded": names,
        "outcomes_as_zero": outcomes,
        "written_outcomes_as_zero": outcomes if campaign.rules.written else {},
        "visual_ids": {version.number: str(version) for version in versions},
    }
    if pool is None or not adjudication.settling(pool).exists():
        choices["judges"] = {name: label for name, label in JUDGES.items() if name != "adjudicated"}
    if not campaign.has_visual_ids:
        choices["aggregation"] = {}
    return {
        name: option._replace(choices=choices.get(name, option.choices))
        for name, option in OPTIONS.items()
        if choices.get(name, True)
    }
