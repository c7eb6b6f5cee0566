"""The campaign of the next year, with the rules and people of this one."""

from django.contrib.auth.models import User
from django.db import transaction

from assess.models import Action, Campaign, Invitation
from assess.services.campaign import campaigns
from assess.services.common import history
from assess.services.common.wording import listed
from assess.services.desk import rulings


@transaction.atomic
def clone_campaign(
    campaign: Campaign, *, name: str, edition: str, by: User, with_people: bool, with_collection: bool
) -> Action:
    """Make a new campaign with the protocol, the guidelines and the rulings for all topics; topics, runs and judgments
    are not copied. ``by`` becomes its organizer; with people, the other members are invited to the same roles."""
    copy = campaigns.create_campaign(
        name=name, preset=campaign.rules.preset, by=by, collection=campaign.collection if with_collection else None
    )
    Campaign.objects.filter(pk=copy.pk).update(edition=edition, protocol=campaign.protocol)
    for ruling, _ in rulings.rulings_in_force(campaign.rulings.order_by("pk")):
        rulings.store_ruling(copy, by, ruling.text)
    others = list(campaign.members.exclude(user=by).select_related("user")) if with_people else []
    Invitation.objects.bulk_create(
        Invitation(campaign=copy, user=member.user, role=member.role, invited_by=by) for member in others
    )
    invited = [f"invited {listed(member.user for member in others)}"] if others else []
    history.note(by, f"Cloned as {copy} of {edition}", campaign)
    return history.note(by, f"Cloned from {campaign} of {campaign.edition}", copy, invited, page="campaign")
