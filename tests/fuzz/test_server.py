"""The fuzzing of a real server, with few requests: that it sends them, and finds what is wrong."""

import pytest

from tests.fuzz import server


def test_a_real_server_takes_or_refuses_what_it_is_sent(capfd: pytest.CaptureFixture[str]) -> None:
    assert server.main(["45"]) == 0
    output = capfd.readouterr().out
    assert output.count("requests: 45 ") == output.count("500s: 0") == output.count("partial imports: 0") == 2
