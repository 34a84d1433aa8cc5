"""What is said of a route, and of all routes together."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from ..._facts._json import Jsonable
from ..._facts._printed import Printed
from ..._facts._table import aligned, paragraph, spell

__all__ = ["Advice", "AdviceTable"]


@frozen(kw_only=True)
class Advice(Jsonable):
    """What is said of one route; times are mean seconds a request.

    Attributes:
        method: The requests' method; "(other)" for any that HTTP does not define, and empty where it is not
            told apart.
        path: The route's template.
        handler: What answers it.
        style: "def", "async def", or empty where there is no telling.
        finding: "fine", "blocks the loop", "computes on the loop", "computes under the GIL", "threads full",
            or "unknown" where too few requests were timed.
        text: What to change, in a sentence; or why nothing.
        where: ``FILE:LINE`` it is about; empty where it is about no line.
        requests: How many were answered; an estimate where not all of them were timed.
        timed: How many of them were.
        wall: How long one takes.
        held: How long it holds the loop.
        computes: How long it computes, on the loop and in threads.
        queued: How long it waits for a thread of the pool.
        gil: The share of computing in threads that holds the GIL; None where not known.
    """

    method: str
    path: str
    handler: str
    style: str
    finding: str
    text: str
    where: str
    requests: int
    timed: int
    wall: float
    held: float
    computes: float
    queued: float
    gil: float | None = None

    @property
    def route(self) -> str:
        """Method and path, for people."""
        return f"{self.method} {self.path}".lstrip()

    @property
    def counted(self) -> str:
        """The number of requests, for people."""
        return str(self.requests) if self.timed >= self.requests else f"about {self.requests}"


@frozen(str=False)
class AdviceTable(Printed, Jsonable):
    """What is said of all routes.

    Attributes:
        routes: One for each, those that hold the loop longest first.
    """

    routes: tuple[Advice, ...]

    def __iter__(self) -> Iterator[Advice]:
        return iter(self.routes)

    def __str__(self) -> str:
        if not self.routes:
            return "No request was seen, so there is nothing to say."
        head = ["route", "handler", "requests", "takes", "holds the loop", "computes", "queues"]
        lines = [*aligned([head, *map(_row, self.routes)]), ""]
        lines += [paragraph(f"{each.route}: {each.text}") for each in self.routes]
        return "\n".join(lines)


def _row(each: Advice) -> list[str]:
    return [
        each.route,
        f"{each.style} {each.handler}".strip(),
        each.counted,
        spell(each.wall),
        spell(each.held),
        spell(each.computes),
        spell(each.queued),
    ]
