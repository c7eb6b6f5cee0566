"""Every text for assessors can be translated: in another language no English is left on their pages."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from assess.services.judging import rulings
from tests.desk import press, url
from tests.written import make_written

TEXTS = ("title", "aria-label", "placeholder")
"""The attributes that a person reads or hears."""
DATA = {"post", "tags", "math-query", "cards", "quoted"}
"""Classes of elements whose text people wrote."""
OF_DJANGO = {"antaŭe", "nun", "sekundo", "sekundoj", "Pasvorto", "Salutnomo"}
"""Words of Django's own Esperanto."""
VOID = {"br", "hr", "img", "input", "link", "meta"}


@pytest.fixture(scope="module")
def brackets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of translations, made by `make texts`, that says «Judged» for "Judged"."""
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


class Words(HTMLParser):
    """The texts of a page that come from us: outside brackets there should be none."""

    def __init__(self, page, data):
        super().__init__()
        self.open, self.found, self.data = [], [], data
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        is_ours = not (
            tag in {"math", "script", "textarea", "kbd", "q"} or DATA & set((attributes.get("class") or "").split())
        )
        if not self.open or self.open[-1][1]:
            self.found += [
                attributes[name]
                for name in attributes
                if name in TEXTS or (tag == "template" and name.startswith("data-"))
            ]
        if tag not in VOID:
            self.open.append((tag, is_ours and (not self.open or self.open[-1][1])))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if not self.open or self.open[-1][1]:
            self.found.append(data)

    def english(self):
        rests = (outside_brackets(text or "") for text in self.found)
        words = {word for rest in rests for word in re.findall(r"[^\W\d_][\w.-]+", rest)}
        return words - self.data


def outside_brackets(text):
    """Brackets stand within brackets where one text is put into another."""
    rest = re.sub("«[^«»]*»", " ", text)
    return rest if rest == text else outside_brackets(rest)


def english(response, *data):
    return Words(response.content.decode(), {"Assess", "Esc", *OF_DJANGO, *data}).english()


@pytest.mark.django_db
def test_another_language_leaves_no_english_on_the_pages_of_the_desk(in_brackets, client, formulas):
    people, mine = formulas
    client.force_login(people.ada)
    question = rulings.ask(mine.pk, people.ada, 1, "Quoted?")
    data = {
        "ada",
        "Formula",
        "lab",
        "B.1",
        "ARQMath-3",
        "Quoted",
        "words",
        "How",
        "large",
        "is",
    }  # and the topic's title
    for address in (
        "/",
        f"/judge/{mine.pk}/",
        url(mine, "v1"),
        f"{mine.topic.campaign.get_absolute_url()}guidelines/",
    ):
        assert english(client.get(address), *data) == set(), address
    press(client, mine, "v1", "3", doc="110")
    refused = press(client, mine, "v1", "system_failure", doc="120")
    assert (refused.status_code, english(refused, *data)) == (422, set())
    rulings.answer(mine.topic.campaign, question.pk, people.olga, "words")
    for address in (url(mine, "v1"), url(mine, "v2"), f"/judge/{mine.pk}/", f"/judge/{mine.pk}/?q=nowhere"):
        assert english(client.get(address), *data, "nowhere") == set(), address


@pytest.mark.django_db
def test_another_language_leaves_no_english_on_what_assessors_meet_besides(in_brackets, client, tmp_path):
    two = make_written(tmp_path)
    assert english(client.get("/login/")) == set()
    client.force_login(two.cast.ada)
    assert english(client.get("/nowhere/"), "ada") == set()
    two.judge_all()
    for address in ("", "written/", "written/1/"):
        response = client.get(f"/judge/{two.assignment.pk}/{address}")
        assert english(response, "ada", "Small", "lab", "ARQMath-3", "A.1", "why") == set(), address
