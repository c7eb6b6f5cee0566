"""The signature of a manifest, if the installation has a key: openssl checks it, too."""

import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assess.models import Qrels
from assess.services.common.errors import Refused
from assess.services.releases import manifest, qrels, release_folder, verification
from tests.cast import make_user, on_progress
from tests.lab import Lab, make_lab
from tests.management.terminal import run

pytest.importorskip("cryptography")
pytestmark = pytest.mark.django_db


def make_key(path: Path) -> None:
    """As docs/operations.md says."""
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, capture_output=True)


@pytest.fixture
def lab(tmp_path: Path, settings: Any) -> Lab:
    """A lab whose release is signed."""
    make_user("olga", is_staff=True)  # else a lab is put back whose release is not signed
    make_key(tmp_path / "key.pem")
    settings.SIGNING_KEY_FILE, settings.SIGNING_NAME = str(tmp_path / "key.pem"), "The lab"
    return make_lab(tmp_path)


def test_a_release_says_who_signed_it(lab: Lab) -> None:
    fingerprint = sha256(lab.release.manifest["signed_by"]["key"].encode()).hexdigest()
    done = run("qrels", "verify", lab.campaign.slug, 1)
    assert done.err.endswith(f", signed by The lab, key {fingerprint}\n")


@pytest.mark.parametrize("signature", ["", "00" * 64, "no signature", None])
def test_another_signature_is_found(signature: str | None, lab: Lab) -> None:
    if signature is None:  # the right one, of another manifest
        Qrels.objects.update(note="Forged")
        Qrels.objects.update(sha256=manifest.hash_manifest(Qrels.objects.get()))
    else:
        Qrels.objects.update(signature=signature)
    (problem,) = verification.verify(Qrels.objects.get()).problems
    assert "The signature is not one of The lab" in problem


def test_a_release_signed_with_another_key_or_not_at_all_is_told(lab: Lab, tmp_path: Path, settings: Any) -> None:
    make_key(tmp_path / "other.pem")
    settings.SIGNING_KEY_FILE = str(tmp_path / "other.pem")
    done = verification.verify(lab.release)
    assert (done.problems, done.notes) == ([], [verification.OTHER_KEY])
    settings.SIGNING_KEY_FILE = ""
    assert verification.verify(lab.release).notes == []
    unsigned = qrels.release(lab.pool, lab.cast.olga, on_progress)
    settings.SIGNING_KEY_FILE = str(tmp_path / "key.pem")
    assert verification.verify(unsigned).notes == [verification.OTHER_KEY]


def test_openssl_checks_the_signature_in_the_folder(lab: Lab, tmp_path: Path) -> None:
    for name, texts in release_folder.folder_files(lab.release):
        if "/" not in name:
            (tmp_path / name).write_bytes(
                b"".join(text if isinstance(text, bytes) else text.encode() for text in texts)
            )
    readme = (tmp_path / "README.md").read_text()
    assert sha256((tmp_path / "manifest.json").read_bytes()).hexdigest() in readme
    command = readme[readme.index("openssl") :].partition("`")[0]
    done = subprocess.run(command.split(), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Verified" in done.stdout


def test_with_a_key_that_is_none_nothing_is_released_and_releases_verify(
    lab: Lab, tmp_path: Path, settings: Any
) -> None:
    (tmp_path / "other.pem").write_text("no key")
    for name in ("none.pem", "other.pem"):
        settings.SIGNING_KEY_FILE = str(tmp_path / name)
        done = verification.verify(lab.release)
        assert (done.problems, len(done.notes), done.signed_by[:9]) == ([], 1, "The lab, ")
        assert "SIGNING_KEY_FILE can't be read" in done.notes[0]
        with pytest.raises(Refused, match="SIGNING_KEY_FILE can't be read"):
            qrels.release(lab.pool, lab.cast.olga, on_progress)
    assert Qrels.objects.count() == 1
