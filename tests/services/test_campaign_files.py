"""A campaign leaves as a file and arrives elsewhere as it was; a file from elsewhere gives nobody anything."""

import io
import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.urls import reverse

from assess.ir.common.problems import BadInput
from assess.models import (
    Account,
    AgreementReport,
    Assignment,
    Campaign,
    Collection,
    Instance,
    Invitation,
    Judgment,
    Member,
    Post,
    Qrels,
    Round,
)
from assess.services import exporting, importing, portable, removal
from assess.services.campaign import invitations
from assess.services.common import history
from assess.services.common.errors import Refused
from assess.services.judging import rulings
from assess.services.results import agreement, qrels, verification
from tests.cast import make_cast, on_progress
from tests.lab import client_as, make_lab
from tests.stages import STAGES, done, new_campaign, submit

pytestmark = pytest.mark.django_db

COPY = "ntcir12-text"
"""The preset of the lab that is imported from a campaign file."""


def exported(campaign: Campaign, **options: bool) -> bytes:
    target = io.BytesIO()
    exporting.export(campaign, target, on_progress, **options)
    return target.getvalue()


def contents(file: bytes) -> dict[str, bytes]:
    """The files of a campaign file, without the manifest."""
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "manifest.json"}


def imported(file: bytes, by: User) -> Campaign:
    return importing.import_campaign(io.BytesIO(file), "lab.zip", by, on_progress)


def make_empty() -> User:
    """As if this were another installation: nothing but olga, whose key is another."""
    for campaign in Campaign.objects.all():
        removal.delete(campaign)
    Collection.objects.all().delete()
    User.objects.all().delete()
    User.objects.create_user("somebody")
    return User.objects.create_user("olga", is_staff=True)


def full_campaign(preset: str) -> Campaign:
    """A campaign in which every job has run, and people have asked and ruled."""
    campaign = new_campaign(preset)
    for stage in STAGES[preset]:
        campaign.refresh_from_db()
        if callable(stage):
            stage(campaign)
        else:
            done(submit(campaign, *stage))
    return campaign


def asked_and_ruled(campaign: Campaign) -> None:
    cast = make_cast(campaign)
    assignment = Assignment.objects.filter(topic__campaign=campaign, assessor=cast.ada)[0]
    rulings.ask(assignment.pk, cast.ada, 1, "Why?", 0)
    topic = assignment.topic
    first = rulings.rule(topic, cast.olga, "Because.")
    rulings.rule(topic, cast.olga, "Because of that.", instead_of=first)
    Member.objects.filter(campaign=campaign, user=cast.ada).update(team="Alpha", own_topics=["A.7"])


@pytest.mark.engines
@pytest.mark.parametrize("preset", [preset for preset in STAGES if preset != COPY])
def test_the_round_trip_is_equal(preset: str) -> None:
    campaign = full_campaign(preset)
    if preset == "arqmath3-task1":
        asked_and_ruled(campaign)
    before = exported(campaign, emails=True)
    lines = released(campaign)
    reports = [(report.pairs, report.means) for report in AgreementReport.objects.all()]
    again = imported(before, make_empty())
    assert again.slug == campaign.slug
    assert contents(exported(again, emails=True)) == contents(before)
    assert released(again) == lines
    assert [(report.pairs, report.means) for report in AgreementReport.objects.all()] == reports
    for release in Qrels.objects.of(again):
        assert verification.verify(release).problems == []
        made = qrels.release(release.pool, release.released_by, on_progress, release.chosen)
        assert released_files(made) == released_files(release)
    if reports:
        pool = again.frozen_pool()
        assert agreement.report(pool, on_progress).pairs == AgreementReport.objects.all()[1].pairs


def released(campaign: Campaign) -> list[dict[str, str]]:
    releases = Qrels.objects.of(campaign).order_by("version")
    return [released_files(release) for release in releases]


def released_files(release: Qrels) -> dict[str, str]:
    return {unit: qrels.as_file(release, unit) for unit in release.counts}


def test_every_model_leaves_or_is_named_as_left_out() -> None:
    leaving = [each.model for each in portable.PORTABLE]
    assert len(leaving) == len(set(leaving))
    assert {*leaving} | {*portable.LEFT_OUT} == {*apps.get_app_config("assess").get_models()}
    assert not {*leaving} & {*portable.LEFT_OUT}


def test_rows_come_after_those_that_they_refer_to() -> None:
    known = {User, *portable.LEFT_OUT}
    for each in portable.PORTABLE:
        refers = {field.related_model for field in exporting.fields_of(each) if field.is_relation}
        assert refers <= known | {each.model}, each.model
        known.add(each.model)


def test_pseudonyms_leave_no_user_name_and_kappas_stay(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    User.objects.filter(username="ada").update(first_name="Ada", email="ada@example.org")
    file = exported(lab.campaign, names=False)
    texts = b"".join(contents(file).values())
    assert not any(name in texts for name in (b'"ada"', b'"emmy"', b'"olga"', b"Ada", b"example.org"))
    assert "rows/Action.jsonl" not in contents(file)
    again = imported(file, make_empty())
    (before,), (after,) = lab.report.pairs, agreement.report(again.frozen_pool(), on_progress).pairs
    assert (after["n"], after["kappa"], after["kappa_hm"]) == (before["n"], before["kappa"], before["kappa_hm"])


def test_the_history_leads_to_the_same_rounds_elsewhere(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    lab.pool.rounds.create(kind="training")
    stage = lab.pool.rounds.create(kind="training", name="Second")
    places = [{"page": "round", "pk": stage.pk}, {"page": "run", "pk": 0}, {"page": "topics"}]
    for place in places:
        lab.campaign.actions.create(by=lab.cast.olga, text="Done", place=place)
    file = exported(lab.campaign)
    again = imported(file, make_empty())
    key = Round.objects.get(name="Second").pk
    assert key != stage.pk
    came = f"Imported from lab.zip, exported on {again.imported['exported'][:10]}."
    assert [line.by for line in history.history(again) if line.text == came] == ["olga"]
    after = again.actions.order_by("pk").values_list("place", flat=True)
    assert list(after)[-3:] == [{"page": "round", "pk": key}, {}, {"page": "topics"}]
    assert contents(exported(again)) == contents(file)


def test_passwords_never_leave_and_addresses_only_if_asked_for(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    User.objects.filter(username="ada").update(email="ada@example.org")
    hashes = list(User.objects.values_list("password", flat=True))
    texts = b"".join(contents(exported(lab.campaign, emails=True)).values())
    assert not any(password.encode() in texts for password in hashes)
    assert b"ada@example.org" in texts
    assert b"ada@example.org" not in b"".join(contents(exported(lab.campaign)).values())


def test_nobody_gets_rights_by_an_import(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    Member.objects.filter(campaign=lab.campaign, user=lab.cast.ada).update(team="Alpha", own_topics=["A.9"])
    file = exported(lab.campaign)
    User.objects.filter(username="emmy").update(username="emma")  # so that there is no emmy any more
    mallory = lab.cast.mallory
    again = imported(file, mallory)
    assert {(each.user.username, each.role) for each in again.members.all()} == {
        ("mallory", "organizer"),
        ("emmy", "assessor"),
    }
    emmy = User.objects.get(username="emmy")
    assert (emmy.has_usable_password(), emmy.account.made_by) == (False, mallory)
    offers = Invitation.objects.filter(campaign=again)
    assert {(each.user.username, each.role) for each in offers} == {
        ("olga", "organizer"),
        ("ada", "assessor"),
        ("kurt", "expert"),
    }
    assert not Campaign.objects.visible_to(lab.cast.ada).filter(pk=again.pk).exists()
    assert "ada, kurt, olga had an account here" in again.imported["notes"][0]
    invitations.answer(lab.cast.ada, offers.get(user=lab.cast.ada).pk, accepted=True)
    member = again.members.get(user=lab.cast.ada)
    assert (member.role, member.team, member.own_topics) == ("assessor", "Alpha", ["A.9"])
    assert (again.slug, again.collection.name) == (f"{lab.campaign.slug}-2", f"{lab.campaign.collection} (2)")


@pytest.mark.parametrize("person", ["mallory", "olga"])
def test_pages_of_a_campaign_whose_people_are_only_invited(person: str, tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    again = imported(exported(lab.campaign), getattr(lab.cast, person))
    client = client_as(lab.cast, person)
    for name in (
        "campaign",
        "members",
        "assignments",
        "progress",
        "agreement",
        "releases",
        "results",
        "topics",
        "runs",
    ):
        assert client.get(reverse(name, args=[again.slug])).status_code == 200, name


Rewrite = Callable[[dict[str, bytes]], None]


def rewritten(file: bytes, change: Rewrite, *, honest: bool = True) -> bytes:
    """The file after a change of its contents, with their hashes if it is ``honest``."""
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files.pop("manifest.json"))
    change(files)
    if honest:
        manifest["files"] = {name: {"sha256": sha256(text).hexdigest()} for name, text in files.items()}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr("manifest.json", json.dumps(manifest))
    return target.getvalue()


def in_rows(name: str, old: str, new: str) -> Rewrite:
    """Replaces a part of each row of a model."""

    def change(files: dict[str, bytes]) -> None:
        text = files[f"rows/{name}.jsonl"].decode()
        assert old in text
        files[f"rows/{name}.jsonl"] = text.replace(old, new).encode()

    return change


def without(name: str) -> Rewrite:
    """Removes a file."""

    def change(files: dict[str, bytes]) -> None:
        del files[name]

    return change


WRONG: dict[str, tuple[Rewrite, str]] = {
    "outside reference": (in_rows("Judgment", '"assignment":1,', '"assignment":99,'), "refers to Assignment 99"),
    "no reference": (in_rows("Judgment", '"assignment":1,', '"assignment":"1",'), "refers to Assignment '1'"),
    "unknown person": (in_rows("JudgmentEvent", '"by":"ada"', '"by":"root"'), "names 'root', who is not among"),
    "other field": (in_rows("Member", '"team"', '"is_staff"'), "has the fields campaign, is_staff"),
    "impossible grade": (in_rows("Judgment", '"grade":3', '"grade":7'), "the database refuses"),
    "impossible role": (in_rows("Member", '"assessor"', '"admin"'), "is not one of its values"),
    "impossible rules": (in_rows("Pool", '"preset"', '"pickle"'), "protocol is not as expected"),
    "order of others": (in_rows("Assignment", '"order":[', '"order":[77,'), "order is not as expected"),
    "no JSON": (in_rows("Topic", "{", "{{"), "is not valid JSON"),
    "endless number": (in_rows("Instance", '"votes":1.5', '"votes":NaN'), "NaN is no number"),
    "half a character": (in_rows("Topic", "How large", r"\ud800"), "is not valid JSON"),
    "hidden user name": (in_rows("people", '"user":"ada"', '"user":"a d a"'), "not a valid user name"),
    "two campaigns": (
        lambda files: files.update({"rows/Campaign.jsonl": files["rows/Campaign.jsonl"] * 2}),
        "holds 2 campaigns",
    ),
    "no ranking": (lambda files: files.update({"rankings/1.tsv": b"\x80\x04cposix\nsystem\n"}), "columns of a ranking"),
    "ranking gone": (without("rankings/1.tsv"), "rankings/1.tsv: is missing"),
}


@pytest.mark.engines
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", WRONG)
def test_what_is_not_consistent_is_refused_and_leaves_nothing(kind: str, tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    change, reason = WRONG[kind]
    file = rewritten(exported(lab.campaign), change)
    before = Post.objects.count(), Judgment.objects.count(), User.objects.count(), Collection.objects.count()
    with pytest.raises(BadInput, match=reason):
        imported(file, lab.cast.olga)
    after = Post.objects.count(), Judgment.objects.count(), User.objects.count(), Collection.objects.count()
    assert (after, Campaign.objects.count(), Account.objects.count()) == (before, 1, 0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (in_rows("Judgment", '"grade":3', '"grade":2'), "rows/Judgment.jsonl has another hash than the manifest says"),
        (lambda files: files.update({"../../evil.py": b"x"}), "../../evil.py is not in the manifest"),
        (without("rows/Topic.jsonl"), "rows/Topic.jsonl is missing"),
    ],
    ids=["changed", "added", "removed"],
)
def test_a_file_that_was_changed_is_refused(change: Rewrite, reason: str, tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    with pytest.raises(BadInput, match=reason):
        imported(rewritten(exported(lab.campaign), change, honest=False), lab.cast.olga)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path, settings: Any) -> None:
    lab = make_lab(tmp_path)
    bomb = rewritten(exported(lab.campaign), lambda files: files.update({"made/9.tsv": b"0" * 20_000_000}))
    assert len(bomb) < 100_000
    settings.UNPACK_LIMIT = 10_000_000
    with pytest.raises(BadInput, match="unpacks to more than 10 MB; raise ASSESS_MAX_UNPACKED_MB"):
        imported(bomb, lab.cast.olga)


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"format": "other"}, "is not a campaign file"),
        ({"format": "assess-campaign", "version": 2}, "has version 2 of the format, and this is 1; update Assess"),
        ({"format": "assess-campaign", "version": 1}, "lists no files"),
        (["x"], "is not a campaign file"),
    ],
)
def test_other_archives_are_refused(manifest: object, reason: str) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(BadInput, match=reason):
        imported(target.getvalue(), make_empty())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_download_that_was_cut_off_says_so(share: float, tmp_path: Path) -> None:
    whole = exported(make_lab(tmp_path).campaign)
    with pytest.raises(BadInput, match=r"is incomplete or damaged .*may have been cut off: download or copy it again"):
        imported(whole[: int(share * len(whole))], make_empty())


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all"])
def test_what_is_no_archive_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="is not a campaign file"):
        imported(content, make_empty())


def test_scripts_in_texts_are_removed(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    script = "<script>alert(1)</script>"
    change = in_rows("Post", "<p>Answer 11", f'<p onclick=\\"x()\\">{script}Answer 11')
    again = imported(rewritten(exported(lab.campaign), change), lab.cast.olga)
    body = Post.objects.get(collection=again.collection, post_id="11").body
    assert "script" not in body
    assert body.startswith("<p>Answer 11")
    assert "1 text had to be cleaned" in again.imported["notes"][-1]


def test_a_file_does_not_replace_what_a_campaign_has(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    file = io.BytesIO(exported(lab.campaign))
    with pytest.raises(Refused, match="this one has content"):
        importing.fill(lab.campaign, file, "lab.zip", lab.cast.olga, on_progress)


def test_only_the_threads_of_the_pools_leave(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    Instance.objects.filter(post_id__startswith="2").update(post_id="")
    rows = contents(exported(lab.campaign))["rows/Post.jsonl"].decode().splitlines()
    assert {json.loads(row)["thread_id"] for row in rows} == {"10"}
