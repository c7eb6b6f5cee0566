"""The style sheets: what would make the desk slow, and no eye sees."""

import re

import pytest
from django.conf import settings

SHEETS = sorted((settings.BASE_DIR / "frontend" / "src" / "styles").glob("*.css"))


@pytest.mark.sqlite
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_no_rule_styles_all_that_an_item_holds_when_it_comes_on_the_screen(sheet):
    """Chromium styles everything below an element anew whose class changes, if any rule on the page says ".current *"
    of whatever else: a long answer has thousands of elements."""
    rules = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
    assert not re.findall(r"\.(?:current|next|ready)\b[^{},]*[\s>+~]\*", rules)
