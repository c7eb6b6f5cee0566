"""Releases: what the pages say, and what is in the files."""

from pathlib import Path

import pytest
from django.urls import reverse

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Assignment, Job, Pool
from assess.services.campaign import campaigns
from assess.services.pipeline import Step
from assess.services.pool import extension
from assess.services.releases import qrels
from assess.services.rounds import adjudication, assignments
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, add_run, client_of, decide, judge
from tests.web.reports import page_of, url_of

pytestmark = pytest.mark.django_db


def test_a_release_is_a_job_with_its_threshold(lab: Lab) -> None:
    sent = {"min_relevant": 2, "note": "final", "topics": ["test", "additional"]}
    sent |= {"written_outcomes_as_zero": ["do_not_know", "system_failure"]}
    client_of(lab.cast.olga).post(url_of("releases", lab), sent)
    options = ReleaseOptions(min_relevant=2).to_dict()
    assert Job.objects.get().params == {"pool": lab.pool.pk, "note": "final", "options": options}


@pytest.mark.parametrize("wrong", [{"min_relevant": -1}, {"min_relevant": ""}, {"min_relevant": 0, "note": "x" * 201}])
def test_a_wrong_release_is_refused_at_the_field(wrong: dict[str, object], lab: Lab) -> None:
    response = client_of(lab.cast.olga).post(url_of("releases", lab), {"topics": "test", **wrong})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [list(wrong)[-1]]
    assert not Job.objects.exists()


def test_the_form_offers_what_the_protocol_says_of_several_assessors(lab: Lab) -> None:
    Pool.objects.filter(pk=lab.pool.pk).update(protocol=lab.pool.protocol | {"assessors": 2, "official_grade": "first"})
    lab.pool.refresh_from_db()
    judge(make_assignment(lab.pool, lab.cast.mallory), {"11": "0"})
    client = client_of(lab.cast.olga)
    form = client.get(url_of("releases", lab)).context["form"]
    assert (form["judges"].value(), "adjudicated" in dict(form.fields["judges"].choices)) == ("official", False)
    adjudication.adjudicate(lab.pool, lab.cast.kurt, lab.cast.olga)
    judge(Assignment.objects.get(round__kind="adjudication"), {"11": "1"})
    form = client.get(url_of("releases", lab)).context["form"]
    assert (form["judges"].value(), form.is_open) == ("adjudicated", False)
    qrels.release(lab.pool, lab.cast.olga, on_progress)
    assert "That of the first assessor" in page_of(lab, "release", version=2)


OPEN = "4 of 8 answers judged, 1 of 2 topics untouched (main round)"


def test_a_release_made_before_judging_is_complete_says_so(lab: Lab) -> None:
    assert f"not complete: {OPEN}." in page_of(lab, "releases")
    assert OPEN in page_of(lab, "release")
    protocol = client_of(lab.cast.kurt).get(url_of("release_manifest", lab)).json()
    assert protocol["main_round"] == {"judged": 4, "documents": 8, "topics": 2, "untouched": 1}
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2"), dict.fromkeys(("11", "12", "21", "99"), "0"))
    assert "not complete" not in page_of(lab, "releases")
    assert all(text in page_of(lab, "release") for text in ("Preliminary: made before judging was complete", OPEN))
    qrels.release(lab.pool, lab.cast.olga, on_progress)
    assert "8 of 8 answers judged (main round)" in page_of(lab, "release", version=2)
    assert "Preliminary" not in page_of(lab, "release", version=2)
    assert page_of(lab, "releases").count('<span class="badge">preliminary</span>') == 1


def qrels_step(lab: Lab) -> Step:
    steps = client_of(lab.cast.olga).get(lab.campaign.get_absolute_url()).context["steps"]
    return next(step for step in steps if step.name == "Releases")


@pytest.mark.parametrize("word", ["", "1"])
def test_a_judgment_taken_back_or_changed_after_the_release_asks_for_another(word: str, lab: Lab) -> None:
    official = make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    judge(official, dict.fromkeys(("11", "12", "21", "99"), "0"))
    qrels.release(lab.pool, lab.cast.olga, on_progress)
    assert qrels_step(lab).is_done
    decide(official, "11", word)
    assert not qrels_step(lab).is_done
    qrels.release(lab.pool, lab.cast.olga, on_progress)
    is_open = not word  # emmy has one to judge again
    assert ("7 of 8 answers judged" in qrels_step(lab).text) == is_open
    assert qrels_step(lab).is_done != is_open


def test_dual_judgments_ask_for_no_other_release_and_those_of_a_topic_taken_back_once_they_count(lab: Lab) -> None:
    judge(make_assignment(lab.pool, lab.cast.kurt, topic="A.2", kind="dual"), {"11": "3"})
    assert qrels_step(lab).is_done
    official = make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    qrels.release(lab.pool, lab.cast.olga, on_progress)
    assignments.take_back_assignments([official], lab.cast.olga)
    judge(official, {"11": "3"})
    assert qrels_step(lab).is_done
    make_assignment(lab.pool, lab.cast.emmy, topic="A.2")
    assert not qrels_step(lab).is_done


def test_the_protocol_of_a_release_never_changes(lab: Lab, tmp_path: Path) -> None:
    def protocol() -> bytes:
        assert OPEN in page_of(lab, "release")
        return client_of(lab.cast.kurt).get(url_of("release_manifest", lab)).content

    before = protocol()
    decide(lab.official, "11", "")
    judge(lab.official, {"11": "1"})
    assert protocol() == before
    decide(lab.official, "12", "")
    assert protocol() == before
    late = add_run(lab.campaign, tmp_path, "A.1\t22\t1\t9\tlate\n", pool_role="none")
    extension.extend(lab.pool, extension.Extension({late.pk: "primary"}, {}), lab.cast.olga, on_progress)
    campaigns.change_settings(lab.campaign, lab.cast.olga, rules={}, name="Renamed", edition="Other")
    assert protocol() == before
    assert "the pool has grown" in qrels_step(lab).text


def test_the_release_form_lists_the_topics_that_a_threshold_would_leave_out(lab: Lab) -> None:
    assert "leaves out no judged topic" in page_of(lab, "releases")  # A.1 has 11 and 21
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2"), {"11": "3", "12": "0"})
    assert "leaves out 1 judged topic now: A.2." in page_of(lab, "releases")
    assert qrels.topics_left_out(lab.pool, 1) == []
    for rule, threshold in ((2, 2), (3, 3), (0, 2)):
        lab.pool.protocol |= {"min_relevant": rule}
        lab.pool.save()
        context = client_of(lab.cast.olga).get(url_of("releases", lab)).context
        assert (context["form"]["min_relevant"].value(), context["threshold"]) == (rule, threshold)


def test_qrels_are_downloaded_in_the_labs_format(lab: Lab) -> None:
    for grades, values in {"graded": (3, 0, 2), "hm": (1, 0, 1)}.items():  # 99: an outcome, so unjudged
        response = client_of(lab.cast.kurt).get(url_of("release_file", lab, grades=grades))
        assert response.content.decode() == "A.1\t0\t11\t{}\nA.1\t0\t12\t{}\nA.1\t0\t21\t{}\n".format(*values)
        assert response["Content-Type"] == "text/tab-separated-values; charset=utf-8"
        name = f"{lab.campaign.slug}.release-1.post.{grades}.qrels.txt"
        assert response["Content-Disposition"] == f'attachment; filename="{name}"'


def test_a_thin_topic_is_left_out_of_both_files_of_formulas() -> None:
    campaign = make_campaign("arqmath3-task2")
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"110": "2", "120": "3"})  # B.1: one relevant formula, two instances of it
    # B.2: two relevant formulas; v1 has the best grade of its instances
    judge(make_assignment(pool, cast.ada, topic="B.2"), {"110": "1", "120": "2", "210": "not_matching", "220": "3"})
    assert qrels.topics_left_out(pool, 2) == ["B.1"]
    qrels.release(pool, cast.olga, on_progress, ReleaseOptions(min_relevant=2))
    address = reverse("release_file", args=[campaign.slug, 1, "visual", "graded"])
    client = client_of(cast.olga)
    assert client.get(address).content.decode() == "B.2\t0\tv1\t2\nB.2\t0\tv2\t3\n"
    instances = client.get(address.replace("visual", "instance")).content.decode()
    assert instances == "B.2\t0\t110\t1\nB.2\t0\t120\t2\nB.2\t0\t220\t3\n"


@pytest.mark.parametrize("preset", ["documents-binary", "ntcir12-text"])
def test_sums_that_no_grade_of_the_scale_reaches_are_released_and_shown(preset: str) -> None:
    campaign = make_campaign(preset)
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "1", "12": "0"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), {"11": "1", "12": "1"})
    for judges in ("two_assessors", "assessor"):
        options = ReleaseOptions(min_relevant=0, judges=judges, assessor="ada" if judges == "assessor" else "")
        qrels.release(pool, cast.olga, on_progress, options)
    client, address = client_of(cast.olga), reverse("releases", args=[campaign.slug])
    assert "grade 3 and up" in client.get(address, {"release": 1}).content.decode()
    assert {client.get(address, query).status_code for query in ({}, {"first": "1", "second": "2"})} == {200}


STAFF = "progress agreement agreement_report agreement_pair releases release release_manifest release_file"


def test_experts_see_neither_runs_nor_buttons(lab: Lab) -> None:
    for name in STAFF.split():
        page = client_of(lab.cast.kurt).get(url_of(name, lab)).content.decode()
        main = page[page.find("<main") :]
        assert "<form" not in main, name
        assert name == "release_manifest" or "alpha" not in main.replace("Krippendorff’s alpha", ""), name
