"""The pages of training and qualification rounds."""

import re
from datetime import date
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.models import Campaign, GoldGrade, Instance, Job, Member, Round
from assess.services.agreement.discussion import participants
from tests.cast import Cast, make_assignment, make_pool, make_user
from tests.desk import judge_all
from tests.kept import kept
from tests.lab import Lab, client_of, judge, make_source
from tests.training import QRELS, make_round, topics, training_campaign
from tests.web.organizer import fields_refused, file, latest_job_done, text_of, url_of

pytestmark = pytest.mark.django_db


@kept
def judged_training(folder: Path) -> tuple[Campaign, Cast, Round]:
    """A training round that ada has judged: everything is highly relevant to her."""
    campaign, cast = training_campaign(folder)
    round = make_round(campaign, cast, folder, chosen=["A.101"])
    judge_all(round.assignments.get(assessor=cast.ada), "3")
    return campaign, cast, round


@pytest.fixture
def training(tmp_path: Path) -> tuple[Campaign, Cast, Round]:
    return judged_training(tmp_path)


def sent(cast: Cast, campaign: Campaign, **changes: object) -> dict[str, object]:
    member = campaign.members.get(user=cast.ada)
    standard = {
        "kind": "training",
        "topics_file": file("topics.xml", topics("A.101")),
        "qrels_file": file("qrels.tsv", QRELS),
        "topics": "1",
        "items": "4",
        "members": [str(member.pk)],
    }
    return standard | changes


def test_a_round_is_prepared_from_the_form(tmp_path: Path) -> None:
    campaign, cast = training_campaign(tmp_path)
    client = client_of(cast.olga)
    client.post(url_of("round_prepare", campaign), sent(cast, campaign))
    job = latest_job_done()
    assert job.state == Job.State.DONE, job.error
    round = Round.objects.get()
    assert round.get_absolute_url() in client.get(job.get_absolute_url()).content.decode()
    assert "Training 1" in text_of(client, "rounds", campaign)
    assert "Training 1" in client_of(cast.ada).get("/").content.decode()


def test_training_comes_first_and_for_everybody_but_experts(tmp_path: Path) -> None:
    campaign, cast = training_campaign(tmp_path)
    judge(make_assignment(make_pool(campaign), cast.ada), {"11": "1"})
    page = text_of(client_of(cast.olga), "rounds", campaign)
    assert page.index('id="prepare"') < page.index('id="dual"') < page.index('id="adjudication"')
    ticked = [label for box, label in re.findall(r'<input([^>]*name="members"[^>]*)> (\w+)', page) if "checked" in box]
    assert ticked == ["ada", "emmy"]  # kurt is an expert


def test_a_wrong_field_is_named(tmp_path: Path) -> None:
    campaign, cast = training_campaign(tmp_path)
    wrong = {"members": [], "topics": "0", "items": "-1", "kind": "main", "qrels_file": ""}
    for field, value in wrong.items():
        response = client_of(cast.olga).post(url_of("round_prepare", campaign), sent(cast, campaign, **{field: value}))
        assert (response.status_code, fields_refused(response)) == (422, {field})


def test_few_documents_in_the_collection_are_a_warning_for_organizers(tmp_path: Path) -> None:
    campaign, cast = training_campaign(tmp_path)
    client = client_of(cast.olga)
    others = "".join(f"A.101\t0\t{document}\t1\n" for document in range(1001, 1018))
    lines = "A.101\t0\t11\t3\n" + others
    client.post(url_of("round_prepare", campaign), sent(cast, campaign, qrels_file=file("other.tsv", lines)))
    latest_job_done()
    round = Round.objects.get()
    assert (round.coverage["known"], round.coverage["documents"]) == (1, 18)
    assert "can have the same ids by chance" in text_of(client, "round", campaign, pk=round.pk)
    asked = client.post(url_of("round_discuss", campaign, pk=round.pk), {"open": "yes"})
    assert [each.name for each in asked.context["waiting"]] == ["ada"], "who has not finished is named first"
    assert Round.objects.get(pk=round.pk).discussed is None
    client.post(url_of("round_discuss", campaign, pk=round.pk), {"open": "yes", "sure": "yes"})
    assert "can have the same ids" not in text_of(client_of(cast.ada), "round", campaign, pk=round.pk)


def test_before_the_discussion_staff_see_everybody_what_is_left_and_whose_topics_these_are(
    training: tuple[Campaign, Cast, Round],
) -> None:
    campaign, cast, round = training
    page = text_of(client_of(cast.kurt), "round", campaign, pk=round.pk)
    assert page.count("not judged") == 4  # emmy
    for text in ("4 of 4", "0 of 4", "3 grades apart", "judged by 1 of 2", "Question A.101.", "4 judgments are still"):
        assert text in page
    assert 'id="own-topics"' not in page
    campaign.topics.filter(topic_id="A.1").update(topic_id="A.101")
    assert "A.101 is a topic of this campaign, too" in text_of(client_of(cast.kurt), "round", campaign, pk=round.pk)
    client_of(cast.olga).post(url_of("round_discuss", campaign, pk=round.pk), {"open": "yes", "sure": "yes"})
    for person in (cast.ada, cast.olga):
        assert 'id="left"' not in text_of(client_of(person), "round", campaign, pk=round.pk)


def test_members_see_it_only_while_it_is_discussed(training: tuple[Campaign, Cast, Round]) -> None:
    campaign, cast, round = training
    ada, olga = client_of(cast.ada), client_of(cast.olga)
    address = round.get_absolute_url()
    assert ada.get(address).status_code == 403
    olga.post(url_of("round_discuss", campaign, pk=round.pk), {"open": "yes", "sure": "yes"})
    html = ada.get(address).content.decode()
    assert "Change the gold grade" not in html
    assert client_of(make_member(campaign)).get(address).status_code == 403  # not of this round
    for page in ("/", campaign.get_absolute_url()):
        assert address in ada.get(page).content.decode()
    assert f'href="/judge/{round.assignments.get(assessor=cast.ada).pk}/"' in html
    olga.post(url_of("round_discuss", campaign, pk=round.pk), {"open": "no"})
    assert ada.get(address).status_code == 403
    nina = campaign.members.get(user__username="nina")  # who joins when the discussion is over, and is measured
    olga.post(url_of("round_join", campaign, pk=round.pk), {"member": nina.pk})
    judge_all(round.assignments.get(assessor=nina.user), "0")
    measured = {each.name: each.gold for each in participants(Round.objects.get(pk=round.pk))}
    assert measured["nina"].n == 4


def test_everybody_in_the_round_writes_a_note_about_a_document(training: tuple[Campaign, Cast, Round]) -> None:
    campaign, cast, round = training
    instance = Instance.objects.filter(entry__pool=round.pool).first()
    assert instance
    address = url_of("note", campaign, pk=round.pk, instance=instance.pk)
    ada, emmy = client_of(cast.ada), client_of(cast.emmy)
    assert ada.post(address, {"note": "Too early."}).status_code == 403
    client_of(cast.olga).post(url_of("round_discuss", campaign, pk=round.pk), {"open": "yes", "sure": "yes"})
    assert client_of(make_member(campaign)).post(address, {"note": "Not mine."}).status_code == 403
    for text in ("It only restates $x$.", "It proves half."):
        back = ada.post(address, {"note": text})["Location"]
    emmy.post(address, {"note": "I agree."})
    assert back.endswith(f"#i{instance.pk}")
    page = text_of(emmy, "round", campaign, pk=round.pk)
    assert page.count("It proves half.") == 1
    assert "It only restates" not in page
    assert ">I agree.</textarea>" in page
    ada.post(address, {"note": "x" * 5001})
    assert "It proves half." in text_of(emmy, "round", campaign, pk=round.pk)
    ada.post(address, {"note": " "})
    assert "It proves half." not in text_of(emmy, "round", campaign, pk=round.pk)


def test_what_is_decided_after_the_discussion_was_opened_is_marked_and_measures_nobody(
    training: tuple[Campaign, Cast, Round],
) -> None:
    campaign, cast, round = training  # ada has judged, emmy has not
    olga, ada = client_of(cast.olga), client_of(cast.ada)
    gold = GoldGrade.objects.filter(instance__entry__pool=round.pool)
    right = {each.instance.doc_id: str(each.grade) for each in gold.select_related("instance")}
    before = participants(round)
    olga.post(url_of("round_discuss", campaign, pk=round.pk), {"open": "yes", "sure": "yes"})
    round.refresh_from_db()
    for assignment in round.assignments.all():
        judge(assignment, right)
    assert [each._replace(judged=0) for each in participants(round)] == [each._replace(judged=0) for each in before]
    page = " ".join(ada.get(round.get_absolute_url()).content.decode().split())
    assert page.count("High before the discussion") == 3  # one is High by gold, too
    assert page.count("since the discussion<") == 4  # emmy's
    assert "count as they were when the discussion" in page
    list_page = ada.get(f"/judge/{round.assignments.get(assessor=cast.ada).pk}/").content.decode()
    assert "Training 1 is open for discussion" in list_page
    judge_all(round.assignments.get(assessor=cast.ada), "")
    assert ada.get(round.get_absolute_url()).content.decode().count("High before the discussion") == 4
    for is_open in ("no", "yes"):
        olga.post(url_of("round_discuss", campaign, pk=round.pk), {"open": is_open, "sure": "yes"})
        now = participants(Round.objects.get(pk=round.pk))
        assert [each._replace(judged=0) for each in now] == [each._replace(judged=0) for each in before]


def make_member(campaign: Campaign, role: str = "assessor") -> User:
    user = make_user("nina")
    Member.objects.create(campaign=campaign, user=user, role=role)
    return user


def test_the_expert_changes_a_gold_grade(training: tuple[Campaign, Cast, Round]) -> None:
    campaign, cast, round = training
    instance = Instance.objects.get(entry__pool=round.pool, gold__grade=3)
    address = url_of("gold", campaign, pk=round.pk, instance=instance.pk)
    kurt = client_of(cast.kurt)
    response = kurt.post(address, {"grade": "2", "reason": "Half of the proof."})
    assert (response.status_code, response["Location"].partition("&")[0]) == (302, round.get_absolute_url())
    assert GoldGrade.objects.get(instance=instance).reason == "Half of the proof."
    was = f"The gold grade of {instance} for A.101 in Training 1 changed from 3 to 2. Reason: “Half of the proof.”"
    assert was in text_of(client_of(cast.olga), "history", campaign)
    kurt.post(address, {"grade": "3", "reason": " "})
    kurt.post(address, {"grade": "4"})
    assert GoldGrade.objects.get(instance=instance).grade == 2


def test_each_round_says_how_far_it_is_and_what_can_follow(lab: Lab) -> None:
    page = text_of(client_of(lab.cast.olga), "rounds", lab.campaign)
    assert re.search(r'<th scope="row">\s*Dual\s*</th>', page)
    assert re.findall(r'class="badge (\w*)">([^<]+)<', page) == [("running", "being judged"), ("done", "all judged")]
    assert "1 topic not assigned" in page
    way = f"{url_of('rounds', lab.campaign)}?open=adjudication#adjudication"
    assert way in text_of(client_of(lab.cast.olga), "disagreements", lab.campaign)
    form = client_of(lab.cast.olga).get(way).content.decode()
    assert '<details class="card" open><summary>Have an expert settle them' in form
    lab.campaign.members.filter(role="expert").update(role="assessor")
    assert "Nobody is an expert yet" in text_of(client_of(lab.cast.olga), "rounds", lab.campaign)


def test_a_round_has_a_name_and_a_day_that_its_members_see(training: tuple[Campaign, Cast, Round]) -> None:
    campaign, cast, round = training
    change = url_of("round_change", campaign, pk=round.pk)
    olga = client_of(cast.olga)
    olga.post(change, {"name": "Warm-up", "due": "2031-05-09"})
    home = client_of(cast.emmy).get("/").content.decode()
    assert "Warm-up" in home
    assert "Due 9 May 2031" in home
    assert "Due" not in client_of(cast.ada).get("/").content.decode()  # all judged
    olga.post(change, {"name": "Warm-up", "due": "soon"})
    round.refresh_from_db()
    assert (round.name, round.due) == ("Warm-up", date(2031, 5, 9))


def test_no_two_rounds_have_a_name(training: tuple[Campaign, Cast, Round], tmp_path: Path) -> None:
    campaign, cast, _ = training
    second = make_round(campaign, cast, tmp_path, chosen=["A.101"])
    olga = client_of(cast.olga)
    change = url_of("round_change", campaign, pk=second.pk)
    page = olga.post(change, {"name": "Training 1"}, follow=True).content.decode()
    assert "Another round has the name Training 1: choose a different one." in page
    olga.post(change, {"name": "Training 2"})  # its own
    refused = olga.post(url_of("round_prepare", campaign), sent(cast, campaign, name="Training 2"))
    assert (refused.status_code, fields_refused(refused)) == (422, {"name"})
    olga.post(change, {"name": "Training 3"})
    assert str(make_round(campaign, cast, tmp_path, chosen=["A.101"])) == "Training 4"


def test_the_gold_grades_can_come_from_imported_judgments(tmp_path: Path) -> None:
    campaign, cast = training_campaign(tmp_path)
    client = client_of(cast.olga)
    assert 'name="source"' not in text_of(client, "rounds", campaign)
    source = make_source(campaign, tmp_path, QRELS, "old edition")
    assert 'name="source"' in text_of(client, "rounds", campaign)
    both = client.post(url_of("round_prepare", campaign), sent(cast, campaign, source=source.pk))
    assert (both.status_code, fields_refused(both)) == (422, {"qrels_file"})
    neither = client.post(url_of("round_prepare", campaign), sent(cast, campaign, qrels_file=""))
    assert (neither.status_code, fields_refused(neither)) == (422, {"qrels_file"})
    client.post(url_of("round_prepare", campaign), sent(cast, campaign, qrels_file="", source=source.pk))
    assert latest_job_done().state == Job.State.DONE
    assert Round.objects.get().pool.judgment_source == source
