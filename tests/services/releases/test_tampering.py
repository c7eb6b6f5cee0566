"""Whatever is changed of what a release was made from is found by `manage.py qrels verify`, which then ends with exit
code 1; also if the hash of the manifest is made anew, unless the manifest says something that nothing else knows: then
the published hash tells. What changes later and may do so is no error."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction

from assess.models import Assignment, Campaign, Qrels, Round, Run, Topic
from assess.services.pool import extension
from assess.services.releases import manifest, qrels, verification
from assess.services.rounds import assignments, rounds
from assess.services.runs import runs
from assess.services.scores import evaluation
from tests.cast import on_progress
from tests.lab import decide, judge
from tests.services.releases.sealed import Sealed, Tamper, change, make_sealed
from tests.services.releases.tampering import A1, ONLY_BY_HASH, TOMORROW, WAYS

pytestmark = pytest.mark.django_db


@pytest.fixture
def sealed(tmp_path: Path) -> Sealed:
    return make_sealed(tmp_path)


def verify(*words: str) -> tuple[int, str]:
    """The exit code of the command for the first release, and what it prints."""
    slug, version, out = Campaign.objects.get().slug, Qrels.objects.earliest("pk").version, StringIO()
    try:
        call_command("qrels", "verify", slug, str(version), *words, stdout=out, stderr=out, no_color=True)
    except SystemExit as stopped:
        return int(stopped.code), out.getvalue()
    return 0, out.getvalue()


@contextmanager
def taken_back(sealed: Sealed) -> Iterator[None]:
    """What is done to the lab within is undone, so that the next one begins as this one did."""
    for made in (sealed.campaign, sealed.pool, sealed.main, sealed.settling, sealed.release):
        made.refresh_from_db()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("of", WAYS)
def test_whatever_is_changed_of_what_a_release_was_made_from_is_found(
    of: str, sealed: Sealed, subtests: pytest.Subtests
) -> None:
    assert verify("--sha256", sealed.release.sha256)[0] == 0
    for way, tamper in WAYS[of].items():
        with subtests.test(way), taken_back(sealed):
            published = sealed.release.sha256
            tamper(sealed)
            code, printed = verify()
            assert code == 1
            assert "\nproblem\t" in printed
            if way not in ("its hash", "its hash removed"):
                Qrels.objects.update(sha256=manifest.hash_manifest(Qrels.objects.get()))
                assert verify()[0] == (way not in ONLY_BY_HASH)
                if way in ONLY_BY_HASH:
                    assert verify("--sha256", published)[0] == 1


@pytest.mark.parametrize(
    ("of", "way", "problem"),
    [
        ("texts", "the title of a topic", r"sealed to be judged: topic A\.1 itself, or all of its 4 documents\."),
        ("assignments and parts", "an untouched part removed", r"A\.2, .* same assignments any more"),
        ("assignments and parts", "fewer events of a part", "1 of 5 events are left"),
        ("events", "the last decision cut", r"A\.1, main round, assessor-\w+: 4 of 5 events are left"),
        ("events", "a decision", r"A\.1, main round, .*its events.*were changed"),
        ("events", "the text on the screen", "With another text .*: 1 decision"),
        ("lines", "a grade", "the lines in the database are not those"),
        ("the pool", "doc_id of an instance", "What was judged.*is not the same"),
    ],
)
def test_what_was_changed_is_named_and_nothing_else(of: str, way: str, problem: str, sealed: Sealed) -> None:
    WAYS[of][way](sealed)
    problems = [line.split("\t")[-1] for line in verify()[1].splitlines() if line.startswith("problem\t")]
    assert re.search(problem, "\n".join(problems)), problems
    if way == "an untouched part removed":
        assert not any("the assignment is not the same" in each for each in problems)


def hand_over(sealed: Sealed) -> None:
    rest = Assignment.objects.get(assessor__username="rest")
    other = User.objects.create_user("other")
    sealed.campaign.members.create(user=other, role="assessor")
    assignments.hand_over_topic(rest, other, sealed.cast.olga, assignments.Done.DUAL)


def extend_pool(sealed: Sealed) -> None:
    late = Run.objects.get(pool_role="none")
    extension.extend(sealed.pool, extension.Extension({late.pk: "primary"}, {}, "late"), sealed.cast.olga, on_progress)


def take_back(sealed: Sealed) -> None:
    assignments.take_back_assignments([Assignment.objects.get(topic__topic_id="A.2")], sealed.cast.olga)


def undo_and_take_back(sealed: Sealed) -> None:
    decide(sealed.settling, "11", "")
    assignments.take_back_assignments([sealed.settling], sealed.cast.olga)


def change_run(sealed: Sealed) -> None:
    run = Run.objects.get(name="alpha")
    meta = runs.RunMeta(run.file_name, "other team", "renamed", pool_role=run.pool_role)
    runs.change_run(run, meta, sealed.cast.olga)


AFTER: dict[str, tuple[Tamper, int]] = {
    "a decision": (lambda s: decide(s.settling, "11", "3"), 1),
    "a judgment taken back": (lambda s: decide(s.settling, "11", ""), 1),
    "a comment": (lambda s: decide(s.settling, "11", "2", "a better reason"), 1),
    "a late decision": (lambda s: decide(s.main, "21", "2"), 0),
    "a topic handed over": (hand_over, 0),
    "a topic taken back": (take_back, 0),
    "a judgment undone and its topic taken back": (undo_and_take_back, 1),
    "another judged topic": (lambda s: judge(Assignment.objects.get(topic__topic_id="A.2"), {"31": "1"}), 1),
    "a pool extended": (extend_pool, 0),
    "a new release": (lambda s: qrels.release(s.pool, s.cast.olga, on_progress), 0),
    "runs scored": (lambda s: evaluation.evaluate(s.release, "qrels", on_progress), 0),
    "a release verified": (lambda s: verification.record_verification(s.release), 0),
    "a user renamed": (change(User, {"username": "ada"}, username="ada.lovelace"), 0),
    "a user renamed who is left out": (change(User, {"username": "mallory"}, username="mal"), 0),
    "a campaign renamed": (change(Campaign, {}, name="Other", edition="Other"), 0),
    "a campaign archived": (change(Campaign, {}, archived=TOMORROW), 0),
    "a topic's kind chosen": (change(Topic, A1, kind="removed"), 0),
    "a round renamed": (change(Round, {"kind": "dual"}, name="Second"), 0),
    "a new round": (lambda s: rounds.open_round(s.pool, "dual", "Third"), 0),
    "a run renamed": (change_run, 0),
    "a late run deleted": (lambda s: runs.delete_run(Run.objects.get(pool_role="none"), s.cast.olga), 0),
}


def test_what_comes_later_is_no_error_and_later_decisions_are_listed(sealed: Sealed, subtests: pytest.Subtests) -> None:
    for what, (act, decided) in AFTER.items():
        with subtests.test(what), taken_back(sealed):
            published = sealed.release.sha256
            act(sealed)
            code, printed = verify("--sha256", published)
            assert (code, printed.count("\nlater\t")) == (0, decided), printed
