"""A service that takes orders in all the ways an OpenAPI description knows of."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from fastapi import Body, FastAPI, Header, Query
from pydantic import BaseModel, Field

app = FastAPI()


class Line(BaseModel):
    """One line of an order."""

    name: Annotated[str, Field(min_length=3)]
    count: Annotated[int, Field(gt=4)]
    note: str = "none"


class Order(BaseModel):
    """An order, of which another may be a part."""

    lines: Annotated[list[Line], Field(min_length=2)]
    kind: Literal["tea", "salt"]
    when: date
    paid: bool
    parent: Order | None = None


@app.get("/orders")
async def several(ids: Annotated[list[int], Query()], urgent: Annotated[bool, Query()]) -> int:
    """A list in the query."""
    return len(ids) + urgent


@app.post("/orders")
async def add(order: Order) -> int:
    """A body that is described by a model."""
    return len(order.lines)


@app.put("/orders/{number}")
async def put(number: int, order: Annotated[Order, Body(embed=True)], x_who: Annotated[str, Header()]) -> str:
    """A body inside a body, and a header."""
    return f"{number}{order.kind}{x_who}"


@app.post("/given")
async def given(size: Annotated[int, Body(embed=True, examples=[12])]) -> None:
    """A body with an example."""
    assert size == 12
