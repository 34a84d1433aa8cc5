"""Calling an ASGI application as a server would, without one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote

from attrs import field, frozen

from ..._errors import InvalidArgumentError
from ..._inspect._words import safe_repr

__all__ = ["Answer", "Request", "StartUpError", "exchange", "lifespan"]


def _begins_with_a_slash(_request: object, _attribute: object, value: str) -> None:
    if not value.startswith("/"):
        raise InvalidArgumentError("requests", f'paths begin with "/", not {value!r}')


@frozen(str=False)
class Request:
    """A request to make.

    Attributes:
        path: Path and query.
        method: The method.
        headers: Names and values.
        body: What to send.
    """

    path: str = field(validator=_begins_with_a_slash)
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @classmethod
    def of(cls, given: Request | str) -> Request:
        """A request as it is, the GET of a path, or what "METHOD PATH BODY" says; the body may be missing."""
        if isinstance(given, Request):
            return given
        method, path, body = _parts(given)
        kind = (("content-type", _kind_of(body)),) if body else ()
        return cls(path, method.upper(), kind, body.encode())

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def scope(self, state: Any) -> dict[str, Any]:
        """Its ASGI scope."""
        path, _, query = self.path.partition("#")[0].partition("?")
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers]
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(b"host", b"localhost"), *headers],
            "client": ("127.0.0.1", 0),
            "server": ("127.0.0.1", 80),
            "state": dict(state),
        }


def _parts(text: str) -> tuple[str, str, str]:
    first, _, rest = text.strip().partition(" ")
    if first.startswith("/") or not rest:
        return "GET", text.strip(), ""
    path, _, body = rest.strip().partition(" ")
    return first, path, body.strip()


def _kind_of(body: str) -> str:
    """The content type of a body: JSON where it is JSON, else a form's, as command line clients have it."""
    try:
        json.loads(body)
    except ValueError:
        return "application/x-www-form-urlencoded"
    return "application/json"


class StartUpError(RuntimeError):
    """The application says that it could not start. Internal: callers know it as RuntimeError."""


class Answer(NamedTuple):
    """What came of a request.

    Attributes:
        status: The answer's; 0 where there was none.
        error: What the application raised, or None.
    """

    status: int
    error: BaseException | None


async def exchange(app: Any, request: Request, state: Any, patience: float) -> Answer:
    """Make a request and take the whole answer; what the application raises is part of that.

    One that is not answered in time, and does not end when it is cancelled, is left behind.
    """
    task = asyncio.ensure_future(_answer_of(app, request, state))
    await asyncio.wait({task}, timeout=patience)
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait({task}, timeout=patience)
    return Answer(0, TimeoutError())


async def _answer_of(app: Any, request: Request, state: Any) -> Answer:
    client = _Client(request)
    try:
        await app(request.scope(state), client.receive, client.send)
    except asyncio.CancelledError as error:
        if _is_cancelled():
            raise
        return Answer(client.status, error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the application's own; its endpoint is still worth advice
        return Answer(client.status, error)
    return Answer(client.status, None)


class _Client:
    """Who makes a request, as its application has it.

    Attributes:
        status: The answer's; 0 before there is one.
    """

    def __init__(self, request: Request) -> None:
        self.status = 0
        self._request = request
        self._sent = False
        self._answered = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        """The request; and that nobody is there any more, once it is answered."""
        if not self._sent:
            self._sent = True
            return {"type": "http.request", "body": self._request.body, "more_body": False}
        await self._answered.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body" and not message.get("more_body"):
            self._answered.set()


def _is_cancelled() -> bool:
    """Whether this task was cancelled from outside."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


@asynccontextmanager
async def lifespan(app: Any, patience: float, troubles: list[str]) -> AsyncGenerator[dict[str, Any]]:
    """Start an application and end it again, each in so many seconds; gives the state its requests see.

    Where its end fails, a sentence is added to `troubles`.

    Raises:
        StartUpError: Its start-up failed.
    """
    state: dict[str, Any] = {}
    orders: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": state}
    task = asyncio.ensure_future(app(scope, orders.get, answers.put))
    await orders.put({"type": "lifespan.startup"})
    answer = await _answered(task, answers, patience)
    failure = _failure(answer, "start-up", patience)
    if failure:
        await _ended(task, patience)
        raise StartUpError(failure)
    if answer["type"] == "none":
        await _ended(task, patience)  # one that raises here does not know the lifespan, by the specification
    try:
        yield state
    finally:
        if answer["type"] == "lifespan.startup.complete":
            await orders.put({"type": "lifespan.shutdown"})
            failure = _failure(await _answered(task, answers, patience), "shutdown", patience)
            error = await _ended(task, patience)
            if error is not None and not failure:
                failure = f"the application's lifespan raised {safe_repr(error)}"
            troubles.extend([failure] if failure else [])


async def _answered(task: Any, answers: asyncio.Queue[dict[str, Any]], patience: float) -> dict[str, Any]:
    """The application's next answer; "none" where it takes no part in the lifespan, "late" if given up."""
    getting = asyncio.ensure_future(answers.get())
    await asyncio.wait({task, getting}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    if getting.done():
        return getting.result()
    getting.cancel()
    if not task.done():
        task.cancel()
        return {"type": "late"}
    return {"type": "none"}


def _failure(answer: dict[str, Any], what: str, patience: float) -> str:
    """What is wrong with an answer; empty where nothing is."""
    if answer["type"] == "late":
        return f"the application's {what} has not ended within the {patience:g} s of timeout"
    if answer["type"].endswith(".failed"):
        return f"the application's {what} failed: {answer.get('message', '')}".rstrip(": \n")
    return ""


async def _ended(task: Any, patience: float) -> BaseException | None:
    """Let an application's lifespan come to its end; what it raised, if anything."""
    await asyncio.wait({task}, timeout=patience)
    error: BaseException | None = task.exception() if task.done() and not task.cancelled() else None
    return error
