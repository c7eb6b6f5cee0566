"""Training and qualification rounds: from an earlier edition's files to assignments, apart from the test pool."""

from pathlib import Path

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.rounds.allocation import Template
from assess.models import GoldGrade, Instance, Member, Pool, Post, Round, Topic
from assess.services import lifecycle
from assess.services.agreement import agreement
from assess.services.campaign import campaigns
from assess.services.collection.preparing import CollectionFile
from assess.services.common.errors import Refused
from assess.services.pool import judgment_sources
from assess.services.releases import qrels
from assess.services.rounds import assignments, rounds
from tests.cast import import_files, make_campaign, make_pool, make_user, on_progress
from tests.desk import judge_all
from tests.lab import make_source, qrels_of
from tests.training import GRADES, QRELS, TrainingLab, topics, training_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path: Path) -> TrainingLab:
    return TrainingLab(*training_campaign(tmp_path), tmp_path)


def test_everybody_gets_the_same_documents_with_gold_grades(lab: TrainingLab) -> None:
    round = lab.make_round()
    documents = [sorted(each.instance_order) for each in round.assignments.all()]
    assert len(documents) == 2
    assert documents[0] == documents[1]
    assert len(documents[0]) == 4
    assert {gold.instance.doc_id: gold.grade for gold in GoldGrade.objects.all()}.items() <= GRADES.items()
    assert {gold.grade for gold in GoldGrade.objects.all()} == {0, 1, 2, 3}
    assert not any(each.official for each in round.assignments.all())
    assert all(instance.content_hash for instance in Instance.objects.all())
    assert str(round) == "Training 1"
    assert str(lab.make_round()) == "Training 2"


def test_a_round_is_apart_from_topics_pool_agreement_and_qrels_of_the_campaign(lab: TrainingLab) -> None:
    round = lab.make_round()
    for assignment in round.assignments.all():
        judge_all(assignment, "3")
    assert lab.campaign.current_pool() is None
    assert lab.campaign.frozen_pool() is None
    assert round.pool.is_training
    assert [topic.topic_id for topic in lab.campaign.topics.all()] == ["A.1", "A.2"]
    pool = make_pool(lab.campaign)
    with pytest.raises(Refused):
        agreement.report(pool, on_progress)
    with pytest.raises(Refused):
        qrels.release(pool, lab.cast.olga, on_progress)


def documents_of(round: Round) -> set[str]:
    return set(Instance.objects.filter(entry__pool=round.pool).values_list("doc_id", flat=True))


def test_a_document_that_cannot_be_shown_is_never_chosen(lab: TrainingLab) -> None:
    # 777 is not in the collection, 20 is a question with the id of a judged answer.
    lines = "".join(f"A.101\t0\t{unit}\t3\n" for unit in ("11", "777", "20"))
    assert documents_of(lab.make_round(qrels=lab.write("q", lines), template=Template(1, 0))) == {"11"}


def test_a_round_says_how_much_of_the_qrels_there_was_to_choose_from(lab: TrainingLab) -> None:
    round = lab.make_round()
    round.refresh_from_db()
    assert not rounds.Coverage(**round.coverage).is_low
    others = "".join(f"A.101\t0\t{document}\t1\n" for document in range(101, 121)) + "A.7\t0\t11\t2\n"
    round = lab.make_round(qrels=lab.write("q", QRELS + others))
    round.refresh_from_db()
    coverage = rounds.Coverage(**round.coverage)
    assert coverage == (3, 2, 26, 6)  # A.7 is no topic of the file; the collection lacks 20 of 26 documents
    assert coverage.is_low


def test_files_that_do_not_fit_are_refused_and_leave_nothing(lab: TrainingLab) -> None:
    for lines, chosen, reason in (
        ("A.9\t0\t11\t3\n", [], "judges no topic of topics.xml: it has A.9"),
        ("A.101\t0\t777\t3\n", [], "none of its 1 documents is in the collection, such as 777"),
        ("A.101\t0\t11\t3\n", ["A.102"], "no document that can be shown for A.102"),
        ("A.101 11 3\n", [], "4"),
    ):
        with pytest.raises(BadInput, match=reason):
            lab.make_round(qrels=lab.write("q", lines), chosen=chosen)
    assert not Round.objects.exists()
    assert not Pool.every.exists()
    assert not Topic.every.filter(is_training=True).exists()


def test_a_topic_with_another_text_than_before_is_refused(lab: TrainingLab) -> None:
    lab.make_round(chosen=["A.101"])
    other = lab.write("other.xml", topics("A.101").replace("Question A", "Another question A"))
    with pytest.raises(BadInput, match=r"other\.xml.*A\.101 has another text"):
        lab.make_round(topics=other, chosen=["A.101"])


def test_a_training_topic_may_have_the_number_of_a_topic_of_the_campaign(lab: TrainingLab) -> None:
    same = lab.write("same.xml", topics("A.1"))
    lines = lab.write("q", "A.1\t0\t11\t3\n")
    lab.make_round(topics=same, qrels=lines)
    assert Topic.every.filter(campaign=lab.campaign, topic_id="A.1").count() == 2
    campaigns.delete_topics(lab.campaign, lab.cast.olga)
    assert Topic.every.get(topic_id="A.1").is_training


def test_candidates_judge_in_qualification_only_until_admitted(lab: TrainingLab) -> None:
    member = Member.objects.create(campaign=lab.campaign, user=make_user("nina"), role=Member.Role.CANDIDATE)
    round = lab.make_round(kind=Round.Kind.QUALIFICATION, members=[member.user_id])
    judge_all(round.assignments.get(), "2")
    pool = make_pool(lab.campaign)
    topic = lab.campaign.topics.all()[0]
    with pytest.raises(Refused, match="not an assessor"):
        assignments.assign_topic(pool, topic, member.user, Round.Kind.MAIN)
    rounds.admit_candidate(member, lab.cast.olga)
    assignments.assign_topic(pool, topic, member.user, Round.Kind.MAIN)
    with pytest.raises(Refused, match="not a candidate"):
        rounds.admit_candidate(member, lab.cast.olga)


def test_a_member_can_join_later_and_keeps_what_is_judged(lab: TrainingLab) -> None:
    round = lab.make_round(members=[lab.cast.ada.pk])
    judge_all(round.assignments.get(), "1")
    for user in (lab.cast.ada, lab.cast.emmy):
        rounds.join_round(round, lab.campaign.members.get(user=user))
    assert round.assignments.count() == 2
    assert round.assignments.get(assessor=lab.cast.ada).judgments.count() == 4
    with pytest.raises(Refused):
        rounds.join_round(round, lab.campaign.members.get(user=lab.cast.olga))


def test_the_texts_of_a_round_cannot_be_replaced(lab: TrainingLab) -> None:
    round = lab.make_round()
    assert lab.campaign.collection
    with pytest.raises(Refused, match="frozen"):
        import_files(lab.campaign.collection, [CollectionFile("posts", "Posts.xml", lab.folder / "Posts.xml")])
    rounds.delete_round(round, lab.cast.olga)
    import_files(lab.campaign.collection, [CollectionFile("posts", "Posts.xml", lab.folder / "Posts.xml")])
    assert not Post.objects.exists()


def test_a_round_with_judgments_stays(lab: TrainingLab) -> None:
    round = lab.make_round()
    judge_all(round.assignments.all()[0], "1")
    with pytest.raises(Refused, match="has judgments"):
        rounds.delete_round(round, lab.cast.olga)
    lifecycle.delete_campaign(lab.campaign)
    assert not Round.objects.exists()


def test_topics_can_be_chosen_and_all_documents_taken_and_further_rounds_take_others(lab: TrainingLab) -> None:
    assert documents_of(lab.make_round(chosen=["A.101"], template=Template(4, 0))) == set(GRADES)
    rounds_made = [lab.make_round(chosen=["A.101"], template=Template(1, 2)) for _ in range(4)]
    assert len({frozenset(documents_of(round)) for round in rounds_made}) > 1


def test_a_source_of_judgments_gives_the_gold_grades(lab: TrainingLab) -> None:
    rows = "topic,document,grade,assessor,comment\n" + "".join(
        f"A.101,{document},{grade},{name},seen by nobody\n" for document, grade in GRADES.items() for name in "xyz"
    )
    source = make_source(lab.campaign, lab.folder, rows + "A.101,11,Do not know,w,\n", "old edition", "human")
    round = lab.make_round(qrels=source, template=Template(1, 0), chosen=["A.101"])
    assert {gold.instance.doc_id: gold.grade for gold in GoldGrade.objects.all()} == GRADES
    assert round.pool.judgment_source == source
    assert judgment_sources.uses(source) == ["1 training or qualification round"]
    rounds.delete_round(round, lab.cast.olga)
    judgment_sources.delete_source(source, lab.cast.olga)


def test_grades_of_visual_ids_are_no_gold(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    source = make_source(campaign, tmp_path, qrels_of({"v1": 3}, "B.101"), items="unit")
    with pytest.raises(Refused, match="Choose a source with grades of formula instances"):
        rounds.gold_of(source, campaign.rules.values)
