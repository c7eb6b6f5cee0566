"""The manifest, by which a release is checked: hashes of its history, of what was judged, and of its files; and its
signature, if the installation has a key (Ed25519, RFC 8032)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.contrib.auth.models import User

from assess.ir.common.rows import Qrel
from assess.ir.formats.qrels import write_qrels
from assess.ir.releases.aggregation import Files, binarise
from assess.ir.releases.release_options import ReleaseOptions
from assess.models import Pool, Qrels, QrelsLine
from assess.services.common.errors import Refused
from assess.services.releases.derivation import ReplayedHistory
from assess.services.releases.export import pseudonym
from assess.services.releases.sources import as_line, hash_of


def grades_of(unit: str) -> tuple[str, str]:
    """What the two files of a unit are called: "hm" (high and medium) as published ones of mathematics are."""
    return "graded", "binary" if unit == QrelsLine.Unit.DOCUMENT else "hm"


def make_manifest(
    history: ReplayedHistory, options: ReleaseOptions, files: Files, level: int, chosen: Mapping[str, str]
) -> dict[str, Any]:
    """The manifest of a release. ``level``: its lowest relevant grade; ``chosen``: kinds of topics not by the rule."""
    rule = options.rule_of_grades(history.pool.rules.rule_of_grades)
    return ({"official_grade": rule} if rule and not options.is_sum else {}) | {
        "software": f"Assess {settings.VERSION}",
        "options": published_options(history.pool, options),
        "topics": dict(sorted(chosen.items())),
        "parts": published_parts(history),
        "items": count_and_hash_items(history),
        "files": published_files(files, level),
    }


def published_files(files: Files, level: int) -> dict[str, dict[str, Any]]:
    """The number of lines and the hash of each file, by its name such as post.graded."""
    return {
        f"{unit}.{grades}": {"lines": len(lines), "sha256": hash_of([as_text(lines, is_binary, level)])}
        for unit, lines in files.items()
        for is_binary, grades in enumerate(grades_of(unit))
    }


def published_options(pool: Pool, options: ReleaseOptions) -> dict[str, Any]:
    users = User.objects.filter(username__in=[*options.excluded, options.assessor]).values_list("username", "pk")
    hidden = {name: pseudonym(pool.campaign, pk) for name, pk in users}
    excluded = tuple(sorted(hidden.get(name, name) for name in options.excluded))
    return replace(options, assessor=hidden.get(options.assessor, ""), excluded=excluded).to_dict()


def published_parts(history: ReplayedHistory) -> list[dict[str, Any]]:
    """The assignments whose judgments count, with how many events they had, and the hash of these."""
    return [
        about | {"events": history.events.get(pk, 0), "sha256": history.hashes[pk]}
        for pk, about in history.identities.items()
    ]


def as_text(lines: Iterable[Qrel], is_binary: int, level: int) -> str:
    """A file in the labs' format, graded, or 1 from the level up and 0 below it."""
    return write_qrels(binarise(lines, level) if is_binary else lines)


def judged_items(history: ReplayedHistory) -> list[str]:
    """What was judged, sorted: lines of topic, document and the hash of what is shown for it, with tabs."""
    judged = {(decided.topic_id, decided.doc_id, decided.content_hash) for decided in history.decided.values()}
    return ["\t".join(decided) + "\n" for decided in sorted(judged)]


def count_and_hash_items(history: ReplayedHistory) -> dict[str, Any]:
    judged = judged_items(history)
    return {"count": len(judged), "sha256": hash_of(judged)}


def hash_record(release: Qrels) -> str:
    """The hash of what is kept of a release without being published: it names people."""
    return hash_of([as_line([release.options, release.units, release.decisions, release.released_by_id])])


def provenance_of(release: Qrels) -> dict[str, Any]:
    """Everything needed to explain how the lines of a release came about, as JSON to publish: assessors have the
    pseudonyms of exports. Without visual ids if the units are answers, or the pool's own."""
    about = dict(release.made_with)
    pool, version = about.pop("pool"), release.visual_map
    return {
        **about,
        "release": release.version,
        "released": release.created.isoformat(),
        "note": release.note,
        "protocol": release.protocol,
        "options": release.options,
        "counts": release.counts,
        "visual_ids": version
        and {"version": version.number, "kind": version.kind, "index_sha256": version.index_sha256},
        "main_round": release.main_round,
        "pool": pool,
        **release.manifest,
    }


def write_provenance(release: Qrels) -> str:
    """The manifest as a file, always the same bytes."""
    return json.dumps(provenance_of(release), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def hash_manifest(release: Qrels) -> str:
    return hash_of([write_provenance(release)])


def load_key() -> Ed25519PrivateKey | None:
    """The key of this installation, None if it has none. Raises Refused if it can't be read."""
    if not settings.SIGNING_KEY_FILE:
        return None
    try:
        key = serialization.load_pem_private_key(Path(settings.SIGNING_KEY_FILE).read_bytes(), None)
    except (OSError, TypeError, ValueError) as error:
        raise Refused(f"The key in SIGNING_KEY_FILE can't be read: {error}.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise Refused("The key in SIGNING_KEY_FILE is not an Ed25519 key: make one (docs/operations.md).")
    return key


def signed_by() -> dict[str, str] | None:
    """Who signs releases here: the name and the public key (PEM). Raises Refused if the key can't be read."""
    if not (key := load_key()):
        return None
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    public = key.public_key().public_bytes(serialization.Encoding.PEM, form)
    return {"name": settings.SIGNING_NAME, "key": public.decode()}


def sign(text: str) -> str:
    """The signature of a text, hexadecimal; empty without a key."""
    key = load_key()
    return str(key.sign(text.encode()).hex()) if key else ""


def is_signature(text: str, signature: str, pem: str) -> bool:
    """Whether the owner of a public key (PEM) signed this text."""
    try:
        key = serialization.load_pem_public_key(pem.encode())
        if isinstance(key, Ed25519PublicKey):
            key.verify(bytes.fromhex(signature), text.encode())
            return True
    except (InvalidSignature, UnsupportedAlgorithm, ValueError):
        pass
    return False


def fingerprint(signer: dict[str, Any]) -> str:
    return sha256(signer["key"].encode()).hexdigest()


def signer_in_words(signer: dict[str, Any]) -> str:
    return f"{signer['name']}, key {fingerprint(signer)}"
