"""Who may open which address, for all addresses of the pages and of the API."""

import logging
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.template.base import Template
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from assess.models import Campaign
from tests.lab import client_as
from tests.web.site import ROUTES, Site

pytestmark = pytest.mark.django_db

People = tuple[str | None, ...]
NOBODY: People = ()
ORGANIZERS: People = ("olga",)
STAFF: People = ("olga", "kurt")
MEMBERS: People = (*STAFF, "ada", "emmy")
USERS: People = (*MEMBERS, "mallory")
EVERYBODY: People = (*USERS, None)
ASSESSOR: People = ("ada",)
"""The one to whom the assignment belongs; to others it does not exist."""
INVITED: People = ("mallory",)
COUNTED: People = ("olga", "kurt", "ada")

DOORS: dict[tuple[People, People], str] = {
    (NOBODY, NOBODY): "api-member api-invitation api-assignment",
    (EVERYBODY, NOBODY): "api-schema",
    (EVERYBODY, EVERYBODY): "health login forgotten set_password",
    (USERS, NOBODY): "help handbook api-own-invitations api-own-assignments-open",
    (USERS, ORGANIZERS): "api-campaigns",
    (USERS, USERS): "home account api_tokens password_change",
    (NOBODY, USERS): "end_sessions",
    (NOBODY, INVITED): "invitation_answer api-own-invitation",
    (ASSESSOR, NOBODY): "api-own-assignment api-own-items items assignment next_open desk_news written",
    (ASSESSOR, ASSESSOR): "judge written_answer",
    (NOBODY, ASSESSOR): "api_token_revoke defer ask ruling_seen api-ask api-judgments",
    (MEMBERS, NOBODY): "thread topic_thread post_image api-campaign",
    (MEMBERS, ORGANIZERS): "guidelines",
    (MEMBERS, MEMBERS): "campaign topic",
    (STAFF, NOBODY): "rounds round written_report written_file progress agreement agreement_report agreement_pair "
    "statistics statistics_file release_manifest release_items release_file api-release api-release-lines "
    "api-release-manifest api-rounds",
    (STAFF, ORGANIZERS): "topics topic_set releases release releases_compare api-topics api-agreement api-releases",
    (NOBODY, STAFF): "round_discuss member_admit gold note",
    (ORGANIZERS, NOBODY): "formulas formula_cluster formula_repair formula_repair_moved run_file query_formulas "
    "pool_plan pool_report pool_topic pool_file pool_missing_file preview assignments history document_history "
    "questions timesheet disagreements release_folder results_file evaluation_file evaluation_run_file "
    "evaluation_categories_file evaluation_significance_file evaluation_pair_file evaluation_correlations_file "
    "reliability reliability_report reliability_file export_file jobs api-evaluation api-scores api-judgment-source "
    "api-job api-campaign-toml api-members api-pool api-pool-documents api-questions api-release-folder-zip "
    "api-exports api-export api-run",
    (ORGANIZERS, ORGANIZERS): "campaign_new campaign_edit settings_desk campaign_lab members topic_threads "
    "collection collection_images runs run baselines fuse pool pool_extend results evaluation evaluation_run "
    "evaluation_categories evaluation_significance evaluation_pair evaluation_correlations what_if judgment_sources "
    "judgment_source judgment_labels judgment_columns board hand_over replace_member outcomes job job_progress "
    "api-judgment-sources api-runs api-collection api-invitations-open api-evaluations api-assignments",
    (NOBODY, ORGANIZERS): "campaign_clone campaign_delete campaign_archive member member_remove member_interests "
    "member_link invitation_withdraw topic_sheet topic_delete topics_delete formulas_compute formula_repair_apply "
    "pool_freeze pool_leave_out pool_discard pool_unfreeze assign spread take_back take_back_all give_back pause "
    "round_prepare round_dual round_adjudicate round_change round_join round_delete rule answer ruling_change "
    "agreement_start verification_start what_if_start job_start job_cancel job_restart job_delete "
    "judgment_source_delete run_delete run_withdraw write_to_members api-fuse api-member-link api-pool-build "
    "api-pool-freeze api-pool-extend api-spread api-question-answer api-release-verify api-job-cancel",
}
"""The addresses by who may open them and who may send something there. The page of a round
opens to its assessors, too, while it is discussed."""
WHO = {name: who for who, names in DOORS.items() for name in names.split()}


SENT = {"name": "x", "text": "No.", "reason": "y", "topic": "A.1", "grade": "2", "answer": "accept", "people": "x"}
SENT |= {"role": "expert", "team": "x", "archive": "yes", "pause": "yes"}


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    """Each refused request takes longer to log than to answer, and each page to render: `test_queries.py` does."""
    monkeypatch.setattr(Template, "render", lambda *_: "")
    settings.SESSION_ENGINE = "django.contrib.sessions.backends.cache"
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def is_open(response: Any) -> bool:
    return response.status_code < 400 and not response.get("Location", "").startswith("/login/")


def outcome(client: Client, method: str, url: str, sent: dict[str, Any], *kind: str) -> Any:
    """What a person meets: "open", "sign in", or the status of what is refused, which writes nothing."""
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        response = getattr(client, method)(url, sent, *kind)
        transaction.set_rollback(True)
    if is_open(response):
        return "open"
    if response.status_code in (400, 422):  # the form is refused, not the person
        return "open"
    if url.startswith("/api/") and "schema" not in url:
        assert list(response.json())[:4] == ["type", "title", "status", "detail"]
    written = [query["sql"] for query in queries if query["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert written == [], (url, written)
    return "sign in" if response.status_code == 302 else response.status_code


def expected(person: str | None, name: str, who: People) -> Any:
    if person in who:
        return "open"
    if not who:
        return 405 if person else ...
    if not person:
        return 401 if name.startswith("api-") else "sign in"
    is_private = who in (ASSESSOR, INVITED) or (person == "mallory" and name not in ("campaign_new", "api-campaigns"))
    return 404 if is_private else 403


def test_every_address_is_in_the_table() -> None:
    # The one ends the session (test_accounts.py), the other is for a token of its own (test_logs.py).
    assert WHO.keys() | {"logout", "metrics"} == ROUTES.keys()


@pytest.mark.usefixtures("quiet")
def test_each_door_opens_to_the_right_people(site: Site) -> None:
    """`test_queries.py` opens the pages for those of COUNTED; of two assessors one meets what is closed to both."""
    clients = {person: client_as(site.cast, person) for person in EVERYBODY}
    member = site.answers.members.get(user=site.cast.emmy).pk
    sent = SENT | {"member": str(member)}
    seen, right = {}, {}
    for name, both in WHO.items():
        for method, who in zip(("get", "post"), both, strict=True):
            for person in EVERYBODY if who else ("olga",):
                if (method == "get" and person in COUNTED and person in who) or (person == "emmy" and "ada" not in who):
                    continue
                key = person, method, name
                right[key] = expected(person, name, who)
                seen[key] = outcome(clients[person], method, site.url(name), sent if method == "post" else {})
    assert {key: (found, right[key]) for key, found in seen.items() if found != right[key]} == {}


OTHERS = {"patch": "api-campaign", "delete": "api-member api-invitation api-run api-assignment api-pool"}
"""The addresses by other methods, which only organizers may use."""


@pytest.mark.usefixtures("quiet")
def test_other_methods_are_for_organizers(site: Site) -> None:
    clients = {person: client_as(site.cast, person) for person in EVERYBODY}
    ways = [(method, name) for method, names in OTHERS.items() for name in names.split()]
    seen: dict[tuple[str | None, ...], Any] = {}
    right: dict[tuple[str | None, ...], Any] = {}
    for method, name in ways:
        for person in EVERYBODY:
            right[person, method, name] = expected(person, name, ORGANIZERS)
            seen[person, method, name] = outcome(clients[person], method, site.url(name), SENT, "application/json")
        if "pk" in site.arguments(name):
            right[method, name] = 404
            seen[method, name] = outcome(clients["olga"], method, site.url(name, pk=10**22), {}, "application/json")
    assert seen == right
    Campaign.objects.update(archived=timezone.now())
    for method, name in ways:
        seen[method, name] = outcome(clients["olga"], method, site.url(name), SENT, "application/json")
        assert seen[method, name] == 403, name


OUTSIDE = "api-campaigns api_tokens api_token_revoke login forgotten set_password account end_sessions "
OUTSIDE += "password_change campaign_new"
CHANGE = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM) "assess_')
WHEN_ARCHIVED = f"{OUTSIDE} campaign_clone campaign_archive campaign_delete job_cancel api-job-cancel "
WHEN_ARCHIVED += "verification_start"
"""What is of no campaign, and what an archived campaign allows."""


@pytest.mark.usefixtures("quiet")
def test_nothing_changes_in_an_archived_campaign(site: Site) -> None:
    Campaign.objects.update(archived=timezone.now())
    answers, changed = Counter[int](), {}
    for name, (_, who) in WHO.items():
        if not who or name in WHEN_ARCHIVED.split():
            continue
        client = client_as(site.cast, {ASSESSOR: "ada", INVITED: "mallory"}.get(who, "olga"))
        with transaction.atomic(), CaptureQueriesContext(connection) as queries:
            answers[client.post(site.url(name), SENT).status_code] += 1
            transaction.set_rollback(True)
        written = [query["sql"] for query in queries if CHANGE.match(query["sql"])]
        if written:
            changed[name] = written
    assert changed == {}
    assert answers[403] > 70, "by the door, not because something else is missing"


@pytest.mark.usefixtures("quiet")
def test_what_does_not_exist_is_not_found(site: Site) -> None:
    """Things in another campaign of the same organizer, numbers without end, and words that name nothing."""
    seen = {}
    for name, (readers, changers) in WHO.items():
        if not readers and not changers:
            continue
        client = client_as(site.cast, {ASSESSOR: "ada", INVITED: "mallory"}.get(readers or changers, "olga"))
        arguments = site.arguments(name)
        is_thing = any(isinstance(value, int) for value in arguments.values())
        for part, value in arguments.items():
            if name != "set_password" and (part != "slug" or is_thing):
                wrong = site.other.slug if part == "slug" else 10**22 if isinstance(value, int) else "none"
                url = site.url(name, **{part: wrong})
                seen[name, part] = outcome(client, "get" if readers else "post", url, {})
    assert {key: found for key, found in seen.items() if found != 404} == {}
