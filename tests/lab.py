"""A complete lab, small enough to compute by hand: runs, a frozen pool, judgments, agreement, a release and results.

A.1 is judged by ada in the main round and by emmy in the dual round; A.2 by nobody. Document 99 has no text.

    document   ada              emmy
    11         3                2
    12         0                0
    21         2                0
    99         system failure   1
"""

from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from assess import models
from assess.models import AgreementReport, Assignment, Campaign, Evaluation, Instance, Pool, Qrels, Run
from assess.services.agreement import agreement
from assess.services.desk import decisions, documents
from assess.services.pool import judgment_sources
from assess.services.releases import qrels
from assess.services.runs import runs
from assess.services.scores import evaluation
from tests.cast import Cast, import_index, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.kept import kept

RUNS = {  # topic, document, rank, score, tag
    "alpha": ("Alpha", "primary", "automatic", "A.1\t11\t1\t9\talpha\nA.1\t12\t2\t8\talpha\nA.1\t21\t3\t7\talpha\n"),
    "beta": ("Beta", "alternate", "manual", "A.1\t12\t1\t9\tbeta\nA.1\t21\t2\t8\tbeta\nA.1\t11\t3\t7\tbeta\n"),
    "floor": ("Organizers", "baseline", "automatic", "A.1\t12\t1\t1\tfloor\n"),
}


class Lab(NamedTuple):
    """All parts of the lab."""

    campaign: Campaign
    cast: Cast
    pool: Pool
    official: Assignment
    report: AgreementReport
    release: Qrels
    evaluation: Evaluation


@kept
def make_lab(folder: Path) -> Lab:
    campaign = make_campaign()
    cast = make_cast(campaign)
    import_runs(campaign, folder)
    pool = make_pool(campaign)
    official = make_assignment(pool, cast.ada)
    judge(official, {"11": "3", "12": "0", "21": "2", "99": "system_failure"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "2", "12": "0", "21": "0", "99": "1"}, 4000)
    report = agreement.report(pool, on_progress)
    release = qrels.release(pool, cast.olga, on_progress, note="First look")
    scored = evaluation.evaluate(release, "qrels", on_progress)
    return Lab(campaign, cast, pool, official, report, release, scored)


@kept
def make_shallow_campaign(folder: Path) -> Campaign:
    """A campaign with the three runs; primary ones are pooled to depth 2, alternate ones to 1."""
    campaign = make_campaign(primary_depth=2, alternate_depth=1)
    import_runs(campaign, folder)
    return campaign


@kept
def make_formulas(folder: Path) -> Campaign:
    """Formulas that all look different, and one run: B.1 310 220 110, B.2 320. Formula 110 is in answer 11, and so
    on."""
    campaign = make_campaign("arqmath3-task2", "Formulas")
    import_index(campaign, folder, *((formula, f"v{formula}", "x") for formula in ("110", "120", "220", "310", "320")))
    rows = "B.1\t310\t31\t1\t9\tr\nB.1\t220\t22\t2\t8\tr\nB.1\t110\t11\t3\t7\tr\nB.2\t320\t32\t1\t9\tr\n"
    add_run(campaign, folder, rows)
    return campaign


def add_run(campaign: Campaign, folder: Path, text: str, **meta: str) -> Run:
    """Import a run; the last word of the text is its tag."""
    path = folder / f"{campaign.slug}-{text.split()[-1]}.tsv"
    path.write_text(text)
    return runs.import_runs(campaign, [runs.RunUpload(path, runs.RunMeta(path.name, "team", **meta))], on_progress)[0]


def import_runs(campaign: Campaign, folder: Path) -> list[Run]:
    uploads = []
    for name, (team, kind, method, text) in RUNS.items():
        (folder / name).write_text(text)
        role = "alternate" if kind == "alternate" else "primary"
        meta = runs.RunMeta(file=name, team=team, kind=kind, method=method, pool_role=role)
        uploads.append(runs.RunUpload(folder / name, meta))
    return runs.import_runs(campaign, uploads, on_progress)


def make_source(
    campaign: Campaign, folder: Path, text: str, name: str = "other", kind: str = "machine", **meta: str
) -> models.JudgmentSource:
    """Import a file as olga: qrels, unless its first line shows something else."""
    path = folder / f"{name}.file"
    path.write_text(text)
    olga = campaign.members.get(role="organizer").user
    about = judgment_sources.SourceMeta(file=path.name, name=name, kind=kind, **meta)
    return judgment_sources.import_source(campaign, path, about, olga, on_progress)


def qrels_of(grades: dict[str, int], topic: str = "A.1") -> str:
    return "".join(f"{topic}\t0\t{document}\t{grade}\n" for document, grade in grades.items())


def judge(assignment: Assignment, words: dict[str, str], milliseconds: int = 2000) -> None:
    """Judge documents with a grade or an outcome (with a comment); all others stay unjudged."""
    for place in range(1, len(assignment.order) + 1):
        for card in documents.open_item(assignment, place).cards:
            if word := words.get(card.instance.doc_id):
                decision = decisions.Decision(card.instance.pk, card.content_hash, word, "why", milliseconds)
                decisions.save_decisions(assignment.pk, assignment.assessor, [decision])


def decide(
    assignment: Assignment, document: str, word: str = "2", comment: str = "why", **more: Any
) -> decisions.SaveResult:
    """Also what the person can no longer see."""
    instance = Instance.objects.get(entry__pool=assignment.round.pool, entry__topic=assignment.topic, doc_id=document)
    decision = decisions.Decision(instance.pk, instance.content_hash, word, comment, **more)
    return decisions.save_decisions(assignment.pk, assignment.assessor, [decision])


def client_of(user: User | None) -> Client:
    """A client for a user, or for nobody."""
    client = Client()
    if user:
        client.force_login(user)
    return client


def client_as(cast: Cast, person: str | None) -> Client:
    """A client for somebody of the cast by name, or for nobody."""
    return client_of(getattr(cast, person) if person else None)


def queries(client: Client, url: str) -> int:
    """The number of queries for a page, once caches are warm."""
    client.get(url)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)
