"""What the wheel contains: whoever installs it has no checkout."""

from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)


@pytest.fixture
def contents(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The files that a build of the wheel would copy, without building it."""
    core = pytest.importorskip("setuptools").distutils.core  # Python 3.12 and later come without it
    monkeypatch.chdir(ROOT)
    command = core.run_setup("setup.py", stop_after="init").get_command_obj("build_py")
    command.build_lib = "lib"
    command.ensure_finalized()
    return {str(Path(name).relative_to("lib")) for name in command.get_outputs(include_bytecode=False)}


def test_the_wheel_has_all_that_is_read_at_run_time(contents: set[str]) -> None:
    folders = [ROOT / "templates", ROOT / "frontend/dist", ROOT / "docs", ROOT / "fixtures"]
    assert ROOT / "frontend/dist" in settings.STATICFILES_DIRS
    read = {file for folder in folders for file in folder.rglob("*") if file.is_file() and file.name[0] != "."}
    assert len(read) > 250
    assert settings.TEMPLATES[0]["DIRS"] == [ROOT / "templates"]
    assert {f"assess/shipped/{file.relative_to(ROOT)}" for file in read} - contents == set()
    package = {file for kind in ("py", "toml", "mo") for file in (ROOT / "assess").rglob(f"*.{kind}")}
    assert {str(file.relative_to(ROOT)) for file in package} - contents == set()


def test_the_wheel_has_nothing_of_this_installation(contents: set[str]) -> None:
    assert {name.split("/")[0] for name in contents} == {"assess"}
    inside = {name.split("/")[2] for name in contents if name.startswith("assess/shipped/")}
    assert "manage.py" in inside  # `serve` loads the demo by it
    assert inside <= {"manage.py", "templates", "fixtures", "docs", "frontend"}


def test_the_image_is_given_all_that_its_wheel_is_built_from() -> None:
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    lines = [line.split()[1:-1] for line in (ROOT / "Dockerfile").read_text().splitlines() if line.startswith("COPY ")]
    copied = {name for names in lines if not names[0].startswith("--from") for name in names}
    assert {name.split("/")[0] for name in copied} == sent
    assert [name for name in sorted(copied) if not (ROOT / name).exists()] == []
    read = {"pyproject.toml", "setup.py", "requirements.in", "LICENSE", "manage.py"}
    assert read | {"assess/", "templates/", "fixtures/", "docs/"} <= copied
