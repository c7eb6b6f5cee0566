"""The organizers' pages at the size of a lab: ``python -m benchmarks.pages`` (one minute).

A campaign of 36,000 entries of the labs' real posts and 36,000 judgments by 61 assessors, on SQLite. A quarter of the
topics is judged twice, with other grades for 30 % of the documents; an expert has those that are 3 apart.
There are a training round of all assessors, questions, the labels of a program for the whole pool, an agreement report,
two releases, an evaluation of 60 runs and a report on its reliability. Every page of the campaign is asked for several
times by an organizer, in one process: milliseconds of its processor, the database included, and the number of queries.
``--quick`` has a third of the entries, ``--topics`` and ``--assessors`` take other numbers; the exit code is 0 only if
every page stays within both limits.
"""

import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.measuring import options_of, p95, prepare_django, silent

if TYPE_CHECKING:
    from django.test import Client

    from assess.models import Assignment, Campaign, Evaluation, JudgmentSource, Pool, Round

LIMIT_MS = 150.0
OWN_LIMITS_MS = {"pool_plan": 300.0, "pool_report": 300.0}
"""The plan builds a pool of the 60 runs for each row of its table, the report counts what each run brought in;
`benchmarks.pools` has them with a lab's rankings."""
LIMIT_QUERIES = 30
SHARE_JUDGED = 0.8
SHARE_APART = 0.3
"""Of the documents with two judgments, as in the labs."""
GRADES = ["0", "1", "2", "3"]
Arguments = dict[str, Any]


class Size(NamedTuple):
    """``topics`` with ``entries`` each, for so many assessors; how often each page is asked for."""

    topics: int
    entries: int
    assessors: int
    times: int


FULL = Size(80, 450, 61, 20)
QUICK = Size(80, 150, 61, 10)


class Page(NamedTuple):
    """A page by the name of its address: milliseconds of each time that it was asked for, and the queries it took."""

    name: str
    milliseconds: list[float]
    queries: int

    @property
    def p95(self) -> float:
        return p95(self.milliseconds)

    @property
    def is_within(self) -> bool:
        return self.p95 <= OWN_LIMITS_MS.get(self.name, LIMIT_MS) and self.queries <= LIMIT_QUERIES

    def __str__(self) -> str:
        missed = "" if self.is_within else "  MISSED"
        return f"{self.name:24} {median(self.milliseconds):6.0f} {self.p95:6.0f} {self.queries:8}{missed}"


def make(size: Size) -> "Campaign":
    """The campaign with its judgments, and what the organizers made of them."""
    from assess.ir.common.rows import OUTCOMES
    from assess.ir.releases.release_options import ReleaseOptions
    from assess.models import Question
    from assess.services.agreement import agreement
    from assess.services.releases import qrels
    from benchmarks import campaign, scores

    given = campaign.make(size.topics, size.entries, size.assessors)
    pool = given[0].round.pool
    for assignment in given:
        judge(assignment)
    judge_twice(given)
    for assignment in prepare_training(pool).assignments.all():
        judge(assignment)
    Question.objects.bulk_create(
        Question(topic=assignment.topic, entry_id=assignment.order[0], by=assignment.assessor, text="And this?")
        for assignment in given[:5]
    )
    source = make_source(pool)
    agreement.report(pool, silent, opinions=agreement.compare_sources(pool, [source]))
    for options in (ReleaseOptions(), ReleaseOptions(outcomes_as_zero=OUTCOMES)):
        qrels.release(pool, pool.campaign.members.filter(role="organizer")[0].user, silent, options)
    scores.make_reliability(evaluation := scores.make(pool.campaign))
    make_what_if(source, evaluation)
    return pool.campaign


def make_what_if(source: "JudgmentSource", evaluation: "Evaluation") -> None:
    """The runs of the evaluation, as if the source scored them all the same."""
    from assess.ir.common.rows import MeanScore
    from assess.models import WhatIf
    from assess.services.scores import what_if

    runs = list(source.campaign.runs.all())
    rows = [MeanScore(**{name: row[name] for name in MeanScore._fields}) for row in evaluation.means]
    by_run = {row[:2]: row for row in rows}
    means = dict.fromkeys([*what_if.GRADINGS, what_if.COMMON], by_run)
    measures = dict.fromkeys(row.measure for row in rows)
    tables = [what_if.table_of(name, runs, means) | {"grades": 0, "added": 0} for name in measures]
    WhatIf.objects.create(source=source, release=evaluation.qrels, tables=tables)


def make_source(pool: "Pool") -> "JudgmentSource":
    """The labels of a program for the whole pool."""
    from assess.ir.common.rows import SourceRow
    from assess.models import Instance, JudgmentSource
    from assess.services.pool import judgment_sources

    documents = Instance.objects.filter(entry__pool=pool).values_list("entry__topic__topic_id", "doc_id")
    rows = [SourceRow(*document, at % 4, "", "judge-1") for at, document in enumerate(documents)]
    source = JudgmentSource(campaign=pool.campaign, name="labels", kind="machine", format="jsonl")
    source.counts, source.imported_by = judgment_sources.counts_of(rows), pool.campaign.members.all()[0].user
    return judgment_sources.store_source(source, rows)


def judge_twice(given: list["Assignment"]) -> None:
    """Has every fourth topic judged by the assessor of the next one too, and gives an expert what is furthest apart."""
    from django.contrib.auth.models import User

    from assess.models import Member
    from assess.services.rounds import adjudication, assignments

    pool = given[0].round.pool
    for first, other in zip(given[::4], given[1::4], strict=False):
        decisions = {each.instance_id: each.decision for each in first.judgments.all()}
        judge(assignments.assign_topic(pool, first.topic, other.assessor, "dual"), decisions)
    expert = User.objects.create_user("expert")
    Member.objects.create(campaign=pool.campaign, user=expert, role=Member.Role.EXPERT)
    if adjudication.unsettled_distances(pool, 3):
        adjudication.adjudicate(pool, expert, expert, 3)


def prepare_training(pool: "Pool") -> "Round":
    """A training round for everybody, of a few documents of the pool."""
    from assess.ir.common.rows import Qrel, TopicRow
    from assess.ir.rounds.allocation import SPREAD
    from assess.models import Instance, Round
    from assess.services.rounds import rounds

    campaign = pool.campaign
    topics = [TopicRow(each.topic_id, each.title, each.body, tuple(each.tags)) for each in campaign.topics.all()]
    documents = Instance.objects.filter(entry__pool=pool)
    judged = [
        Qrel(topic.topic_id, document.doc_id, grade)
        for topic in topics[: SPREAD.topics]
        for grade, document in enumerate(documents.filter(entry__topic__topic_id=topic.topic_id)[: len(GRADES)])
    ]
    members = list(rounds.possible_members(campaign).values_list("user", flat=True))
    file = rounds.StoredFile(Path(), "an earlier edition")
    plan = rounds.RoundPlan(Round.Kind.TRAINING, "", file, file, SPREAD, (), members)
    organizer = campaign.members.filter(role="organizer")[0].user
    chosen = topics[: SPREAD.topics]
    coverage = rounds.Coverage(len(chosen), len(chosen), len(judged), len(judged))
    return rounds.store_round(campaign, plan, chosen, judged, organizer, coverage=coverage._asdict())


def decided(draw: random.Random, before: str | None) -> str:
    """A decision at random, mostly the same as that of somebody ``before``."""
    if before is None:
        return draw.choices([*GRADES, "system_failure", "do_not_know"], [70, 10, 8, 8, 2, 2])[0]
    return draw.choice([grade for grade in GRADES if grade != before]) if draw.random() < SHARE_APART else before


def judge(assignment: "Assignment", before: Mapping[int, str] | None = None) -> None:
    """Judges most of an assignment at random, with the history of it. ``before``: somebody's decisions by instance."""
    from assess.models import Judgment, JudgmentEvent

    draw = random.Random(assignment.pk)
    count = int(SHARE_JUDGED * len(assignment.instance_order))
    judged = [(instance, decided(draw, (before or {}).get(instance))) for instance in assignment.instance_order[:count]]
    judgments, events = [], []
    for instance, word in judged:
        active_ms, is_grade = int(draw.lognormvariate(10, 0.7)), word.isdigit()
        about: Arguments = {"assignment": assignment, "instance_id": instance, "key": str(instance)}
        about |= {"comment": "" if is_grade else "The formula is missing", "active_ms": active_ms}
        judgments.append(Judgment(**about, grade=int(word) if is_grade else None, outcome="" if is_grade else word))
        by = assignment.assessor_id
        events.append(JudgmentEvent(**about, by_id=by, decision=word, wall_ms=2 * active_ms))
    Judgment.objects.bulk_create(judgments)
    JudgmentEvent.objects.bulk_create(events)


def addresses(campaign: "Campaign") -> Iterator[tuple[str, str]]:
    """Every address of the campaign that `arguments_of` has arguments for, by name; also those that only take forms or
    redirect."""
    from django.urls import get_resolver

    from benchmarks.parts import PARTS, address_of, named_in_query, page_of_part

    common, own = arguments_of(campaign)
    patterns = get_resolver().reverse_dict
    for name in [*(name for name in patterns if isinstance(name, str)), *PARTS]:
        needed = {*patterns.getlist(page_of_part(name))[0][0][0][1], *named_in_query(name)}
        given = common | own.get(name, {})
        if "slug" in needed <= given.keys():
            yield name, address_of(name, **{part: given[part] for part in needed})


def arguments_of(campaign: "Campaign") -> tuple[Arguments, dict[str, Arguments]]:
    """What the addresses of most pages need, for the first topic; and by page what is one's own."""
    from assess.models import (
        AgreementReport,
        Assignment,
        Evaluation,
        Instance,
        Question,
        ReliabilityReport,
        Round,
        WhatIf,
    )

    topic, pool = campaign.topics.all()[0], campaign.pools.all()[0]
    assignment = Assignment.objects.filter(round__pool=pool, topic=topic, official=True)[0]
    report = AgreementReport.objects.get(pool=pool)
    pair = next((pair for pair in report.pairs if pair["n"]), {"first": "", "second": ""})
    assessor = campaign.members.get(user=assignment.assessor)
    evaluation = {"pk": Evaluation.objects.get(qrels__pool=pool).pk}
    common = {"slug": campaign.slug, "topic_id": topic.topic_id, "version": 1, "thread_id": thread_of(campaign)}
    return common, {
        "agreement_pair": {"pk": report.pk, "first": pair["first"], "second": pair["second"]},
        "agreement_report": {"pk": report.pk},
        "answer": {"pk": Question.objects.filter(topic__campaign=campaign)[0].pk},
        "document_history": {"pk": Instance.objects.filter(entry__pool=pool, entry__topic=topic)[0].pk},
        "evaluation": evaluation,
        "evaluation_categories": evaluation,
        "evaluation_correlations": evaluation,
        "evaluation_pair": evaluation,
        "evaluation_run": evaluation | {"run_pk": campaign.runs.all()[0].pk},
        "evaluation_significance": evaluation,
        "judgment_source": {"pk": campaign.judgment_sources.get().pk},
        "what_if": {"pk": WhatIf.objects.get(source__campaign=campaign).pk},
        "reliability_report": {"pk": ReliabilityReport.objects.get(evaluation__qrels__pool=pool).pk},
        "hand_over": {"pk": assignment.pk},
        "member": {"pk": assessor.pk},
        "member_interests": {"pk": assessor.pk},
        "preview": {"pk": assignment.pk, "place": 1},
        "round": {"pk": Round.objects.get(pool__campaign=campaign, kind=Round.Kind.TRAINING).pk},
    }


def thread_of(campaign: "Campaign") -> str:
    from assess.models import Post

    return Post.objects.filter(collection=campaign.collection)[0].thread_id


def pages(client: "Client", campaign: "Campaign", times: int) -> Iterator[Page]:
    """The pages among the addresses, slowest last."""
    for name, address in addresses(campaign):
        answer = client.get(address)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            yield measured(client, name, address, times)


def measured(client: "Client", name: str, address: str, times: int) -> Page:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    queries = len(captured)
    return Page(name, [processor_time(client, address) for _ in range(times)], queries)


def processor_time(client: "Client", address: str) -> float:
    """Milliseconds of this process, so that what else the machine does counts little."""
    begun = time.process_time()
    client.get(address)
    return 1000 * (time.process_time() - begun)


def report(measured: Iterable[Page]) -> bool:
    """Prints a line for each page; whether all are within the limits."""
    print(
        f"{'page':24} {'median':>6} {'p95':>6} {'queries':>8}    limits: p95 {LIMIT_MS:g} ms, {LIMIT_QUERIES} queries"
    )
    slowest = sorted(measured, key=lambda page: page.p95)
    for page in slowest:
        print(page, flush=True)
    return all(page.is_within for page in slowest)


def main(arguments: list[str]) -> int:
    parser = options_of("pages", __doc__, "fewer entries, under 50 seconds")
    from django.core.management import call_command

    parser.add_argument("--topics", type=int, default=FULL.topics, metavar="N")
    parser.add_argument("--assessors", type=int, default=FULL.assessors, metavar="N")
    asked = parser.parse_args(arguments)
    size = (QUICK if asked.quick else FULL)._replace(topics=asked.topics, assessors=asked.assessors)
    with tempfile.TemporaryDirectory(prefix="assess-pages-") as folder:
        prepare_django(Path(folder))
        call_command("collectstatic", interactive=False, verbosity=0)
        return 0 if measure(size) else 1


def measure(size: Size) -> bool:
    from django.test import Client

    campaign = make(size)
    import_module("assess.wsgi")  # as a server begins; it also sets aside what only the making of the campaign left
    client: Any = Client(SERVER_NAME="localhost")
    client.force_login(campaign.members.filter(role="organizer")[0].user)
    return report(pages(client, campaign, size.times))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
