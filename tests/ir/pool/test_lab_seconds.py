from assess.ir.campaign.presets import PRESETS
from assess.ir.pool.lab_seconds import lab_pace


def test_the_pace_is_that_of_the_lab_or_of_the_latest_lab_with_the_task() -> None:
    assert lab_pace(PRESETS["arqmath2-task1"]) == (83.3, "overview of ARQMath-2 (CLEF 2021)")
    assert lab_pace(PRESETS["ntcir12-formula"]).seconds == 26.6
    assert lab_pace(PRESETS["ntcir10-text"]).seconds == 44.1
