"""What is known of each route."""

from __future__ import annotations

from collections import Counter
from types import CodeType
from typing import Any

from ._routes import NO_ROUTE, Handler, handler_of, name_of_route
from ._visit import Visit

__all__ = ["MOST", "Route", "RouteTable"]

MOST = 500
"""Routes that are told apart, with a handler and without; an application without templates has as many as it
has paths (guessed)."""

OTHER = "(all others)"

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"))
"""RFC 9110 and RFC 5789 define them; others are as many as a client makes up."""

OTHER_METHOD = "(other)"

CLOSELY = 50
"""First requests of a route that are looked at closely."""

SELDOM = 16
"""Later on, one in so many is: it costs 10 µs more."""


class Route:
    """What is known of one route; sums in nanoseconds.

    Attributes:
        method: The requests' method.
        path: Its template.
        handler: What answers it; None where there is no telling.
        requests: How many were answered; in the long run, as some stand for others.
        timed: How many of them were timed.
        returned: How many of those came to their end, rather than to an error.
        wall: How long those took.
        held: How long they held the loop.
        close: How many were looked at closely.
        close_held: How long those held the loop.
        cpu: How long those computed on the loop.
        idle: How long those held the loop while nobody computed.
        queued: How long those waited for a thread.
        pooled: How long a thread worked for those.
        loop_lines: Where they were seen to hold the loop.
        thread_lines: Where they were seen in a thread of the pool.
        alone: Looks at which hardly anything else computed.
        alone_held: At how many of those the GIL was held.
        seen_wall: Time between those looks.
        seen_cpu: How long they computed in it.
        any_cpu: How long threads computed that were at it at a look, or at the look before.
        seen_starved: How long they had no core in it.
        side_cpu: How long several threads computed that were at it side by side.
        side_wall: How long that took.
    """

    def __init__(self, method: str, path: str, handler: Handler | None) -> None:
        self.method = method
        self.path = path
        self.handler = handler
        self.requests = self.timed = self.returned = self.wall = self.held = 0
        self.close = self.close_held = self.cpu = self.idle = self.queued = self.pooled = 0
        self.loop_lines: Counter[tuple[str, str]] = Counter()
        self.thread_lines: Counter[tuple[str, str]] = Counter()
        self.side_cpu = self.side_wall = 0
        self.alone = self.alone_held = self.seen_wall = self.seen_cpu = self.seen_starved = self.any_cpu = 0

    def ended(self, visit: Visit, wall: int) -> None:
        """A request was answered."""
        self.requests += 1
        self.timed += 1
        self.returned += visit.returned
        self.wall += wall
        self.held += visit.held
        if visit.closely:
            self.close += 1
            self.close_held += visit.held
            self.cpu += visit.cpu
            self.idle += visit.idle
            self.queued += visit.queued
            self.pooled += visit.pooled
        if visit.lines is not None:
            self.loop_lines.update(visit.lines)


class RouteTable:
    """All routes of an application.

    Attributes:
        codes: The route that a handler's code belongs to.
        threads: How many threads the pool has; 0 where not known.
    """

    def __init__(self) -> None:
        self._routes: dict[tuple[str, str], Route] = {}
        self.codes: dict[CodeType, Route] = {}
        self.threads = 0
        self._new = 0
        self._told = {True: 0, False: 0}

    def __len__(self) -> int:
        return len(self._routes)

    def __iter__(self) -> Any:
        return iter(list(self._routes.values()))

    def closely(self) -> bool:
        """Whether to look closely at a request whose route is not known yet."""
        self._new += 1
        few = self._new < CLOSELY * max(4, len(self._routes))
        return few or self._new % SELDOM == 0

    def route_of(self, scope: Any) -> Route:
        """The route a request was for.

        Places for those that a handler answers are their own: whoever asks for paths that nothing answers, or
        with made-up methods, takes none of them.
        """
        path = name_of_route(scope)
        method = "" if path == NO_ROUTE else _method(scope)
        route = self._routes.get((method, path))
        if route is not None:
            return route
        handler = handler_of(scope)
        answered = handler is not None
        if self._told[answered] >= MOST:
            return self._routes.setdefault(("", OTHER), Route("", OTHER, None))
        self._told[answered] += 1
        route = self._routes[method, path] = Route(method, path, handler)
        if handler is not None:
            self.codes.update(dict.fromkeys(handler.codes, route))
        return route


def _method(scope: Any) -> str:
    method = str(scope.get("method", ""))
    return method if method in METHODS else OTHER_METHOD
