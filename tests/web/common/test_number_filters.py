"""How pages write numbers."""

import pytest
from django.template import Context, Template


@pytest.mark.parametrize(
    ("value", "text"), [(-0.125, "−0.1250"), (0.125, "0.1250"), (-0.00001, "0.0000"), (None, ""), ("-2", "−2.0000")]
)
def test_a_negative_number_has_a_minus_sign(value: object, text: str) -> None:
    assert Template("{{ value|floatformat:4 }}").render(Context({"value": value})) == text
