"""The jobs of two small labs in the order in which an organizer starts them, with their parameters."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

from assess import tasks
from assess.models import Campaign, Job, JobKind
from assess.services import job_kinds
from assess.services.common import workspace
from assess.services.jobs import job_queue
from tests.cast import make_assignment, make_campaign, make_cast
from tests.lab import judge

SPAN = '&lt;span class="math-container" id="{}"&gt;${}$&lt;/span&gt;'
FILES = {
    "posts": f"""<posts>
<row Id="10" PostTypeId="1" Title="Squares" Body="What is a square?" OwnerUserId="1" AcceptedAnswerId="11"/>
<row Id="11" PostTypeId="2" ParentId="10" OwnerUserId="2" Body='A square is {SPAN.format(110, "x+1")}.'/>
<row Id="12" PostTypeId="2" ParentId="10" Body='It has sides {SPAN.format(120, "{x}+1")}.'/>
<row Id="20" PostTypeId="1" Title="Circles" Body="What is a circle?"/>
<row Id="21" PostTypeId="2" ParentId="20" Body='Round. See question {SPAN.format(210, "y")}.'/>
<row Id="22" PostTypeId="2" ParentId="20" Body='Large, about {SPAN.format(220, "y")} and {SPAN.format(310, "z")}.'/>
</posts>""",
    "comments": '<comments><row Id="1" PostId="11" Text="Why?" UserId="1"/></comments>',
    "links": '<postlinks><row Id="1" PostId="20" RelatedPostId="10" LinkTypeId="3"/></postlinks>',
    "users": '<users><row Id="1" DisplayName="Ann"/><row Id="2" DisplayName="Bob"/></users>',
    "votes": '<votes><row Id="1" PostId="11" VoteTypeId="2"/><row Id="2" PostId="12" VoteTypeId="3"/></votes>',
    "formulas": "id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n"
    "110\t11\t10\tanswer\tv1\tx+1\n"
    "120\t12\t10\tanswer\tv1\t{x}+1\n"
    "210\t21\t20\tanswer\tv1\ty\n"  # mixed: not what 110 looks like
    "220\t22\t20\tanswer\t7\ty\n"
    "310\t22\t20\tanswer\t\tz\n",  # without a visual id
}
ASKED = """<posts>
<row Id="901" PostTypeId="1" Title="How large is $n^2$?" Body="Question 1 about $x+1$." AcceptedAnswerId="902"/>
<row Id="902" PostTypeId="2" ParentId="901" Body="Yes."/>
<row Id="903" PostTypeId="1" Title="How large is $n^2$?" Body="Another question."/>
</posts>"""
RUNS = {
    "alpha": "A.1\t11\t1\t9\talpha\nA.1\t99\t2\t8\talpha\nA.1\t12\t3\t7\talpha\nA.2\t21\t1\t1\talpha\n",  # 99: no text
    "beta": "A.1\t12\t1\t9\tbeta\nA.1\t22\t2\t8\tbeta\nA.2\t22\t1\t1\tbeta\n",
    "gamma": "A.1\t1\t0.9\tgamma\t11\tThe sum is $2$.\nA.2\t1\t0.8\tgamma\t\tThere is none.\n",  # written answers
}
LATE = "A.1\t22\t1\t9\tlate\nA.1\t21\t2\t8\tlate\nA.2\t11\t1\t9\tlate\n"
FORMULA_RUN = "B.1\t110\t11\t1\t9\tone\nB.1\t210\t21\t2\t8\tone\nB.2\t310\t22\t1\t7\tone\n"
POOL_FILE = "topic\tunit\tdoc\tvotes\truns\nA.1\t11\t11\t1.5\t2\nA.1\t12\t12\t1.0\t1\nA.2\t21\t21\t0.5\t1\n"

OLD_TOPIC = "<Topics><Topic number='A.101'><Title>Old</Title><Question>Is it?</Question></Topic></Topics>"
OLD_QRELS = "A.101\t0\t11\t3\nA.101\t0\t12\t0\nA.101\t0\t22\t0\n"


def uploaded(text: str) -> str:
    """The path of a file in the media store, as if somebody had uploaded it."""
    name = f"uploads/{uuid.uuid4().hex}/file"
    path = workspace.path_of(name)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return name


def run_files(texts: dict[str, str], **meta: str) -> dict[str, Any]:
    metadata = {name: {"file": f"{name}.tsv", "team": f"team of {name}", **meta} for name in texts}
    return {"files": [{"path": uploaded(text), "meta": metadata[name]} for name, text in texts.items()]}


def of_collection(campaign: Campaign) -> dict[str, Any]:
    files = [{"kind": kind, "name": f"{kind}.file", "path": uploaded(text)} for kind, text in FILES.items()]
    return {"collection": campaign.collection_id, "files": files}


def of_index(campaign: Campaign) -> dict[str, Any]:
    text = FILES["formulas"].replace("\tv1\t", "\tv2\t").replace("answer\t\tz", "answer\tv3\tz")
    files = [{"kind": "formulas", "name": "new.tsv", "path": uploaded(text)}]
    return {"collection": campaign.collection_id, "files": files}


def of_topic_threads(campaign: Campaign) -> dict[str, Any]:
    return {"files": [{"kind": "posts", "name": "Asked.xml", "path": uploaded(ASKED)}], "year": None}


def of_baseline(campaign: Campaign) -> dict[str, Any]:
    return {"baseline": "tfidf", "name": "base", "pool_role": "alternate", "options": {}}


def of_fusion(campaign: Campaign) -> dict[str, Any]:
    keys = list(campaign.runs.exclude(format="task3").order_by("name").values_list("pk", flat=True))
    return {"name": "fused", "method": "ensemble", "runs": keys, "options": {}, "release": None}


def of_pool(campaign: Campaign) -> dict[str, Any]:
    return {"pool": campaign.current_pool().pk}


def of_release(campaign: Campaign) -> dict[str, Any]:
    return {"qrels": campaign.current_pool().qrels.get().pk}


def of_evaluation(campaign: Campaign) -> dict[str, Any]:
    return {"evaluation": campaign.current_pool().qrels.get().evaluations.get().pk}


def of_formulas(campaign: Campaign) -> dict[str, Any]:
    return {"collection": campaign.collection_id, "scope": "all"}


def of_extension(campaign: Campaign) -> dict[str, Any]:
    roles = {str(campaign.runs.get(name="late").pk): "primary"}
    return of_pool(campaign) | {"roles": roles, "depths": {"primary_depth": 3}, "reason": "late"}


def of_latest_version(campaign: Campaign) -> dict[str, Any]:
    return {"version": campaign.collection.visual_maps.latest("number").pk}


def of_round(campaign: Campaign) -> dict[str, Any]:
    files = [{"name": name, "path": uploaded(text)} for name, text in (("old.xml", OLD_TOPIC), ("old.tsv", OLD_QRELS))]
    people = campaign.members.filter(role="assessor").order_by("user__username").values_list("user", flat=True)
    plan = {"kind": "training", "name": "", "topics": 1, "items": 2, "chosen": [], "members": list(people)}
    return {"files": files, "plan": plan}


def of_source(campaign: Campaign) -> dict[str, Any]:
    rows = "A.1,11,2,gpt\nA.1,12,3,gpt\n"
    meta = {"file": "labels.csv", "name": "labels", "kind": "machine"}
    return {"path": uploaded(f"topic,document,grade,model\n{rows}"), "meta": meta}


def of_what_if(campaign: Campaign) -> dict[str, Any]:
    return {"source": campaign.judgment_sources.get().pk, "release": of_release(campaign)["qrels"]}


def judge_topic(campaign: Campaign) -> None:
    """Ada and Emmy judge A.1."""
    cast, pool = make_cast(campaign), campaign.current_pool()
    judge(make_assignment(pool, cast.ada), {"11": "3", "12": "0", "99": "system_failure"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "2", "12": "0", "99": "1"}, 4000)


def import_late_run(campaign: Campaign) -> None:
    """After the pool was frozen."""
    done(submit(campaign, job_kinds.import_runs, lambda _: run_files({"late": LATE}, pool_role="none")))


Params = Callable[[Campaign], dict[str, Any]]
JobStep = tuple[JobKind, Params]
LabStep = JobStep | Callable[[Campaign], None]
"""A job with its parameters, or what people do between the jobs."""

LAB_STEPS: dict[str, list[LabStep]] = {
    "arqmath3-task1": [
        (job_kinds.import_collection, of_collection),
        (job_kinds.import_topic_threads, of_topic_threads),
        (job_kinds.import_pool, lambda _: {"path": uploaded(POOL_FILE), "name": "pool.tsv"}),
        (job_kinds.import_runs, lambda _: run_files(RUNS)),
        (job_kinds.make_baseline, of_baseline),
        (job_kinds.fuse_runs, of_fusion),
        (job_kinds.build_pool, lambda _: {}),
        (job_kinds.freeze_pool, of_pool),
        judge_topic,
        (job_kinds.import_source, of_source),
        (
            job_kinds.compute_agreement,
            lambda campaign: of_pool(campaign) | {"sources": [campaign.judgment_sources.get().pk]},
        ),
        (job_kinds.release_qrels, lambda campaign: of_pool(campaign) | {"note": "first"}),
        (job_kinds.verify_release, of_release),
        (job_kinds.evaluate_runs, lambda campaign: of_release(campaign) | {"average": "qrels"}),
        (job_kinds.score_what_if, of_what_if),
        (job_kinds.compute_reliability, of_evaluation),
        import_late_run,
        (job_kinds.extend_pool, of_extension),
        (job_kinds.prepare_round, of_round),
    ],
    "arqmath2-task2": [
        (job_kinds.import_collection, of_collection),
        (job_kinds.import_runs, lambda _: run_files({"one": FORMULA_RUN})),
        (job_kinds.compute_visual_ids, of_formulas),
        (job_kinds.look_for_mixed, of_formulas),
        (job_kinds.repair_visual_ids, of_latest_version),
    ],
}
"""The steps of a lab, by its preset."""


def new_campaign(preset: str) -> Campaign:
    """A campaign before its first step."""
    return make_campaign(preset, primary_depth=2, alternate_depth=1)


def submitted(preset: str, *campaigns: Campaign) -> Iterator[Job]:
    """Each job of a campaign, submitted for one of these new campaigns after the other. The caller does the job."""
    for step in LAB_STEPS[preset]:
        for campaign in campaigns:
            campaign.refresh_from_db()
            if callable(step):
                step(campaign)
            else:
                yield submit(campaign, *step)


def campaign_before(preset: str, kind: JobKind) -> Campaign:
    """A campaign in which all steps before a kind of job are done."""
    campaign = new_campaign(preset)
    for step in LAB_STEPS[preset]:
        if callable(step):
            step(campaign)
        elif step[0] == kind:
            break
        else:
            done(submit(campaign, *step))
        campaign.refresh_from_db()
    return campaign


def submit(campaign: Campaign, kind: JobKind, params: Params) -> Job:
    return job_queue.submit(campaign, kind, campaign.members.get(role="organizer").user, **params(campaign))


def done(job: Job) -> Job:
    """The job after this process did it."""
    tasks.run_job(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job
