"""The forms of rounds: to prepare one for training or qualification, to assign topics of the pool and take them back,
and to open a further round over it."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import User

from assess.ir.rounds.allocation import SPREAD, WHOLE_TOPICS
from assess.models import Action, Campaign, JudgmentSource, Member, Pool, Round, Topic
from assess.services.common.wording import number
from assess.services.rounds import adjudication, assignments
from assess.services.rounds import rounds as service
from assess.services.rounds.progress import AssessorProgress
from assess.web.common.forms import NameField, RowsField, WordsField
from assess.web.common.responses import errors_on


class MembersField(RowsField):
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
    topics_file = forms.FileField(label="Topics", help_text="The lab’s topics of an earlier edition.")
    qrels_file = forms.FileField(
        label="Qrels",
        required=False,
        help_text="Of the same edition, with ids of documents in this collection. Their grades are the gold grades.",
    )
    source = forms.ModelChoiceField(
        JudgmentSource.objects.none(),
        label="Or imported judgments",
        required=False,
        empty_label="None",
        help_text="A source whose grades are the gold grades, in place of a file of qrels.",
    )
    without_gold = forms.BooleanField(
        label="Nobody knows the right grades",
        required=False,
        help_text="These judgments then only say which documents everybody judges, before you compare and talk.",
    )
    topics = forms.IntegerField(
        label="Number of topics",
        min_value=1,
        max_value=100,
        initial=SPREAD.topics,
        help_text=f"The labs used {SPREAD.topics} or {WHOLE_TOPICS.topics}.",
    )
    items = forms.IntegerField(
        label="Documents of each topic",
        min_value=0,
        max_value=1000,
        initial=SPREAD.items,
        help_text="Spread over the grades. 0 for all that are judged.",
    )
    chosen = WordsField(
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
        with errors_on(self, "name"):
            service.refuse_name(self.campaign, data.get("name", ""))
        if "source" in self.fields and bool(data.get("source")) == bool(data.get("qrels_file")):
            self.add_error("qrels_file", "Choose either a file of qrels or imported judgments.")
        return data


Loads = Sequence[AssessorProgress]


class PoolForm(forms.Form):
    """A form over a pool: its fields of topics and of assessors have those of the pool, but for the one it is
    ``without``. ``loads``: what assessors have to judge already, which is shown with them."""

    def __init__(self, *args: Any, pool: Pool, loads: Loads = (), without: User | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pool, word = pool, pool.campaign.words.document
        people = assignments.assessors_of(pool).exclude(pk=without.pk if without else 0)
        has = {each.assessor: f"{number(each.topics, 'topic')}, {number(each.pace.total, word)}" for each in loads}
        for field in self.fields.values():
            if isinstance(field, forms.ModelChoiceField):
                is_topics = field.queryset is not None and field.queryset.model is Topic
                field.queryset = pool.campaign.topics.all() if is_topics else people
                if loads and not is_topics:
                    field.label_from_instance = lambda obj: f"{obj} ({has.get(obj.username, 'nothing yet')})"  # type: ignore[method-assign]


class AssignTopicsForm(PoolForm):
    topics = RowsField(Topic.objects.none(), error_messages={"required": "Tick at least one topic."})
    assessor = forms.ModelChoiceField(User.objects.none(), empty_label="Choose …")
    round = forms.ChoiceField(
        choices=[(Round.Kind.MAIN, "Main: makes the qrels"), (Round.Kind.DUAL, "Dual: measures agreement")],
        widget=forms.RadioSelect,
        initial=Round.Kind.MAIN,
    )


class HandOverForm(PoolForm):
    assessor = forms.ModelChoiceField(User.objects.none(), empty_label="Choose …", label="New assessor")
    done = forms.ChoiceField(
        label="What is judged already",
        choices=assignments.Done.choices,
        widget=forms.RadioSelect,
        initial=assignments.Done.KEEP,
        required=False,
    )


class TakeBackForm(PoolForm):
    """Of the assessor who is chosen in the same form, or of all."""

    topics = RowsField(Topic.objects.none())
    round = forms.ChoiceField(choices=Round.Kind.choices)
    assessor = forms.ModelChoiceField(User.objects.all(), required=False)


def assessors_field(label: str) -> RowsField:
    messages = {"required": "Tick at least one assessor."}
    return RowsField(User.objects.none(), label=label, widget=forms.CheckboxSelectMultiple, error_messages=messages)


class ReplaceForm(PoolForm):
    successors = assessors_field("Who takes over")


class SpreadForm(PoolForm):
    assessors = assessors_field("Assessors")


class DualForm(PoolForm):
    """A dual round by rule. The rules of the labs: `ir.rounds.allocation.dual_topics`. ``leads_to``: the page on which
    it is seen then."""

    leads_to = "assignments"
    prefix = "dual"
    people = assessors_field("Assessors")
    others = forms.IntegerField(
        label="Topics for each",
        min_value=1,
        max_value=50,
        initial=1,
        help_text="Each comes from another assessor. The labs used 1 or 2.",
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
        return service.assign_dual(self.pool, data["people"], data["others"], by, **options)


class AdjudicationForm(PoolForm):
    leads_to = "rounds"
    prefix = "adjudication"
    expert = forms.ModelChoiceField(User.objects.none())
    least = forms.TypedChoiceField(label="Grades at least this far apart", coerce=int, initial=adjudication.FAR_APART)

    def __init__(self, *args: Any, pool: Pool, **kwargs: Any) -> None:
        super().__init__(*args, pool=pool, **kwargs)
        self.fields["expert"].queryset = experts = adjudication.experts(pool)  # type: ignore[attr-defined]
        # The field itself would read them twice.
        self.fields["expert"].choices = [("", "Choose …"), *((user.pk, str(user)) for user in experts)]  # type: ignore[attr-defined]
        choices = [(distance, str(distance)) for distance in adjudication.distances(pool)]
        self.fields["least"].choices = choices  # type: ignore[attr-defined]

    def assign(self, by: User) -> Action:
        return adjudication.adjudicate(self.pool, self.cleaned_data["expert"], by, self.cleaned_data["least"])


class NameAndDateForm(forms.Form):
    name = NameField(required=False)
    due = forms.DateField(required=False)
