"""Every text for assessors can be translated: in another language their pages have no English."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils.formats import date_format
from django.utils.timezone import localdate
from django.utils.translation import override
from lxml import html

from assess.models import Assignment
from assess.services.desk import rulings
from tests.cast import Cast
from tests.desk import press, url
from tests.written import make_written

TEXTS = ("title", "aria-label", "placeholder")
"""The attributes that users see or hear."""
DATA = {"post", "tags", "math-query", "cards", "quoted"}
"""Classes of elements with texts written by users or the lab."""
OF_DJANGO = {"antaŭe", "nun", "sekundo", "sekundoj", "Pasvorto", "Salutnomo"}
"""Words of Django's translation into Esperanto."""


@pytest.fixture(scope="module")
def brackets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a translation, made by `make texts`, of "Judged" to «Judged» and so on."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("assess", "templates"):
        shutil.copytree(settings.BASE_DIR / name, copy / name)
    for name in ("manage.py", "Makefile"):
        shutil.copy(settings.BASE_DIR / name, copy)
    (copy / "frontend" / "dist").mkdir(parents=True)
    make = ["make", "texts", "LOCALE=eo", f"MANAGE={sys.executable} manage.py"]
    subprocess.run(make, cwd=copy, check=True, capture_output=True)
    subprocess.run(
        "msgen --lang=eo django.po | msgfilter --keep-header -o brackets.po sed 's/^/«/; s/$/»/' && "
        "msgfmt --check-format -o django.mo brackets.po",
        cwd=copy / "assess/locale/eo/LC_MESSAGES",
        shell=True,
        check=True,
        capture_output=True,
    )
    return copy / "assess/locale"


@pytest.fixture
def in_brackets(brackets: Path, settings: Any) -> None:
    settings.LOCALE_PATHS = [brackets]
    settings.LANGUAGE_CODE = "eo"


def outside_brackets(text: str) -> str:
    """Brackets are nested if one text is part of another."""
    rest = re.sub("«[^«»]*»", " ", text)
    return rest if rest == text else outside_brackets(rest)


def english(response: Any, *data: str) -> set[str]:
    """The words of a page that are not translated, without these."""
    with override("eo"):
        month = date_format(localdate(), "M")
    page: Any = html.fromstring(response.content.decode())
    classes = " or ".join(f"contains(concat(' ', @class, ' '), ' {name} ')" for name in DATA)
    for element in page.xpath(f"//math | //script | //textarea | //kbd | //q | //*[{classes}]"):
        element.text = None
        del element[:]
    texts = page.xpath("//text() | //template/@*[starts-with(name(), 'data-')]")
    texts += page.xpath(" | ".join(f"//@{name}" for name in TEXTS))
    words = {word for text in texts for word in re.findall(r"[^\W\d_][\w.-]+", outside_brackets(text))}
    return words - {"Assess", "Esc", month, *OF_DJANGO, *data}


@pytest.mark.django_db
def test_pages_of_desk_can_be_translated(in_brackets: None, ada: Client, formulas: Assignment, people: Cast) -> None:
    question = rulings.ask_question(formulas.pk, people.ada, 1, "Quoted?")
    data = {"ada", "Formula", "lab", "B.1", "ARQMath-3", "Quoted", "words", "How", "large", "is"}
    own, guidelines = f"/judge/{formulas.pk}/", f"{formulas.topic.campaign.get_absolute_url()}guidelines/"
    for address in ("/", own, url(formulas, "v1"), guidelines):
        assert english(ada.get(address), *data) == set(), address
    press(ada, formulas, "v1", "3", doc="110")
    refused = press(ada, formulas, "v1", "system_failure", doc="120")
    assert (refused.status_code, english(refused, *data)) == (422, set())
    rulings.answer_question(formulas.topic.campaign, question.pk, people.olga, "words")
    for address in (url(formulas, "v1"), url(formulas, "v2"), own, f"{own}?q=nowhere"):
        assert english(ada.get(address), *data, "nowhere") == set(), address


@pytest.mark.django_db
def test_the_other_pages_of_assessors_can_be_translated(in_brackets: None, client: Client, tmp_path: Path) -> None:
    written = make_written(tmp_path)
    assert english(client.get("/login/")) == set()
    client.force_login(written.cast.ada)
    assert english(client.get("/nowhere/"), "ada") == set()
    written.judge_all()
    for address in ("", "written/1/"):
        response = client.get(f"/judge/{written.assignment.pk}/{address}")
        assert english(response, "ada", "Small", "lab", "ARQMath-3", "A.1", "why", "Answer") == set(), address
