"""The members of a campaign: invited, changed, removed."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from assess.models import Campaign, Member
from assess.services.agreement import agreement
from assess.services.campaign import campaigns
from assess.services.releases import qrels, verification
from assess.web.campaign import members
from tests import servers
from tests.cast import PASSWORD, Cast, make_assignment, make_pool, make_user, on_progress
from tests.lab import client_of, judge
from tests.web.organizer import messages_of, text_of, url_of

pytestmark = pytest.mark.django_db


def invite(client: Client, campaign: Campaign, people: str, role: str = "assessor", **more: Any) -> Any:
    return client.post(reverse("members", args=[campaign.slug]), {"people": people, "role": role, **more}, follow=True)


def links_of(page: Any) -> list[str]:
    return re.findall(r"http://testserver(/password/\S+?)(?:</textarea>|\n)", page.content.decode())


def test_a_new_user_gets_a_link_that_is_shown_until_it_is_used(campaign: Campaign, cast: Cast) -> None:
    client, url = client_of(cast.olga), reverse("members", args=[campaign.slug])
    (link,) = links_of(invite(client, campaign, "noether, Emmy Noether, emmy@example.org"))
    assert links_of(client.get(url)) == [link]
    other = campaigns.create_campaign(name="Other", preset="arqmath1-task1", by=cast.olga)
    assert links_of(client.get(reverse("members", args=[other.slug]))) == []
    newcomer = Client()
    form = newcomer.get(link, follow=True)
    home = newcomer.post(form.request["PATH_INFO"], {"new_password1": PASSWORD, "new_password2": PASSWORD}, follow=True)
    noether = User.objects.get(username="noether")
    assert (noether.get_full_name(), noether.email) == ("Emmy Noether", "emmy@example.org")
    assert links_of(client.get(url)) == []
    (invitation,) = home.context["invitations"]
    assert not campaign.members.filter(user=noether).exists()
    newcomer.post(reverse("invitation_answer", args=[invitation.pk]), {"answer": "accept"})
    assert campaign.members.get(user=noether).role == "assessor"
    assert not campaign.invitations.exists()


def test_nobody_becomes_a_member_unasked(campaign: Campaign, cast: Cast) -> None:
    assert links_of(invite(client_of(cast.olga), campaign, "mallory", "expert")) == []
    assert "<td>mallory <span" in text_of(client_of(cast.olga), "members", campaign)
    mallory = client_of(cast.mallory)
    assert "not a member of a campaign yet" not in mallory.get("/").content.decode()
    assert mallory.get(campaign.get_absolute_url()).status_code == 404
    answer = reverse("invitation_answer", args=[campaign.invitations.get().pk])
    assert client_of(cast.ada).post(answer, {"answer": "accept"}).status_code == 404  # not hers
    mallory.post(answer, {"answer": "decline"})
    assert "not a member of a campaign yet" in mallory.get("/").content.decode()
    assert not campaign.members.filter(user=cast.mallory).exists()
    assert mallory.post(answer, {"answer": "accept"}).status_code == 404
    assert invite(client_of(cast.olga), campaign, "mallory", "assessor").status_code == 200  # asked again
    said = f"You are now an assessor of {campaign}. Its topics appear here once they are assigned."
    assert messages_of(mallory.post(answer, {"answer": "accept"}, follow=True))[-1] == said
    assert campaign.members.get(user=cast.mallory).role == "assessor"


def test_many_are_invited_at_once_with_names_mail_and_roles(campaign: Campaign, cast: Cast) -> None:
    people = "user name;name;e-mail;role\ncantor;Georg Cantor;;\n\ngauss;C. F. Gauß;cfg@example.org;Expert\nmallory;;;"
    page = invite(client_of(cast.olga), campaign, "", file=SimpleUploadedFile("people.csv", people.encode()))
    assert len(links_of(page)) == 2
    assert list(campaign.invitations.values_list("user__username", "role")) == [
        ("cantor", "assessor"),
        ("gauss", "expert"),
        ("mallory", "assessor"),
    ]
    assert User.objects.get(username="gauss").email == "cfg@example.org"


@pytest.mark.parametrize(
    ("people", "problem"),
    [
        ("no spaces", "line:1: &#x27;no spaces&#x27; is not a valid user name"),
        ("", "Write at least one user name"),
        ("ada", "ada is already a member"),
        ("gauss\nx, X, nonsense", "line:2: &#x27;nonsense&#x27; is not a valid e-mail address"),
        ("gauss, , , king", "line:1: the role is &#x27;king&#x27;"),
        ("gauss\t\t\ncantor\tC\t\tking", "line:2: the role is &#x27;king&#x27;"),
        ("gauss\ngauss", "gauss is listed 2 times"),
        ("a,b,c,expert,e", "line:1: found 5 fields"),
    ],
)
def test_if_anything_is_wrong_nobody_is_invited(people: str, problem: str, campaign: Campaign, cast: Cast) -> None:
    page = invite(client_of(cast.olga), campaign, people)
    assert (page.status_code, problem in page.content.decode()) == (422, True), page.content.decode()
    assert not campaign.invitations.exists()
    assert not User.objects.filter(username="gauss").exists()


def link(client: Client, campaign: Campaign, user: User) -> list[str]:
    """The link that a person is given, the last of the page."""
    return links_of(client.post(reverse("member_link", args=[campaign.slug, user.pk]), follow=True))[-1:]


def test_an_account_without_password_is_given_only_by_who_made_it(campaign: Campaign, cast: Cast) -> None:
    client, other = (
        client_of(cast.olga),
        campaigns.create_campaign(name="Other", preset="arqmath1-task1", by=make_user("otto")),
    )
    invite(client, campaign, "noether")
    noether = User.objects.get(username="noether")
    otto = client_of(User.objects.get(username="otto"))
    assert links_of(invite(otto, other, "noether")) == []
    assert link(otto, other, noether) == []
    assert len(link(client, campaign, noether)) == 1


def test_organizers_give_a_new_link_to_assessors_and_experts_of_theirs(campaign: Campaign, cast: Cast) -> None:
    client = client_of(cast.olga)
    assert (len(link(client, campaign, cast.ada)), len(link(client, campaign, cast.kurt))) == (1, 1)
    assert cast.ada.check_password(PASSWORD)  # until the link is used
    other = campaigns.create_campaign(name="Other", preset="arqmath1-task1", by=cast.emmy)
    User.objects.filter(pk=cast.kurt.pk).update(is_staff=True)
    Member.objects.create(campaign=other, user=cast.ada, role="assessor")
    for person in (cast.emmy, cast.kurt, cast.ada, cast.olga, cast.mallory):  # organizer, staff, elsewhere too, oneself
        assert link(client, campaign, person) == [], person


def test_invitations_and_links_are_mailed_if_mail_is_set_up(
    campaign: Campaign, cast: Cast, settings: Settings, mailoutbox: list[Any]
) -> None:
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", servers.free_port()
    page = invite(client_of(cast.olga), campaign, "noether, Emmy, emmy@example.org")
    (mail,) = mailoutbox
    assert mail.to == ["emmy@example.org"]
    assert links_of(page)[0] in mail.body
    link(client_of(cast.olga), campaign, User.objects.get(username="noether"))
    assert len(mailoutbox) == 2
    assert all("It works once, within 7 days." in mail.body for mail in mailoutbox)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    page = invite(client_of(cast.olga), campaign, "cantor, Georg, georg@example.org")
    assert ("could not be sent" in page.content.decode(), len(links_of(page))) == (True, 1), "no server listens"


def test_what_is_written_to_all_members_stands_on_their_start_pages(
    campaign: Campaign, cast: Cast, settings: Settings, mailoutbox: list[Any]
) -> None:
    settings.EMAIL_HOST = "mail.example"
    User.objects.filter(pk=cast.ada.pk).update(email="ada@example.org")
    olga, ada = client_of(cast.olga), client_of(cast.ada)
    page = olga.post(url_of("write_to_members", campaign), {"notice": "Until <Friday>, please."}, follow=True)
    assert messages_of(page) == ["Wrote to all members: “Until <Friday>, please.”.", "Sent 1 e-mail."]
    assert [(mail.to, mail.subject) for mail in mailoutbox] == [(["ada@example.org"], str(campaign))]
    assert "Until &lt;Friday&gt;, please." in ada.get("/").content.decode()
    assert "Friday" not in client_of(cast.mallory).get("/").content.decode()
    olga.post(url_of("write_to_members", campaign), {"notice": ""})
    assert "Friday" not in ada.get("/").content.decode()
    assert len(mailoutbox) == 1


def test_members_without_topics_can_be_removed(campaign: Campaign, cast: Cast) -> None:
    pool, client = make_pool(campaign), client_of(cast.olga)
    make_assignment(pool, cast.ada)
    make_assignment(pool, cast.kurt, kind="training")
    for person, is_removed in (("emmy", True), ("kurt", True), ("ada", False)):
        found = campaign.members.filter(user__username=person)
        pk = found.get().pk
        url, links = url_of("member_remove", campaign, pk=pk), [url_of("replace_member", campaign, pk=pk)]
        asked = client.post(url).context
        assert (person in asked["title"], "1 topic would stay" in asked["text"]) == (True, not is_removed)
        expected = [] if is_removed else [*links, url_of("assignments", campaign)]
        assert [address for _, address in asked["links"]] == expected
        client.post(url, {"sure": "yes"})
        assert found.exists() is not is_removed


def test_who_has_judged_everything_can_be_removed_and_the_judgments_count(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    main, dual = make_assignment(pool, cast.ada), make_assignment(pool, cast.emmy, kind="dual")
    for assignment in (main, dual):
        judge(assignment, {"11": "3", "12": "1", "21": "1", "99": "1"})
    olga, emmy, ada = client_of(cast.olga), client_of(cast.emmy), campaign.members.get(user=cast.ada)
    olga.post(url_of("member_remove", campaign, pk=ada.pk), {"sure": "yes"})
    assert not campaign.members.filter(user=cast.ada).exists()
    pages = ("campaign", "progress", "assignments", "board", "agreement", "disagreements", "timesheet")
    for name in (*pages, "members"):
        assert olga.get(url_of(name, campaign)).status_code == 200, name
    assert emmy.get(reverse("assignment", args=[dual.pk]), follow=True).status_code == 200
    assert agreement.report(pool, on_progress).judgments == 8
    release = qrels.release(pool, cast.olga, on_progress)
    assert release.counts["post"]["lines"] == 4
    assert verification.verify(release).problems == []


def test_a_hundred_members_are_on_a_page(campaign: Campaign, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "PAGE", 2)
    count, address = campaign.members.count(), reverse("members", args=[campaign.slug])
    pages = [client_of(cast.olga).get(address, {"page": number}) for number in range(1, -(-count // 2) + 1)]
    shown = [member for page in pages for member in page.context["page"]]
    assert shown == list(campaign.members.all())
    assert len(pages) > 1
    assert all(f"Page {number} of\n    {len(pages)}" in page.text for number, page in enumerate(pages, start=1))
