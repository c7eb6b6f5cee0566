"""The pages of progress, agreement and disagreements show what the services computed."""

import json

import pytest
from django.urls import reverse
from lxml import html

from assess.models import AgreementReport, Assignment, Instance, Job, Judgment, Pool, Round
from assess.services.agreement import agreement
from assess.services.rounds import assignments
from assess.services.rounds.adjudication import adjudicate
from assess.services.scores import influence
from tests.cast import make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import Lab, client_of, judge
from tests.web.reports import page_of, url_of

pytestmark = pytest.mark.django_db


def test_progress_shows_what_the_service_counts(lab: Lab) -> None:
    page = page_of(lab, "progress")
    assert "<strong>4</strong> of 8 answers judged (50&nbsp;%), 4 left" in page
    assert "mean 2.0 s" in page  # ada's; emmy's 4.0 are not official
    assert "1 topic without an official assessor" in page
    assert numbers_of(page, "decisions", "High")[:2] == ["1", "25.0 %"]
    assert numbers_of(page, "decisions", "System failure")[0] == "1"
    # judged, of, H, M, L, N, outcomes, mean, median
    assert numbers_of(page, "assessors", "emmy")[1:] == ["4", "4", "0", "1", "1", "2", "0", "4.0", "4.0"]


def test_counts_stand_below_the_grades_of_the_campaign(lab: Lab) -> None:
    names = {2: ("Helpful", ""), 1: ("Partly", "P"), 0: ("Useless", "")}
    grades = [{"value": value, "name": name, "short": short} for value, (name, short) in names.items()]
    Pool.objects.update(protocol=lab.pool.protocol | {"grades": grades})
    page = page_of(lab, "progress")
    for table in ("topics", "assessors"):
        heads = html.fromstring(page).findall(f".//table[@id='{table}']/thead/tr/th")
        assert ["".join(map(str, head.itertext())) for head in heads][4:8] == ["Helpful", "P", "Useless", "Outcomes"]
    assert numbers_of(page, "assessors", "emmy")[3:7] == ["1", "1", "2", "0"]


def numbers_of(page: str, table: str, row: str) -> list[str]:
    """The cells of a row, by the texts of its table's id and its head."""
    rows = html.fromstring(page).findall(f".//table[@id='{table}']/tbody/tr")
    cells = [["".join(map(str, cell.itertext())) for cell in each] for each in rows]
    texts = [[" ".join(cell.split()) for cell in each] for each in cells]
    return next(each[1:] for each in texts if each[0] == row)


def test_agreement_is_shown_in_numbers_and_as_data_for_the_chart(lab: Lab) -> None:
    page = page_of(lab, "agreement")
    # ada 3 0 2, emmy 2 0 0: equal 1 of 3, and by chance p(0) 1/3 · 2/3 + p(2) 1/3 · 1/3 = 1/3: kappa 0
    # relevant: ada 1 0 1, emmy 1 0 0: equal 2/3, by chance 4/9: (2/3 − 4/9) / (5/9) = 0.4; three of six are relevant
    (pair,) = lab.report.pairs
    bounds = [f"{pair[name]['low']:.2f} to {pair[name]['high']:.2f}" for name in ("kappa", "kappa_hm")]
    intervals = [text.replace("-", "−") for text in bounds]
    linear, quadratic = (f"{pair['weighted'][name]['value']:.4f}" for name in ("linear", "quadratic"))
    assert numbers_of(page, "pairs", "ada, emmy") == [
        *("3", "0.0000", intervals[0], linear, quadratic, "0.4000", intervals[1], "0.3333", "0.50"),
        "1 with an outcome left out",
    ]
    assert numbers_of(page, "assessors", "emmy") == ["1", "0.0000", linear, quadratic, "0.4000", ""]  # one other
    source = page.split('<script id="agreement-data" type="application/json">')[1].split("</script>")[0]
    charts = json.loads(source)
    bars = [{"assessor": name, "kappa": pytest.approx(0), "kappa_hm": pytest.approx(0.4)} for name in ("ada", "emmy")]
    assert charts["panels"] == [{"name": "Main and dual", "bars": bars}]
    (square,) = charts["pairs"]
    assert (square["kappa"], square["kappa_hm"]) == (pytest.approx(0), pytest.approx(0.4))
    assert square["address"] == f"{url_of('disagreements', lab)}?first=ada&second=emmy&distance=0"
    assert "Stronger colour is higher." in page  # darker in light, lighter in dark mode
    assert [[row["kappa_hm"] for row in rows] for rows in charts["trends"]] == [[pytest.approx(0.4)]] * 2
    assert numbers_of(page, "topics", "A.1") == ["ada, emmy", "0.0000", "0.4000", "1", "3", "0.3333", ""]
    assert numbers_of(page, "trend", "Main and dual") == ["0.0000", "0.4000", "1", "3", "0.3333", ""]
    assert numbers_of(page, "together", "Krippendorff’s alpha, ordinal")[2] == "3 items"


def test_a_pair_has_its_grades_against_each_other(lab: Lab) -> None:
    page = page_of(lab, "agreement_pair")
    # the one answer that ada finds high is medium for emmy
    (matrix,) = html.fromstring(page).findall(".//table[@class='data matrix']/tbody")
    high = matrix[3].findall("td")
    assert ["".join(map(str, cell.itertext())) for cell in high] == ["0", "0", "1", "0"]
    address = high[2].find("a").get("href")
    assert client_of(lab.cast.olga).get(address).content.decode().count("<article") == 1
    assert "disagreements" not in page_of(lab, "agreement_pair", "kurt")
    client = client_of(lab.cast.olga)
    assert client.get(url_of("agreement_pair", lab, first="ada", second="nobody")).status_code == 404


def test_a_report_says_how_many_judgments_have_changed_since(lab: Lab) -> None:
    adjudicate(lab.pool, lab.cast.kurt, lab.cast.olga)
    judge(Assignment.objects.get(assessor=lab.cast.kurt), {"21": "1"})  # a settled grade does not make it old
    assert 'id="changes"' not in page_of(lab, "agreement") + page_of(lab, "agreement_pair")
    judge(lab.official, {"11": "0"})
    judge(lab.official, {"11": "1"})
    for page in (page_of(lab, "agreement"), page_of(lab, "agreement_pair")):
        assert "1 judgment made, changed or undone since" in page


def test_training_rounds_come_before_the_round_of_the_report(lab: Lab) -> None:
    training = make_pool(lab.campaign)
    for person in (lab.cast.ada, lab.cast.emmy):
        judge(make_assignment(training, person, kind="dual"), {"11": "3", "12": "0"})
    Round.objects.filter(pool=training, kind="dual").update(kind="training", name="First training")
    agreement.report(lab.pool, on_progress)
    page = page_of(lab, "agreement")
    rounds = [row["name"] for row in AgreementReport.objects.first().means["by_round"]]
    assert rounds == ["First training", "dual"]
    assert numbers_of(page, "trend", "First training")[0] == "1.0000"


def test_formulas_are_compared_by_instance_and_by_visual_id() -> None:
    campaign = make_campaign("arqmath3-task2")
    cast, pool = make_cast(campaign), make_pool(campaign)
    documents = list(Instance.objects.filter(entry__topic__topic_id="B.1").order_by("entry", "pk"))
    same = [each.doc_id for each in documents if each.entry_id == documents[0].entry_id]
    other = next(each.doc_id for each in documents if each.entry_id != documents[0].entry_id)
    judge(make_assignment(pool, cast.ada, topic="B.1"), {same[0]: "3", same[1]: "0", other: "0"})
    judge(make_assignment(pool, cast.emmy, topic="B.1", kind="dual"), {same[0]: "0", same[1]: "3", other: "0"})
    agreement.report(pool, on_progress)
    client, url = client_of(cast.olga), reverse("agreement", args=[campaign.slug])
    pages = [client.get(url, {"unit": unit}).content.decode() for unit in ("instance", "visual")]
    cells = [numbers_of(page, "pairs", "ada, emmy") for page in pages]
    assert [[row[0], row[7]] for row in cells] == [["3", "0.3333"], ["2", "1.0000"]]
    assert pages[0].count("Kappa, mean over topics") == 2
    pair = client.get(url, {"first": "ada", "second": "emmy"}).content.decode()
    assert ["grade=3&amp;other_grade=0" in pair, "grade=3&amp;other_grade=3" in pair] == [True, False]


def test_an_undefined_kappa_is_a_dash_with_its_reason() -> None:
    campaign = make_campaign()
    cast, pool = make_cast(campaign), make_pool(campaign)
    for person, kind in ((cast.ada, "main"), (cast.emmy, "dual")):
        judge(make_assignment(pool, person, kind=kind), {"11": "3", "12": "3"})
    agreement.report(pool, on_progress)
    page = client_of(cast.olga).get(reverse("agreement", args=[campaign.slug])).content.decode()
    assert '<span title="both raters constant">—</span>' in page
    assert numbers_of(page, "pairs", "ada, emmy")[1:] == [
        *("—", "", "—", "—", "—", "", "1.0000", "1.00"),
        "kappa undefined: both raters constant",
    ]


def test_judgments_of_a_topic_that_was_taken_back_are_not_compared() -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    pool = make_pool(campaign)
    assignment = make_assignment(pool, cast.ada)
    assignments.take_back_assignments([assignment], cast.olga)
    judge(assignment, {"11": "3", "12": "0"})
    judge(make_assignment(pool, cast.ada, kind="dual"), {"11": "2"})
    assert agreement.topics_judged_twice(pool) == 0
    judge(make_assignment(pool, cast.emmy), {"11": "2"})
    page = client_of(cast.olga).get(reverse("agreement", args=[campaign.slug])).content.decode()
    assert "1 topic has answers with grades" in page
    report = agreement.report(pool, on_progress)
    assert (report.judgments, [pair["n"] for pair in report.pairs]) == (2, [1])


@pytest.mark.parametrize("emmy", [{}, {"12": "2"}, {"11": "do_not_know"}])
def test_without_two_grades_for_one_answer_there_is_nothing_to_compare(emmy: dict[str, str]) -> None:
    campaign = make_campaign()
    cast, pool = make_cast(campaign), make_pool(campaign)
    judge(make_assignment(pool, cast.ada), {"11": "3"})
    judge(make_assignment(pool, cast.emmy, kind="dual"), emmy)
    agreement.report(pool, on_progress)
    client = client_of(cast.olga)
    page = client.get(reverse("agreement", args=[campaign.slug])).content.decode()
    assert ("Nothing has been graded by two assessors yet" in page, 'id="pairs"' in page) == (True, False)
    steps = {step.name: step for step in client.get(campaign.get_absolute_url()).context["steps"]}
    assert not steps["Agreement"].is_done


def test_without_a_frozen_pool_agreement_is_refused() -> None:
    campaign = make_campaign()
    cast = make_cast(campaign)
    response = client_of(cast.olga).post(reverse("agreement_start", args=[campaign.slug]), follow=True)
    assert "not frozen" in response.content.decode()
    assert not Job.objects.exists()


def test_only_pairs_with_common_items_are_stored(lab: Lab) -> None:
    """Of 1,000 assessors there are 499,500 pairs."""
    judge(make_assignment(lab.pool, lab.cast.kurt, topic="A.2"), {"11": "3"})
    report = agreement.report(lab.pool, on_progress)
    assert [(pair["first"], pair["second"]) for pair in report.pairs] == [("ada", "emmy")]
    assert [(row["assessor"], row["partners"]) for row in report.assessors] == [("ada", 1), ("emmy", 1), ("kurt", 0)]


def test_both_grades_stand_side_by_side_with_their_comments(lab: Lab) -> None:
    Judgment.objects.filter(assignment=lab.official).update(passage="so <it> follows")
    page = page_of(lab, "disagreements")
    assert page.count("<q ") == page.count("so &lt;it&gt; follows</q>") == 2
    first = page[page.index("<article") : page.index("</article>")]
    assert f'<a href="{reverse("preview", args=[lab.campaign.slug, lab.official.pk, 1])}"'.rpartition("/1/")[0] in first
    assert "2 apart" in first
    assert first.index('aria-label="ada"') < first.index("step-7") < first.index('aria-label="emmy"')
    assert page.count("<article") == 2


def test_filters_come_with_the_address(lab: Lab) -> None:
    page = page_of(lab, "disagreements", query="?first=ada&second=emmy&grade=0&other_grade=0&distance=0")
    assert page.count("<article") == 1
    assert "No two assessors disagree here" in page_of(lab, "disagreements", query="?topic=A.2")
    assert client_of(lab.cast.olga).get(url_of("disagreements", lab), {"topic": "nowhere"}).status_code == 422


def test_influence_is_shown_once_it_is_computed(lab: Lab) -> None:
    assert "To see influence, score the runs" in page_of(lab, "disagreements")
    agreement.report(lab.pool, on_progress, influence=influence.influence_of_disagreements(lab.pool))
    page = page_of(lab, "disagreements", query="?order=influence")
    assert "nDCG′ of" in page


def test_a_settled_grade_is_shown_and_leaves_no_influence(lab: Lab) -> None:
    adjudicate(lab.pool, lab.cast.kurt, lab.cast.olga)
    assert page_of(lab, "disagreements").count("with kurt") == 2
    judge(Assignment.objects.get(assessor=lab.cast.kurt), {"21": "1"})
    page = page_of(lab, "disagreements")
    assert (page.count("settled:"), page.count("by kurt: why"), page.count("with kurt")) == (1, 1, 1)
    assert "of 2 answers, 1 is settled" in page_of(lab, "rounds")
    assert "To have disagreements settled" not in page
    for state, number in (("open", 0), ("expert", 1), ("settled", 1)):
        assert page_of(lab, "disagreements", query=f"?state={state}").count("<article") == number
    known = influence.influence_of_disagreements(lab.pool)["documents"]
    assert list(known) == [str(Instance.objects.get(doc_id="11", entry__topic__topic_id="A.1").pk)]
