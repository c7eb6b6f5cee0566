"""Requests as a browser sends them through a proxy, over a Unix socket."""

import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from urllib3 import encode_multipart_formdata

JSON = ["Accept: application/json"]


class Browser:
    """The least of a browser behind a proxy: cookies, the words of the desk's script, a connection for each request."""

    host = "localhost"

    def __init__(self, server: Path, session: str = "") -> None:
        self.server = server
        self.cookies = {"sessionid": session} if session else {}

    def ask(self, method: str, path: str, fields: dict[str, object] | None = None, json_only: bool = False) -> str:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}",
            f"Referer: https://{self.host}/",
            "Connection: close",
            f"Cookie: {cookie}",
            *(JSON if json_only else []),
        ]
        body, kind = encoded(fields or {})
        if fields is not None:
            head += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
            head += [f"X-CSRFToken: {self.cookies['csrftoken']}"]
        answered, _, text = self.send("\r\n".join([*head, "\r\n"]).encode() + body).partition(b"\r\n\r\n")
        status, *headers = answered.decode().split("\r\n")
        for header in headers:
            if header.startswith("Set-Cookie: "):
                name, _, rest = header.removeprefix("Set-Cookie: ").partition("=")
                self.cookies[name] = rest.partition(";")[0]
        if status.split()[1] not in ("200", "202", "302"):
            raise SystemExit(f"{method} {path}: {status}\n{text.decode()[:2000]}")
        return text.decode()

    def send(self, request: bytes) -> bytes:
        with self.connect() as link:
            link.sendall(request)
            return b"".join(iter(lambda: link.recv(1 << 18), b""))

    def connect(self) -> socket.socket:
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(30)
        link.connect(str(self.server))
        return link

    def is_answered(self) -> bool:
        """Whether the server is at work."""
        try:
            return bool(self.ask("GET", "/healthz"))
        except (OSError, IndexError):  # nobody listens yet, or nobody answers
            return False


def encoded(fields: dict[str, Any]) -> tuple[bytes, str]:
    """The body of a form and its type: in parts if it has a file, a name with its content."""
    if any(isinstance(value, tuple) for value in fields.values()):
        return encode_multipart_formdata(fields)
    return urlencode(fields).encode(), "application/x-www-form-urlencoded"
