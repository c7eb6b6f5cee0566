"""Baselines are imported like run files, with their provenance."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from assess.models import Campaign, Job, Run, Topic
from assess.services import job_kinds
from assess.services.common.errors import Refused
from assess.services.jobs import job_queue
from assess.services.pool import freezing, pools
from assess.services.runs import baselines, runs
from tests.cast import import_texts, make_campaign, math, on_progress

pytestmark = pytest.mark.django_db

SPAN = '&lt;span class="math-container" id="{}"&gt;${}$&lt;/span&gt;'
POSTS = f"""<posts>
<row Id="10" PostTypeId="1" Title="Squares" Body="What is a square?" Score="1"/>
<row Id="11" PostTypeId="2" ParentId="10" Score="2" Body='A square is {SPAN.format(110, "n^2")}.'/>
<row Id="12" PostTypeId="2" ParentId="10" Score="7" Body="It has sides."/>
<row Id="20" PostTypeId="1" Title="Circles" Body="What is a circle?"/>
<row Id="21" PostTypeId="2" ParentId="20" Body='Round. See question {SPAN.format(210, "x+1")}.'/>
</posts>"""
LINKS = '<postlinks><row Id="1" PostId="900" RelatedPostId="10" LinkTypeId="3"/></postlinks>'
INDEX = (
    "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\n"
    "110\t11\t10\tanswer\t\t\tv2\t\tn^2\n"
    "210\t21\t20\tanswer\t\t\tv1\t\tx+1\n"
    "220\t21\t20\tcomment\t5\t\tv1\t\tx+1\n"  # in a comment
    "230\t99\t20\tanswer\t\t\tv1\t\tx+1\n"  # spurious: in no post
)


def lab(tmp_path: Path, preset: str = "arqmath3-task1", **files: str) -> Campaign:
    campaign = make_campaign(preset)
    campaign.collection.posts.all().delete()
    import_texts(campaign.collection, tmp_path, **{"posts": POSTS, **files})
    return campaign


def job_for(campaign: Campaign, baseline: str, name: str = "base", role: str = "primary", **options: object) -> Job:
    by = campaign.members.get(role="organizer").user
    params = {"baseline": baseline, "name": name, "pool_role": role, "options": options}
    return job_queue.submit(campaign, job_kinds.make_baseline, by, **params)


def make_baseline(campaign: Campaign, baseline: str, **options: Any) -> Run:
    job = job_for(campaign, baseline, **options)
    run = baselines.make_baseline_run(job, on_progress)
    Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, result={"run": run.pk})
    return run


def rows(run: Run) -> list[Any]:
    return list(runs.load_ranking(run).select("topic_id", "doc_id", "unit_id").iter_rows())


def test_tf_idf_becomes_a_baseline_run_with_its_provenance(tmp_path: Path) -> None:
    campaign = lab(tmp_path)
    run = make_baseline(campaign, "tfidf", name="TF-IDF", symbols="words")
    assert (run.name, run.team, run.kind, run.method, run.data, run.pool_role, run.format) == (
        "TF-IDF", "Organizers", "baseline", "automatic", "both", "primary", "task1",
    )  # fmt: skip
    assert rows(run)[0] == ("A.1", "21", "21")  # "question" and x+1, as the topic
    assert run.coverage == {"documents": run.coverage["known"], "known": run.coverage["known"], "questions": 0}
    provenance = run.provenance
    assert (provenance["baseline"], provenance["options"], provenance["seed"], provenance["by"]) == (
        "TF-IDF over answers", {"symbols": "words"}, 7, "olga",
    )  # fmt: skip
    assert provenance["inputs"]["posts"] == hashlib.sha256(POSTS.encode()).hexdigest()
    assert set(provenance["inputs"]) == {"topics", "posts"}


def test_making_a_baseline_again_gives_the_same_file_unless_a_topic_changed(tmp_path: Path) -> None:
    campaign = lab(tmp_path)
    first = make_baseline(campaign, "tfidf")
    sha256, topics = first.sha256, first.provenance["inputs"]["topics"]
    runs.delete_run(first, first.job.created_by)
    again = make_baseline(campaign, "tfidf")
    assert (again.sha256, again.provenance["inputs"]["topics"]) == (sha256, topics)
    Topic.objects.filter(topic_id="A.1").update(body="<p>A circle?</p>")
    assert make_baseline(campaign, "tfidf", name="two").provenance["inputs"]["topics"] != topics


def test_answers_to_duplicates_of_the_question_in_the_thread_are_ranked_by_votes(tmp_path: Path) -> None:
    campaign = lab(tmp_path, links=LINKS)
    campaign.topics.filter(topic_id="A.1").update(thread_id="900")
    run = make_baseline(campaign, "linked")
    assert [row[:2] for row in rows(run)] == [("A.1", "12"), ("A.1", "11")]
    assert set(run.provenance["inputs"]) == {"topics", "posts", "links"}
    assert run.provenance["options"] == {}


def test_formulas_are_listed_by_instance_without_comments_and_spurious_ones(tmp_path: Path) -> None:
    campaign = lab(tmp_path, "arqmath3-task2", formulas=INDEX)
    run = make_baseline(campaign, "formulas")
    assert (run.format, run.data, run.coverage["documents"], run.coverage["known"]) == ("task2", "math", 1, 1)
    assert rows(run) == [("B.1", "210", "v1"), ("B.2", "210", "v1")]
    assert run.provenance["options"] == {"k1": 1.2, "b": 0.75}


def test_the_query_has_all_formulas_of_a_question_or_its_words(tmp_path: Path) -> None:
    campaign = lab(tmp_path)
    campaign.topics.update(title=f"About {math('q_1', 'n^2')}", body=f"<p>Sides? {math('q_2', 'x+1')}</p>")
    for name, alpha, found in (("formulas", 1.0, {"11", "21"}), ("words", 0.0, {"12"})):
        assert {row[1] for row in rows(make_baseline(campaign, "tuples", name=name, alpha=alpha))} == found


def test_a_baseline_says_what_must_be_imported_first(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="Import the posts"):
        make_baseline(make_campaign(), "tfidf")
    with pytest.raises(Refused, match="Import the topics"):
        make_baseline(make_campaign(topics=0), "tfidf")
    with pytest.raises(Refused, match="Import the formula index"):
        make_baseline(make_campaign("arqmath3-task2"), "formulas")
    questions = '<posts><row Id="10" PostTypeId="1" Title="t" Body="b"/></posts>'
    with pytest.raises(Refused, match="no answers"):
        make_baseline(lab(tmp_path, posts=questions), "tfidf")
    campaign = lab(tmp_path)
    with pytest.raises(Refused, match="Import the threads"):
        make_baseline(campaign, "linked")
    campaign.topics.filter(topic_id="A.1").update(thread_id="900")  # which has no links
    with pytest.raises(Refused, match="no run"):
        make_baseline(campaign, "linked")


def test_a_run_with_formula_id_0_has_the_format_of_task_2(tmp_path: Path) -> None:
    index = INDEX.replace("210\t21", "0\t21")
    posts = POSTS.replace('id="210"', 'id="0"')
    run = make_baseline(lab(tmp_path, "arqmath3-task2", posts=posts, formulas=index), "formulas", name="tab\tin name")
    assert (run.format, rows(run)[0][1]) == ("task2", "0")


def test_once_the_pool_is_frozen_only_baselines_that_are_not_pooled_can_be_made(tmp_path: Path) -> None:
    campaign = lab(tmp_path)
    make_baseline(campaign, "tfidf", name="early")
    freezing.freeze(pools.build(campaign, on_progress), on_progress)
    with pytest.raises(Refused, match="frozen"):
        make_baseline(campaign, "tuples", name="late", alpha=0.5)
    assert make_baseline(campaign, "tuples", name="late", role="none", alpha=0.5).pool_role == "none"
