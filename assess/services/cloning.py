"""The campaign of the next year, with the rules and people of this one."""

from django.contrib.auth.models import User
from django.db import transaction

from assess.models import Action, Campaign
from assess.services.campaign import campaigns
from assess.services.common import history
from assess.services.desk import rulings


@transaction.atomic
def clone_campaign(campaign: Campaign, *, name: str, edition: str, by: User, with_collection: bool) -> Action:
    """Make a new campaign with the protocol, the guidelines and the rulings for all topics; topics, runs, people and
    judgments are not copied. ``by`` becomes its organizer."""
    copy = campaigns.create_campaign(
        name=name, preset=campaign.rules.preset, by=by, collection=campaign.collection if with_collection else None
    )
    Campaign.objects.filter(pk=copy.pk).update(edition=edition, protocol=campaign.protocol)
    for ruling, _ in rulings.rulings_in_force(campaign.rulings.order_by("pk")):
        rulings.store_ruling(copy, by, ruling.text)
    history.note(by, f"Cloned as {copy} of {edition}", campaign)
    return history.note(by, f"Cloned from {campaign} of {campaign.edition}", copy, page="campaign")
