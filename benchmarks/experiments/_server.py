"""A real HTTP server in a process of its own.

Run as `python -m benchmarks.experiments._server` it prints its address, and serves for as long as its
standard input stays open: so it ends with whoever started it, however that one ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

__all__ = ["running_server"]

PARTING = 5.0
BACKLOG = 4096


async def awaiting(ms: int) -> dict[str, int]:
    """Wait and let others go on."""
    await asyncio.sleep(ms / 1000)
    return {"ms": ms}


async def blocking(ms: int) -> dict[str, int]:
    """Wait and let nobody go on: the mistake."""
    time.sleep(ms / 1000)  # noqa: ASYNC251 - the mistake is what is measured
    return {"ms": ms}


def threaded(ms: int) -> dict[str, int]:
    """Wait in one of the framework's threads."""
    time.sleep(ms / 1000)
    return {"ms": ms}


async def partly(ms: int) -> dict[str, int]:
    """Await two thirds; wait the last third in one of the framework's threads."""
    from starlette.concurrency import run_in_threadpool  # noqa: PLC0415 - the parent needs no starlette

    await asyncio.sleep(ms * 2 / 3000)
    await run_in_threadpool(time.sleep, ms / 3000)
    return {"ms": ms}


async def counting(n: int) -> dict[str, int]:
    """Compute on the loop."""
    return {"sum": sum(i * i for i in range(n))}


def counting_threaded(n: int) -> dict[str, int]:
    """Compute in one of the framework's threads."""
    return {"sum": sum(i * i for i in range(n))}


def application():
    """The FastAPI application with all endpoints."""
    from fastapi import FastAPI  # noqa: PLC0415 - the parent needs no FastAPI

    app = FastAPI()
    for path, endpoint in {
        "/awaiting/{ms}": awaiting,
        "/blocking/{ms}": blocking,
        "/threaded/{ms}": threaded,
        "/partly/{ms}": partly,
        "/counting/{n}": counting,
        "/counting-threaded/{n}": counting_threaded,
    }.items():
        app.get(path)(endpoint)
    return app


def serve() -> None:
    """Serve until standard input closes."""
    import uvicorn  # noqa: PLC0415 - the parent needs no uvicorn

    listener = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    config = uvicorn.Config(
        application(), log_level="critical", access_log=False, timeout_graceful_shutdown=1, backlog=BACKLOG
    )
    server = uvicorn.Server(config)

    def end_with_parent() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=end_with_parent, daemon=True).start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    server.run(sockets=[listener])


@contextlib.contextmanager
def running_server() -> Iterator[str]:
    """Start the server; give its address; stop it."""
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # Ctrl-C is for the command, which then closes this one in order
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            msg = f"the HTTP server did not start (exit code {process.wait(PARTING)})"
            raise RuntimeError(msg)
        yield address
    finally:
        process.stdin.close()
        process.stdout.close()
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(PARTING)
    except subprocess.TimeoutExpired:  # threads of an overloaded `def` endpoint are still at it
        process.kill()
        process.wait()


if __name__ == "__main__":
    serve()
