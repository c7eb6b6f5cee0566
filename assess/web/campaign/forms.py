"""The forms of campaigns, topics and members. They check what a form can check; rules live in the services."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet

from assess.ir.campaign.presets import LEAST, MOST, PRESETS, Protocol
from assess.models import Campaign, Collection, Member
from assess.services.common.access import Person


class CollectionChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A collection, by its name and the campaigns of the person that have it."""

    def label_from_instance(self, obj: Any) -> str:
        names = ", ".join(campaign.name for campaign in obj.campaigns.all())
        return f"{obj.name} ({names})"


class NewCampaignForm(forms.Form):
    name = forms.CharField(max_length=120, help_text="As people will call it: “ARQMath-3 Task 1”.")
    preset = forms.ChoiceField(
        widget=forms.RadioSelect,
        help_text="The rules to start with. You can change every one until the pool is frozen.",
    )
    share = CollectionChoice(
        Collection.objects.none(),
        label="Collection",
        required=False,
        empty_label="A new one, imported later",
        help_text="Both tasks of an edition search the same posts: import them once and share them.",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["preset"].choices = [(name, preset_label(name)) for name in PRESETS]  # type: ignore[attr-defined]
        self.fields["share"].queryset = collections_of(user)  # type: ignore[attr-defined]


def organized_by(user: Person) -> QuerySet[Campaign]:
    """The campaigns whose organizer a person is."""
    return Campaign.objects.filter(members__user__pk=user.pk or 0, members__role=Member.Role.ORGANIZER)


def collections_of(user: Person) -> QuerySet[Collection]:
    """The collections of the campaigns whose organizer a person is."""
    own = organized_by(user)
    found = Collection.objects.filter(campaigns__in=own).distinct()
    return found.prefetch_related(Prefetch("campaigns", own.order_by("name")))


def preset_label(name: str) -> str:
    """What a preset means, in a line: “ARQMath-2 Task 1: answers, pooled to depth 45 (alternate runs 15)”."""
    rules = PRESETS[name]
    unit = f"formulas, {rules.max_instances} instances each at most" if rules.task == "formulas" else "answers"
    if rules.unit == "document" and rules.task == "formulas":
        unit = "formulas, each instance for itself"
    unit += " and written answers (Task 3)" if rules.written else ""
    task = f" Task {name[-1]}" if name.startswith("arqmath") else ""
    return f"{rules.edition}{task}: {unit}, {pooled_how(rules)}"


def pooled_how(rules: Protocol) -> str:
    """How deep the lists are pooled, in words."""
    return how_deep(rules) + (", and formulas of pooled answers (our rule)" if rules.seed_from_task1 else "")


def how_deep(rules: Protocol) -> str:
    if rules.pool_rule == "rank_by_rank":
        return f"one rank at a time until a topic has {rules.pool_size}"
    if rules.pool_rule == "votes":
        return f"the {rules.pool_size} with the most votes (our rule; the lab tells none)"
    if rules.primary_depth == rules.alternate_depth:
        return f"pooled to depth {rules.primary_depth}"
    return f"pooled to depth {rules.primary_depth} (alternate runs {rules.alternate_depth})"


class CampaignForm(forms.Form):
    """Name, edition, seed and protocol. With ``frozen`` the rules are shown and cannot be changed."""

    name = forms.CharField(max_length=120)
    edition = forms.CharField(max_length=60, help_text="The lab and its year. Topics A.x and B.x of one edition link.")
    seed = forms.IntegerField(
        min_value=0, max_value=2**63 - 1, help_text="Settles every tie and every order that is left to chance."
    )
    primary_depth = forms.IntegerField(help_text="How many different units of each primary run are pooled.")
    alternate_depth = forms.IntegerField(help_text="The same for alternate runs.")
    pool_rule = forms.ChoiceField(
        label="How deep",
        choices=[
            ("depth", "To the depth of each run's role (ARQMath, NTCIR-12)"),
            ("rank_by_rank", "One rank at a time until a topic has enough units (NTCIR-10)"),
            ("votes", "The units with the most votes (NTCIR-11; our choice, the lab tells no rule)"),
        ],
        help_text="The depths above count for the first rule, the number below for the other two.",
    )
    pool_size = forms.IntegerField(label="Units of each topic", help_text="For the rules that count them.")
    unit = forms.ChoiceField(
        label="A formula is",
        choices=[
            ("visual", "What looks the same, with its instances (ARQMath)"),
            ("document", "Each instance for itself (NTCIR)"),
        ],
    )
    votes_from = forms.ChoiceField(
        label="Votes count",
        choices=[("whole", "The whole lists"), ("pooled", "Only the pooled parts")],
        help_text="A vote is the sum of 1/rank over the runs.",
    )
    baselines_vote = forms.BooleanField(required=False, label="Baselines vote, too")
    one_per_post = forms.BooleanField(required=False, label="At most one instance of a formula from each post")
    seed_from_task1 = forms.BooleanField(
        required=False,
        label="Formulas of pooled answers come in, too",
        help_text="ARQMath-1 seeded its pools of formulas from those of answers, and tells no rule. Ours: what a pooled"
        " run retrieved, at any rank, comes in if it stands in an answer that the frozen pool of Task 1 holds for the"
        " topic of the same number. That is the pool of the campaign of answers with the same collection and edition.",
    )
    max_instances = forms.IntegerField(help_text="How many instances of a formula are judged at most.")
    instance_rule = forms.ChoiceField(
        choices=[
            ("reciprocal_rank_vote", "Highest sum of reciprocal ranks (ARQMath-2 and 3)"),
            ("most_runs", "Brought in by most runs (ARQMath-1)"),
            ("rank_first", "Best rank"),
            ("random", "Any"),
        ],
        help_text="Which instances of a formula are judged.",
    )
    written = forms.BooleanField(
        required=False,
        label="Written answers",
        help_text="Task 3: answers that systems wrote are judged in the same pool.",
    )
    level = forms.IntegerField(label="Relevant from grade", help_text="2 counts High and Medium (H+M).")
    min_relevant = forms.IntegerField(
        label="Fewest relevant units", help_text="Topics with fewer stay out of the qrels. 0 keeps every judged topic."
    )
    guidelines = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="One per line. Assessors see them beside the definitions of the grades.",
    )

    FOR_ANSWERS = ("written",)
    FOR_FORMULAS = ("unit", "max_instances", "instance_rule", "one_per_post", "seed_from_task1")
    RULES = (
        *("primary_depth", "alternate_depth", "pool_rule", "pool_size", "votes_from", "baselines_vote"),
        *FOR_FORMULAS,
        *FOR_ANSWERS,
        *("level", "min_relevant"),
    )

    def __init__(self, *args: Any, campaign: Campaign, frozen: bool, **kwargs: Any) -> None:
        rules = {**campaign.rules.to_dict(), "guidelines": "\n".join(campaign.rules.guidelines)}
        initial = {**rules, "name": campaign.name, "edition": campaign.edition, "seed": campaign.seed}
        super().__init__(*args, **{**kwargs, "initial": initial})
        self.campaign = campaign
        for name in self.FOR_ANSWERS if campaign.is_formulas else self.FOR_FORMULAS:
            del self.fields[name]
        for name, field in self.fields.items():
            field.disabled = frozen and name not in ("name", "edition")
            if name in LEAST:
                field.widget.attrs |= {"min": LEAST[name], "max": MOST[name]}

    @property
    def rules(self) -> dict[str, Any]:
        """The edited fields of the protocol."""
        lines = (line.strip() for line in self.cleaned_data["guidelines"].splitlines())
        rules = {name: self.cleaned_data[name] for name in self.RULES if name in self.fields}
        return {**rules, "guidelines": [line for line in lines if line]}

    def clean(self) -> dict[str, Any]:
        """What the protocol refuses is said at its field."""
        if not self.errors:
            try:
                Protocol.from_dict({**self.campaign.protocol, **self.rules})
            except ValueError as error:
                name, _, reason = str(error).partition(": ")
                self.add_error(name if name in self.fields else None, reason or name)
        return self.cleaned_data


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name", validators=[User.username_validator])
    role = forms.ChoiceField(choices=Member.Role.choices, initial=Member.Role.ASSESSOR)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Member.Role.choices)


class TopicsForm(forms.Form):
    file = forms.FileField(
        label="Topics file (XML)",
        help_text="As the labs publish it, with or without Formula_Id; the topics that are here already stay.",
    )
