"""Whatever can be changed of what a release was made from."""

import zlib
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from assess import models
from assess.ir.runs.ranking import pack, unpack
from assess.models import Comment, Instance, JudgmentEvent, Pool, PoolEntry, Post, Qrels, QrelsLine, QrelsPart
from tests.lab import decide
from tests.services.releases.sealed import RUN, Sealed, Tamper, change, event, judgment, part, row, write


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
    dual = models.Assignment.objects.get(round__kind="dual")
    QrelsPart.objects.create(qrels=sealed.release, assignment=dual, official=False, events=2, sha256="0" * 64)


def forge_a_ranking(sealed: Sealed) -> None:
    ranking = models.Ranking.objects.get(run__name="alpha")
    ranking.packed = pack(unpack(bytes(ranking.packed)).with_columns(score=1.0))
    ranking.save()


def forge_a_made_file(sealed: Sealed) -> None:
    models.MadeFile.objects.update(packed=zlib.compress(RUN.format("other").encode()))


def pass_off_as_old(sealed: Sealed) -> None:
    """As a release of 0.1.0, whose pool, threads and runs are not sealed."""
    write("manifest", "made_from")(sealed)
    Qrels.objects.update(sha256="")
    change(Comment, {}, text="Because")(sealed)
    forge_a_ranking(sealed)


A1 = {"topic_id": "A.1"}
TOMORROW = timezone.now() + timedelta(days=1)
COLUMNS_OF_AN_EVENT = {
    **{"at": TOMORROW, "old_decision": "1", "comment": "other", "old_comment": "other", "key": "other"},
    **{"active_ms": 1, "wall_ms": 1, "guide": "other", "late": True, "passage": "other"},
}
WAYS: dict[str, dict[str, Tamper]] = {
    "texts": {
        "the text of a judged post": change(Post, {"post_id": "12"}, body="<p>Forged</p>"),
        "the title of a judged post": change(Post, {"post_id": "12"}, title="Forged"),
        "a judged post removed": lambda _: row(Post, post_id="12").delete(),
        "the text of the question of a thread": change(Post, {"post_id": "10"}, body="<p>Forged</p>"),
        "a comment below a post": change(Comment, {}, text="Because"),
        "a comment added below a post": lambda _: Comment.objects.create(
            post=Post.objects.first(), comment_id="2", text="x"
        ),
        "the text of a written answer": change(models.WrittenAnswer, {"doc_id": "w1"}, body="<p>Forged</p>"),
        "the title of a topic": change(models.Topic, A1, title="Forged"),
        "the text of a topic": change(models.Topic, A1, body="<p>Forged</p>"),
        "the tags of a topic": change(models.Topic, A1, tags=["forged"]),
    },
    "events": {
        **{f"{column} of a decision": event(**{column: value}) for column, value in COLUMNS_OF_AN_EVENT.items()},
        "who made a decision": lambda s: event(by=s.cast.emmy)(s),
        "a decision": event(decision="3"),
        "a decision to one that counts the same": event(decision="do_not_know"),
        "the text on the screen": event(content_hash="0" * 64),
        "the text on the screen, forgotten": event(content_hash=""),
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
    },
    "judgments": {
        "a judgment": judgment(grade=0),
        "a judgment made an outcome": judgment(grade=None, outcome="do_not_know"),
        "the comment of a judgment": judgment(comment="other"),
        "a judgment removed": lambda _: row(models.Judgment, instance__doc_id="12").delete(),
        "all judgments removed": lambda _: models.Judgment.objects.all().delete(),
        "a judgment added": lambda s: models.Judgment.objects.create(
            assignment=s.main, instance=Instance.objects.get(doc_id="21"), grade=3, key="other"
        ),
    },
    "assignments and parts": {
        "the assessor of an assignment": lambda s: part(assessor=s.cast.olga)(s),
        "the topic of an assignment": lambda s: part(topic=s.campaign.topics.get(topic_id="A.2"))(s),
        "the round of an assignment": lambda s: part(round=models.Round.objects.get(kind="dual"))(s),
        "the kind of a round": change(models.Round, {"kind": "main"}, kind="additional"),
        "an assignment no longer official": part(official=False),
        "an expert's assignment made official": change(
            models.Assignment, {"round__kind": "adjudication"}, official=True
        ),
        "a part no longer settling": change(QrelsPart, {"settles": True}, settles=False),
        "a part made settling": change(QrelsPart, {"assignment__assessor__username": "ada"}, settles=True),
        "a part as it was not official": change(QrelsPart, {"assignment__assessor__username": "ada"}, official=False),
        "a part as of an earlier version": change(QrelsPart, {"assignment__assessor__username": "ada"}, official=None),
        "fewer events of a part": change(QrelsPart, {"assignment__assessor__username": "ada"}, events=1),
        "the hash of a part": change(QrelsPart, {"assignment__assessor__username": "ada"}, sha256="0" * 64),
        "a part removed": lambda _: QrelsPart.objects.filter(assignment__assessor__username="ada").delete(),
        "an untouched part removed": lambda _: QrelsPart.objects.filter(assignment__topic__topic_id="A.2").delete(),
        "a part added": add_a_part,
    },
    "lines": {
        "a grade": change(QrelsLine, {"unit_id": "12"}, grade=1),
        "the id of a line": change(QrelsLine, {"unit_id": "12"}, unit_id="13"),
        "a line removed": lambda _: QrelsLine.objects.filter(unit_id="12").delete(),
        "a line added": lambda s: QrelsLine.objects.create(
            qrels=s.release, unit="post", topic_id="A.1", unit_id="9", grade=0
        ),
        "a line of another kind added": lambda s: QrelsLine.objects.create(
            qrels=s.release, unit="visual", topic_id="A.9", unit_id="9", grade=0
        ),
    },
    "the manifest": {
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
    },
    "what is kept with it": {
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
    },
    "the pool": {
        "the seed of the pool": change(Pool, {}, seed=8),
        "the version of the pool": change(Pool, {}, version=2),
        "the protocol of the pool": lambda s: row(Pool, pk=s.pool.pk).update(protocol=s.pool.protocol | {"level": 1}),
        "when the pool was frozen": change(Pool, {}, frozen=TOMORROW),
        "the runs of the pool": change(Pool, {}, runs=[]),
        "the unit of an entry": change(PoolEntry, {"unit_id": "31"}, unit_id="32"),
        "the version of an entry": change(PoolEntry, {"unit_id": "12"}, version=2),
        "the topic of an entry": lambda s: row(PoolEntry, unit_id="12").update(
            topic=s.campaign.topics.get(topic_id="A.2")
        ),
        "an entry removed": lambda _: row(PoolEntry, unit_id="31").delete(),
        "an entry added": lambda s: PoolEntry.objects.create(
            pool=s.pool, topic=s.main.topic, unit_id="32"
        ).instances.create(doc_id="32", kind="post", post_id="32", votes=1, runs=1),
        **{
            f"{column} of an instance": change(Instance, {"doc_id": "12"}, **{column: value})
            for column, value in {"doc_id": "13", "post_id": "22", "votes": 9.0, "content_hash": "0" * 64}.items()
        },
        "the hash of an instance that nobody judged": change(Instance, {"doc_id": "31"}, content_hash="0" * 64),
    },
    "runs": {
        "the ranking of a run": forge_a_ranking,
        "the ranking of a run damaged": change(models.Ranking, {"run__name": "alpha"}, packed=b"other"),
        "the file of a run made here": forge_a_made_file,
        "the file of a run made here damaged": change(models.MadeFile, {}, packed=b"other"),
        "the hash of a run": change(models.Run, {"name": "alpha"}, sha256="0" * 64),
        "the role of a run": change(models.Run, {"name": "alpha"}, pool_role="alternate"),
        "a run removed": lambda _: row(models.Run, name="alpha").delete(),
    },
}
ONLY_BY_HASH = {
    *("the software", "a kind of topic", "how much was judged"),
    *("its campaign", "its edition", "its number", "its date", "its note"),
}
"""What nothing else knows: if the manifest's hash is made anew, it differs from the published one, and that is all."""
