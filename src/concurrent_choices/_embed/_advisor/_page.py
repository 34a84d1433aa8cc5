"""The advice as a small page, and as answers to requests for it."""

from __future__ import annotations

from html import escape
from typing import Any

from ..._facts._table import spell
from ._advice import Advice, AdviceTable

__all__ = ["answer", "refuse"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.4em .6em;text-align:left;"
    "border-bottom:1px solid #8884;vertical-align:top}.bad{border-left:4px solid #c33}"
    ".fine{border-left:4px solid #3a3}"
)
_REFUSALS = {
    401: (b"the secret is needed", ((b"www-authenticate", b'Basic realm="advice", charset="UTF-8"'),)),
    404: (b"not found", ()),
    405: (b"the advice can only be read", ((b"allow", b"GET, HEAD"),)),
}
_HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


async def answer(table: AdviceTable, send: Any, *, as_json: bool) -> None:
    """Answer a request with the advice."""
    if as_json:
        await _send(send, 200, b"application/json", table.to_json(indent=2).encode())
    else:
        policy = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'")
        await _send(send, 200, b"text/html; charset=utf-8", _html(table).encode(), policy)


async def refuse(status: int, send: Any) -> None:
    """Answer a request that may not see it, or wants something else than to read."""
    text, headers = _REFUSALS[status]
    await _send(send, status, b"text/plain", text, *headers)


async def _send(send: Any, status: int, kind: bytes, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    length = (b"content-length", str(len(body)).encode())
    given = [(b"content-type", kind), length, *_HEADERS, *headers]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})


def _html(table: AdviceTable) -> str:
    rows = "".join(map(_row, table.routes))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Advice</title><style>{_STYLE}</style>'
        "<h1>Advice</h1><table><tr><th>route<th>requests<th>takes<th>holds the loop<th>advice</tr>"
        f"{rows}</table></html>"
    )


def _row(each: Advice) -> str:
    mood = "fine" if each.finding in {"fine", "unknown"} else "bad"
    cells = [
        each.route,
        each.counted,
        spell(each.wall),
        spell(each.held),
        each.text,
    ]
    return f'<tr class="{mood}">' + "".join(f"<td>{escape(cell)}" for cell in cells) + "</tr>"
