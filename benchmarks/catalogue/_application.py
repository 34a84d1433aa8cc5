"""A real HTTP server in a process of its own.

/wait, /limited (eight at a time), /single (one at a time), /rated (50 a second, the others are refused).

Run as `python -m benchmarks.catalogue._application` it prints its ports, and serves while its standard input
is open: so it ends with whoever started it, however that one ends.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from contextlib import nullcontext
from typing import Any
from urllib.parse import parse_qs

import uvicorn

_LIMITS = {"/limited": asyncio.Semaphore(8), "/single": asyncio.Semaphore(1)}


class _Bucket:
    """Lets so many through a second, and a few at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._filled = burst, time.monotonic()

    def admits(self) -> bool:
        """Whether there is a token left for one more."""
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        admitted = self._tokens >= 1
        self._tokens -= admitted
        return admitted


_RATED = _Bucket(rate=50, burst=5)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ARG001 - ASGI's signature
    """Wait as long as asked, within the limit of the path, then answer."""
    asked = parse_qs(scope["query_string"].decode())
    status = 429 if scope["path"] == "/rated" and not _RATED.admits() else 200
    async with _LIMITS.get(scope["path"]) or nullcontext():
        await asyncio.sleep(int(asked["ms"][0]) / 1000)
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"4")]})
    await send({"type": "http.response.body", "body": b"done"})


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send back every line a millisecond after it came."""
    while line := await reader.readline():
        await asyncio.sleep(1e-3)
        writer.write(line)
    writer.close()


async def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    echoing = await asyncio.start_server(echo, "127.0.0.1", 0, backlog=1024)
    print(listening.getsockname()[1], echoing.sockets[0].getsockname()[1], flush=True)
    await server.serve([listening])


def main() -> None:
    """Serve until standard input ends."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", lifespan="off"))

    def watch() -> None:
        sys.stdin.read()
        server.should_exit = server.force_exit = True

    threading.Thread(target=watch, daemon=True).start()
    asyncio.run(_serve(server, listening))


if __name__ == "__main__":
    main()
