"""The style sheets have no rules that make the desk slow, and templates no long lines."""

import re
from pathlib import Path

import pytest
from django.conf import settings

SHEETS = sorted((settings.BASE_DIR / "frontend" / "src" / "styles").glob("*.css"))


@pytest.mark.sqlite
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_no_rule_applies_to_everything_in_the_current_item(sheet: Path) -> None:
    """If any rule has a selector like ".current *", Chromium recomputes the styles of everything in an element whose
    class changes, and a long answer has thousands of elements."""
    rules = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
    assert not re.findall(r"\.(?:current|next|ready)\b[^{},]*[\s>+~]\*", rules)


@pytest.mark.sqlite
def test_no_line_of_a_template_is_over_160_characters() -> None:
    for path in filter(Path.is_file, (settings.BASE_DIR / "templates").rglob("*")):
        longest = max(path.read_text().splitlines(), key=len, default="")
        assert len(longest) <= 160, f"{path}: {longest}"
