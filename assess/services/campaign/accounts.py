"""Accounts and the one-time links with which their users choose a password."""

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from assess.models import Account, Action, Campaign, Member
from assess.services.common import history

NO_PASSWORD = Q(password__startswith=UNUSABLE_PASSWORD_PREFIX)


class LinkTokens(PasswordResetTokenGenerator):
    """Tokens that work until the password changes, the user signs in, or a newer one is made."""

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        made = Account.objects.filter(user=user).values_list("links", flat=True).first() or 0
        return f"{super()._make_hash_value(user, timestamp)}{made}"


TOKENS = LinkTokens()


def make_account(username: str, by: User, name: str = "", email: str = "") -> User:
    """An account without a password, for the person to whom its maker sends a link."""
    user = User(username=username, first_name=name, email=email)
    user.set_unusable_password()
    user.save()
    Account.objects.create(user=user, made_by=by)
    return user


def new_link(user: User) -> tuple[str, str]:
    """The two parts of a new one-time link; those made before no longer work."""
    Account.objects.get_or_create(user=user)
    Account.objects.filter(user=user).update(links=F("links") + 1)
    return urlsafe_base64_encode(force_bytes(user.pk)), TOKENS.make_token(user)


@transaction.atomic
def give_link(user: User, campaign: Campaign, by: User) -> tuple[Action, tuple[str, str]]:
    """`new_link`, noted in the history of a campaign of the user."""
    link = new_link(user)
    return history.note(by, f"New link for {user}, to choose a password", campaign, page="members"), link


def linkable(by: User, campaign: Campaign) -> QuerySet[User]:
    """The people of a campaign to whom its organizer may give a link, which is as good as their password.

    An account without a password is its maker's to give; if its maker is unknown, only while no campaign of others has
    it. One with a password must belong to an assessor or expert whom only this organizer's campaigns have, and who
    organizes none: the link would open the others, too. Never administrators.
    """
    organized = Campaign.objects.filter(members__user=by, members__role=Member.Role.ORGANIZER)
    in_campaign = Q(memberships__campaign=campaign) | Q(invitations__campaign=campaign)
    people = User.objects.filter(in_campaign, is_active=True, is_staff=False, is_superuser=False).exclude(pk=by.pk)
    elsewhere = Member.objects.exclude(campaign__in=organized).values("user")
    organizers = Member.objects.filter(role=Member.Role.ORGANIZER).values("user")
    own = Q(account__made_by=by) | (Q(account__made_by=None) & ~Q(pk__in=elsewhere))
    with_password = ~NO_PASSWORD & Q(memberships__campaign=campaign) & ~Q(pk__in=elsewhere) & ~Q(pk__in=organizers)
    return people.filter((NO_PASSWORD & own) | with_password).distinct()
