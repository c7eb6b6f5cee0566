"""The list of disagreements, in a real browser."""

from pathlib import Path

from django.urls import reverse

from tests.lab import make_lab
from tests.pages import NewPage, SignIn


def test_keys_move_between_disagreements(tmp_path: Path, new_page: NewPage, sign_in: SignIn) -> None:
    lab = make_lab(tmp_path)
    page = new_page(width=400)
    sign_in(page, lab.cast.olga)
    page.goto(reverse("disagreements", args=[lab.campaign.slug]))
    entries = page.get_by_role("article")
    assert entries.count() == 2
    for key, at in (("j", 0), ("j", 1), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        assert entries.nth(at).evaluate("entry => entry === document.activeElement"), key
    page.get_by_role("combobox", name="Topic").focus()
    page.keyboard.press("j")
    assert page.get_by_role("combobox", name="Topic").evaluate("field => field === document.activeElement")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
