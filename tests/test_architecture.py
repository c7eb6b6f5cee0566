"""The layers of the package, lowest first: a module imports only its own layer and those below."""

import ast
from pathlib import Path

import pytest
from django.conf import settings

LAYERS = ("ir", "models", "services", "tasks")
DOORS = ("web", "api", "admin", "management")
BELOW = {layer: {*LAYERS[: n + 1]} for n, layer in enumerate(LAYERS)}
BELOW |= {door: {*LAYERS, door} for door in DOORS}
# What is no layer: Django's and Celery's own files. Tasks and doors may use the Celery application.
OUTSIDE = {"__init__", "settings", "celery", "wsgi", "urls", "static", "migrations", "templatetags"}
USES_CELERY_APP = {"tasks", *DOORS}
FORBIDDEN = {"ir": {"django", "rest_framework", "celery"}, "services": {"rest_framework", "celery"}}

ROOT = Path(settings.BASE_DIR) / "assess"
MODULES = sorted(ROOT.rglob("*.py"))


def layer_of(module: Path) -> str:
    return module.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(source: str) -> set[str]:
    """The dotted names that a module imports; a relative import counts as ``.``."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {"." if node.level else f"{node.module}.{alias.name}" for alias in node.names}
    return names


def offences(layer: str, source: str) -> list[str]:
    """The imports that a module of the layer must not make."""
    return sorted(name for name in imports(source) if not allowed(layer, name))


def allowed(layer: str, name: str) -> bool:
    package, _, rest = name.partition(".")
    if package == "assess":
        target = rest.split(".")[0]
        return target in BELOW[layer] or (target == "celery" and layer in USES_CELERY_APP)
    return name != "." and package not in FORBIDDEN.get(layer, set())


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(module):
    layer = layer_of(module)
    if layer in OUTSIDE:
        assert "." not in imports(module.read_text())
    else:
        assert layer in BELOW, f"{layer} is no layer: see docs/architecture.md"
        assert offences(layer, module.read_text()) == []


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("ir", "import django"),
        ("ir", "from assess.models import Run"),
        ("models", "from assess import services"),
        ("services", "from celery import shared_task"),
        ("services", "from assess.tasks import enqueue"),
        ("web", "from assess.api import views"),
        ("tasks", "def late():\n    from assess.web import urls"),  # hidden in a function
        ("web", "from .access import required"),
    ],
)
def test_an_import_upwards_sideways_or_relative_is_found(layer, source):
    assert offences(layer, source)
