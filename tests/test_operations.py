"""The blocks of docs/operations.md: the programs that read them accept them. The tests in docs/security.md exist."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests import proxy

ROOT = Path(settings.BASE_DIR)


def needed(program: str) -> str:
    return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") or pytest.skip(f"no {program}")


@pytest.mark.parametrize("has_several_hosts", [False, True])
def test_nginx_takes_its_blocks(tmp_path: Path, has_several_hosts: bool) -> None:
    file = proxy.nginx_file(tmp_path, {}, has_several_hosts=has_several_hosts)
    done = subprocess.run([needed("nginx"), "-t", "-c", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    megabytes = re.search(r"client_max_body_size (\d+)m", file.read_text())[1]
    assert int(megabytes) * 1_000_000 == settings.UPLOAD_LIMIT


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    analyze = needed("systemd-analyze")
    names = [
        "assess-web.service",
        "assess-worker.service",
        "assess-clearsessions.service",
        "assess-clearsessions.timer",
    ]
    units = proxy.blocks("ini", "[Unit]")
    assert len(units) == len(names)
    for name, text in zip(names, units, strict=True):
        (tmp_path / f"assess-{name}").write_text(re.sub(r"/opt/assess/bin/\w+", "/bin/true", text))
    files = [str(tmp_path / f"assess-{name}") for name in names]
    done = subprocess.run([analyze, "verify", "--man=no", *files], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_settings_are_read_by_a_shell_and_are_safe(tmp_path: Path) -> None:
    (text,) = proxy.blocks("sh", "ALLOWED_HOSTS=")
    file = tmp_path / "assess.env"
    file.write_text(text.replace("/var/lib/assess", str(tmp_path)))
    how: dict[str, Any] = {"cwd": ROOT, "env": {"PATH": os.environ["PATH"]}, "capture_output": True, "text": True}
    check = f"set -a; . {file}; exec {sys.executable} manage.py check --deploy --fail-level WARNING"
    done = subprocess.run(["sh", "-c", check], **how)
    assert done.returncode == 0, done.stderr
    assert {line.split("=")[0] for line in text.splitlines()} <= set(re.findall(r"`(\w+)`", proxy.GUIDE))


def test_the_tests_that_the_page_on_security_names_exist() -> None:
    page = (ROOT / "docs/security.md").read_text()
    missing, file = [], ""
    for named, test in re.findall(r"`((?:tests/[\w/]+\.py)?)(?:::(test_\w+))?`", page):
        file = named or file
        if named and not (ROOT / named).is_file():
            missing.append(named)
        elif test and f"def {test}(" not in (ROOT / file).read_text():
            missing.append(f"{file}::{test}")
    assert missing == []
    assert len(re.findall("::test_", page)) > 50
