"""The forms of rounds: to prepare one for training or qualification, and to open a further one over the pool."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from assess.ir.rounds.training import SPREAD, WHOLE_TOPICS
from assess.models import Action, Campaign, JudgmentSource, Member, Pool, Round
from assess.services.common.errors import Refused
from assess.services.rounds import adjudication, assignments
from assess.services.rounds import rounds as service
from assess.web.common.forms import NameField


class MembersField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.user} ({obj.get_role_display().lower()})"


class RoundForm(forms.Form):
    """A training or qualification round. The default numbers are those of ARQMath-3."""

    kind = forms.ChoiceField(
        choices=[
            (Round.Kind.TRAINING, "Training: everybody judges the same, then you discuss it"),
            (Round.Kind.QUALIFICATION, "Qualification: candidates judge, an expert admits them"),
        ],
        widget=forms.RadioSelect,
        initial=Round.Kind.TRAINING,
    )
    name = NameField(required=False, help_text="Shown to its members. By default the kind and a number.")
    topics_file = forms.FileField(label="Topics", help_text="The lab’s XML file of an earlier edition.")
    qrels_file = forms.FileField(
        label="Qrels",
        required=False,
        help_text="Of the same edition and of documents in this collection; for formulas by formula instance. Their "
        "grades are the gold grades.",
    )
    source = forms.ModelChoiceField(
        JudgmentSource.objects.none(),
        label="Or imported judgments",
        required=False,
        empty_label="None",
        help_text="A source whose grades are the gold grades, in place of a file of qrels.",
    )
    topics = forms.IntegerField(
        label="Number of topics",
        min_value=1,
        max_value=100,
        initial=SPREAD.topics,
        help_text=f"ARQMath-3 used {SPREAD.topics}, ARQMath-2 {WHOLE_TOPICS.topics}.",
    )
    items = forms.IntegerField(
        label="Documents of each topic",
        min_value=0,
        max_value=1000,
        initial=SPREAD.items,
        help_text="Spread over the grades. 0 for all that are judged, as in ARQMath-2.",
    )
    chosen = forms.CharField(
        label="Only these topics",
        required=False,
        max_length=2000,
        help_text="Such as A.1 A.5 A.9. By default a random choice.",
    )
    members = MembersField(Member.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        possible = service.possible_members(campaign)
        self.fields["members"].queryset = possible  # type: ignore[attr-defined]
        self.initial.setdefault("members", possible.exclude(role=Member.Role.EXPERT))
        sources = campaign.judgment_sources.filter(items=JudgmentSource.Items.DOCUMENT)
        if sources:
            self.fields["source"].queryset = sources  # type: ignore[attr-defined]
        else:
            del self.fields["source"]
            self.fields["qrels_file"].required = True

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if "source" in self.fields and bool(data.get("source")) == bool(data.get("qrels_file")):
            self.add_error("qrels_file", "Choose either a file of qrels or imported judgments.")
        return data

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        try:
            assignments.refuse_name(self.campaign, name)
        except Refused as error:
            raise forms.ValidationError(str(error)) from error
        return name

    def clean_chosen(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["chosen"].replace(",", " ").split()))


class AssignForm(forms.Form):
    """Who judges what in a further round over the pool. ``leads_to``: the page on which it is seen then."""

    leads_to = "rounds"

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pool = pool
        if "people" in self.fields:
            self.fields["people"].queryset = assignments.assessors_of(pool)  # type: ignore[attr-defined]

    def assign(self, by: User) -> Action | None:
        """Gives the valid form's people what they judge. Raises Refused."""
        raise NotImplementedError


class DualForm(AssignForm):
    """A dual round by rule. The rules of the labs: `ir.rounds.allocation.dual_topics`."""

    leads_to = "assignments"

    prefix = "dual"
    people = forms.ModelMultipleChoiceField(User.objects.none(), label="Assessors", widget=forms.CheckboxSelectMultiple)
    others = forms.IntegerField(
        label="Topics for each",
        min_value=1,
        max_value=50,
        initial=1,
        help_text="Each comes from another assessor. ARQMath-2 and -3 used 1 for answers and 2 for formulas.",
    )
    fewest_relevant = forms.ChoiceField(
        label="Which topic of the other",
        choices=[("", "By chance"), ("yes", "The one with the fewest relevant units, to confirm them")],
        widget=forms.RadioSelect,
        required=False,
        initial="",
    )
    name = NameField(required=False, help_text="By default “Dual” and a number.")

    def assign(self, by: User) -> Action | None:
        data = self.cleaned_data
        options = {"fewest_relevant": bool(data["fewest_relevant"]), "name": data["name"]}
        return assignments.assign_dual(self.pool, data["people"], data["others"], by, **options)


class AdjudicationForm(AssignForm):
    """Who settles which disagreements."""

    prefix = "adjudication"
    expert = forms.ModelChoiceField(User.objects.none(), empty_label="Choose …")
    least = forms.TypedChoiceField(
        label="Grades at least this far apart",
        coerce=int,
        choices=[(distance, str(distance)) for distance in adjudication.DISTANCES],
        initial=adjudication.FAR_APART,
    )

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, pool=pool, **kwargs)
        self.fields["expert"].queryset = adjudication.experts(pool)  # type: ignore[attr-defined]

    def assign(self, by: User) -> Action | None:
        return adjudication.adjudicate(self.pool, self.cleaned_data["expert"], by, self.cleaned_data["least"])


class NameAndDateForm(forms.Form):
    name = NameField(required=False)
    due = forms.DateField(required=False)
