"""A real server with and without the advisor, driven from another process: cost and memory."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from concurrent_choices import EndpointAdvisor

__all__ = ["Service", "resident"]


def build(*, advised: bool) -> FastAPI:
    """A service with an endpoint of each style."""
    app = FastAPI()

    @app.get("/items/{number}")
    async def item(number: int) -> dict[str, int]:
        await asyncio.sleep(0)
        return {"number": number}

    if advised:
        app.add_middleware(EndpointAdvisor, on_shutdown=None)
    return app


class Service:
    """A server of the service, in a thread of this process.

    Args:
        advised: Whether the advisor stands around it.
    """

    def __init__(self, *, advised: bool) -> None:
        config = uvicorn.Config(build(advised=advised), host="127.0.0.1", port=0, log_level="error")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        self.port: int = self._server.servers[0].sockets[0].getsockname()[1]

    def drive(self, requests: int, rate: float) -> float:
        """Seconds of this process's computing for so many requests; raises if any fails.

        Args:
            requests: How many.
            rate: Requests a second; 0 for as many as it answers.
        """
        began = time.process_time()
        numbers = map(str, (self.port, requests, rate))
        command = [sys.executable, "-m", "benchmarks.embedding._load", *numbers]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        if done.stdout.strip() != str(requests):
            msg = f"{done.stdout.strip()} of {requests} requests were answered"
            raise RuntimeError(msg)
        return time.process_time() - began

    def close(self) -> None:
        """End it."""
        self._server.should_exit = True
        self._thread.join()


def resident() -> int:
    """Bytes that this process keeps in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096
