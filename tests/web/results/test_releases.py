"""Releases: what the form tells, and that the files are right to the byte."""

import json
from importlib import import_module
from operator import attrgetter

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from assess.models import Job, Pool, PoolEntry, Qrels, Topic
from assess.services.campaign import campaigns
from assess.services.judging import assignments, judging
from assess.services.pool import extension
from assess.services.results import qrels
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, tell
from tests.lab import add_run, client_of, judge
from tests.web.organizer import make_run
from tests.web.reports import page_of, url_of

pytestmark = [pytest.mark.django_db, pytest.mark.engines]


def test_a_release_is_a_job_with_its_threshold(lab):
    client_of(lab.cast.olga).post(url_of("release_start", lab), {"min_relevant": 2, "note": "final"})
    assert Job.objects.get().params == {"pool": lab.pool.pk, "min_relevant": 2, "note": "final"}


@pytest.mark.parametrize("given", [{"min_relevant": -1}, {"min_relevant": ""}, {"min_relevant": 0, "note": "x" * 201}])
def test_a_wrong_release_is_refused_at_the_field(given, lab):
    response = client_of(lab.cast.olga).post(url_of("release_start", lab), given)
    assert response.status_code == 400
    assert list(response.context["form"].errors) == [list(given)[-1]]
    assert not Job.objects.exists()


OPEN = "4 of 8 answers judged, 1 of 2 topics untouched (main round)"


def test_a_release_before_the_end_of_judging_says_so_before_and_after(lab):
    assert f"Judging is still open: {OPEN}." in page_of(lab, "releases")
    assert OPEN in page_of(lab, "release")
    told = client_of(lab.cast.kurt).get(url_of("release_protocol", lab)).json()
    assert told["main_round"] == {"judged": 4, "documents": 8, "topics": 2, "untouched": 1}
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2"), dict.fromkeys(("11", "12", "21", "99"), "0"))
    assert "Judging is still open" not in page_of(lab, "releases")
    assert f"not the final one: {OPEN}" in page_of(lab, "release")  # what was judged later is not in it
    qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
    assert "8 of 8 answers judged (main round)" in page_of(lab, "release", version=2)
    assert "not the final one" not in page_of(lab, "release", version=2)


def test_the_overview_ticks_qrels_once_the_latest_release_holds_everything(lab):
    def step():
        steps = client_of(lab.cast.olga).get(lab.campaign.get_absolute_url()).context["steps"]
        return next((one.is_done, one.text) for one in steps if one.name == "Qrels")

    assert step() == (False, "1 release, the latest made with 4 of 8 answers judged")
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2"), dict.fromkeys(("11", "12", "21", "99"), "0"))
    qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
    assert step() == (True, "2 releases")


def qrels_step(lab):
    steps = client_of(lab.cast.olga).get(lab.campaign.get_absolute_url()).context["steps"]
    return next(one for one in steps if one.name == "Qrels")


@pytest.mark.parametrize("word", ["", "1"])
def test_a_judgment_taken_back_or_changed_after_the_release_asks_for_another(word, lab):
    official = make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    judge(official, dict.fromkeys(("11", "12", "21", "99"), "0"))
    qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
    assert (qrels_step(lab).is_done, qrels_step(lab).is_needed) == (True, False)
    change(official, "11", word)
    found = qrels_step(lab)
    assert (found.is_done, found.is_needed) == (False, True)
    assert found.text == "2 releases, judging has gone on since the latest"
    qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
    said = ", the latest made with 7 of 8 answers judged"
    assert qrels_step(lab).text == f"3 releases{'' if word else said}"
    assert not qrels_step(lab).is_needed


def change(assignment, document, word):
    """Another grade, or what was said is taken back."""
    instance = assignment.judgments.get(instance__doc_id=document).instance
    decision = judging.Decision(instance.pk, instance.content_hash, word)
    judging.record(assignment.pk, assignment.assessor, [decision])


def test_second_opinions_ask_for_no_other_release(lab):
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2", kind="dual"), {"11": "3"})
    assert not qrels_step(lab).is_needed


def test_what_arrives_for_a_topic_taken_back_asks_for_another_release_once_it_counts(lab):
    official = make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
    assignments.take_back(official)
    judge(official, {"11": "3"})
    assert (", judging has gone on" in qrels_step(lab).text, qrels_step(lab).is_needed) == (False, False)
    make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    assert (", judging has gone on" in qrels_step(lab).text, qrels_step(lab).is_needed) == (True, True)


def test_the_protocol_of_a_release_never_changes(lab, tmp_path):
    def told():
        pages = [client_of(lab.cast.kurt).get(url_of(name, lab)).content for name in ("release_protocol", "release")]
        return pages[0], b"4 of 8 answers judged, 1 of 2 topics untouched" in pages[1]

    before = told()
    assert before[1]
    change(lab.official, "11", "")
    judge(lab.official, {"11": "1"})  # made anew
    assert told() == before
    change(lab.official, "12", "")
    assert told() == before
    late = add_run(lab.campaign, tmp_path, "A.1\t22\t1\t9\tlate\n", pool_role="none")
    extension.extend(lab.pool, extension.Change({late.pk: "primary"}, {}), lab.cast.olga, tell)
    campaigns.update(lab.campaign, name="Renamed", edition="Other", seed=lab.campaign.seed, rules={})
    assert told() == before
    assert ", the pool has grown since the latest" in qrels_step(lab).text


def test_releases_of_earlier_versions_get_what_they_were_made_with(lab, tmp_path, monkeypatch):
    kept = ("stand", "decisions", "made_with")
    released = Qrels.objects.filter(pk=lab.release.pk)
    before = released.values(*kept).get()
    change(lab.official, "12", "")
    late = add_run(lab.campaign, tmp_path, "A.1\t22\t1\t9\tlate\n", pool_role="none")
    extension.extend(lab.pool, extension.Change({late.pk: "primary"}, {}), lab.cast.olga, tell)
    released.update(stand={}, decisions=0, made_with={})
    monkeypatch.setattr(Pool, "answers", property(attrgetter("answer_pool")), raising=False)  # its name by then
    import_module("assess.migrations.0013_releases").fill(apps, None)
    assert "answers" in released.get().made_with["pool"]
    import_module("assess.migrations.0014_pools").renamed("answers", "answer_pool")(apps, None)
    assert released.values(*kept).get() == before


def test_topics_that_a_release_left_out_are_no_longer_the_next_step(lab):
    def following():
        step = client_of(lab.cast.olga).get(lab.campaign.get_absolute_url()).context["next"]
        return step and step.name

    make_run(lab.campaign)
    lab.campaign.collection.counts = {"answers": 6}
    lab.campaign.collection.save()
    assert following() is None  # A.2 is nobody's
    given = make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    assert following() == "Judging"
    judge(given, dict.fromkeys(("11", "12", "21", "99"), "0"))
    assert following() == "Qrels"
    qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
    assert following() is None
    Topic.objects.create(campaign=lab.campaign, topic_id="A.3", number=3, title="Third", body="?")
    PoolEntry.objects.create(pool=lab.pool, topic=lab.campaign.topics.get(topic_id="A.3"), unit_id="11", version=2)
    Pool.objects.update(extended=timezone.now(), version=2)
    assert following() == "Assignments"


def test_the_release_form_tells_which_topics_a_threshold_would_drop(lab):
    assert "would leave out no judged topic" in page_of(lab, "releases")  # A.1 has 11 and 21
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2"), {"11": "3", "12": "0"})
    assert "would leave out 1 judged topic: A.2." in page_of(lab, "releases")
    assert qrels.left_out(lab.pool, 1) == []


@pytest.mark.parametrize(
    ("rule", "told"), [(2, "Today 2 would"), (3, "say 3. Today 3 would"), (0, "say 0. Today 2 would")]
)
def test_the_release_form_starts_with_the_rule_of_the_pool(rule, told, lab):
    lab.pool.protocol |= {"min_relevant": rule}
    lab.pool.save()
    page = page_of(lab, "releases")
    assert f'name="min_relevant" value="{rule}"' in page
    assert told in page
    assert "0 keeps every judged topic" in page


@pytest.mark.parametrize(
    ("grades", "text"),
    [
        ("graded", "A.1\t0\t11\t3\nA.1\t0\t12\t0\nA.1\t0\t21\t2\n"),  # 99: an outcome, so unjudged
        ("hm", "A.1\t0\t11\t1\nA.1\t0\t12\t0\nA.1\t0\t21\t1\n"),
    ],
)
def test_qrels_are_downloaded_in_the_labs_format(grades, text, lab):
    response = client_of(lab.cast.kurt).get(url_of("release_file", lab, grades=grades))
    assert response.content.decode() == text
    assert response["Content-Type"] == "text/tab-separated-values; charset=utf-8"
    name = f"{lab.campaign.slug}.release-1.post.{grades}.qrels.txt"
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'


@pytest.mark.parametrize("wrong", [{"unit": "visual"}, {"grades": "other"}, {"version": 2}])
def test_there_are_no_other_files(wrong, lab):
    assert client_of(lab.cast.olga).get(url_of("release_file", lab, **wrong)).status_code == 404


def test_formulas_are_downloaded_by_visual_id_and_by_instance():
    campaign = make_campaign("arqmath3-task2")
    cast, pool = make_cast(campaign), make_pool(campaign)
    words = {"110": "1", "120": "3", "210": "not_matching", "220": "do_not_know"}
    judge(make_assignment(pool, cast.ada), words)
    qrels.release(pool, cast.olga, "host:1", tell)
    client = client_of(cast.olga)
    found = {
        unit: client.get(reverse("release_file", args=[campaign.slug, 1, unit, "graded"])).content.decode()
        for unit in ("visual", "instance")
    }
    assert found == {"visual": "B.1\t0\tv1\t3\n", "instance": "B.1\t0\t110\t1\nB.1\t0\t120\t3\n"}


def test_a_thin_topic_stays_out_of_both_files_of_formulas():
    campaign = make_campaign("arqmath3-task2")
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "2", "120": "3"})  # B.1: one relevant formula, two instances of it
    judge(make_assignment(pool, cast.ada, topic="B.2"), {"110": "2", "220": "3"})  # two relevant formulas
    assert qrels.left_out(pool, 2) == ["B.1"]
    released = qrels.release(pool, cast.olga, "host:1", tell, min_relevant=2)
    assert released.counts == {"visual": {"lines": 2, "topics": 1}, "instance": {"lines": 2, "topics": 1}}


def test_the_protocol_of_a_release_says_how_it_came_about(lab):
    response = client_of(lab.cast.kurt).get(url_of("release_protocol", lab))
    told = json.loads(response.content)
    assert (told["campaign"], told["release"], told["note"]) == (lab.campaign.slug, 1, "First look")
    assert told["protocol"]["preset"] == "arqmath3-task1"
    assert told["protocol"]["min_relevant"] == 0
    assert told["counts"] == {"post": {"lines": 3, "topics": 1}}
    assert (told["pool"]["version"], told["pool"]["seed"]) == (1, 7)
