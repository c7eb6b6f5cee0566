"""The program of docs/api.md leads a lab from nothing to scores, against a server and a worker."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Evaluation, Judgment
from assess.services.campaign import accounts
from tests.cast import make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]


def test_a_program_leads_a_lab_from_nothing_to_scores(live_server: LiveServer, worker: None, tmp_path: Path) -> None:
    [program] = re.findall(r"```python\n(.*?)```", (settings.BASE_DIR / "docs/api.md").read_text(), flags=re.DOTALL)
    assert len(program.splitlines()) <= 100
    people = {"ORGANIZER": make_user("olga", is_staff=True), "ADA": make_user("ada"), "EMMY": make_user("emmy")}
    scopes = {"ORGANIZER": "organize", "ADA": "judge", "EMMY": "judge"}
    secrets = {name: accounts.make_api_token(user, "example", scopes[name], 7)[1] for name, user in people.items()}
    (tmp_path / "lab.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "lab.py"],
        cwd=tmp_path,
        env={**os.environ, **secrets, "ASSESS_URL": live_server.url},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert re.fullmatch(rf"zoe: {live_server.url}/password/\S+/", lines[0])
    assert lines[1:] == [
        "kappa of ada and emmy: 1.0",
        "verified: True",
        "bad nDCG@10 0.315",
        "bad P@10 0.05",
        "good nDCG@10 1.0",
        "good P@10 0.1",
    ]
    campaign = Campaign.objects.get()
    assert (campaign.name, campaign.edition, campaign.frozen_pool().entries.count()) == ("Tea", "Example 1", 4)
    assert Judgment.objects.count() == 8
    assert Evaluation.objects.get().qrels.verification["is_intact"]
