"""Accounts: one-time links to choose a password, where people are signed in, and tokens with which programs act."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.contrib.sessions.models import Session
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from assess.models import Account, Action, ApiToken, Campaign, Member
from assess.services.common import history

BEGAN = "assess.began"
"""In a session: when it began (``at``), from which ``address``, with which ``browser``."""
LINK_DAYS = settings.PASSWORD_RESET_TIMEOUT // (24 * 3600)
VALIDITY = f"It works once, within {LINK_DAYS} days."
TOKEN_PREFIX = "assess_"
"""By it scanners recognize a token that was published by mistake."""
TOKEN_DAYS = (7, 30, 90, 365)
"""How long a token can be valid."""
USED_EVERY = timedelta(minutes=1)
"""Uses of a token within such a time are noted once, so that reading rarely writes."""
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


def new_link(user: User) -> str:
    """The path of a new one-time link; those made before no longer work."""
    Account.objects.update_or_create(user=user, defaults={"links": F("links") + 1}, create_defaults={"links": 1})
    parts = urlsafe_base64_encode(force_bytes(user.pk)), TOKENS.make_token(user)
    return reverse("set_password", args=parts)


class SentLink(NamedTuple):
    """A link for somebody, empty if they need none; and of the e-mail whether it went out and what to say of it:
    nothing if the server sends none, or knows no address."""

    user: User
    link: str = ""
    is_mailed: bool = False
    mailed: str = ""


def mail_link(user: User, link: str, subject: str, text: str) -> SentLink:
    if not settings.EMAIL_HOST or not user.email:
        return SentLink(user, link)
    try:
        send_mail(subject, text, None, [user.email])
    except OSError as error:  # smtplib's errors are OSErrors
        why = f"The e-mail to {user.email} could not be sent ({error}). Pass the link on yourself."
        return SentLink(user, link, mailed=why)
    return SentLink(user, link, True, f"Sent an e-mail to {user.email}.")


def give_link(user: User, campaign: Campaign, by: User, site: Callable[[str], str]) -> tuple[Action, SentLink]:
    """`new_link`, noted in the history of a campaign of the user, and e-mailed. ``site`` makes a whole address."""
    with transaction.atomic():
        link = site(new_link(user))
        done = history.note(by, f"New link for {user}, to choose a password", campaign, page="members")
    text = f"Choose a new password for Assess with this link. {VALIDITY}\n\n{link}\n"
    return done, mail_link(user, link, "Your link to Assess", text)


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


def mail_links(email: str, site: str) -> None:
    """A one-time link for each account with this address that has a password; ``site`` begins the link."""
    for user in User.objects.filter(email__iexact=email, is_active=True).exclude(NO_PASSWORD):
        link = site + new_link(user)
        context = {"name": user.get_username(), "link": link, "days": LINK_DAYS}
        text = render_to_string("registration/forgotten_mail.txt", context)
        send_mail("Your link to Assess", text, None, [user.email])


def mail_address_change(username: str, old: str, new: str) -> None:
    """Tells the old address, whose owner may not be who has changed it."""
    text = render_to_string("registration/address_changed_mail.txt", {"name": username, "new": new})
    send_mail("Your e-mail address at Assess was changed", text, None, [old])


class OpenSession(NamedTuple):
    """A browser in which somebody is signed in. ``name``: for pages, since whoever knows the ``key`` is signed in."""

    key: str
    began: datetime | None
    address: str
    browser: str

    @property
    def name(self) -> str:
        return sha256(self.key.encode()).hexdigest()[:16]


def open_sessions(user: User) -> list[OpenSession]:
    """The newest first. Sessions know their user only inside, so all are read: ten thousand take a second."""
    found = []
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        data = session.get_decoded()
        is_own = data.get(SESSION_KEY) == str(user.pk) and data.get(HASH_SESSION_KEY) == user.get_session_auth_hash()
        if is_own:
            began = data.get(BEGAN, {})
            at = datetime.fromisoformat(began["at"]) if began else None
            found.append(OpenSession(session.session_key, at, began.get("address", ""), began.get("browser", "")))
    return sorted(found, key=lambda each: each.began.timestamp() if each.began else 0, reverse=True)


def end_sessions(user: User, name: str, keep: str) -> int:
    """End the session of this name, or all without one, but never the one with the key ``keep``; returns how many."""
    ended = [each.key for each in open_sessions(user) if each.key != keep and name in ("", each.name)]
    return Session.objects.filter(session_key__in=ended).delete()[0]


def make_api_token(user: User, name: str, scope: str, days: int) -> tuple[ApiToken, str]:
    """A token and its secret, which is stored nowhere."""
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=days)
    return user.api_tokens.create(name=name, scope=scope, expires=expires, digest=digest_of(secret)), secret


def digest_of(secret: str) -> str:
    """256 random bits need no slow hash: nobody can try them all."""
    return sha256(secret.encode()).hexdigest()


def find_api_token(secret: str) -> ApiToken | None:
    """The valid token with this secret, of a user who may sign in."""
    now = timezone.now()
    valid = ApiToken.objects.select_related("user").filter(expires__gt=now, user__is_active=True)
    token = valid.filter(digest=digest_of(secret)).first()
    if token and (token.last_used is None or token.last_used < now - USED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)
    return token
