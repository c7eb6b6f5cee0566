"""The benchmarks: that they do all their steps, and that a limit which is not kept shows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from assess.models import Judgment, JudgmentEvent
from assess.services.desk import documents
from benchmarks import campaign, lab, lab_checks, load, pages, pools, rejudged, scores, simulation
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.lab import judge
from tests.real import data_file

pytestmark = pytest.mark.sqlite

SMALL = pools.Shares(1 / 2000, 1 / 50)
PLENTY = 1e9


@pytest.mark.whole_benchmark
def test_a_slow_step_makes_the_exit_code_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    limits = {name: pools.Limit(limit.work, PLENTY) for name, limit in pools.LIMITS.items()}
    monkeypatch.setattr(pools, "QUICK", SMALL)
    monkeypatch.setattr(pools, "LIMITS", limits | {"formulas": pools.Limit("lowered", 0.0001)})
    assert pools.main(["--quick"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0].strip() for line in lines if "MISSED" in line] == ["lowered"]
    for limit in pools.LIMITS.values():
        assert any(line.strip().startswith(limit.work) for line in lines)


def test_a_benchmark_says_what_to_run_where_the_packages_of_the_tests_are_missing() -> None:
    hide = "import sys; from importlib.machinery import PathFinder as Real\n"
    hide += "find = Real.find_spec\n"
    hide += "Real.find_spec = lambda name, *more: None if name == 'playwright' else find(name, *more)\n"
    start = f"{hide}from benchmarks.desk import main; sys.exit(main(['--quick']))"
    done = subprocess.run([sys.executable, "-c", start], cwd=settings.BASE_DIR, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "This needs the tests' packages (playwright missing). Run: tools/setup.sh --tests"
    ]


@pytest.mark.whole_benchmark
def test_load_is_measured_and_checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    data_file("posts/Posts.xml")
    monkeypatch.setattr(load, "QUICK", load.Size(14, 8, 6, 4, 2))
    monkeypatch.setattr(load, "PAUSE", 0.1)
    monkeypatch.setattr(load, "SHARES", {"SQLite": 0.1})
    monkeypatch.setattr(load, "LIMITS", {"alone": 0.001, "crowd": 1e6, "pausing": 1e6})
    assert load.main(["--quick", "--engine", "SQLite"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].strip() for line in lines if "MISSED" in line] == ["ms, one assessor alone, median"]
    assert any("otherwise than sent: 0 " in line for line in lines)


@pytest.mark.parametrize(("change", "wrong"), [("none", 0), ("lost", 2), ("other", 1), ("twice", 1)])
@pytest.mark.django_db
def test_lost_judgments_count(change: str, wrong: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assignment = make_assignment(make_pool(small := make_campaign()), make_cast(small).ada)
    judge(assignment, {"11": "3", "12": "0"})
    sent = {str(judgment.instance_id): judgment.decision for judgment in Judgment.objects.all()}
    if change == "lost":
        sent |= {"0": "1"}  # neither judgment nor event
    elif change == "other":
        sent = dict.fromkeys(sent, "3")
    elif change == "twice":
        event = JudgmentEvent.objects.first()
        event.pk, event.key = None, "again"
        event.save()
    (tmp_path / "sent").write_text(json.dumps(sent))
    load.check(tmp_path / "sent")
    assert json.loads(capsys.readouterr().out) == {"wrong": wrong}


@pytest.mark.django_db
def test_formulas_of_real_posts_are_judged_too() -> None:
    data_file("posts/Posts.xml")
    (assignment,) = campaign.make(1, 10, 1, are_formulas=True)
    cards = [documents.open_item(assignment, place).cards for place in range(1, 11)]
    assert all(2 <= len(shown) <= campaign.MOST_INSTANCES for shown in cards)
    assert all(card.body for shown in cards for card in shown)


@pytest.mark.whole_benchmark
@pytest.mark.django_db(transaction=True)
def test_a_simulated_lab_agrees_with_its_own_log() -> None:
    """So small, a careless assessor need not stand out; everything else holds."""
    data_file("posts/Posts.xml")
    with simulation.server() as (address, clock):
        played = simulation.Simulation(address, clock, lab.Size(18, 4, 1, 4, 1))
        played.play()
        held = dict(lab_checks.checks(played))
        row = played.log[-1]
        played.log[-1] = row._replace(grade=3 - row.grade)
        changed = dict(lab_checks.checks(played))
    missed = [text for text, holds in held.items() if not holds]
    assert all("careless" in text for text in missed)
    text = "the second release has the settled grades where there are some"
    assert (held[text], changed[text]) == (True, False)


@pytest.mark.django_db
def test_every_page_of_a_campaign_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    data_file("posts/Posts.xml")
    monkeypatch.setattr(scores, "RUNS", scores.TEAMS)
    monkeypatch.setattr(pages, "measured", lambda _, name, *how: pages.Page(name, [0.0], 0))
    measured = pages.pages(client := Client(), campaign := pages.make(pages.Size(2, 5, 2, 1)), 1)
    client.force_login(campaign.members.get(role="organizer").user)
    names = "campaign topics pool assignments progress releases pool_topic agreement_report disagreements "
    names += "document_history evaluation evaluation_run evaluation_significance history round rounds statistics"
    assert {*names.split()} <= {page.name for page in measured}


@pytest.mark.django_db
def test_a_topic_of_the_official_qrels_is_judged_again() -> None:
    """As the benchmark does with all 31,788 judgments of 2021."""
    data_file("qrels/qrels.arqmath-2021-task1-official.txt")
    year = rejudged.YEARS["2021"]
    lines = rejudged.official(year, 71)
    expected = "".join(f"{line}\n" for line in lines)
    pool = rejudged.make(year, lines)
    assert rejudged.judge_all(pool, lines) == len(lines) == 353
    assert rejudged.released(pool.campaign) == expected
