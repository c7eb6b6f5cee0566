"""A release with all that it can be made from, and changes that nobody should make."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet

from assess import models
from assess.ir.common.rows import PoolLine
from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Assignment
from assess.services.pool import freezing, pools
from assess.services.releases import qrels
from assess.services.rounds import adjudication, assignments
from assess.services.runs import runs
from tests.cast import Cast, make_assignment, make_campaign, make_cast, on_progress
from tests.kept import kept
from tests.lab import add_run, decide, judge

RUN = "A.1\t11\t1\t9\t{0}\nA.1\t12\t2\t8\t{0}\nA.1\t21\t3\t7\t{0}\n"
LATE = "A.1\t22\t1\t9\tlate\nA.1\t11\t2\t8\tlate\n"


class Sealed(NamedTuple):
    """A release with settled grades. A.1 is ada's (11, 12 and w1, which she judged twice; with a late decision on 21),
    then kurt's (21); emmy judged 11 and 12, and kurt has settled 11. A.2 is emmy's, untouched. Made with two runs, one
    of which was made here; there is a late run."""

    campaign: models.Campaign
    cast: Cast
    pool: models.Pool
    main: Assignment
    settling: Assignment
    release: models.Qrels


@kept
def make_sealed(folder: Path) -> Sealed:
    campaign = make_campaign("arqmath3-task1")
    cast = make_cast(campaign)
    campaign.topics.filter(topic_id="A.1").update(kind="test", kind_reason="It stays")
    topic = campaign.topics.get(topic_id="A.1")
    for name, provenance in (("alpha", None), ("fused", {"method": "rrf"})):
        (folder / name).write_text(RUN.format(name))
        meta = runs.RunMeta(name, "team", pool_role="primary")
        runs.import_runs(campaign, [runs.RunUpload(folder / name, meta, provenance)], on_progress)
    models.WrittenAnswer.objects.create(topic=topic, doc_id="w1", body="<p>Written</p>")
    models.Comment.objects.create(post=models.Post.objects.get(post_id="12"), comment_id="1", text="Why?")
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
    add_run(campaign, folder, LATE, pool_role="none")
    options = ReleaseOptions(judges="adjudicated", excluded=("mallory",), min_relevant=1)
    release = qrels.release(pool, cast.olga, on_progress, options, note="First look")
    main.refresh_from_db()
    return Sealed(campaign, cast, pool, main, settling, release)


Tamper = Callable[[Sealed], object]


def row(model: type[Model], **lookups: Any) -> QuerySet[Any]:
    return getattr(model, "every", model.objects).filter(**lookups)  # type: ignore[attr-defined]


def change(model: type[Model], lookups: dict[str, Any], **values: Any) -> Tamper:
    def tamper(_: Sealed) -> None:
        assert row(model, **lookups).update(**values)

    return tamper


def event(**values: Any) -> Tamper:
    """Change ada's decision on 12."""
    return change(models.JudgmentEvent, {"assignment__assessor__username": "ada", "instance__doc_id": "12"}, **values)


def judgment(**values: Any) -> Tamper:
    """Change ada's judgment of 11."""
    return change(models.Judgment, {"assignment__assessor__username": "ada", "instance__doc_id": "11"}, **values)


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
