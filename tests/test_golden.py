"""The demo has the results in fixtures/demo/expected, computed by the steps of a campaign as well as by the commands.
And one topic of Task 2 step by step, with the numbers of its README."""

from collections.abc import Iterable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.ir.scores import measures
from assess.models import Assignment, Campaign
from assess.services import demo
from assess.services.common import history
from assess.services.pool import pools
from assess.services.releases import qrels
from assess.services.rounds.pace import minutes_of_day
from tests.management.terminal import run
from tests.real import ROOT

pytestmark = pytest.mark.engines

DEMO = ROOT / "fixtures" / "demo"
EXPECTED = {path.name: path.read_bytes() for path in (DEMO / "expected").iterdir()}
INDEX = DEMO / "collection" / "formulas.v3.tsv"
HAND = DEMO / "hand"
STORED = sorted(name for name in EXPECTED if not name.endswith(".judgments.tsv"))
"""The judgments are the input for the kappas, not a result."""


class Loaded:
    """The demo as stored by the steps of a campaign: its files by name, and what depends on the seed."""

    def __init__(self, campaigns: Iterable[Campaign]) -> None:
        self.files: dict[str, str] = {}
        self.orders: dict[tuple[str, str], list[str]] = {}
        self.topics: dict[str, dict[str, Any]] = {}
        self.history: list[tuple[str, str]] = []
        ada = User.objects.get(username="ada")
        self.minutes_today = minutes_of_day(ada, timezone.now(), UTC)
        for campaign in campaigns:
            pool = campaign.frozen_pool()
            report, release = pool.agreement_reports.get(), pool.qrels.get()
            name = campaign.slug
            self.history += [(line.by, line.text) for line in history.history(campaign)]
            self.files[f"{name}.pool.tsv"] = pools.pool_as_file(pool)
            self.files[f"{name}.kappa.pairs.tsv"] = table(PAIR, report.pairs)
            self.files[f"{name}.kappa.assessors.tsv"] = table(ASSESSOR, report.assessors)
            for unit in release.counts:
                self.files[f"{name}.qrels.{unit}.graded.txt"] = qrels.as_file(release, unit)
                self.files[f"{name}.qrels.{unit}.hm.txt"] = qrels.as_file(release, unit, binary=True)
            self.files |= scores(name, release.evaluations.get().means)
            self.topics |= {pair["topic"]: pair for pair in report.topics}
            units = dict(pool.entries.values_list("pk", "unit_id"))
            for assignment in Assignment.objects.filter(round__pool=pool).select_related("assessor", "topic"):
                key = assignment.assessor.username, assignment.topic.topic_id
                self.orders[key] = [units[pk] for pk in assignment.order]


PAIR = ("first", "second", "n", "agreement", "kappa", "kappa_hm", "note")
ASSESSOR = ("assessor", "partners", "kappa", "kappa_hm", "note")
MEAN = ("run", "measure", "value", "topics")


def table(columns: Iterable[str], rows: Iterable[dict[str, Any]]) -> str:
    """Rows of a stored report in the format of the commands."""
    lines = ["\t".join(columns), *("\t".join(cell(row[name]) for name in columns) for row in rows)]
    return "".join(f"{line}\n" for line in lines)


def cell(value: Any) -> str:
    value = value["value"] if isinstance(value, dict) else value  # a kappa with its reason
    return "—" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


def scores(name: str, means: Iterable[dict[str, Any]]) -> dict[str, str]:
    """The stored means by run, in separate files for posts and written answers."""
    rows = sorted(means, key=lambda row: row["run"])
    written = [row for row in rows if row["measure"] in measures.WRITTEN_MEASURES]
    files = {f"{name}.scores.tsv": table(MEAN, [row for row in rows if row not in written])}
    return files | ({f"{name}.scores.written.tsv": table(MEAN, written)} if written else {})


def load(seed: int = demo.SEED) -> Loaded:
    """Load the demo, read it, and roll back."""
    with transaction.atomic():
        loaded = Loaded(demo.load_demo(DEMO, seed))
        transaction.set_rollback(True)
    return loaded


@pytest.fixture(scope="module")
def stored(django_db_setup: None, django_db_blocker: Any) -> Loaded:
    with django_db_blocker.unblock():
        return load()


@pytest.mark.django_db
@pytest.mark.parametrize("name", STORED)
def test_the_steps_of_a_campaign_store_the_expected_results(stored: Loaded, name: str) -> None:
    assert stored.files[name].encode() == EXPECTED[name]


@pytest.mark.django_db
def test_the_demo_has_just_these_files_no_work_of_today_and_a_history_that_says_what_it_is(stored: Loaded) -> None:
    assert sorted(stored.files) == STORED
    undefined = {topic: pair["note"] for topic, pair in stored.topics.items() if pair["kappa_hm"]["value"] is None}
    assert undefined == {"A.403": "H+M undefined: both raters constant"}  # a topic without relevant answers
    assert stored.minutes_today == 0
    first, second = stored.history
    loaded = "Loaded from the demo’s files: 12 topics, 8 runs, a frozen pool, 279 judgments and a first release"
    assert first == ("olga", f"{loaded} with its scores.")
    assert second[1].startswith("Loaded from the demo’s files")


@pytest.mark.sqlite
@pytest.mark.django_db
def test_the_seed_decides_the_order_of_judging(stored: Loaded) -> None:
    assert stored.orders["ada", "A.401"][:3] == ["99372", "42123", "49130"]  # on every machine
    assert stored.orders["emmy", "A.402"][:4] == ["53169", "69190", "128515", "d_fc93e168b6"]
    other = load(demo.SEED + 1)
    for name in ("demo-task1.pool.tsv", "demo-task2.pool.tsv"):  # these pools do not depend on ties
        assert other.files[name] == stored.files[name]
    assert other.orders.keys() == stored.orders.keys()
    for key, order in stored.orders.items():
        assert sorted(other.orders[key]) == sorted(order)
        assert other.orders[key] != order


def runs_of(*tasks: str) -> list[Path]:
    return [path for task in tasks for path in sorted((DEMO / "runs" / task).iterdir())]


@pytest.mark.parametrize(
    ("name", "tasks", "words"),
    [("demo-task1", ["task1", "task3"], []), ("demo-task2", ["task2"], ["--formula-index", INDEX])],
)
def test_the_command_prints_the_pool(name: str, tasks: list[str], words: list[Any], tmp_path: Path) -> None:
    metadata = [line.split("\t") for line in (DEMO / "runs.tsv").read_text().splitlines()[1:]]
    roles = [f"{row[2]}\t{row[6]}\n" for row in metadata if row[0].split("/")[0] in tasks]
    (tmp_path / "roles.tsv").write_text("".join(roles))
    _, preset, _, depths = demo.CAMPAIGNS[name]
    words = [*words, "--preset", preset, "--roles", tmp_path / "roles.tsv", "--seed", demo.SEED]
    words += ["--primary-depth", depths["primary_depth"], "--alternate-depth", depths["alternate_depth"]]
    assert run("pool", "--run", *runs_of(*tasks), *words).out.encode() == EXPECTED[f"{name}.pool.tsv"]


@pytest.mark.parametrize("name", demo.CAMPAIGNS)
@pytest.mark.parametrize(("by", "file"), [("pair", "pairs"), ("assessor", "assessors")])
def test_the_command_prints_the_kappas(name: str, by: str, file: str) -> None:
    printed = run("kappa", "--judgments", DEMO / "expected" / f"{name}.judgments.tsv", "--by", by)
    assert printed.out.encode() == EXPECTED[f"{name}.kappa.{file}.tsv"]


@pytest.mark.parametrize(
    ("file", "judged", "task", "words"),
    [
        ("demo-task1.scores.tsv", "demo-task1.qrels.post.graded.txt", "task1", []),
        ("demo-task1.scores.written.tsv", "demo-task1.qrels.written.graded.txt", "task3", []),
        ("demo-task2.scores.tsv", "demo-task2.qrels.visual.graded.txt", "task2", ["--formula-index", INDEX]),
    ],
)
def test_the_command_prints_the_scores(file: str, judged: str, task: str, words: list[Any]) -> None:
    printed = run("score", "--qrels", DEMO / "expected" / judged, "--run", *runs_of(task), *words)
    assert without_judged(printed.out).encode() == EXPECTED[file]


def without_judged(table: str) -> str:
    """The values alone: judged@10 says how much they are worth."""
    return "".join(line for line in table.splitlines(keepends=True) if "\tjudged@10\t" not in line)


def test_the_commands_print_the_scores_and_the_pool_of_the_hand_example(tmp_path: Path) -> None:
    files = ["--run", HAND / "run.tsv", "--formula-index", HAND / "formulas.v3.tsv"]
    printed = run("score", "--qrels", HAND / "qrels.tsv", *files)
    assert without_judged(printed.out).encode() == (HAND / "expected" / "scores.tsv").read_bytes()
    assert printed.rows[-1] == ["hand", "judged@10", "0.8333", "1"]  # 5 of 6 units
    assert printed.err == "warning: hand: 1 of 8 formulas have no visual id and are skipped\n"  # 1999
    (tmp_path / "roles").write_text("hand\tprimary\n")
    words = ["--roles", tmp_path / "roles", "--preset", "arqmath3-task2", "--primary-depth", 3, "--seed", 1]
    assert run("pool", *files, *words).out.encode() == (HAND / "expected" / "pool.tsv").read_bytes()
