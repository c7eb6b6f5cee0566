"""The members of a campaign, and the people invited to it."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.mail import send_mass_mail
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from assess.models import Action, Assignment, Campaign, Member
from assess.services import pipeline
from assess.services.campaign import accounts
from assess.services.campaign import members as service
from assess.services.common.access import ORGANIZER, campaign_for
from assess.services.common.wording import listed, number
from assess.services.rounds.assignments import held_in_conflict
from assess.web.campaign.forms import InterestsForm, InviteForm, NoticeForm, RoleForm
from assess.web.common.doors import campaign_action, campaign_view
from assess.web.common.responses import checked_fields, confirm, errors_on, person, render_form, tell_done

PAGE = 100
LINKS = "links"
"""The session key of the links for new accounts, which are shown until they are used."""


@campaign_view(ORGANIZER)
def members(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The members and the people invited, a form to invite more and, once, the links for new accounts."""
    form = InviteForm(request.POST or None, request.FILES or None, initial={"people": people_of(request, campaign)})
    if form.is_valid():
        with errors_on(form, "people"):
            text, name = form.source()
            invitees = service.read_people(text, name, form.cleaned_data["role"], service.WITHOUT_TOPICS)
            done, invited = service.invite_people(campaign, invitees, person(request), name)
            tell_done(request, done)
            show_sent(request, campaign, *service.send_invitations(invited, request.build_absolute_uri))
            return redirect("members", campaign.slug)
    current = Assignment.objects.filter(topic__campaign=campaign, handed_over=None)
    organizers = campaign.members.filter(role=Member.Role.ORGANIZER).values_list("pk", flat=True)[:2]
    context = {
        "form": form,
        "page": Paginator(campaign.members.select_related("user"), PAGE).get_page(request.GET.get("page")),
        "only_organizer": organizers[0] if len(organizers) == 1 else None,
        "invitations": campaign.invitations.select_related("user", "invited_by"),
        "linkable": set(accounts.linkable(person(request), campaign).values_list("pk", flat=True)),
        "roles": Member.Role.choices,
        "judging": set(current.values_list("assessor", flat=True)),
        "next": pipeline.next_elsewhere(campaign, "members"),
        "links": unused_links(request, campaign),
        "notice_form": NoticeForm(initial={"notice": campaign.notice}),
        "has_mail": bool(settings.EMAIL_HOST),
    }
    return render_form(request, "campaign/members.html", context)


def people_of(request: HttpRequest, campaign: Campaign) -> str:
    """The lines that invite the people of the campaign of which this one is a clone."""
    if not (slug := request.GET.get("from")):
        return ""
    present = campaign.members.values("user")
    others = campaign_for(request.user, slug).members.exclude(user__in=present).select_related("user")
    return "\n".join(f"{member.user.username},,,{member.role}" for member in others)


def show_sent(request: HttpRequest, campaign: Campaign, *sent: accounts.SentLink) -> None:
    """Say who got an e-mail, and have the next page show the links, which the organizer can pass on."""
    for each in sent:
        if each.mailed:
            (messages.info if each.is_mailed else messages.warning)(request, each.mailed)
    made = [{"campaign": campaign.pk, "user": each.user.username, "link": each.link} for each in sent if each.link]
    names = [each["user"] for each in made]
    earlier = [each for each in request.session.get(LINKS, []) if each["user"] not in names]
    request.session[LINKS] = [*earlier, *made]


def unused_links(request: HttpRequest, campaign: Campaign) -> list[dict[str, Any]]:
    """The links that this browser has made for people of the campaign, and that still work."""
    made = [each for each in request.session.get(LINKS, []) if each.get("campaign") == campaign.pk]
    if not made:
        return []
    users = User.objects.in_bulk([each["user"] for each in made], field_name="username")
    return [each for each in made if accounts.TOKENS.check_token(users.get(each["user"]), each["link"].split("/")[-2])]


@campaign_action(ORGANIZER, "members")
def write_to_members(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A notice on the start page of all members and, if the server can, an e-mail to each."""
    text = checked_fields(NoticeForm(request.POST))["notice"]
    tell_done(request, service.write_to_members(campaign, text, person(request)))
    if text and settings.EMAIL_HOST:
        others = campaign.members.exclude(user=person(request)).exclude(user__email="")
        body = f"{text}\n\n{person(request)}, {request.build_absolute_uri(campaign.get_absolute_url())}\n"
        mails = [(f"{campaign}", body, None, [email]) for email in others.values_list("user__email", flat=True)]
        try:
            send_mass_mail(mails)
            messages.info(request, f"Sent {number(len(mails), 'e-mail')}.")
        except OSError as error:
            messages.warning(request, f"The e-mails could not be sent ({error}). The notice stands on the start pages.")
    return redirect("members", campaign.slug)


def member_of(campaign: Campaign, pk: int) -> Member:
    return get_object_or_404(campaign.members.select_related("user"), pk=pk)


@campaign_action(ORGANIZER, "members")
def member(request: HttpRequest, campaign: Campaign, pk: int) -> Action | HttpResponse | None:
    """Change a role."""
    member = member_of(campaign, pk)
    done = service.change_role(member, checked_fields(RoleForm(request.POST))["role"], person(request))
    if member.user != request.user:
        return done
    tell_done(request, done)
    return redirect("campaign", campaign.slug)


@campaign_action(ORGANIZER, "members")
def member_interests(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Set the team and the own topics of a member, which they are then not given to judge; say what this leaves."""
    member, fields = member_of(campaign, pk), checked_fields(InterestsForm(request.POST))
    tell_done(request, service.change_interests(member, person(request), **fields))
    if (team := fields["team"]) and not campaign.runs.filter(team=team).exists():
        messages.warning(request, f"No run of {team} is here yet.")
    pool = campaign.frozen_pool()
    if pool and (held := held_in_conflict(pool, member.user)):
        which = "it" if len(held) == 1 else "them"
        messages.warning(request, f"{member.user} already judges {listed(held)}; hand {which} over on Assignments.")
    return redirect("members", campaign.slug)


@campaign_action(ORGANIZER, "members")
def member_link(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """A new link with which a user of the campaign chooses a password; earlier links no longer work."""
    user = get_object_or_404(accounts.linkable(person(request), campaign), pk=pk)
    done, sent = accounts.give_link(user, campaign, person(request), request.build_absolute_uri)
    tell_done(request, done)
    show_sent(request, campaign, sent)
    return redirect("members", campaign.slug)


@campaign_action(ORGANIZER, "members")
def invitation_withdraw(request: HttpRequest, campaign: Campaign, pk: int) -> Action:
    invitation = get_object_or_404(campaign.invitations.select_related("user"), pk=pk)
    return service.withdraw_invitation(invitation, person(request))


@campaign_action(ORGANIZER, "members")
def member_remove(request: HttpRequest, campaign: Campaign, pk: int) -> Action | HttpResponse:
    member = member_of(campaign, pk)
    if "sure" in request.POST:
        done = service.remove_member(member, person(request))
        if member.user != request.user:
            return done
        tell_done(request, done)
        return redirect("home")
    text, links = "They will no longer see the campaign. Their judgments stay.", []
    page = reverse("members", args=[campaign.slug])
    if waiting := service.unfinished_assignments(campaign, member.user):
        topics = number(len(waiting), "topic")
        text += f" {topics} would stay unfinished with nobody to judge them. Hand them over first, or take them back:"
        links.append(("Give what is left to others", f"{page}?replace={pk}"))
        links.append(("Take topics back that nobody has begun", reverse("assignments", args=[campaign.slug])))
    return confirm(request, f"Remove {member.user}?", text, "Remove", page, links)
