from assess.ir.campaign.presets import PRESETS
from assess.ir.pool.lab_seconds import measured


def test_seconds_are_those_of_the_lab_or_of_the_latest_lab_with_the_task():
    assert measured(PRESETS["arqmath2-task1"]) == (83.3, "overview of ARQMath-2 (CLEF 2021)")
    assert measured(PRESETS["ntcir12-formula"]).seconds == 26.6
    assert measured(PRESETS["ntcir10-text"]).seconds == 44.1
