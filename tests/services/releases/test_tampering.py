"""Whatever is changed of what a release was made from is found by `manage.py qrels verify`, which then ends with exit
code 1; also if the hash of the manifest is made anew, unless the manifest says something that nothing else knows: then
the published hash tells. What changes later and may do so is no error."""

import zlib
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import F, Model, QuerySet
from django.utils import timezone

from assess.ir.common.rows import PoolLine
from assess.ir.releases.release_options import ReleaseOptions
from assess.ir.runs.ranking import pack, unpack
from assess.models import (
    Assignment,
    Campaign,
    Comment,
    Instance,
    Judgment,
    JudgmentEvent,
    MadeFile,
    Pool,
    PoolEntry,
    Post,
    Qrels,
    QrelsLine,
    QrelsPart,
    Ranking,
    Round,
    Run,
    Topic,
    WrittenAnswer,
)
from assess.services.desk import decisions
from assess.services.pool import extension, freezing, pools
from assess.services.releases import manifest, qrels, verification
from assess.services.rounds import adjudication, assignments
from assess.services.runs import runs
from assess.services.scores import evaluation
from tests.cast import Cast, make_assignment, make_campaign, make_cast, on_progress
from tests.lab import add_run, judge

pytestmark = pytest.mark.django_db

RUN = "A.1\t11\t1\t9\t{0}\nA.1\t12\t2\t8\t{0}\nA.1\t21\t3\t7\t{0}\n"
LATE = "A.1\t22\t1\t9\tlate\nA.1\t11\t2\t8\tlate\n"


class Sealed(NamedTuple):
    """A release with settled grades. A.1 is ada's (11, 12 and w1, which she judged twice; with a late decision on 21),
    then kurt's (21); emmy judged 11 and 12, and kurt has settled 11. A.2 is emmy's, untouched. Made with two runs, one
    of which was made here; there is a late run."""

    campaign: Campaign
    cast: Cast
    pool: Pool
    main: Assignment
    settling: Assignment
    release: Qrels


@pytest.fixture
def sealed(tmp_path: Path) -> Sealed:
    campaign = make_campaign("arqmath3-task1")
    cast = make_cast(campaign)
    campaign.topics.filter(topic_id="A.1").update(kind="test", kind_reason="It stays")
    topic = campaign.topics.get(topic_id="A.1")
    for name, provenance in (("alpha", None), ("fused", {"method": "rrf"})):
        (tmp_path / name).write_text(RUN.format(name))
        meta = runs.RunMeta(name, "team", pool_role="primary")
        runs.import_runs(campaign, [runs.RunUpload(tmp_path / name, meta, provenance)], on_progress)
    WrittenAnswer.objects.create(topic=topic, doc_id="w1", body="<p>Written</p>")
    Comment.objects.create(post=Post.objects.get(post_id="12"), comment_id="1", text="Why?")
    lines = [PoolLine("A.1", document, document, 1.0, 2) for document in ("11", "12", "21", "w1")]
    pool = pools.store_pool(campaign, [*lines, PoolLine("A.2", "31", "31", 1.0, 1)])
    pool = freezing.freeze(pool, on_progress)
    main, dual = make_assignment(pool, cast.ada), make_assignment(pool, cast.emmy, kind="dual")
    make_assignment(pool, cast.emmy, topic="A.2")
    judge(main, {"11": "3", "12": "0", "w1": "1"})
    decide(main, "w1", "2")
    judge(dual, {"11": "1", "12": "0"})
    adjudication.adjudicate(pool, cast.kurt, cast.olga)
    settling = Assignment.objects.get(round__kind="adjudication")
    judge(settling, {"11": "2"})
    rest = User.objects.create_user("rest")
    campaign.members.create(user=rest, role="assessor")
    assignments.hand_over_topic(main, rest, cast.olga)
    decide(main, "21", "3")
    judge(Assignment.objects.get(assessor=rest), {"21": "1"})
    add_run(campaign, tmp_path, LATE, pool_role="none")
    options = ReleaseOptions(judges="adjudicated", excluded=("mallory",), min_relevant=1)
    release = qrels.release(pool, cast.olga, on_progress, options, note="First look")
    main.refresh_from_db()
    return Sealed(campaign, cast, pool, main, settling, release)


def decide(assignment: Assignment, document: str, word: str, comment: str = "why") -> None:
    instance = Instance.objects.get(entry__topic=assignment.topic, doc_id=document)
    old = Judgment.objects.filter(assignment=assignment, instance=instance).first()
    decision = decisions.Decision(
        instance.pk,
        instance.content_hash,
        word,
        comment,
        key=f"{document}-{word}-{comment}",
        after=old.key if old else "",
    )
    decisions.save_decisions(assignment.pk, assignment.assessor, [decision])


def verify(*words: str) -> tuple[int, str]:
    """The exit code of the command for the first release, and what it prints."""
    slug, version, out = Campaign.objects.get().slug, Qrels.objects.earliest("pk").version, StringIO()
    try:
        call_command("qrels", "verify", slug, str(version), *words, stdout=out, stderr=out, no_color=True)
    except SystemExit as stopped:
        return int(stopped.code), out.getvalue()
    return 0, out.getvalue()


Tamper = Callable[[Sealed], object]


def row(model: type[Model], **lookups: Any) -> QuerySet[Any]:
    return getattr(model, "every", model.objects).filter(**lookups)  # type: ignore[attr-defined]


def change(model: type[Model], lookups: dict[str, Any], **values: Any) -> Tamper:
    def tamper(_: Sealed) -> None:
        assert row(model, **lookups).update(**values)

    return tamper


def event(**values: Any) -> Tamper:
    """Change ada's decision on 12."""
    return change(JudgmentEvent, {"assignment__assessor__username": "ada", "instance__doc_id": "12"}, **values)


def judgment(**values: Any) -> Tamper:
    """Change ada's judgment of 11."""
    return change(Judgment, {"assignment__assessor__username": "ada", "instance__doc_id": "11"}, **values)


def part(**values: Any) -> Tamper:
    """Change what the assignment of ada is."""
    return change(Assignment, {"assessor__username": "ada"}, **values)


def write(column: str, *path: str | int, value: Any = None) -> Tamper:
    """Write a value into one of the release's columns, or remove it from there."""

    def tamper(sealed: Sealed) -> None:
        place = getattr(sealed.release, column)
        for step in path[:-1]:
            place = place[step]
        if value is None:
            del place[path[-1]]
        else:
            assert place[path[-1]] != value
            place[path[-1]] = value
        sealed.release.save(update_fields=[column])

    return tamper


def exchange_two_events(sealed: Sealed) -> None:
    first, second = JudgmentEvent.objects.filter(assignment=sealed.main)[:2]
    first.pk, second.pk, key = second.pk, first.pk, first.key
    JudgmentEvent.objects.filter(pk=first.pk).update(key="other")
    second.save()
    first.key = key
    first.save()


def cut_the_last_event(sealed: Sealed) -> None:
    JudgmentEvent.objects.filter(assignment=sealed.main).last().delete()


def cut_the_last_event_and_count_one_less(sealed: Sealed) -> None:
    cut_the_last_event(sealed)
    QrelsPart.objects.filter(assignment=sealed.main).update(events=F("events") - 1)
    write("manifest", "parts", 0, "events", value=sealed.release.manifest["parts"][0]["events"] - 1)(sealed)


def insert_an_event(sealed: Sealed) -> None:
    """Between others: each of these moves one place on."""
    events = list(JudgmentEvent.objects.filter(assignment=sealed.main))
    JudgmentEvent.objects.filter(assignment=sealed.main).delete()
    for place, made in enumerate([events[0], events[0], *events[1:]]):
        made.pk, made.key, at = None, f"{made.key[:30]}-{place}" if place < 2 else made.key, made.at
        made.save(force_insert=True)
        JudgmentEvent.objects.filter(pk=made.pk).update(at=at)


def decide_before(sealed: Sealed) -> None:
    decide(sealed.settling, "11", "3")
    JudgmentEvent.objects.filter(pk=sealed.settling.events.latest("pk").pk).update(at=timezone.now() - timedelta(1))


def move_an_event_to_another_assignment(sealed: Sealed) -> None:
    JudgmentEvent.objects.filter(assignment=sealed.main, instance__doc_id="12").update(assignment=sealed.settling)


def add_a_part(sealed: Sealed) -> None:
    dual = Assignment.objects.get(round__kind="dual")
    QrelsPart.objects.create(qrels=sealed.release, assignment=dual, official=False, events=2, sha256="0" * 64)


def forge_a_ranking(sealed: Sealed) -> None:
    ranking = Ranking.objects.get(run__name="alpha")
    ranking.packed = pack(unpack(bytes(ranking.packed)).with_columns(score=1.0))
    ranking.save()


def forge_a_made_file(sealed: Sealed) -> None:
    MadeFile.objects.update(packed=zlib.compress(RUN.format("other").encode()))


def pass_off_as_old(sealed: Sealed) -> None:
    """As a release of 0.1.0, whose pool, threads and runs are not sealed."""
    write("manifest", "made_from")(sealed)
    Qrels.objects.update(sha256="")
    change(Comment, {}, text="Because")(sealed)
    forge_a_ranking(sealed)


A1 = {"topic_id": "A.1"}
TOMORROW = timezone.now() + timedelta(days=1)
WAYS: dict[str, Tamper] = {
    # texts
    "the text of a judged post": change(Post, {"post_id": "12"}, body="<p>Forged</p>"),
    "the title of a judged post": change(Post, {"post_id": "12"}, title="Forged"),
    "a judged post removed": lambda _: row(Post, post_id="12").delete(),
    "the text of the question of a thread": change(Post, {"post_id": "10"}, body="<p>Forged</p>"),
    "a comment below a post": change(Comment, {}, text="Because"),
    "a comment added below a post": lambda _: Comment.objects.create(
        post=Post.objects.first(), comment_id="2", text="x"
    ),
    "the text of a written answer": change(WrittenAnswer, {"doc_id": "w1"}, body="<p>Forged</p>"),
    "the title of a topic": change(Topic, A1, title="Forged"),
    "the text of a topic": change(Topic, A1, body="<p>Forged</p>"),
    "the tags of a topic": change(Topic, A1, tags=["forged"]),
    # events
    "who made a decision": lambda s: event(by=s.cast.emmy)(s),
    "when a decision was made": event(at=TOMORROW),
    "a decision": event(decision="3"),
    "a decision to one that counts the same": event(decision="do_not_know"),
    "the decision before": event(old_decision="1"),
    "a comment": event(comment="other"),
    "a passage": event(passage="other"),
    "the comment before": event(old_comment="other"),
    "the key of a decision": event(key="other"),
    "the text on the screen": event(content_hash="0" * 64),
    "the text on the screen, forgotten": event(content_hash=""),
    "the active time": event(active_ms=1),
    "the whole time": event(wall_ms=1),
    "the guide": event(guide="other"),
    "a decision made late": event(late=True),
    "a late decision made to count": change(JudgmentEvent, {"late": True}, late=False),
    "a late decision": change(JudgmentEvent, {"late": True}, decision="0"),
    "the document of a decision": lambda s: event(instance=Instance.objects.get(doc_id="31"))(s),
    "an expert's reason": change(JudgmentEvent, {"assignment__round__kind": "adjudication"}, comment="other"),
    "two decisions exchanged": exchange_two_events,
    "the last decision cut": cut_the_last_event,
    "the last decision cut, and its number": cut_the_last_event_and_count_one_less,
    "a decision put in": insert_an_event,
    "a decision moved to another assignment": move_an_event_to_another_assignment,
    "a decision after the release, dated before it": decide_before,
    # judgments
    "a judgment": judgment(grade=0),
    "a judgment made an outcome": judgment(grade=None, outcome="do_not_know"),
    "the comment of a judgment": judgment(comment="other"),
    "a judgment removed": lambda _: row(Judgment, instance__doc_id="12").delete(),
    "all judgments removed": lambda _: Judgment.objects.all().delete(),
    "a judgment added": lambda s: Judgment.objects.create(
        assignment=s.main, instance=Instance.objects.get(doc_id="21"), grade=3, key="other"
    ),
    # assignments and parts
    "the assessor of an assignment": lambda s: part(assessor=s.cast.olga)(s),
    "the topic of an assignment": lambda s: part(topic=s.campaign.topics.get(topic_id="A.2"))(s),
    "the round of an assignment": lambda s: part(round=Round.objects.get(kind="dual"))(s),
    "the kind of a round": change(Round, {"kind": "main"}, kind="additional"),
    "an assignment no longer official": part(official=False),
    "an expert's assignment made official": change(Assignment, {"round__kind": "adjudication"}, official=True),
    "a part no longer settling": change(QrelsPart, {"settles": True}, settles=False),
    "a part made settling": change(QrelsPart, {"assignment__assessor__username": "ada"}, settles=True),
    "a part as it was not official": change(QrelsPart, {"assignment__assessor__username": "ada"}, official=False),
    "a part as of an earlier version": change(QrelsPart, {"assignment__assessor__username": "ada"}, official=None),
    "fewer events of a part": change(QrelsPart, {"assignment__assessor__username": "ada"}, events=1),
    "the hash of a part": change(QrelsPart, {"assignment__assessor__username": "ada"}, sha256="0" * 64),
    "a part removed": lambda _: QrelsPart.objects.filter(assignment__assessor__username="ada").delete(),
    "an untouched part removed": lambda _: QrelsPart.objects.filter(assignment__topic__topic_id="A.2").delete(),
    "a part added": add_a_part,
    # lines
    "a grade": change(QrelsLine, {"unit_id": "12"}, grade=1),
    "the id of a line": change(QrelsLine, {"unit_id": "12"}, unit_id="13"),
    "a line removed": lambda _: QrelsLine.objects.filter(unit_id="12").delete(),
    "a line added": lambda s: QrelsLine.objects.create(
        qrels=s.release, unit="post", topic_id="A.1", unit_id="9", grade=0
    ),
    "a line of another kind added": lambda s: QrelsLine.objects.create(
        qrels=s.release, unit="visual", topic_id="A.9", unit_id="9", grade=0
    ),
    # the manifest
    "the software": write("manifest", "software", value="Assess 9"),
    "an option": write("manifest", "options", "aggregation", value="min"),
    "who is left out": write("manifest", "options", "excluded", value=[]),
    "a kind of topic": write("manifest", "topics", "A.1", value="additional"),
    "a part of the manifest": write("manifest", "parts", 0, "assessor", value="assessor-0"),
    "a part of the manifest removed": write("manifest", "parts", 0),
    "the number of items": write("manifest", "items", "count", value=9),
    "the hash of the items": write("manifest", "items", "sha256", value="0" * 64),
    "the hash of a file": write("manifest", "files", "post.graded", "sha256", value="0" * 64),
    "the lines of a file": write("manifest", "files", "post.graded", "lines", value=9),
    "the hash of the pool": write("manifest", "made_from", "pool", value="0" * 64),
    "the hash of the threads": write("manifest", "made_from", "threads", value="0" * 64),
    "the hashes of the runs": write("manifest", "made_from", "runs", value={}),
    "the hashes of what it was made from": write("manifest", "made_from"),
    "the topics of the manifest": write("manifest", "topics"),
    # what else is published of the release, and kept with it
    "its number": change(Qrels, {}, version=2),
    "its date": change(Qrels, {}, created=TOMORROW),
    "its note": change(Qrels, {}, note="Official"),
    "its protocol": write("protocol", "level", value=1),
    "its preset": write("protocol", "preset", value="arqmath1-task1"),
    "its options": write("options", "aggregation", value="min"),
    "whom it leaves out": write("options", "excluded", value=["kurt"]),
    "its number of lines": write("counts", "post", "lines", value=9),
    "its topics left out": write("made_with", "left_out", value=["A.9"]),
    "its settled documents": write("made_with", "settled", value=9),
    "its campaign": write("made_with", "name", value="Other"),
    "its edition": write("made_with", "edition", value="Other"),
    "the seed in it": write("made_with", "pool", "seed", value=8),
    "the version of the pool in it": write("made_with", "pool", "version", value=2),
    "the source of the pool in it": write("made_with", "pool", "source", value="other.tsv"),
    "when the pool was frozen, in it": write("made_with", "pool", "frozen", value="2020-01-01T00:00:00+00:00"),
    "the hash of a run in it": write("made_with", "pool", "runs", 0, "sha256", value="0" * 64),
    "the name of a run in it": write("made_with", "pool", "runs", 0, "name", value="other"),
    "how much was judged": write("main_round", "judged", value=99),
    "its decisions": change(Qrels, {}, decisions=99),
    "its visual ids": change(Qrels, {}, units={"110": "v9"}),
    "who released it": lambda s: Qrels.objects.update(released_by=s.cast.ada),
    "its hash": change(Qrels, {}, sha256="0" * 64),
    "its hash removed": change(Qrels, {}, sha256=""),
    "passed off as one of an earlier version": pass_off_as_old,
    # the pool
    "the seed of the pool": change(Pool, {}, seed=8),
    "the version of the pool": change(Pool, {}, version=2),
    "the protocol of the pool": lambda s: row(Pool, pk=s.pool.pk).update(protocol=s.pool.protocol | {"level": 1}),
    "when the pool was frozen": change(Pool, {}, frozen=TOMORROW),
    "the runs of the pool": change(Pool, {}, runs=[]),
    "the unit of an entry": change(PoolEntry, {"unit_id": "31"}, unit_id="32"),
    "the version of an entry": change(PoolEntry, {"unit_id": "12"}, version=2),
    "the topic of an entry": lambda s: row(PoolEntry, unit_id="12").update(topic=s.campaign.topics.get(topic_id="A.2")),
    "an entry removed": lambda _: row(PoolEntry, unit_id="31").delete(),
    "an entry added": lambda s: PoolEntry.objects.create(
        pool=s.pool, topic=s.main.topic, unit_id="32"
    ).instances.create(doc_id="32", kind="post", post_id="32", votes=1, runs=1),
    "the document of an instance": change(Instance, {"doc_id": "12"}, doc_id="13"),
    "the post of an instance": change(Instance, {"doc_id": "12"}, post_id="22"),
    "the votes of an instance": change(Instance, {"doc_id": "12"}, votes=9.0),
    "the hash of an instance": change(Instance, {"doc_id": "12"}, content_hash="0" * 64),
    "the hash of an instance that nobody judged": change(Instance, {"doc_id": "31"}, content_hash="0" * 64),
    # runs
    "the ranking of a run": forge_a_ranking,
    "the ranking of a run damaged": change(Ranking, {"run__name": "alpha"}, packed=b"other"),
    "the file of a run made here": forge_a_made_file,
    "the file of a run made here damaged": change(MadeFile, {}, packed=b"other"),
    "the hash of a run": change(Run, {"name": "alpha"}, sha256="0" * 64),
    "the role of a run": change(Run, {"name": "alpha"}, pool_role="alternate"),
    "a run removed": lambda _: row(Run, name="alpha").delete(),
}
ONLY_BY_HASH = {
    *("the software", "a kind of topic", "how much was judged"),
    *("its campaign", "its edition", "its number", "its date", "its note"),
}
"""What nothing else knows: if the manifest's hash is made anew, it differs from the published one, and that is all."""


def test_the_release_verifies_before_anything_is_done(sealed: Sealed) -> None:
    assert verify("--sha256", sealed.release.sha256)[0] == 0


@pytest.mark.parametrize("way", WAYS)
def test_whatever_is_changed_of_what_a_release_was_made_from_is_found(way: str, sealed: Sealed) -> None:
    WAYS[way](sealed)
    code, printed = verify()
    assert code == 1
    assert "\nproblem\t" in printed
    release = Qrels.objects.get()
    if way in ("its hash", "its hash removed"):
        return
    Qrels.objects.update(sha256=manifest.hash_manifest(release))
    assert verify()[0] == (way not in ONLY_BY_HASH)
    assert verify("--sha256", sealed.release.sha256)[0] == 1


def problems_after(way: str, sealed: Sealed) -> list[str]:
    WAYS[way](sealed)
    return [line.split("\t")[-1] for line in verify()[1].splitlines() if line.startswith("problem\t")]


def test_a_topic_whose_text_was_changed_is_named_and_not_its_documents(sealed: Sealed) -> None:
    (problem,) = [each for each in problems_after("the title of a topic", sealed) if "text that was sealed" in each]
    assert problem == "Not the text that was sealed to be judged: topic A.1 itself, or all of its 4 documents."


def test_only_the_part_that_was_removed_is_named(sealed: Sealed) -> None:
    problems = problems_after("an untouched part removed", sealed)
    assert [each.split(",")[0] for each in problems if "same assignments any more" in each] == ["A.2"]
    assert not any("the assignment is not the same" in each for each in problems)


def hand_over(sealed: Sealed) -> None:
    rest = Assignment.objects.get(assessor__username="rest")
    other = User.objects.create_user("other")
    sealed.campaign.members.create(user=other, role="assessor")
    assignments.hand_over_topic(rest, other, sealed.cast.olga, assignments.Done.DUAL)


def extend_pool(sealed: Sealed) -> None:
    late = Run.objects.get(pool_role="none")
    extension.extend(sealed.pool, extension.Extension({late.pk: "primary"}, {}, "late"), sealed.cast.olga, on_progress)


def take_back(sealed: Sealed) -> None:
    assignments.take_back_assignments([Assignment.objects.get(topic__topic_id="A.2")], sealed.cast.olga)


def undo_and_take_back(sealed: Sealed) -> None:
    decide(sealed.settling, "11", "")
    assignments.take_back_assignments([sealed.settling], sealed.cast.olga)


def change_run(sealed: Sealed) -> None:
    run = Run.objects.get(name="alpha")
    meta = runs.RunMeta(run.file_name, "other team", "renamed", pool_role=run.pool_role)
    runs.change_run(run, meta, sealed.cast.olga)


AFTER: dict[str, tuple[Tamper, int]] = {
    "a decision": (lambda s: decide(s.settling, "11", "3"), 1),
    "a judgment taken back": (lambda s: decide(s.settling, "11", ""), 1),
    "a comment": (lambda s: decide(s.settling, "11", "2", "a better reason"), 1),
    "a late decision": (lambda s: decide(s.main, "21", "2"), 0),
    "a topic handed over": (hand_over, 0),
    "a topic taken back": (take_back, 0),
    "a judgment undone and its topic taken back": (undo_and_take_back, 1),
    "another judged topic": (lambda s: judge(Assignment.objects.get(topic__topic_id="A.2"), {"31": "1"}), 1),
    "a pool extended": (extend_pool, 0),
    "a new release": (lambda s: qrels.release(s.pool, s.cast.olga, on_progress), 0),
    "runs scored": (lambda s: evaluation.evaluate(s.release, "qrels", on_progress), 0),
    "a release verified": (lambda s: verification.record_verification(s.release), 0),
    "a user renamed": (change(User, {"username": "ada"}, username="ada.lovelace"), 0),
    "a user renamed who is left out": (change(User, {"username": "mallory"}, username="mal"), 0),
    "a campaign renamed": (change(Campaign, {}, name="Other", edition="Other"), 0),
    "a campaign archived": (change(Campaign, {}, archived=TOMORROW), 0),
    "a topic's kind chosen": (change(Topic, A1, kind="removed"), 0),
    "a round renamed": (change(Round, {"kind": "dual"}, name="Second"), 0),
    "a new round": (lambda s: assignments.open_round(s.pool, "dual", "Third"), 0),
    "a run renamed": (change_run, 0),
    "a late run deleted": (lambda s: runs.delete_run(Run.objects.get(pool_role="none"), s.cast.olga), 0),
}


@pytest.mark.parametrize("what", AFTER)
def test_what_comes_later_is_no_error_and_later_decisions_are_listed(what: str, sealed: Sealed) -> None:
    act, decided = AFTER[what]
    act(sealed)
    code, printed = verify("--sha256", sealed.release.sha256)
    assert (code, printed.count("\nlater\t")) == (0, decided), printed
