"""A backup has everything at one time, and restoring it brings everything back."""

import gzip
import json
import shutil
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import dj_database_url
import psycopg2
import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, connections
from pytest_django import Settings

from assess.models import Campaign, Collection
from assess.services import backups, job_kinds
from assess.services.common import tables
from assess.services.common.errors import Refused
from tests.cast import make_campaign, make_user
from tests.conftest import database_url
from tests.lab_steps import LAB_STEPS, done, new_campaign, of_collection, submit, submitted
from tests.snapshot import snapshot

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.engines]

ANSWERS = next(iter(LAB_STEPS))
KNOWN = {
    *("AutoField", "BigAutoField", "OneToOneField", "ForeignKey", "BooleanField", "IntegerField", "BigIntegerField"),
    *("SmallIntegerField", "PositiveSmallIntegerField", "PositiveIntegerField", "PositiveBigIntegerField"),
    *("CharField", "SlugField", "TextField", "JSONField", "FloatField", "BinaryField", "UUIDField"),
    *("DateField", "DateTimeField", "GenericIPAddressField"),
}


def destroy() -> None:
    call_command("flush", interactive=False, verbosity=0)
    shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)
    (settings.VAR_DIR / "secret-key").write_text("another")


def manifest_of(made: backups.Made) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((made.folder / "manifest.json").read_text())
    return {name: manifest[name] for name in ("migrations", "tables", "files")}


@pytest.mark.parametrize("preset", LAB_STEPS)
def test_a_whole_lab_is_restored(preset: str, tmp_path: Path) -> None:
    for job in submitted(preset, campaign := new_campaign(preset)):
        done(job)
    before, made = snapshot(campaign), backups.back_up(tmp_path, 14)
    destroy()
    assert not Campaign.objects.exists()
    backups.restore(tmp_path)
    assert snapshot(campaign) == before
    assert (settings.VAR_DIR / "secret-key").read_text() == settings.SECRET_KEY
    assert manifest_of(backups.back_up(tmp_path, 14)) == manifest_of(made)
    assert make_campaign("arqmath1-task1").pk > campaign.pk


def test_every_value_comes_back(tmp_path: Path) -> None:
    words = ["\\N", "\\", "tab\tend", "two\nlines\r\n", "\x0b\x0c\x08\x85\u2028", "Erdős 𝔸", "", "\\t"]
    for number, word in enumerate(words):
        User.objects.create(username=f"user{number}", first_name=word, last_login=None, is_active=bool(number % 2))
    Collection.objects.create(name="x", notes=words, counts=dict.fromkeys(words, 1.5e-07), sources={"a": {"b": None}})
    before = [list(model.objects.order_by("pk").values()) for model in (User, Collection)]
    backups.back_up(tmp_path, 1)
    destroy()
    backups.restore(tmp_path)
    assert [list(model.objects.order_by("pk").values()) for model in (User, Collection)] == before


def test_columns_can_come_in_another_order(tmp_path: Path) -> None:
    def read(lines: list[str]) -> None:
        path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
        with gzip.open(path) as file:
            tables.read_table("default", User, file)

    make_user("ada")
    before, path = list(User.objects.values()), tmp_path / "users.gz"
    with gzip.open(path, "wb") as file:
        tables.write_table("default", User, file)
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    User.objects.all().delete()
    with pytest.raises(Refused, match="does not begin with its columns"):
        read(lines[1:])
    read(["\t".join(line.split("\t")[::-1]) for line in lines])
    assert list(User.objects.values()) == before


def test_each_kind_of_field_can_be_moved_between_engines() -> None:
    fields = {field for model in apps.get_models() for field in model._meta.local_concrete_fields}
    assert {field.get_internal_type() for field in fields} <= KNOWN  # a new kind: does `tables` read it on both?


def import_again(campaign: Campaign) -> None:
    """As another process does, with a connection of its own."""

    def do() -> None:
        try:
            import_collection(campaign)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(do).result()


def import_collection(campaign: Campaign) -> None:
    done(submit(campaign, job_kinds.import_collection, of_collection))


def test_an_import_that_ends_during_the_backup_is_in_it_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The import removes the columns that the snapshot names before they are copied, so there is another snapshot."""
    import_collection(campaign := make_campaign(ANSWERS))
    copies, copy = [], backups.MediaCopy.copy

    def copy_late(self: backups.MediaCopy, names: set[str]) -> bool:
        copies.append(names)
        if len(copies) == 1:
            return True  # nothing copied ahead
        if len(copies) == 2:
            import_again(campaign)
        return copy(self, names)

    monkeypatch.setattr(backups.MediaCopy, "copy", copy_late)
    backups.back_up(tmp_path, 1)
    assert len(copies) == 3
    before = snapshot(campaign)
    destroy()
    backups.restore(tmp_path)
    assert snapshot(campaign) == before
    assert len(before["jobs"]) == 2


def test_the_oldest_backups_go_and_unchanged_files_are_links_to_those_of_the_last(tmp_path: Path) -> None:
    import_collection(make_campaign(ANSWERS))
    made = [backups.back_up(tmp_path, 2).folder for _ in range(2)]
    shutil.copytree(made[0], tmp_path / "unfinished")  # one that was interrupted
    assert backups.backups_in(tmp_path) == made
    made.append(backups.back_up(tmp_path, 2).folder)
    assert sorted(tmp_path.iterdir()) == made[1:]
    files = [sorted(path for path in (folder / "media").rglob("*") if path.is_file()) for folder in made[1:]]
    assert all(first.samefile(second) for first, second in zip(*files, strict=True))
    assert files[0]
    for path in (made[2], *made[2].rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0  # private


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        ("media", "is damaged"),
        ("tables", "is damaged"),
        ("migration", f"differ by assess.9999_later: version {settings.VERSION} made"),
        ("rows", r"auth_user.* differ from those of the files"),
    ],
)
def test_what_cannot_be_restored_changes_nothing(harm: str, reason: str, tmp_path: Path) -> None:
    import_collection(make_campaign(ANSWERS))
    folder = backups.back_up(tmp_path, 1).folder
    destroy()
    if harm in ("media", "tables"):
        path = next(path for path in (folder / harm).rglob("*") if path.is_file())
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    else:
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["migrations"] += ["assess.9999_later"] * (harm == "migration")
        manifest["tables"]["auth_user"] += harm == "rows"
        (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(Refused, match=reason):
        backups.restore(folder)
    assert tables.is_empty("default")


def test_nothing_is_restored_from_nothing_or_over_an_installation(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"has none: it has no manifest\.json"):
        backups.restore(tmp_path)
    backups.back_up(tmp_path, 1)
    Path(settings.MEDIA_ROOT, "pools").mkdir(parents=True)
    file = Path(settings.MEDIA_ROOT, "pools", "1")
    file.write_text("x")
    with pytest.raises(Refused, match=r"media store .* is not empty: it has pools/1"):
        backups.restore(tmp_path)
    file.unlink()
    make_user("olga")
    with pytest.raises(Refused, match=r"database .* is not empty"):
        backups.restore(tmp_path)


@pytest.mark.postgres
def test_nothing_is_restored_while_others_are_connected(tmp_path: Path) -> None:
    backups.back_up(tmp_path, 1)
    with closing(psycopg2.connect(database_url())), pytest.raises(Refused, match="has 1 other connection"):
        backups.restore(tmp_path)


@pytest.fixture
def other(tmp_path: Path, settings: Settings) -> Iterator[str]:
    """An SQLite database with all tables, made as those of the tests are."""
    databases = {**settings.DATABASES, "other": dj_database_url.parse(f"sqlite:///{tmp_path / 'other'}")}
    connections.databases["other"] = connections.configure_settings(databases)["other"]
    link = connections["other"]
    link.connect()
    link.ensure_connection = lambda: None  # type: ignore[method-assign]  # it forbids other databases
    settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    call_command("migrate", database="other", run_syncdb=True, verbosity=0)
    yield "other"
    link.close()
    del connections["other"], connections.databases["other"]


def test_a_lab_moves_to_sqlite_and_back(other: str) -> None:
    for job in submitted(ANSWERS, campaign := new_campaign(ANSWERS)):
        done(job)
    before, rows = snapshot(campaign), tables.count_rows("default")
    assert backups.move_database("default", other) == sum(rows.values())
    assert tables.count_rows(other) == rows
    with pytest.raises(Refused, match=r"database .*other is not empty"):
        backups.move_database("default", other)
    call_command("flush", interactive=False, verbosity=0)
    assert backups.move_database(other, "default") == sum(rows.values())
    assert snapshot(campaign) == before
    assert make_campaign("arqmath1-task1").pk > campaign.pk  # the sequences go on
