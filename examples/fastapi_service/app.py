"""The service: SQLite, an upstream over HTTP, computing; some endpoints done right and some done wrong."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.request import urlopen

import httpx
from examples.fastapi_service.work import digest, mandelbrot, query, store
from fastapi import FastAPI, Request

from concurrent_choices import EndpointAdvisor, offload

UPSTREAM = os.environ.get("UPSTREAM", "http://127.0.0.1:8001")


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open what all requests share."""
    app.state.database = os.environ.get("DATABASE", "orders.db")
    await offload(store, app.state.database)
    async with httpx.AsyncClient(base_url=UPSTREAM) as client:
        app.state.upstream = client
        yield


app = FastAPI(title="Orders", lifespan=lifespan)
# Added first, so that it stands innermost: what other middleware does is not counted.
app.add_middleware(EndpointAdvisor, path="/advice", secret=os.environ.get("ADVICE_SECRET"))


@app.get("/good/orders/{number}")
def order(request: Request, number: int) -> dict[str, float]:
    """A blocking database, in a `def`: the framework runs it in a thread."""
    return query(request.app.state.database, number)


@app.get("/good/upstream")
async def upstream(request: Request) -> dict[str, str]:
    """An upstream that is awaited."""
    answer = await request.app.state.upstream.get("/slow")
    return {"upstream": answer.text}


@app.get("/good/picture/{size}")
async def picture(size: int) -> dict[str, int]:
    """Computing under the GIL, sent to where it holds up nobody."""
    return {"inside": await offload(mandelbrot, size)}


@app.get("/good/digest")
def checksum() -> dict[str, str]:
    """Computing outside the GIL: a thread is right."""
    return {"digest": digest()}


@app.get("/bad/orders/{number}")
async def blocking_order(request: Request, number: int) -> dict[str, float]:
    """The same database in an `async def`: every other request waits for it."""
    return query(request.app.state.database, number)


@app.get("/bad/upstream")
async def blocking_upstream() -> dict[str, str]:
    """A blocking client in an `async def`."""
    with urlopen(f"{UPSTREAM}/slow") as answer:  # noqa: ASYNC210 - what the advisor is to find
        return {"upstream": answer.read().decode()}


@app.get("/bad/picture/{size}")
async def computed_picture(size: int) -> dict[str, int]:
    """Computing on the loop."""
    return {"inside": mandelbrot(size)}


@app.get("/bad/threaded-picture/{size}")
def threaded_picture(size: int) -> dict[str, int]:
    """Computing under the GIL in a thread: the loop has to share it."""
    return {"inside": mandelbrot(size)}
