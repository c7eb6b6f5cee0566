"""nginx with its blocks of docs/operations.md."""

import datetime
import re
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

GUIDE = (Path(__file__).parent.parent / "docs/operations.md").read_text()
HOST = "assess.example"


def blocks(kind: str, word: str) -> list[str]:
    """The blocks of the guide of this kind that have the word."""
    return [text for text in re.findall(rf"^```{kind}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL) if word in text]


def nginx_file(folder: Path, replaced: dict[str, str], *, has_several_hosts: bool = False) -> Path:
    """Makes a certificate, and a file with the guide's blocks as they are but for what is ``replaced`` and paths."""
    make_certificate(folder)
    (text,) = blocks("nginx", "listen")
    if has_several_hosts:
        (upstream,) = blocks("nginx", "upstream")
        text = upstream + text.replace("http://127.0.0.1:8000", "http://assess")
    for old, new in {"/etc/ssl/assess": str(folder), **replaced}.items():
        if old not in text:
            raise ValueError(f"docs/operations.md: the blocks for nginx lack {old}")
        text = text.replace(old, new)
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; events {{}}\nhttp {{\naccess_log off;\n{text}}}\n"
    )
    return file


def make_certificate(folder: Path) -> None:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=True)
    how = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "privkey.pem").write_bytes(key.private_bytes(*how))
    (folder / "fullchain.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(how[0]))
