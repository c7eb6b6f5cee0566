"""What the wheel contains beside pyproject.toml: the package, and in ``assess/shipped`` what it reads of the checkout.
`make wheel` builds it."""

from pathlib import Path

from setuptools import find_packages, setup

if not Path("frontend/dist/page.js").exists():
    raise SystemExit("The front end is not built: use `make wheel`, or run node frontend/build.mjs first.")
setup(
    packages=[*find_packages(include=["assess", "assess.*"]), "assess.shipped"],
    package_dir={"assess.shipped": "."},
    package_data={
        "assess": ["**/*.toml", "**/*.mo"],
        "assess.shipped": [f"{folder}/**/*" for folder in ("templates", "fixtures", "docs", "frontend/dist")],
    },
)
