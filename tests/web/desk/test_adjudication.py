"""Dual rounds and adjudication on the page of rounds, and what an expert sees at the desk."""

import pytest

from assess.models import Assignment, Judgment, Round
from tests.desk import judge_all, press, send, texts_of, url
from tests.lab import Lab, client_of
from tests.web.organizer import fields_refused, text_of, url_of

pytestmark = pytest.mark.django_db


def adjudicate(lab: Lab, least: int = 1) -> Assignment:
    data = {"adjudication-expert": lab.cast.kurt.pk, "adjudication-least": least}
    client_of(lab.cast.olga).post(url_of("round_adjudicate", lab.campaign), data)
    return Assignment.objects.get(assessor=lab.cast.kurt)


def test_an_expert_sees_what_was_judged_before(lab: Lab) -> None:
    assert "2 answers at least 1 grade apart, 1 at least 2" in text_of(client_of(lab.cast.olga), "rounds", lab.campaign)
    official = Judgment.objects.filter(instance__doc_id="21", assignment=lab.official)
    official.update(id=10_000, passage="$x+1$ & more")  # as if made last
    given = adjudicate(lab)
    kurt = client_of(lab.cast.kurt)
    html = kurt.get(url(given, "21")).content.decode()
    assert "Judged before" in html
    assert [text.split()[-2:] for text in texts_of(html, "//section[contains(@class, 'earlier')]//q")] == [
        ["&", "more"]
    ]
    assert texts_of(html, "//section[contains(@class, 'earlier')]//dt") == ["ada official", "emmy"]
    assert "Adjudication" in kurt.get("/").content.decode()
    batch = kurt.get(f"/judge/{given.pk}/items/", {"place": [1, 2]}).json()
    assert all("Judged before" in item["html"] for item in batch["items"])


def test_assessors_never_see_it(lab: Lab) -> None:
    adjudicate(lab)
    for assignment in Assignment.objects.exclude(assessor=lab.cast.kurt):
        html = client_of(assignment.assessor).get(url(assignment, "21")).content.decode()
        assert "Judged before" not in html


def test_a_settled_grade_needs_its_reason(lab: Lab) -> None:
    given = adjudicate(lab)
    kurt = client_of(lab.cast.kurt)
    page = kurt.get(url(given, "21")).content.decode()
    assert 'placeholder="Reason"' in page
    assert "Why “High”?" in page
    assert "A judgment was too strict" in page
    for door in (press, send):
        refused = door(kurt, given, "21", "1", comment=" ")
        assert (refused.status_code, "needs a reason" in refused.content.decode()) == (422, True)
    assert not given.judgments.exists()
    page = client_of(lab.cast.ada).get(url(lab.official, "21")).content.decode()
    assert ('placeholder="Comment"' in page, "Why “High”?" in page) == (True, False)


def test_the_desk_and_the_list_name_the_round_if_its_members_may_know(lab: Lab) -> None:
    ada = client_of(lab.cast.ada)
    for kind, names in (("main", 0), ("dual", 0), ("training", 1)):
        Round.objects.filter(pk=lab.official.round_id).update(kind=kind)
        for address in (url(lab.official, "21"), f"/judge/{lab.official.pk}/"):
            assert ada.get(address).content.decode().count(f'<span class="badge">{kind.title()}</span>') == names, kind


def test_a_dual_round_is_opened_by_rule(lab: Lab) -> None:
    Assignment.objects.get(assessor=lab.cast.emmy).events.all().delete()
    Assignment.objects.get(assessor=lab.cast.emmy).judgments.all().delete()
    Assignment.objects.get(assessor=lab.cast.emmy).delete()
    olga = client_of(lab.cast.olga)
    data = {"dual-people": [lab.cast.emmy.pk], "dual-others": "1", "dual-fewest_relevant": "yes"}
    olga.post(url_of("round_dual", lab.campaign), data)
    given = Assignment.objects.get(assessor=lab.cast.emmy)
    assert (given.topic.topic_id, given.official, given.round.kind) == ("A.1", False, Round.Kind.DUAL)
    assert "Dual" not in client_of(lab.cast.emmy).get("/").content.decode()
    response = olga.post(url_of("round_dual", lab.campaign), data)
    assert (response.status_code, fields_refused(response)) == (422, {"__all__"})
    judge_all(given, "1")


def test_wrong_fields_are_named(lab: Lab) -> None:
    for name, sent, field in (
        ("round_dual", {"dual-others": "1"}, "people"),
        ("round_adjudicate", {"adjudication-least": "2"}, "expert"),
        ("round_adjudicate", {"adjudication-least": "9"}, "least"),
    ):
        response = client_of(lab.cast.olga).post(url_of(name, lab.campaign), sent)
        assert (response.status_code, field in fields_refused(response)) == (422, True), field


def test_the_overview_names_what_is_far_apart_until_it_is_settled(lab: Lab) -> None:
    olga = client_of(lab.cast.olga)
    assert "1 disagreement</a> of two grades" in text_of(olga, "campaign", lab.campaign)
    rounds = url_of("rounds", lab.campaign)
    assert olga.get(rounds).context["adjudication_form"].initial == {"least": 2}
    Judgment.objects.filter(grade=3).update(grade=2)
    Judgment.objects.filter(grade=0).update(grade=1)
    assert olga.get(rounds).context["adjudication_form"].initial == {"least": 1}, "nothing is further apart"
    adjudicate(lab)
    assert "of two grades" not in text_of(olga, "campaign", lab.campaign)
