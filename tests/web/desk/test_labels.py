"""What the desk's script is told of a lab's scale."""

import json

from assess.ir.campaign.presets import load_presets
from assess.web.desk import labels


def test_the_script_has_grades_with_keys_and_outcomes_with_their_reasons() -> None:
    rules = load_presets()["documents"]
    scale = json.loads(labels.scale(rules))
    assert scale["grades"] == [["3", ""], ["2", ""], ["1", ""], ["0", ""]]
    assert scale["outcomes"] == [["system_failure", "needed"], ["do_not_know", "needed"]]
    assert scale["hasThreads"] is False


def test_labs_with_threads_always_have_the_key_of_not_matching() -> None:
    for preset in ("arqmath3-task1", "arqmath3-task2"):
        assert dict(json.loads(labels.scale(load_presets()[preset]))["outcomes"])["not_matching"] == "asked"
