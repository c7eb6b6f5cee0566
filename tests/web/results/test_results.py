"""Results: starting evaluations, tables on screen and as files."""

from pathlib import Path

import pytest
from django.urls import reverse

from assess.models import Evaluation, Job
from assess.services.job_steps import STEPS
from assess.services.results import evaluation, qrels, results
from tests.cast import make_assignment, make_campaign, on_progress
from tests.lab import Lab, client_of, judge
from tests.web.reports import page_of, url_of

pytestmark = pytest.mark.django_db


def test_an_evaluation_is_a_job_with_its_options(lab: Lab) -> None:
    page = client_of(lab.cast.olga).get(url_of("results", lab))
    assert page.context["form"]["average"].value() == "qrels"  # as the labs did for answers
    client_of(lab.cast.olga).post(url_of("evaluation_start", lab), {"qrels": lab.release.pk, "average": "run"})
    assert Job.objects.get().params == {"qrels": lab.release.pk, "average": "run"}


def test_measures_and_other_options_can_be_chosen(lab: Lab) -> None:
    fields = client_of(lab.cast.olga).get(url_of("results", lab)).context["form"]
    assert fields["measures"].value() == ("nDCG'", "MAP'", "P'@10", "bpref")
    assert "written_measures" not in fields.fields  # there are no written answers
    options = {"measures": ["MAP", "AR"], "gain": "exponential", "level": "1", "order": "rank"}
    sent = {"qrels": lab.release.pk, "average": "run", **options}
    client_of(lab.cast.olga).post(url_of("evaluation_start", lab), sent)
    job = Job.objects.get()
    assert job.params == {**sent, "level": 1}
    made = Evaluation.objects.get(pk=STEPS[job.kind](job, on_progress)["evaluation"])
    assert (made.measures, made.gain, made.level, made.order) == (["MAP", "AR"], "exponential", 1, "rank")
    page = page_of(lab, "evaluation", pk=made.pk)
    assert "?sort=plain_map" in page
    assert "by topic" in page_of(lab, "evaluation_run", pk=made.pk)


@pytest.mark.parametrize(("wrong", "field"), [({"average": "all"}, "average"), ({"qrels": 999}, "qrels")])
def test_a_wrong_evaluation_is_refused_at_the_field(wrong: dict[str, object], field: str, lab: Lab) -> None:
    sent = {"qrels": lab.release.pk, "average": "run"} | wrong
    response = client_of(lab.cast.olga).post(url_of("evaluation_start", lab), sent)
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]


def test_another_campaigns_release_cannot_be_chosen(lab: Lab) -> None:
    other = make_campaign(name="Other")
    sent = {"qrels": lab.release.pk, "average": "run"}
    response = client_of(lab.cast.olga).post(reverse("evaluation_start", args=[other.slug]), sent)
    assert list(response.context["form"].errors) == ["qrels"]


def test_the_results_table_groups_by_team_and_marks_the_best(lab: Lab) -> None:
    page = page_of(lab, "evaluation")
    assert page.index(">Baselines<") < page.index(">Alpha<") < page.index(">Beta<")
    # alpha: 11 (3), 12 (0), 21 (2). DCG 3 + 2/2, ideal 3 + 2/log2(3): 4 / 4.2619; AP (1 + 2/3) / 2; bpref (1 + 0) / 2
    best = "".join(f'<td class="num"><strong>{n}</strong></td>' for n in ("0.9386", "0.8333", "0.2000", "0.5000"))
    assert f'{best}<td class="num">1</td>' in page
    assert "<td>AM</td>" in page  # beta: alternate, manual
    stored = {(mean["run"], mean["measure"]): mean["value"] for mean in lab.evaluation.means}
    table = results.tables(lab.evaluation)["main"]
    assert {(row.run.name, name): cell.value for row in table.rows for name, cell in row.cells.items()} == stored


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("ndcg", ["alpha", "beta", "floor"]),
        ("bpref", ["alpha", "beta", "floor"]),
        ("nonsense", ["floor", "alpha", "beta"]),
    ],
)
def test_the_results_table_is_sorted_on_request(sort: str, order: list[str], lab: Lab) -> None:
    page = page_of(lab, "evaluation", query=f"?sort={sort}")
    places = [page.index(f">{name}</a>") for name in order]
    assert places == sorted(places)


def test_a_run_without_a_judged_topic_has_dashes(lab: Lab, tmp_path: Path) -> None:
    scored = evaluation.evaluate(lab.release, "run", on_progress)
    lab.campaign.runs.filter(name="floor").get().scores.filter(evaluation=scored).delete()
    table = results.tables(scored)["main"]
    assert [(row.run.name, row.topics, bool(row.cells)) for row in table.rows[:1]] == [("floor", 0, False)]
    page = page_of(lab, "evaluation", pk=scored.pk)
    assert page.count('<td class="num">—</td>') == 4


def test_results_are_downloaded_as_a_table(lab: Lab) -> None:
    response = client_of(lab.cast.olga).get(url_of("evaluation_file", lab))
    lines = response.content.decode().splitlines()
    assert lines[0] == "run\tteam\tkind\tmethod\tdata\tmeasure\tvalue\ttopics"
    assert "alpha\tAlpha\tprimary\tautomatic\tboth\tnDCG'\t0.9386\t1" in lines
    assert len(lines) == 1 + 3 * 4


def test_measures_have_a_typographic_prime_on_screen(lab: Lab) -> None:
    for page in (page_of(lab, "evaluation"), page_of(lab, "evaluation_run")):
        assert "nDCG′</" in page
        assert "nDCG'" not in page.replace("&#x27;", "'")


def test_topics_left_out_of_a_run_are_listed_with_the_reason(lab: Lab) -> None:
    assert "<li>A.2: no grades</li>" in page_of(lab, "evaluation_run")
    judge(make_assignment(lab.pool, lab.cast.emmy, topic="A.2"), {"11": "3"})
    pk = lab.campaign.runs.get(name="floor").pk
    for threshold, reason in (
        (0, "no judged unit in the run"),
        (2, "left out of the release: fewer than 2 relevant units"),
    ):
        release = qrels.release(lab.pool, lab.cast.olga, on_progress, min_relevant=threshold)
        scored = evaluation.evaluate(release, "run", on_progress)
        assert f"<li>A.2: {reason}</li>" in page_of(lab, "evaluation_run", pk=scored.pk, run_pk=pk)
    assert "1 of 2 topics" in page_of(lab, "evaluation_run", pk=scored.pk, run_pk=pk)


def test_a_run_is_shown_topic_by_topic(lab: Lab) -> None:
    page = page_of(lab, "evaluation_run")
    row = "".join(f'<td class="num">{n}</td>' for n in ("0.9386", "0.8333", "0.2000", "0.5000"))
    assert f'<th scope="row">A.1</th>{row}' in page
    assert f'<th scope="row">Mean</th>{row}' in page
