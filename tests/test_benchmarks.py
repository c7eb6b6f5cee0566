"""The benchmark of a lab's size: that it does all its steps, and that a limit which is not kept shows."""

import pytest

from benchmarks import pools

pytestmark = pytest.mark.sqlite

SMALL = pools.Shares(1 / 2000, 1 / 50)
PLENTY = 1e9


def test_a_step_over_its_limit_makes_the_exit_code_1(monkeypatch, capsys):
    limits = {name: pools.Limit(limit.work, PLENTY) for name, limit in pools.LIMITS.items()}
    monkeypatch.setattr(pools, "QUICK", SMALL)
    monkeypatch.setattr(pools, "LIMITS", limits | {"formulas": pools.Limit("lowered", 0.0001)})
    assert pools.main(["--quick"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines if "TOO MUCH" in line] == ["lowered"]
    for limit in pools.LIMITS.values():
        assert any(line.startswith(limit.work) for line in lines)


@pytest.mark.parametrize(
    ("found", "is_within"),
    [
        ({"seconds": 1.5, "peak_mb": 1500}, True),
        ({"seconds": 1.6, "peak_mb": 1500}, False),
        ({"seconds": 1.5, "peak_mb": 1501}, False),
    ],
)
def test_a_tenth_of_the_work_has_a_tenth_of_the_time_and_all_of_the_memory(found, is_within, capsys):
    limits = {"runs": pools.Limit("import", 15, 1500)}
    assert pools.report("runs", found, None, pools.QUICK, limits) is is_within
    assert ("TOO MUCH" in capsys.readouterr().out) is not is_within
