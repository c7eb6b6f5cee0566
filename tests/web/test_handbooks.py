"""The handbooks as pages, and the Help that leads to them."""

import re
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from assess.web import handbooks
from tests.cast import make_campaign, make_cast
from tests.lab import client_of

pytestmark = pytest.mark.django_db

NAMES = [path.stem for path in (settings.BASE_DIR / "docs").glob("*.md")]


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_a_handbook_leads_somewhere(name: str) -> None:
    olga = client_of(make_cast().olga)
    text_of = cache(lambda address: olga.get(address, follow=True).content.decode())
    for here in handbooks.handbook(name).pages:
        page = olga.get(f"/help/{name}/{here}").content.decode()
        for address in re.findall(r'(?:href|src)="([^"]+)"', page.partition("<main")[2].partition("</main>")[0]):
            if address.startswith("/static/pictures/"):
                assert (settings.BASE_DIR / "docs" / address.removeprefix("/static/")).is_file()
            elif not address.startswith("http"):
                text, anchor = text_of(address), address.removeprefix("/help/").partition("/")[2]
                assert f'id="{anchor}"' in text or not anchor, address


def test_help_leads_to_the_section_about_the_page() -> None:
    people = make_cast(campaign := make_campaign())
    for user, page, handbook, section in [
        (people.olga, f"/c/{campaign.slug}/", "labs", "the-ten-steps"),
        (people.olga, f"/c/{campaign.slug}/runs/", "organizers", "4-runs"),
        (people.olga, f"/c/{campaign.slug}/releases/", "organizers", "8-releases"),
        (people.olga, f"/c/{campaign.slug}/results/?statistics=", "organizers", "9-scores"),
        (people.kurt, f"/c/{campaign.slug}/progress/", "organizers", "7-progress-and-agreement"),
        (people.ada, f"/c/{campaign.slug}/guidelines/", "assessors", "the-desk"),
    ]:
        client = client_of(user)
        [link] = re.findall(r'href="(/help/\?[^"]+)">Help<', client.get(page).content.decode())
        assert client.get(link)["Location"] == f"/help/{handbook}/{section}"


STRANGE = ["nothing", "README", "..", "pictures", "../README", "..%2fREADME", "%2e%2e/README", "..%5cREADME", "stray"]
STRANGE += ["assessors%00", "assessors.md", "assessors%2f..%2fassessors", "/etc/passwd", "%2fetc%2fpasswd", "Assessors"]


def test_other_files_are_no_handbooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("stray.md", "README.md", "Assessors.md"):
        (tmp_path / file).write_text("# Secret")
    monkeypatch.setattr(handbooks, "FOLDER", tmp_path)
    olga = client_of(make_cast().olga)
    assert {name: olga.get(f"/help/{name}/").status_code in (400, 404) for name in STRANGE} == dict.fromkeys(
        STRANGE, True
    )
    assert Client().get("/help/assessors/").status_code == 302  # to the sign-in page
