"""The middleware that stands around an application and learns from its requests."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..._errors import InvalidArgumentError
from ._advice import AdviceTable
from ._guard import Guard
from ._page import answer, refuse
from ._rate import Rate
from ._route_table import RouteTable
from ._rules import advise_on
from ._sampler import Sampler
from ._visit import LoopThread, Visit, pool_limiter

__all__ = ["EndpointAdvisor"]

App = Callable[[Any, Any, Any], Awaitable[None]]
ADVISED = "concurrent_choices.advised"
"""The key of a scope which says that an advisor around this one takes care of it already."""
READING = ("GET", "HEAD")

_log = logging.getLogger(__name__)


def _print(table: AdviceTable) -> None:
    print(table, file=sys.stderr)  # noqa: T201 - what it is for


class EndpointAdvisor:
    """ASGI middleware that observes how the requests of each route behave, and says what to change.

    For every route it learns how long requests wait, compute and hold the event loop, on which line, and how
    long they queue for a thread; and from that, whether `def` or `async def` is right. Routes of Starlette
    and FastAPI are told apart by their templates, those of other applications by their paths. A mounted
    application without routes counts as one route, its mount's path and "/{path}"; requests that nothing
    answers count as "(no route)". Websockets, streams and the lifespan pass through unchanged.

    Args:
        app: The application.
        path: Where to show the advice as a page, and as JSON under the same path with ".json"; None for
            nowhere.
        secret: What a reader of the page must send, as bearer token or as password. Without a secret the page
            is shown only to this machine, over loopback. Behind a proxy always set one: if a proxy on this
            machine does not say that it is one, the whole world looks like this machine.
        on_shutdown: Called with the advice when the application has ended; by default it is printed to
            standard error. What `on_shutdown` raises is logged. An application without a lifespan, such as
            Django's, does not say when it ends: call `advice()`, or look at the page.

    Raises:
        InvalidArgumentError: `path` does not begin with "/", or is the application's root; `secret` is empty
            or no str; or `app` or `on_shutdown` is not callable.

    Examples:
        >>> async def app(scope, receive, send):
        ...     "Any ASGI application."
        >>> advisor = EndpointAdvisor(app, path="/advice", secret="correct horse")
        >>> print(advisor.advice())
        No request was seen, so there is nothing to say.
    """

    def __init__(
        self,
        app: App,
        *,
        path: str | None = None,
        secret: str | None = None,
        on_shutdown: Callable[[AdviceTable], object] | None = _print,
    ) -> None:
        _check(app, path, secret, on_shutdown)
        self.app = app
        self._pages: tuple[str, ...] = () if path is None else (path, f"{path}.json")
        self._rate = Rate()
        self._untimed = 0  # requests that go by before the next may be timed
        self._guard = Guard(secret)
        self._on_shutdown = on_shutdown
        self._routes = RouteTable()
        self._loops: dict[int, LoopThread] = {}
        self._sampler = Sampler(self._routes, self._loops)

    def advice(self) -> AdviceTable:
        """The advice so far. It prints as a table."""
        return advise_on(self._routes)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, and learn from it."""
        if scope["type"] != "http":
            await self._pass(scope, receive, send)
        elif self._pages and self._is_page(scope):
            await self._show(scope, send)
        elif self._untimed > 0:
            self._untimed -= 1
            await self.app(scope, receive, send)
        elif going_by := self._going_by(scope):
            self._untimed = going_by - 1
            await self._counted(scope, receive, send, going_by)
        else:
            await self._visited(scope, receive, send)

    async def _pass(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on what is no request."""
        if scope["type"] == "lifespan" and not scope.get(ADVISED):
            scope[ADVISED] = True  # one inside of this one would have nothing to say at the end
            send = self._until_the_end(send)
        await self.app(scope, receive, send)

    async def _counted(self, scope: Any, receive: Any, send: Any, going_by: int) -> None:
        """Pass on a request that stands for so many, itself included.

        To find the route of each would cost a hundredth of a short request. This one is any of those that go
        by: in the long run all routes get their share.
        """
        try:
            await self.app(scope, receive, send)
        finally:
            self._routes.route_of(scope).requests += going_by

    def _going_by(self, scope: Any) -> int:
        """How many requests, from this one on, are not timed here: an outer advisor does it, or many come."""
        return 1 if scope.get(ADVISED) else self._rate.untimed(time.perf_counter())

    async def _visited(self, scope: Any, receive: Any, send: Any) -> None:
        scope[ADVISED] = True  # an advisor inside of this one would time the same steps
        loop = self._loop()
        loop.active += 1
        if self._sampler.parked:
            self._sampler.wake()
        visit = Visit(loop, closely=self._routes.closely())
        began = time.perf_counter_ns()
        try:
            await visit.timed(_awaiting(self.app, scope, receive, send))
            visit.returned = True
        finally:
            wall = time.perf_counter_ns() - began
            visit.over = True
            loop.active -= 1
            self._routes.route_of(scope).ended(visit, wall)
            if visit.queued:
                self._routes.threads = _threads()

    def _loop(self) -> LoopThread:
        ident = threading.get_ident()
        loop = self._loops.get(ident)
        if loop is None:
            loop = self._loops[ident] = LoopThread(ident)
        return loop

    def _is_page(self, scope: Any) -> bool:
        """Whether one of the pages is asked for.

        Before its path servers put what a proxy took away (--root-path), and mounts what they stand under.
        """
        path, root = scope["path"], scope.get("root_path") or ""
        return path in self._pages or path.removeprefix(root.rstrip("/")) in self._pages

    async def _show(self, scope: Any, send: Any) -> None:
        status = self._guard.refusal(scope) or (0 if scope["method"] in READING else 405)
        if status:
            await refuse(status, send)
        else:
            await answer(self.advice(), send, as_json=scope["path"].endswith(".json"))

    def _until_the_end(self, send: Any) -> Any:
        """A `send` that notices when the application has ended."""

        async def noticing(message: Any) -> None:
            await send(message)
            if message["type"].startswith("lifespan.shutdown."):
                self._sampler.close()
                self._tell()

        return noticing

    def _tell(self) -> None:
        """Hand over the advice. Servers and frameworks say nothing of what is raised after the end."""
        if self._on_shutdown is None:
            return
        try:
            self._on_shutdown(self.advice())
        except Exception:  # noqa: BLE001 - whatever the user's own callable raises
            _log.exception("on_shutdown of EndpointAdvisor raised")


def _check(app: object, path: object, secret: object, on_shutdown: object) -> None:
    """Refuse what would fail only at a request, or at the end."""
    if not callable(app):
        problem = f"must be an ASGI application itself, such as FastAPI(), not {app!r}"
        raise InvalidArgumentError("app", problem)
    if path is not None and not (isinstance(path, str) and path.startswith("/") and path.strip("/")):
        problem = f'must begin with "/" and go on, as "/advice": "/" is the application\'s own; not {path!r}'
        raise InvalidArgumentError("path", problem)
    if secret is not None and not (isinstance(secret, str) and secret.strip()):
        problem = "must be a str, and not empty; None admits this machine only"
        raise InvalidArgumentError("secret", problem)
    if on_shutdown is not None and not callable(on_shutdown):
        problem = f"must be callable with the advice, or None for silence, not {type(on_shutdown).__name__}"
        raise InvalidArgumentError("on_shutdown", problem)


async def _awaiting(app: App, scope: Any, receive: Any, send: Any) -> None:
    """An application's answer as a coroutine: it may give another awaitable, or raise before it gives any."""
    await app(scope, receive, send)


def _threads() -> int:
    """The size of anyio's thread pool; 0 where unknown."""
    limiter = pool_limiter()
    try:
        return 0 if limiter is None else int(limiter.total_tokens)
    except OverflowError:  # without end
        return 0
