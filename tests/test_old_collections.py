"""Campaigns of published files alone: topics, qrels and runs, without texts and assessors."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from assess.ir.results.release_options import ReleaseOptions
from assess.models import Judgment, Qrels
from assess.services import pipeline
from assess.services.campaign import campaigns
from assess.services.judging.progress import MainRound
from assess.services.pool import source_pool
from assess.services.results import evaluation, qrels, statistics, topic_set
from assess.services.results.verification import verify
from assess.services.runs import runs
from tests.cast import make_cast, on_progress
from tests.real import data_file
from tests.sources import make_source

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

FILES = {  # preset, topics, qrels, judgments, topics judged
    "2020": ("arqmath1-task1", "topics.arqmath-2020-task1-origin.xml", "qrels.arqmath-2020-task1.txt", 39124, 77),
    "2021": (
        *("arqmath2-task1", "topics.arqmath-2021-task1-origin.xml", "qrels.arqmath-2021-task1-official.txt"),
        *(31788, 71),
    ),
}
SCORED = (
    "Linked_MSE.tsv",
    "prim_MathDowsers-task1-alpha05noReRank-auto-both-A.tsv",
    "prim_MIRMU-task1-Ensemble-auto-both-A.tsv",
    "prim_psu-task1-auto-both-P.tsv",
    "prim_psu-task1-auto-both-A2.tsv",
)


@pytest.fixture
def published(request: pytest.FixtureRequest, tmp_path: Path) -> Qrels:
    """The release of the published qrels of a year, in a campaign of its topics and qrels alone."""
    preset, topics, judged, *_ = FILES[request.param]
    cast = make_cast()
    campaign = campaigns.create(name=f"ARQMath {request.param}", preset=preset, by=cast.olga, seed=1)
    with data_file(f"topics/{topics}").open("rb") as file:
        campaigns.import_topics(campaign, file, topics)
    source = make_source(campaign, tmp_path, data_file(f"qrels/{judged}").read_text(), "official", "human")
    pool = source_pool.make(campaign, source, cast.olga, on_progress)
    return qrels.release(pool, cast.olga, on_progress, ReleaseOptions(sources=("official",)))


def check_released(release: Qrels, year: str) -> None:
    """The release has exactly the lines of the published file, in the order of topic and document."""
    _, _, name, judgments, topics = FILES[year]
    lines = data_file(f"qrels/{name}").read_text().splitlines()
    text = qrels.as_file(release, "post")
    assert text == "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line.split("\t")))
    assert release.counts == {"post": {"lines": judgments, "topics": topics}}
    assert MainRound(**release.main_round).is_complete
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("published", ["2020"], indirect=True)
def test_the_qrels_of_2020_give_the_published_scores(published: Qrels) -> None:
    check_released(published, "2020")
    campaign = published.pool.campaign
    uploads = [data_file(f"runs/arqmath1-task1/{name}") for name in SCORED]
    metas = [runs.RunMeta(path.name, "team", name=path.name, pool_role="none") for path in uploads]
    runs.import_runs(campaign, list(map(runs.RunUpload, uploads, metas)), on_progress)
    made = evaluation.evaluate(published, "qrels", on_progress)
    means = {(mean["run"], mean["measure"]): f"{mean['value']:.4f}" for mean in made.means}
    with data_file("expected_results.tsv").open() as file:
        rows = [
            row for row in csv.DictReader(file, delimiter="\t") if row["n_topics"] == "77" and row["order"] == "score"
        ]
    expected = {Path(row["run"]).name: row for row in rows}
    columns = {"nDCG'": "nDCG'", "MAP'": "MAP'(rel>=2)", "P'@10": "P'@10(rel>=2)", "bpref": "bpref(rel>=2)"}
    assert means == {(name, measure): expected[name][column] for name in SCORED for measure, column in columns.items()}
    assert [step.key for step in pipeline.steps(campaign) if step.is_needed and not step.is_done] == []


@pytest.mark.parametrize("published", ["2021"], indirect=True)
def test_the_qrels_of_2021_give_the_published_statistics(published: Qrels) -> None:
    check_released(published, "2021")
    campaign, pool = published.pool.campaign, published.pool
    shown = statistics.statistics(campaign, pool)
    assert shown
    spreads = {row.name: row for row in shown.spreads}
    judged, relevant = spreads["Judged answers"], spreads["H+M+L answers"]
    assert (judged.topics, round(judged.mean, 1), round(relevant.mean, 1)) == (71, 447.7, 49.0)
    assert (relevant.most, relevant.most_topic, relevant.fewest, relevant.fewest_topic) == (134, "A.237", 4, "A.227")
    kinds = Counter(row.kind for row in topic_set.topic_set(campaign, pool))
    assert kinds == {"test": 71, "": 29}
    done = verify(published)
    assert (done.is_intact, done.effect, done.problems) == (True, [], [])
