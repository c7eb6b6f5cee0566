"""Imports point one way: down the floors of the package, and on each floor in the order of a campaign."""

import ast
from pathlib import Path

import pytest
from django.conf import settings

FLOORS = ("ir", "models", "services", "tasks")
DOORS = ("web", "api", "admin", "management")
BELOW = {floor: {*FLOORS[: n + 1]} for n, floor in enumerate(FLOORS)}
BELOW |= {door: {*FLOORS, door} for door in DOORS}
# Files of Django and Celery are outside the floors. Tasks and doors may use the Celery application.
OUTSIDE = {"__init__", "__main__", "apps", "settings", "celery", "wsgi", "gunicorn", "urls", "static", "migrations"}
USES_CELERY_APP = {"tasks", *DOORS}
FORBIDDEN = {"ir": {"django", "rest_framework", "celery"}, "services": {"rest_framework", "celery"}}
ROOMS = {
    "ir": "common campaign collection formulas runs formats baselines pool rounds agreement releases scores",
    "services": "common jobs campaign collection formulas runs pool desk rounds agreement releases scores",
    "web": "common campaign collection formulas runs pool desk rounds agreement releases scores jobs",
}
"""A module imports from its own room and those before it. Modules outside the rooms may import all of them."""
TEMPLATES = {*ROOMS["web"].split(), "registration"}

ROOT = Path(settings.BASE_DIR) / "assess"
MODULES = sorted(ROOT.rglob("*.py"))


def parts_of(module: Path) -> list[str]:
    return [*module.relative_to(ROOT).parts[:-1], module.stem]


def imports(source: str) -> set[str]:
    """The dotted names that a module imports; a relative import counts as ``.``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {"." if node.level else f"{node.module}.{alias.name}" for alias in node.names}
    return names


def offences(parts: list[str], source: str) -> list[str]:
    """The imports that the module must not make."""
    return sorted(name for name in imports(source) if not is_allowed(parts, name))


def is_allowed(parts: list[str], name: str) -> bool:
    floor, package, *rest = parts[0], *name.split(".")
    if package != "assess":
        return name != "." and package not in FORBIDDEN.get(floor, set())
    target = rest[0]
    if target == floor:
        return is_room_allowed(floor, parts[1:], rest[1:])
    return target in BELOW[floor] or (target == "celery" and floor in USES_CELERY_APP)


def is_room_allowed(floor: str, parts: list[str], target: list[str]) -> bool:
    order = ROOMS.get(floor, "").split()
    if len(parts) < 2 or parts[0] not in order:
        return True
    return target[0] in order[: order.index(parts[0]) + 1]


def test_imports_point_down_the_floors_and_back_in_the_campaign() -> None:
    for module in MODULES:
        parts = parts_of(module)
        if parts[0] in OUTSIDE:
            assert "." not in imports(module.read_text()), module
        else:
            assert parts[0] in BELOW, f"{parts[0]} is not a floor: see docs/architecture.md"
            assert offences(parts, module.read_text()) == [], module


@pytest.mark.parametrize("floor", ROOMS)
def test_each_floor_has_the_rooms_of_a_campaign(floor: str) -> None:
    rooms = {path.name for path in (ROOT / floor).iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(ROOMS[floor].split())


def test_templates_are_in_the_rooms_of_their_pages() -> None:
    folders = {path.name for path in (Path(settings.BASE_DIR) / "templates").iterdir() if path.is_dir()}
    assert folders <= TEMPLATES


@pytest.mark.parametrize("floor", [*ROOMS, "browser"])
def test_tests_are_in_the_rooms_of_what_they_test(floor: str) -> None:
    folders = {path.name for path in (Path(settings.BASE_DIR) / "tests" / floor).iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} <= set(ROOMS.get(floor, ROOMS["web"]).split())


def test_packages_hold_no_logic() -> None:
    allowed = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign)
    for package in ROOT.rglob("__init__.py"):
        assert all(isinstance(node, allowed) for node in ast.parse(package.read_text()).body), package
        assert package.parent.name in ("assess", "models") or not imports(package.read_text()), package


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("ir.pool.pooling", "import django"),
        ("ir.pool.pooling", "from assess.models import Run"),
        ("models.run", "from assess import services"),
        ("services.runs.runs", "from celery import shared_task"),
        ("services.runs.runs", "from assess.tasks import enqueue"),
        ("services.runs.runs", "from assess.services.pool import pools"),
        ("services.runs.runs", "from assess.services import job_kinds"),
        ("web.runs.runs", "from assess.api import runs"),
        ("web.runs.runs", "from assess.web.jobs import pages"),
        ("tasks", "def late():\n    from assess.web import urls"),  # hidden in a function
        ("web.runs.runs", "from .access import required"),
    ],
)
def test_an_import_upwards_sideways_or_relative_is_an_offence(module: str, source: str) -> None:
    assert offences(module.split("."), source)
