"""The application that the benchmark judges too, and an endpoint that streams and takes a parameter."""

from __future__ import annotations

import asyncio

from benchmarks.embedding import _labelled
from benchmarks.embedding._labelled import FINE, app, is_right
from fastapi.responses import StreamingResponse

__all__ = ["LABELS", "app", "is_right"]


@app.get("/streams/{count}")
async def streams(count: int) -> StreamingResponse:
    async def chunks():
        for number in range(count):
            yield str(number)
            await asyncio.sleep(0.001)

    return StreamingResponse(chunks())


LABELS = {**_labelled.LABELS, "/streams/{count}": FINE}
