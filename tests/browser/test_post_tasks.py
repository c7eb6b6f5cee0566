"""The two questions about written answers, by keyboard."""

import pytest
from playwright.sync_api import expect

from assess.models import PostTask
from tests.written import make_written

# Nothing here depends on the database, so one engine does.
pytestmark = [pytest.mark.browser, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_two_keys_answer_both_questions_and_bring_the_next(page, sign_in, live_server, tmp_path):
    two = make_written(tmp_path)
    two.judge_all()
    sign_in(page, two.cast.ada)
    page.goto(f"{live_server.url}/judge/{two.mine.pk}/written/1/")
    expect(page.get_by_text("6", exact=True)).to_be_visible()
    page.keyboard.press("1")
    expect(page.locator("[data-key='1']")).to_be_checked()
    page.keyboard.press("6")
    page.wait_for_url("**/written/2/")
    assert list(PostTask.objects.values_list("machine", "unrelated")) == [("yes", "cannot_tell")]
    page.keyboard.press("2")
    page.keyboard.press("Control+5")  # the browser's
    page.keyboard.press("5")
    page.wait_for_url("**/written/")
    expect(page.get_by_text("All answered. Thank you.")).to_be_visible()
