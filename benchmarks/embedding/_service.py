"""Real servers, driven from another process: what the advisor costs them, and what it says of them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import uvicorn
from fastapi import FastAPI

__all__ = ["Load", "Served", "plain", "resident"]


def plain() -> FastAPI:
    """A service whose one endpoint does next to nothing, so that what surrounds it shows."""
    app = FastAPI()

    @app.get("/items/{number}")
    async def item(number: int) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"number": number}

    return app


class Load:
    """The load generator: another process, which waits for orders, so that none pays for its start."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "benchmarks.embedding._load"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def answered(self, order: str) -> int:
        """Have requests made; how many were answered with 200."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline() or 0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


class Served:
    """An application behind a server in a thread of this process.

    Args:
        app: The application.
        load: Who makes the requests.
    """

    def __init__(self, app: Any, load: Load) -> None:
        self._load = load
        # Connections stay open for later orders, however long that takes.
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", timeout_keep_alive=600)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        self.port: int = self._server.servers[0].sockets[0].getsockname()[1]

    def drive(self, path: str, requests: int, *, connections: int = 8, rate: float = 0) -> tuple[float, int]:
        """Have it answer requests from another process.

        Returns:
            Seconds of computing meanwhile by all other threads of this process than the calling one, and how
            many requests failed.
        """
        began = time.process_time() - time.thread_time()
        answered = self._load.answered(f"{self.port} {path} {requests} {connections} {rate}")
        return time.process_time() - time.thread_time() - began, requests - answered

    def close(self) -> None:
        """End it."""
        self._server.should_exit = True
        self._thread.join()


def resident() -> int:
    """Bytes that this process keeps in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096
