"""Signatures of manifests, if the installation has a key (Ed25519, RFC 8032)."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

from assess.services.common.errors import Refused


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


def in_words(signer: dict[str, Any]) -> str:
    return f"{signer['name']}, key {fingerprint(signer)}"
