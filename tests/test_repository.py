"""The repository is free of local paths and registry addresses, and its requirements are pinned."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

ROOT = Path(settings.BASE_DIR)
MACHINE_PATH = re.compile(r"/(?:root|home|work|tmp/w)/")
REGISTRY = re.compile(r"(?:pypi|pythonhosted|npmjs|npmmirror|debian)\.(?:org|com)\b|registry\.", re.IGNORECASE)
THIS = Path(__file__).relative_to(ROOT)


def tracked_files() -> list[Path]:
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("no git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    names = [Path(name) for name in listed.stdout.split("\0") if name]
    return [name for name in names if name != THIS and (ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    texts = {name: (ROOT / name).read_bytes().decode(errors="replace") for name in tracked_files()}
    return [f"{name}: {match[0]}" for name, text in texts.items() for match in pattern.finditer(text)]


def test_no_file_contains_a_local_path() -> None:
    assert lines_with(MACHINE_PATH) == []


def test_no_file_contains_the_address_of_a_package_registry() -> None:
    assert lines_with(REGISTRY) == []


def test_what_the_recipes_name_is_there() -> None:
    """Files and folders (… is for some between), and names that a module defines, perhaps written `module.name`."""
    modules = {path: path.read_text() for folder in ("assess", "tests") for path in (ROOT / folder).rglob("*.py")}
    places = {str(place) for path in modules for place in (path, path.with_suffix(""))}
    recipes = (ROOT / "CONTRIBUTING.md").read_text().partition("## Recipes")[2].partition("\n## ")[0]
    missing = []
    for word in re.findall(r"`@?([\w./…]+)(?:\(…\))?`", recipes):
        *module, name = word.split(".")
        place = re.compile(rf"/{re.escape(word).replace('…', '.*')}$")
        is_place = any(map(place.search, places))
        definition = re.compile(rf"^(?:def |class )?{name}(?:[(:\[]| =)", re.MULTILINE)
        named = [text for path, text in modules.items() if not module or path.stem == module[0]]
        missing += [word] if not is_place and not any(map(definition.search, named)) else []
    assert missing == []


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_pinned_with_hashes(name: str) -> None:
    entries = (ROOT / name).read_text().replace("\\\n", " ").splitlines()
    entries = [entry for entry in entries if entry.strip() and not entry.startswith("#")]
    assert entries
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_npm_packages_are_pinned_without_addresses() -> None:
    lock = (ROOT / "frontend/package-lock.json").read_text()
    assert '"integrity": "sha512-' in lock
    assert '"resolved"' not in lock


@pytest.mark.postgres
def test_django_talks_to_postgresql_through_psycopg2() -> None:
    assert connection.Database.__name__ == "psycopg2"  # type: ignore[attr-defined]


@pytest.mark.django_db
def test_migrations_are_complete() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
