"""Results: starting evaluations, tables on screen and as files, and the page on reliability."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.html import escape

from assess.models import Campaign, Evaluation, Job, Qrels, kinds_of_jobs
from assess.services.releases import qrels
from assess.services.scores import evaluation, reliability
from tests.cast import make_campaign, on_progress
from tests.evaluations import add_profile, make_evaluation
from tests.lab import Lab, add_run, client_of
from tests.web.reports import json_in, page_of, url_of
from tests.written import WrittenLab, make_written

pytestmark = pytest.mark.django_db


def start(lab: Lab | WrittenLab, release: Qrels, **sent: Any) -> Any:
    address = reverse("results", args=[lab.campaign.slug])
    return client_of(lab.cast.olga).post(address, {"qrels": release.pk, "average": "run", **sent})


def made_by_job() -> Evaluation:
    job = Job.objects.latest("pk")
    return Evaluation.objects.get(pk=kinds_of_jobs()[job.kind].step(job, on_progress)["evaluation"])


def test_an_evaluation_is_a_job_with_its_options(lab: Lab) -> None:
    form = client_of(lab.cast.olga).get(url_of("results", lab)).context["form"]
    assert form["average"].value() == "qrels"  # as the labs did for answers
    assert list(form["measures"].value()) == ["nDCG'", "MAP'", "P'@10", "bpref"]
    assert "written_measures" not in form.fields  # there are no written answers
    start(lab, lab.release)
    assert Job.objects.get().params == {"qrels": lab.release.pk, "average": "run"}
    made = made_by_job()
    assert (made.measures, made.gain, made.level, made.order) == (form["measures"].value(), "linear", 2, "")
    Job.objects.all().delete()
    start(lab, lab.release, measures=["MAP", "AR"], gain="exponential", level="1", order="rank")
    made = made_by_job()
    assert (made.measures, made.gain, made.level, made.order) == (["MAP", "AR"], "exponential", 1, "rank")
    assert "sort=plain_map" in page_of(lab, "evaluation", pk=made.pk)
    assert "by topic" in page_of(lab, "evaluation_run", pk=made.pk)


def test_the_form_starts_with_the_choices_of_the_latest_evaluation_and_the_latest_release(lab: Lab) -> None:
    def chosen() -> list[object]:
        form = client_of(lab.cast.olga).get(url_of("results", lab)).context["form"]
        return [form[name].value() for name in ("qrels", "average", "measures", "gain", "level", "order")]

    options: dict[str, Any] = {"gain": "exponential", "level": 1, "order": "rank"}
    evaluation.evaluate(lab.release, "run", on_progress, measures=["MAP", "AR"], **options)
    assert chosen() == [lab.release.pk, "run", ["MAP", "AR"], "exponential", 1, "rank"]
    assert "Measures, gain, level and order, as chosen last</summary>" in page_of(lab, "results")
    lab.pool.protocol |= {"level": 1}
    newer = qrels.release(lab.pool, lab.cast.olga, on_progress)
    evaluation.evaluate(lab.release, "run", on_progress)
    assert chosen() == [newer.pk, "run", ["nDCG'", "MAP'", "P'@10", "bpref"], "linear", "", ""]
    start(lab, newer)
    assert made_by_job().level == 1
    Job.objects.all().delete()
    start(lab, lab.release, level="")
    assert made_by_job().level == 2, "of the release that was chosen, not of the latest"


def test_the_newest_release_is_shown_although_an_older_one_was_scored_later(lab: Lab) -> None:
    assert "See the latest" not in page_of(lab, "evaluation")
    newer = qrels.release(lab.pool, lab.cast.olga, on_progress)
    made = [evaluation.evaluate(release, "run", on_progress) for release in (newer, lab.release)]
    assert client_of(lab.cast.olga).get(url_of("results", lab)).context["evaluation"] == made[0]
    assert "See the latest" in page_of(lab, "evaluation")
    assert "(preliminary), scored" in page_of(lab, "evaluation")
    assert "See the latest" not in page_of(lab, "evaluation", pk=made[0].pk)


def test_values_that_were_computed_elsewhere_are_sent_as_a_file(tmp_path: Path) -> None:
    two = make_written(tmp_path)
    two.judge_all()
    release = qrels.release(two.assignment.round.pool, two.cast.olga, on_progress)
    start(two, release, scores=SimpleUploadedFile("bert.tsv", b"gpt\tA.1\tCS\t0.9\n"))
    assert Job.objects.get().params["name"] == "bert.tsv"
    assert [row["value"] for row in made_by_job().means if row["measure"] == "CS"] == [0.9]


def test_a_wrong_evaluation_is_refused_at_the_field(lab: Lab) -> None:
    other = lab._replace(campaign=make_campaign(name="Other"))  # whose release it is not
    for answer, field in ((start(lab, lab.release, average="all"), "average"), (start(other, lab.release), "qrels")):
        assert (answer.status_code, list(answer.context["form"].errors)) == (422, [field])


def cells(*values: str, best: bool = False) -> str:
    """What the row of a run has, without the links."""
    return "".join(f'<td class="num">{f"<strong>{value}</strong>" if best else value}</td>' for value in values)


def unlinked(page: str) -> str:
    return re.sub(r'<td class="num"><a [^>]*>(.*?)</a> ?</td>', r'<td class="num">\1</td>', page)


def test_the_results_table_groups_by_team_and_marks_the_best(lab: Lab) -> None:
    page = page_of(lab, "evaluation")
    assert page.index(">Baselines<") < page.index(">Alpha<") < page.index(">Beta<")
    # alpha: 11 (3), 12 (0), 21 (2). DCG 3 + 2/2, ideal 3 + 2/log2(3): 4 / 4.2619; AP (1 + 2/3) / 2; bpref (1 + 0) / 2
    assert cells("0.9386", "0.8333", "0.2000", "0.5000", best=True) + cells("1.0000", "1") in unlinked(page)
    assert [flags in page for flags in ("<td>P</td>", "<td>M</td>", "<td>bP</td>")] == [True] * 3
    assert f'<a href="{escape(url_of("evaluation_run", lab))}&amp;measure=map"><strong>0.8333</strong></a>' in page
    for shown in (page.partition('id="evaluate"')[0], page_of(lab, "evaluation_run")):
        assert "nDCG′</" in shown
        assert "nDCG'" not in shown.replace("&#x27;", "'")
    for sort, order in {"ndcg": "alpha beta floor", "bpref": "alpha beta floor", "x": "floor alpha beta"}.items():
        page = page_of(lab, "evaluation", query=f"?sort={sort}")
        places = [page.index(f">{name}</a>") for name in order.split()]
        assert places == sorted(places), sort


def test_the_table_is_downloaded_for_spreadsheets_and_papers(lab: Lab) -> None:
    client = client_of(lab.cast.olga)
    text = client.get(url_of("evaluation_file", lab, file_format="csv")).content.decode()
    header, *rows = csv.reader(text.splitlines())
    assert ",".join(header) == "run,team,kind,pooled,flags,data,nDCG',MAP',P'@10,bpref,judged@10,topics"
    assert [row[0] for row in rows] == ["floor", "alpha", "beta"]
    assert rows[1][:6] == ["alpha", "Alpha", "primary", "yes", "P", "B"]
    assert float(rows[1][7]) == pytest.approx(5 / 6)
    two = "&measures=map&measures=p10"
    paper = client.get(url_of("evaluation_file", lab, file_format="tex") + two).content.decode()
    assert r"\multicolumn{7}{l}{\textit{Baselines}}" in paper
    assert r"alpha & P & B & \textbf{0.833} & \textbf{0.200} & 1.000 & 1 \\" in paper
    assert client.get(url_of("evaluation_file", lab, file_format="pdf")).status_code == 404
    for name in ("evaluation", "evaluation_file"):
        assert client.get(f"{url_of(name, lab)}&part=nonsense").status_code == 404


@pytest.mark.parametrize(("share", "marks", "measures"), [(0.79, 1, []), (0.8, 0, ["judged@10"])])
def test_a_run_of_which_less_than_80_percent_is_judged_is_marked(
    share: float, marks: int, measures: list[str], lab: Lab
) -> None:
    lab.evaluation.measures += measures  # asked for, so that it stands there once
    lab.evaluation.save()
    lab.evaluation.profiles.update(judged={"A.1": 1.0, "A.2": 2 * share - 1})
    lab.evaluation.profiles.exclude(run__name="beta").update(judged={"A.1": 1.0, "A.2": 1.0})
    page = page_of(lab, "evaluation")
    assert page.count(">low</span>") == marks
    assert page.count(">judged@10</a>") == page.count(f"{share:.4f}</a>") == 1


def test_two_sets_stand_side_by_side_and_lead_to_their_own_campaign(lab: Lab) -> None:
    earlier = make_campaign(name="The year before")
    Campaign.objects.filter(pk=earlier.pk).update(edition="ARQMath-1")
    other = make_evaluation(earlier, {"alpha": {"A.1": 0.25}})
    page = page_of(lab, "evaluation", query=f"?sets={other.pk}&sets=all&sort=ndcg-{other.pk}")
    assert page.index(">The year before, release 1<") < page.index(f">{lab.campaign}</a></th>")
    assert (f"sort=map-{other.pk}" in page, "sort=map-all" in page) == (True, False)
    run = earlier.runs.get()
    address = url_of("evaluation_run", lab, slug=earlier.slug, pk=other.pk, run_pk=run.pk)
    assert f'<a href="{escape(address)}&amp;measure=ndcg"><strong>0.2500</strong></a>' in page
    assert page.index(">alpha</a>") < page.index(">floor</a>")  # sorted by the column of the other set
    assert "was scored with other options: mean over: the run's judged topics; gain: the grade; relevant" in (
        page.replace("&#x27;", "'")
    )
    for wrong in (f"?sets={other.pk + 1}", "?sets=x"):
        assert "The year before" not in page_of(lab, "evaluation", query=wrong).partition("Choose columns")[0]


def test_a_run_is_shown_topic_by_topic(lab: Lab) -> None:
    page = page_of(lab, "evaluation_run", query="?measure=map")
    assert ("1 of 2 topics" in page, "No value: A.2." in page) == (True, True)
    assert url_of("pool_topic", lab, topic_id="A.1") in page
    row = cells("0.9386", "0.8333", "0.2000", "0.5000")
    # MAP': alpha (1 + 2/3) / 2, beta (1/2 + 2/3) / 2, floor 0
    assert f">A.1</a></th>{row}{cells('0.5833')}" in page
    assert f'<th scope="row">Mean</th>{row}' in page
    charts = json_in(page, "results-data")
    [bar] = charts["topics"]
    assert (bar["topic"], round(bar["value"], 4), round(bar["median"], 4), bar["lowest"]) == ("A.1", 0.8333, 0.5833, 0)


def test_a_run_without_values_of_topics_has_a_page_that_says_why(lab: Lab) -> None:
    made = evaluation.evaluate(lab.release, "run", on_progress, measures=["bpref hm"])
    run = lab.campaign.runs.get(name="alpha")
    page = page_of(lab, "evaluation_run", pk=made.pk, run_pk=run.pk)
    assert ("have means only" in page, 'id="topics"' in page) == (True, False)


def test_a_run_is_shown_by_rank(lab: Lab) -> None:
    add_profile(lab.evaluation, "alpha", [(1, 1, 1, 1, 3), (5, 6, 4, 2, 1)])
    page = page_of(lab, "evaluation_run")
    assert f"5 to 6</th>{cells('4', '2', '0.500', '0.500')}" in page
    charts = json_in(page, "results-data")
    assert (charts["highest"], charts["last"]) == (3, 6)


def test_a_report_is_a_job_on_the_latest_scores(lab: Lab) -> None:
    assert "if another assessor had judged" in page_of(lab, "reliability")
    second = evaluation.evaluate(lab.release, "run", on_progress)
    client = client_of(lab.cast.olga)
    client.post(url_of("job_start", lab, kind="reliability"))
    assert (Job.objects.get().kind, Job.objects.get().params) == ("reliability", {"evaluation": second.pk})
    Evaluation.objects.all().delete()
    page = page_of(lab, "reliability")
    assert "score the runs</a> first" in page
    assert url_of("job_start", lab, kind="reliability") not in page
    answer = client.post(url_of("job_start", lab, kind="reliability"), follow=True)
    assert "Nothing has been scored" in answer.content.decode()


def test_numbers_stand_in_tables_and_lead_to_what_is_behind_them(lab: Lab) -> None:
    report = reliability.report_reliability(lab.evaluation, on_progress)
    saved = client_of(lab.cast.olga).get(url_of("reliability_file", lab, pk=report.pk)).json()
    assert saved == {"assessors": report.assessors, "reusability": report.reusability}
    page = page_of(lab, "reliability")
    assert f'href="{url_of("reliability_file", lab, pk=report.pk)}"' in page
    _, _, row = page[page.index('id="leaderboards"') :].partition(
        f'<a href="{escape(url_of("evaluation_run", lab))}">alpha</a>'
    )
    assert '</th><td class="num">0.9386</td><td class="num">1</td><td class="num">1.0000</td>' in row[:90]
    assert "The pool was imported without its runs" in page
    assert (page.count(">After</th>"), page.count(">Place after</th>")) == (1, 1)
    assert "withdrawn since" not in page
    lab.campaign.runs.filter(name="alpha").update(withdrawn=lab.release.created)
    page = page_of(lab, "reliability", query="?measure=bpref&assessors=99")
    assert "It still has alpha, withdrawn since: compute it again." in page
    assert 'aria-current="true">bpref</a>' in page
    assert page_of(lab, "reliability", query="?measure=x&assessors=z")


def test_a_run_that_is_not_pooled_is_marked(lab: Lab, tmp_path: Path) -> None:
    add_run(lab.campaign, tmp_path, "A.1\t77\t1\t9\tlate\nA.1\t11\t2\t8\tlate\n", pool_role="none")
    assert "1 run is not scored yet" in page_of(lab, "results")
    scored = evaluation.evaluate(lab.release, "qrels", on_progress)
    assert "not scored yet" not in page_of(lab, "results")
    paper = client_of(lab.cast.olga).get(url_of("evaluation_file", lab, pk=scored.pk, file_format="tex"))
    assert "late{*} & P" in paper.content.decode()
    assert [">late</a>" in page_of(lab, "evaluation", pk=each.pk) for each in (lab.evaluation, scored)] == [False, True]
    reliability.report_reliability(scored, on_progress)
    page = page_of(lab, "reliability")
    assert '<td colspan="4" class="quiet">not pooled</td><td class="num">50.0 %</td>' in page
