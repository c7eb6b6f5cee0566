"""The guidelines, which may change as long as people judge. Each judgment keeps the version it was made by."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction

from assess.models import Action, Campaign, JudgmentEvent, Round
from assess.services.campaign.campaigns import checked_rules, settings_version
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.desk.rulings import store_ruling


def is_note_needed(campaign: Campaign) -> bool:
    """Whether the main round has begun: then a change of the guidelines is said to those who have judged."""
    events = JudgmentEvent.objects.filter(assignment__topic__campaign=campaign)
    return events.filter(assignment__round__kind__in=Round.OFFICIAL).exists()


@transaction.atomic
def change_guidelines(campaign: Campaign, texts: Sequence[str], note: str, by: User, *, seen: str) -> Action | None:
    """Change the guidelines, also of a frozen pool. Once the main round has begun, ``note`` becomes a ruling about all
    topics, which assessors see at once. Raises Refused without it, if a guideline is too long, or if the settings are
    no longer what somebody has ``seen`` (their `settings_version`)."""
    current = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if seen != settings_version(current):
        raise Refused("The settings were changed after you opened this page. Nothing was saved.")
    try:
        rules = checked_rules(current.rules.to_dict() | {"guidelines": list(texts)})
    except ValueError as error:
        raise Refused(str(error)) from error
    if rules == current.rules:
        return None
    if is_note_needed(current):
        store_ruling(current, by, note)
    Campaign.objects.filter(pk=current.pk).update(protocol=rules.to_dict())
    return history.note(by, "Guidelines changed", campaign, reason=note, page="guidelines")
