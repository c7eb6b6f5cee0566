"""Training and qualification rounds: from an earlier edition's files to assignments, apart from the test pool."""

from pathlib import Path

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.rounds.training import Template
from assess.models import Campaign, GoldGrade, Instance, Member, Pool, Post, Round, Topic
from assess.services import removal
from assess.services.agreement import agreement
from assess.services.campaign import campaigns
from assess.services.collection.preparing import CollectionFile
from assess.services.common.errors import Refused
from assess.services.pool import judgment_sources
from assess.services.releases import qrels
from assess.services.rounds import assignments, rounds
from tests.cast import Cast, import_files, make_campaign, make_cast, make_pool, make_user, on_progress
from tests.desk import judge_all
from tests.real import data_file
from tests.sources import make_source, qrels_of
from tests.training import GRADES, QRELS, make_round, topics, training_campaign, write

pytestmark = pytest.mark.django_db


@pytest.fixture
def lab(tmp_path: Path) -> tuple[Campaign, Cast]:
    return training_campaign(tmp_path)


def test_everybody_gets_the_same_documents_with_gold_grades(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path)
    documents = [sorted(each.instance_order) for each in round.assignments.all()]
    assert len(documents) == 2
    assert documents[0] == documents[1]
    assert len(documents[0]) == 4
    assert {gold.instance.doc_id: gold.grade for gold in GoldGrade.objects.all()}.items() <= GRADES.items()
    assert {gold.grade for gold in GoldGrade.objects.all()} == {0, 1, 2, 3}
    assert not any(each.official for each in round.assignments.all())
    assert all(instance.content_hash for instance in Instance.objects.all())
    assert str(round) == "Training 1"
    assert str(make_round(campaign, cast, tmp_path)) == "Training 2"


def test_a_round_is_apart_from_the_topics_and_the_pool_of_the_campaign(
    lab: tuple[Campaign, Cast], tmp_path: Path
) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path)
    assert campaign.current_pool() is None
    assert campaign.frozen_pool() is None
    assert [topic.topic_id for topic in campaign.topics.all()] == ["A.1", "A.2"]
    campaigns.delete_topics(campaign, make_cast().olga)
    assert {topic.topic_id for topic in Topic.every.all()} <= {"A.101", "A.102"}
    assert round.pool.is_training


def test_judgments_of_a_round_enter_neither_agreement_nor_qrels(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path)
    for assignment in round.assignments.all():
        judge_all(assignment, "3")
    pool = make_pool(campaign)
    with pytest.raises(Refused):
        agreement.report(pool, on_progress)
    with pytest.raises(Refused):
        qrels.release(pool, cast.olga, on_progress)


def test_topics_can_be_chosen_and_all_documents_taken(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path, chosen=["A.101"], template=Template(4, 0))
    assert {instance.doc_id for instance in Instance.objects.filter(entry__pool=round.pool)} == set(GRADES)


def test_a_document_that_the_collection_lacks_is_never_chosen(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    lines = "".join(f"A.101\t0\t{unit}\t3\n" for unit in ("11", "777"))
    round = make_round(campaign, cast, tmp_path, qrels=write(tmp_path, "q", lines), template=Template(1, 0))
    assert [instance.doc_id for instance in Instance.objects.filter(entry__pool=round.pool)] == ["11"]


def test_a_question_with_the_id_of_a_judged_answer_is_never_chosen(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    lines = "".join(f"A.101\t0\t{unit}\t3\n" for unit in ("11", "20"))
    round = make_round(campaign, cast, tmp_path, qrels=write(tmp_path, "q", lines), template=Template(1, 0))
    assert [instance.doc_id for instance in Instance.objects.filter(entry__pool=round.pool)] == ["11"]


def test_a_round_says_how_much_of_the_qrels_there_was_to_choose_from(
    lab: tuple[Campaign, Cast], tmp_path: Path
) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path)
    round.refresh_from_db()
    assert not rounds.Coverage(**round.coverage).is_low
    others = "".join(f"A.101\t0\t{document}\t1\n" for document in range(101, 121)) + "A.7\t0\t11\t2\n"
    round = make_round(campaign, cast, tmp_path, qrels=write(tmp_path, "q", QRELS + others))
    round.refresh_from_db()
    coverage = rounds.Coverage(**round.coverage)
    assert coverage == (3, 2, 26, 6)  # A.7 is no topic of the file; the collection lacks 20 of 26 documents
    assert coverage.is_low


@pytest.mark.parametrize(
    ("lines", "chosen", "reason"),
    [
        ("A.9\t0\t11\t3\n", [], "judges no topic of topics.xml: it has A.9"),
        ("A.101\t0\t777\t3\n", [], "none of its 1 documents is in the collection, such as 777"),
        ("A.101\t0\t11\t3\n", ["A.102"], "no document that can be shown for A.102"),
        ("A.101 11 3\n", [], "4"),
    ],
)
def test_files_that_do_not_fit_are_refused_and_leave_nothing(
    lab: tuple[Campaign, Cast], tmp_path: Path, lines: str, chosen: list[str], reason: str
) -> None:
    campaign, cast = lab
    with pytest.raises(BadInput, match=reason):
        make_round(campaign, cast, tmp_path, qrels=write(tmp_path, "q", lines), chosen=chosen)
    assert not Round.objects.exists()
    assert not Pool.every.exists()
    assert not Topic.every.filter(is_training=True).exists()


def test_a_topic_with_another_text_than_before_is_refused(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    make_round(campaign, cast, tmp_path, chosen=["A.101"])
    other = write(tmp_path, "other.xml", topics("A.101").replace("Question A", "Another question A"))
    with pytest.raises(BadInput, match=r"other\.xml.*A\.101 has another text"):
        make_round(campaign, cast, tmp_path, topics=other, chosen=["A.101"])


def test_a_training_topic_may_have_the_number_of_a_topic_of_the_campaign(
    lab: tuple[Campaign, Cast], tmp_path: Path
) -> None:
    campaign, cast = lab
    same = write(tmp_path, "same.xml", topics("A.1"))
    lines = write(tmp_path, "q", "A.1\t0\t11\t3\n")
    make_round(campaign, cast, tmp_path, topics=same, qrels=lines)
    assert Topic.every.filter(campaign=campaign, topic_id="A.1").count() == 2


def test_candidates_judge_in_qualification_only_until_admitted(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    member = Member.objects.create(campaign=campaign, user=make_user("nina"), role=Member.Role.CANDIDATE)
    round = make_round(campaign, cast, tmp_path, kind=Round.Kind.QUALIFICATION, members=[member.user_id])
    judge_all(round.assignments.get(), "2")
    pool = make_pool(campaign)
    topic = campaign.topics.all()[0]
    with pytest.raises(Refused, match="not an assessor"):
        assignments.assign_topic(pool, topic, member.user, Round.Kind.MAIN)
    rounds.admit_candidate(member, cast.olga)
    assignments.assign_topic(pool, topic, member.user, Round.Kind.MAIN)
    with pytest.raises(Refused, match="not a candidate"):
        rounds.admit_candidate(member, cast.olga)


def test_a_member_can_join_later_and_keeps_what_is_judged(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path, members=[cast.ada.pk])
    judge_all(round.assignments.get(), "1")
    for user in (cast.ada, cast.emmy):
        rounds.join_round(round, campaign.members.get(user=user))
    assert round.assignments.count() == 2
    assert round.assignments.get(assessor=cast.ada).judgments.count() == 4
    with pytest.raises(Refused):
        rounds.join_round(round, campaign.members.get(user=cast.olga))


def test_the_texts_of_a_round_cannot_be_replaced(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path)
    assert campaign.collection
    with pytest.raises(Refused, match="frozen"):
        import_files(campaign.collection, [CollectionFile("posts", "Posts.xml", tmp_path / "Posts.xml")])
    rounds.delete_round(round, cast.olga)
    import_files(campaign.collection, [CollectionFile("posts", "Posts.xml", tmp_path / "Posts.xml")])
    assert not Post.objects.exists()


def test_a_round_with_judgments_stays(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path)
    judge_all(round.assignments.all()[0], "1")
    with pytest.raises(Refused, match="has judgments"):
        rounds.delete_round(round, cast.olga)
    removal.delete_campaign(campaign)
    assert not Round.objects.exists()


def test_the_expert_changes_a_gold_grade_with_a_reason(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    round = make_round(campaign, cast, tmp_path)
    instance = Instance.objects.filter(entry__pool=round.pool)[0]
    rounds.set_gold(round, instance, 0, "It restates the question.", cast.kurt)
    gold = GoldGrade.objects.get(instance=instance)
    assert (gold.grade, gold.reason, gold.by) == (0, "It restates the question.", cast.kurt)


def test_a_round_of_the_labs_real_files(tmp_path: Path, db: None) -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    assert campaign.collection
    campaign.collection.posts.all().delete()
    import_files(campaign.collection, [CollectionFile("posts", "Posts.xml", data_file("posts/Posts.xml"))])
    campaign.collection.refresh_from_db()
    files = ("topics/topics.arqmath-2020-task1-origin.xml", "qrels/qrels.arqmath-2020-task1.txt")
    topic_file, qrels_file = (rounds.StoredFile(data_file(path), path) for path in files)
    round = make_round(campaign, cast, tmp_path, topics=topic_file, qrels=qrels_file, template=Template(4, 6))
    assert round.assignments.filter(assessor=cast.ada).count() == 4
    assert sum(len(each.instance_order) for each in round.assignments.filter(assessor=cast.ada)) == 24


def test_a_further_round_takes_other_documents(db: None, tmp_path: Path) -> None:
    campaign, cast = training_campaign(tmp_path)
    stages = [make_round(campaign, cast, tmp_path, chosen=["A.101"], template=Template(1, 2)) for _ in range(4)]
    chosen = {
        frozenset(Instance.objects.filter(entry__pool=round.pool).values_list("doc_id", flat=True)) for round in stages
    }
    assert len(chosen) > 1


def test_a_source_of_judgments_gives_the_gold_grades(lab: tuple[Campaign, Cast], tmp_path: Path) -> None:
    campaign, cast = lab
    rows = "topic,document,grade,assessor,comment\n" + "".join(
        f"A.101,{document},{grade},{name},seen by nobody\n" for document, grade in GRADES.items() for name in "xyz"
    )
    source = make_source(campaign, tmp_path, rows + "A.101,11,Do not know,w,\n", "old edition", "human")
    round = make_round(campaign, cast, tmp_path, qrels=source, template=Template(1, 0), chosen=["A.101"])
    assert {gold.instance.doc_id: gold.grade for gold in GoldGrade.objects.all()} == GRADES
    assert round.pool.judgment_source == source
    assert judgment_sources.uses(source) == ["1 training or qualification round"]
    rounds.delete_round(round, cast.olga)
    judgment_sources.delete_source(source, cast.olga)


def test_grades_of_visual_ids_are_no_gold(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    source = make_source(campaign, tmp_path, qrels_of({"v1": 3}, "B.101"), items="unit")
    with pytest.raises(Refused, match="Choose a source with grades of formula instances"):
        rounds.gold_of(source)
