"""Who may read the advice: those who know the secret, or those on this very machine."""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["Guard"]

_PROXIED = (b"forwarded", b"x-forwarded-", b"x-real-ip", b"via")
"""How headers begin that proxies add."""

_OF_PROXIES = "1.0"
"""The version of HTTP that nginx speaks to applications unless told otherwise, and that no browser speaks."""


class Guard:
    """Decides by a request's ASGI scope.

    Args:
        secret: What to know; None to admit requests that come over loopback, and through no known proxy.
    """

    def __init__(self, secret: str | None) -> None:
        self._secret = None if secret is None else secret.strip().encode()  # no header ends in a line's end

    def refusal(self, scope: Any) -> int:
        """The status of a refusal; 0 where the request is admitted."""
        headers: Mapping[bytes, bytes] = dict(scope.get("headers", ()))
        if self._secret is not None:
            return 0 if self._knows(headers.get(b"authorization", b"")) else 401
        # A proxy on this machine makes the whole world look local, and a page elsewhere may send the browser
        # here under a name of its own: neither gets in.
        local = _is_local(scope.get("client")) and _is_local(scope.get("server"))
        proxied = (
            any(name.startswith(_PROXIED) for name in headers) or scope.get("http_version") == _OF_PROXIES
        )
        return 0 if local and not proxied and _names_local(headers.get(b"host", b"")) else 404

    def _knows(self, authorization: bytes) -> bool:
        kind, _, given = authorization.partition(b" ")
        if kind.lower() == b"basic":
            given = _password(given)
        elif kind.lower() != b"bearer":
            given = b""
        return hmac.compare_digest(given.strip(), self._secret or b"")


def _password(given: bytes) -> bytes:
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2]
    except binascii.Error:
        return b""


def _is_local(address: Any) -> bool:
    try:
        name = str(address[0])  # no number where a client calls the application itself, as httpx does
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except (IndexError, TypeError, ValueError):
        return False


def _names_local(host: bytes) -> bool:
    name = re.sub(r":\d+$", "", host.decode("latin-1")).strip("[]")  # the port may be missing
    return _is_local((name,))
