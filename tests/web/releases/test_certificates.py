"""The options of a release, its certificate, and the comparison of two releases, as pages."""

import re
from typing import Any

import pytest

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Job, Qrels, kinds_of_jobs
from assess.services.releases import qrels, sources
from assess.services.scores import evaluation
from tests.cast import make_assignment, make_campaign, make_pool, on_progress
from tests.lab import Lab, client_of, judge
from tests.web.reports import page_of, url_of

pytestmark = pytest.mark.django_db

OPTIONS = {
    "judges": "assessor",
    "assessor": "emmy",
    "topics": "test",
    "outcomes_as_zero": "system_failure",
    "written_outcomes_as_zero": "system_failure",
}


def test_the_options_of_the_form_become_those_of_the_release(lab: Lab) -> None:
    client_of(lab.cast.olga).post(url_of("releases", lab), {"min_relevant": 0, **OPTIONS})
    job = Job.objects.get(kind="release")
    kinds_of_jobs()[job.kind].step(job, on_progress)
    chosen = Qrels.objects.get(version=2).chosen
    assert chosen == ReleaseOptions(
        judges="assessor",
        assessor="emmy",
        topics=("test",),
        outcomes_as_zero=("system_failure",),
        written_outcomes_as_zero=("system_failure", "not_matching"),
    )
    page = page_of(lab, "release", version=2)
    assert "<dt>Whose judgments</dt><dd>One assessor: emmy</dd>" in page
    assert "<dt>Counted as grade 0</dt><dd>System failure</dd>" in page


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"judges": "round"}, "round"),
        ({"assessor": "emmy"}, "assessor"),
        ({"excluded": "x"}, "excluded"),
        ({"excluded": ["ada", "emmy"]}, "excluded"),
    ],
)
def test_options_that_do_not_fit_together_are_refused_at_the_field(sent: dict[str, Any], field: str, lab: Lab) -> None:
    elsewhere = make_assignment(make_pool(make_campaign(name="Other")), lab.cast.kurt)
    judge(elsewhere, {"11": "1"})
    response = client_of(lab.cast.olga).post(url_of("releases", lab), {"min_relevant": 0, "topics": "test", **sent})
    assert (response.status_code, list(response.context["form"].errors)) == (422, [field])
    assert "<details open>" in response.content.decode()
    assert "<details open>" not in page_of(lab, "releases")


def verified(lab: Lab) -> str:
    client_of(lab.cast.olga).post(url_of("verification_start", lab))
    job = Job.objects.get(kind="verify")
    assert kinds_of_jobs()[job.kind].step(job, on_progress)["release"] == 1
    Job.objects.all().delete()
    return page_of(lab, "release")


def test_the_page_says_that_a_release_verifies_what_came_later_and_what_was_tampered_with(lab: Lab) -> None:
    assert "Verified on" not in page_of(lab, "release")
    assert "the history of the judgments gives all 2 files byte for byte" in verified(lab)
    judge(lab.official, {"12": "3"})
    page = verified(lab)
    assert "byte for byte" in page
    assert '<th scope="row">A.1</th><td>12</td><td>0</td><td>3</td><td>ada</td>' in page
    lab.release.lines.filter(unit_id="12").update(grade=2)
    page = verified(lab)
    assert "post.graded: the lines in the database are not those that were released." in page
    assert "1 of the lines differ from those made again" in page


def test_the_items_of_a_release_have_the_hash_of_the_manifest(lab: Lab) -> None:
    items = client_of(lab.cast.kurt).get(url_of("release_items", lab)).content.decode()
    assert [line.split("\t")[:2] for line in items.splitlines()] == [["A.1", name] for name in ("11", "12", "21", "99")]
    made = client_of(lab.cast.kurt).get(url_of("release_manifest", lab)).json()
    assert made["items"]["sha256"] == sources.hash_of([items])


@pytest.fixture
def two(lab: Lab) -> Lab:
    """12 is relevant in the second release, so that beta and floor, which have it first, gain."""
    judge(lab.official, {"11": "0", "12": "3", "99": "1"})
    qrels.release(lab.pool, lab.cast.olga, on_progress)
    return lab


def test_two_releases_are_compared_by_judgments(two: Lab) -> None:
    page = page_of(two, "releases_compare", "kurt")
    assert '<strong class="num">2</strong> <span class="quiet">changed</span>' in page
    assert '<strong class="num">1</strong> <span class="quiet">added</span>' in page
    context = client_of(two.cast.kurt).get(url_of("releases_compare", two)).context
    assert [line[2:] for line in context["page"]] == [("11", 3, 0), ("12", 0, 3), ("99", None, 1)]
    link = f'href="{url_of("pool_topic", two, topic_id="A.1")}&amp;document=12">12</a>'
    assert [link in page_of(two, "releases_compare", person) for person in ("olga", "kurt")] == [True, False]
    judgments = page_of(two, "pool_topic", topic_id="A.1", query="&document=12")
    assert re.findall("History of ([0-9]+)", judgments) == ["12"]
    assert "The files are identical." in page_of(two, "releases_compare", query="?first=1&second=1")


def test_two_releases_are_compared_by_what_they_do_to_runs(two: Lab) -> None:
    assert "with both releases and the same options" in page_of(two, "releases_compare")
    evaluation.evaluate(Qrels.objects.get(version=2), "qrels", on_progress, level=3)
    assert "with both releases and the same options" in page_of(two, "releases_compare")
    evaluation.evaluate(Qrels.objects.get(version=2), "qrels", on_progress)
    two.campaign.runs.filter(name="beta").update(name="gamma")
    page = page_of(two, "releases_compare")
    # nDCG': alpha had 11, 12, 21 and so was first; with 12 before, gamma is
    assert '<th scope="row">gamma</th><td class="num">2</td><td class="num">1<span class="moved"> <span' in page
    assert "(1 place higher)" in page
    assert "gamma" not in page_of(two, "releases_compare", "kurt")
