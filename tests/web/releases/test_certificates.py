"""The options of a release, its certificate, and the comparison of two releases, as pages."""

import csv
import io
import re

import pytest

from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Job, Qrels
from assess.models.job_kind import kinds_of_jobs
from assess.services.releases import qrels, sources
from assess.services.scores import evaluation
from tests.cast import make_assignment, on_progress
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
    [({"judges": "round"}, "round"), ({"assessor": "emmy"}, "assessor"), ({"excluded": "x"}, "excluded")],
)
def test_options_that_do_not_fit_together_are_refused_at_the_field(sent: dict[str, str], field: str, lab: Lab) -> None:
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


def rows(lab: Lab, kind: str, person: str = "olga") -> list[dict[str, str]]:
    text = client_of(getattr(lab.cast, person)).get(url_of("releases_compare_file", lab, kind=kind)).content.decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_two_releases_are_compared_by_judgments(two: Lab) -> None:
    page = page_of(two, "releases_compare", "kurt")
    assert '<strong class="num">2</strong> <span class="quiet">changed</span>' in page
    assert '<strong class="num">1</strong> <span class="quiet">added</span>' in page
    assert '<th scope="row">Decisions</th><td>4 in 1 assignment</td><td>7 in 1 assignment</td>' in page
    assert [(row["change"], row["unit"], row["before"], row["after"]) for row in rows(two, "lines", "kurt")] == [
        ("changed", "11", "3", "0"), ("changed", "12", "0", "3"), ("added", "99", "", "1"),
    ]  # fmt: skip
    link = f'href="{url_of("topic_judgments", two, topic_id="A.1")}&amp;document=12">12</a>'
    assert [link in page_of(two, "releases_compare", person) for person in ("olga", "kurt")] == [True, False]
    judgments = page_of(two, "topic_judgments", topic_id="A.1", query="&document=12")
    assert re.findall("History of ([0-9]+)", judgments) == ["12"]


def test_two_releases_are_compared_by_what_they_do_to_runs(two: Lab) -> None:
    page = page_of(two, "releases_compare")
    assert "Score with release 2" in page
    assert "Score with release 1" not in page
    evaluation.evaluate(Qrels.objects.get(version=2), "qrels", on_progress)
    page = page_of(two, "releases_compare")
    # nDCG': alpha had 11, 12, 21 and so was first; with 12 before, beta is
    assert '<th scope="row">beta</th><td class="num">2</td><td class="num">1<span class="moved"> <span' in page
    assert "(1 place higher)" in page
    moved = {(row["measure"], row["run"]): row for row in rows(two, "runs")}
    beta = moved["nDCG'", "beta"]
    assert float(beta["after"]) - float(beta["before"]) == pytest.approx(float(beta["change"]))
    assert (beta["place_before"], beta["place_after"]) == ("2", "1")
    assert "alpha" not in page_of(two, "releases_compare", "kurt")
    two.campaign.runs.filter(name="beta").update(name="gamma")
    assert {row["run"] for row in rows(two, "runs")} == {"alpha", "gamma", "floor"}
    url = url_of("releases_compare_file", two, kind="runs")
    assert client_of(two.cast.kurt).get(url).status_code == 403


def compared(lab: Lab, options: ReleaseOptions, person: str = "olga") -> str:
    """The page that compares the first release with one made with these options now."""
    released = qrels.release(lab.pool, lab.cast.olga, on_progress, options)
    return page_of(lab, "releases_compare", person, f"?second={released.version}")


def test_the_comparison_of_releases_lists_only_the_options_that_differ(lab: Lab) -> None:
    same = compared(lab, ReleaseOptions())
    assert "Both were made in the same way." in same
    assert "Both have the same 1 topic." in same
    assert "The files are identical." in same
    lab.campaign.topics.filter(topic_id="A.1").update(kind="additional")
    judge(lab.official, {"12": "1"})
    options = ReleaseOptions(judges="assessor", assessor="emmy", outcomes_as_zero=("system_failure",), min_relevant=1)
    page = compared(lab, options, "kurt")
    assert re.findall(r'<th scope="row">([^<]+)</th><td>([^<]+)</td><td>([^<]+)</td></tr>', page) == [
        ("Topics", "all judged topics", "with at least 1 relevant unit"),
        ("Whose judgments", "Official judgments", "One assessor: emmy"),
        ("Counted as grade 0", "—", "System failure"),
        ("Chosen kinds of topics", "—", "A.1 additional"),
    ]
    assert "Both were made in the same way." in page_of(lab, "releases_compare", query="?first=1&second=1")
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2"), {"11": "3"})
    page = compared(lab, ReleaseOptions())
    assert re.search(r"Only in this one</th><td>—</td><td><a[^>]*>A\.2</a></td>", page)
