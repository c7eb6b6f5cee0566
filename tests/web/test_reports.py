"""Progress, agreement, releases and results: who sees them, that they say what the services computed, and that
the files are right to the byte."""

import json

import pytest
from django.urls import reverse

from assess.models import AgreementReport, Evaluation, Job, Qrels
from assess.services import agreement, evaluation, progress, qrels, results
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, tell
from tests.lab import client_of, judge, make_lab, queries

pytestmark = pytest.mark.django_db

STAFF = ["progress", "agreement", "agreement_report", "releases", "release", "release_protocol", "release_file"]
ORGANIZERS = ["results", "evaluation", "evaluation_file", "evaluation_run"]
POST = ["agreement_start", "release_start", "evaluation_start"]


@pytest.fixture
def lab(tmp_path):
    return make_lab(tmp_path)


def url_of(name, lab, **more):
    arguments = {
        "agreement_report": {"pk": lab.report.pk},
        "release": {"version": 1},
        "release_protocol": {"version": 1},
        "release_file": {"version": 1, "unit": "post", "grades": "graded"},
        "evaluation": {"pk": lab.evaluation.pk},
        "evaluation_file": {"pk": lab.evaluation.pk},
        "evaluation_run": {"pk": lab.evaluation.pk, "run_pk": lab.campaign.runs.get(name="alpha").pk},
    }
    return reverse(name, kwargs={"slug": lab.campaign.slug, **arguments.get(name, {}), **more})


def page_of(lab, name, person="olga", query="", **more):
    response = client_of(getattr(lab.cast, person)).get(url_of(name, lab, **more) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def statuses(lab, url):
    """What everybody gets for an address, nobody being the one who is not signed in."""
    people = {**lab.cast._asdict(), "nobody": None}
    return {name: client_of(user).get(url).status_code for name, user in people.items() if name != "emmy"}


@pytest.mark.parametrize("name", STAFF)
def test_organizers_and_experts_follow_the_judging(name, lab):
    found = statuses(lab, url_of(name, lab))
    assert found == {"olga": 200, "kurt": 200, "ada": 403, "mallory": 404, "nobody": 302}


@pytest.mark.parametrize("name", ORGANIZERS)
def test_only_organizers_see_runs_and_results(name, lab):
    found = statuses(lab, url_of(name, lab))
    assert found == {"olga": 200, "kurt": 403, "ada": 403, "mallory": 404, "nobody": 302}


@pytest.mark.parametrize("name", POST)
def test_only_organizers_start_jobs(name, lab):
    given = {"qrels": lab.release.pk, "average": "qrels", "min_relevant": 0}
    for person, status in {"kurt": 403, "ada": 403, "mallory": 404, None: 302}.items():
        response = client_of(person and getattr(lab.cast, person)).post(url_of(name, lab), given)
        assert response.status_code == status, person
    assert not Job.objects.exists()
    assert client_of(lab.cast.olga).get(url_of(name, lab)).status_code == 405


@pytest.mark.parametrize("name", STAFF)
def test_experts_see_neither_runs_nor_buttons(name, lab):
    page = client_of(lab.cast.kurt).get(url_of(name, lab)).content.decode()
    main = page[page.find("<main") :]
    assert "<form" not in main
    assert name == "release_protocol" or "alpha" not in main


def test_outsiders_campaigns_do_not_mix(lab):
    other = make_campaign(name="Other")
    arguments = {"slug": other.slug, "pk": lab.evaluation.pk}
    assert client_of(lab.cast.olga).get(reverse("evaluation", kwargs=arguments)).status_code == 404
    arguments = {"slug": other.slug, "version": 1}
    assert client_of(lab.cast.olga).get(reverse("release", kwargs=arguments)).status_code == 404
    arguments = {"slug": other.slug, "pk": lab.report.pk}
    assert client_of(lab.cast.olga).get(reverse("agreement_report", kwargs=arguments)).status_code == 404


def test_progress_says_what_the_service_counts(lab):
    page = page_of(lab, "progress")
    view = progress.overview(lab.pool)
    assert (view.whole.judged, view.whole.total, view.whole.percent) == (4, 8, 50)
    assert "<strong>4</strong> of 8 answers judged (50 %), 4 left" in page
    assert "2.0 seconds of attention on average" in page  # ada's; emmy's 4.0 are not official
    assert "1 topic without an official assessor" in page
    assert '<span class="badge grade-3">High</span></th><td class="num">1</td><td class="num">25.0 %</td>' in page
    assert '<span class="badge outcome">System failure</span></th><td class="num">1</td>' in page
    emmy = page[page.rindex('<th scope="row">emmy</th>') :]
    assert '<td class="num">4</td><td class="num">4</td>' in emmy  # judged, of
    # H M L N, outcomes, mean, median
    assert "".join(f'<td class="num">{n}</td>' for n in (0, 1, 1, 2, 0, "4.0", "4.0")) in emmy


def test_without_a_pool_there_is_no_progress_yet():
    campaign = make_campaign()
    cast = make_cast(campaign)
    page = client_of(cast.kurt).get(reverse("progress", args=[campaign.slug])).content.decode()
    assert "Judging starts once the pool is frozen" in page


def test_agreement_is_told_in_numbers_and_as_data_for_the_chart(lab):
    page = page_of(lab, "agreement")
    # by hand in tests/services/test_reports.py: 4-way 0, H+M 0.4 over three answers
    numbers = '<td class="num">3</td><td class="num">0.3333</td><td class="num">0.0000</td><td class="num">0.4000</td>'
    assert f'<th scope="row">ada, emmy</th>{numbers}<td class="quiet">1 with an outcome left out</td>' in page
    source = page.split('<script id="agreement-data" type="application/json">')[1].split("</script>")[0]
    assert json.loads(source) == [
        {"assessor": "ada", "kappa": pytest.approx(0), "kappa_hm": pytest.approx(0.4)},
        {"assessor": "emmy", "kappa": pytest.approx(0), "kappa_hm": pytest.approx(0.4)},
    ]
    # the one answer that ada finds high is medium for emmy
    high = '<th scope="row">3</th><td class="num">0</td><td class="num">0</td><td class="num">1</td>'
    assert high in page


def test_an_undefined_kappa_is_a_dash_with_its_reason():
    campaign = make_campaign()
    cast, pool = make_cast(campaign), make_pool(campaign)
    for person, kind in ((cast.ada, "main"), (cast.emmy, "dual")):
        judge(make_assignment(pool, person, kind=kind), {"11": "3", "12": "3"})
    agreement.report(pool, tell, "host:1")
    page = " ".join(client_of(cast.olga).get(reverse("agreement", args=[campaign.slug])).content.decode().split())
    dash = '<td class="num"><span title="both raters constant">—</span></td>'
    assert f'{dash}{dash}<td class="quiet">kappa undefined: both raters constant</td>' in page


def test_agreement_is_a_job(lab):
    client_of(lab.cast.olga).post(url_of("agreement_start", lab))
    job = Job.objects.get()
    assert (job.kind, job.params) == ("agreement", {"pool": lab.pool.pk})


def test_without_a_frozen_pool_agreement_is_refused():
    campaign = make_campaign()
    cast = make_cast(campaign)
    response = client_of(cast.olga).post(reverse("agreement_start", args=[campaign.slug]), follow=True)
    assert "no frozen pool" in response.content.decode()
    assert not Job.objects.exists()


def test_older_reports_stay_readable(lab):
    AgreementReport.objects.create(
        pool=lab.pool, judgments=9, pairs=[], assessors=[], topics=[], made_by="host:2"
    )  # later
    assert "from 9 judgments" in page_of(lab, "agreement")
    older = page_of(lab, "agreement_report")
    assert "from 8 judgments" in older
    assert "an older report" in older


def test_a_release_is_a_job_with_its_threshold(lab):
    client_of(lab.cast.olga).post(url_of("release_start", lab), {"min_relevant": 2, "note": "final"})
    assert Job.objects.get().params == {"pool": lab.pool.pk, "min_relevant": 2, "note": "final"}


@pytest.mark.parametrize("given", [{"min_relevant": -1}, {"min_relevant": ""}, {"min_relevant": 0, "note": "x" * 201}])
def test_a_wrong_release_is_refused_at_the_field(given, lab):
    response = client_of(lab.cast.olga).post(url_of("release_start", lab), given)
    assert response.status_code == 400
    assert list(response.context["form"].errors) == [list(given)[-1]]
    assert not Job.objects.exists()


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


def test_an_evaluation_is_a_job_with_its_options(lab):
    page = client_of(lab.cast.olga).get(url_of("results", lab))
    assert page.context["form"]["average"].value() == "qrels"  # as the labs did for answers
    client_of(lab.cast.olga).post(url_of("evaluation_start", lab), {"qrels": lab.release.pk, "average": "run"})
    assert Job.objects.get().params == {"qrels": lab.release.pk, "average": "run"}


@pytest.mark.parametrize(("given", "field"), [({"average": "all"}, "average"), ({"qrels": 999}, "qrels")])
def test_a_wrong_evaluation_is_refused_at_the_field(given, field, lab):
    given = {"qrels": lab.release.pk, "average": "run"} | given
    response = client_of(lab.cast.olga).post(url_of("evaluation_start", lab), given)
    assert response.status_code == 400
    assert list(response.context["form"].errors) == [field]


def test_another_campaigns_release_cannot_be_chosen(lab):
    other = make_campaign(name="Other")
    given = {"qrels": lab.release.pk, "average": "run"}
    response = client_of(lab.cast.olga).post(reverse("evaluation_start", args=[other.slug]), given)
    assert list(response.context["form"].errors) == ["qrels"]


def test_the_results_table_groups_by_team_and_marks_the_best(lab):
    page = page_of(lab, "evaluation")
    assert page.index(">Baselines<") < page.index(">Alpha<") < page.index(">Beta<")
    # alpha: 11 (3), 12 (0), 21 (2). DCG 3 + 2/2, ideal 3 + 2/log2(3): 4 / 4.2619; AP (1 + 2/3) / 2; bpref (1 + 0) / 2
    best = "".join(f'<td class="num"><strong>{n}</strong></td>' for n in ("0.9386", "0.8333", "0.2000", "0.5000"))
    assert f'{best}<td class="num">1</td>' in page
    assert "Mean over all topics of the qrels" in page
    assert "<td>AM</td>" in page  # beta: alternate, manual
    stored = {(one["run"], one["measure"]): one["value"] for one in lab.evaluation.means}
    table = results.tables(lab.evaluation)["main"]
    assert {(line.run.name, name): cell.value for line in table.lines for name, cell in line.cells.items()} == stored


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("ndcg", ["alpha", "beta", "floor"]),
        ("bpref", ["alpha", "beta", "floor"]),
        ("nonsense", ["floor", "alpha", "beta"]),
    ],
)
def test_the_results_table_is_sorted_on_request(sort, order, lab):
    page = page_of(lab, "evaluation", query=f"?sort={sort}")
    places = [page.index(f">{name}</a>") for name in order]
    assert places == sorted(places)


def test_a_run_without_a_judged_topic_has_dashes(lab, tmp_path):
    scored = evaluation.evaluate(lab.release, "run", "host:1", tell)
    lab.campaign.runs.filter(name="floor").get().scores.filter(evaluation=scored).delete()
    table = results.tables(scored)["main"]
    assert [(line.run.name, line.topics, bool(line.cells)) for line in table.lines[:1]] == [("floor", 0, False)]
    page = page_of(lab, "evaluation", pk=scored.pk)
    assert page.count('<td class="num">—</td>') == 4


def test_results_are_downloaded_as_a_table(lab):
    response = client_of(lab.cast.olga).get(url_of("evaluation_file", lab))
    lines = response.content.decode().splitlines()
    assert lines[0] == "run\tteam\tkind\tmethod\tdata\tmeasure\tvalue\ttopics"
    assert "alpha\tAlpha\tprimary\tautomatic\tboth\tnDCG'\t0.9386\t1" in lines
    assert len(lines) == 1 + 3 * 4


def test_a_run_is_shown_topic_by_topic(lab):
    page = page_of(lab, "evaluation_run")
    row = "".join(f'<td class="num">{n}</td>' for n in ("0.9386", "0.8333", "0.2000", "0.5000"))
    assert f'<th scope="row">A.1</th>{row}' in page
    assert f'<th scope="row">Mean</th>{row}' in page


@pytest.mark.parametrize("name", ["releases", "results", "evaluation", "progress", "agreement"])
def test_lists_ask_no_query_per_row(name, lab):
    client = client_of(lab.cast.olga)
    before = queries(client, url_of(name, lab))
    for _ in range(5):
        agreement.report(lab.pool, tell, "host:1")
        qrels.release(lab.pool, lab.cast.olga, "host:1", tell)
        evaluation.evaluate(Qrels.objects.first(), "run", "host:1", tell)
    assert Evaluation.objects.count() == 6
    assert queries(client, url_of(name, lab)) == before
