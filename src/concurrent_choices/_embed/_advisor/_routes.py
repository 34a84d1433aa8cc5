"""Which route a request was for, and what answers it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any
from uuid import UUID

from ..._inspect._callables import called, is_async, name_of

__all__ = ["NO_ROUTE", "Handler", "handler_of", "name_of_route"]

NO_ROUTE = "(no route)"
ANY_PATH = "/{path}"

_CONVERTED = frozenset((int, float, UUID))
"""What the frameworks' own converters make of a segment that may be written in several ways."""


class Handler:
    """What answers a route's requests.

    Attributes:
        is_async: Whether it is an `async def`; None where there is no telling.
        codes: The code of its functions.
        name: What it is called.
    """

    def __init__(self, endpoint: Any, method: str) -> None:
        functions = _functions(endpoint, method)
        self.is_async = any(map(is_async, functions)) if functions else None
        self.codes = frozenset(filter(None, map(_code, functions)))
        self.name = name_of(endpoint)


def _functions(endpoint: Any, method: str) -> list[Callable[..., Any]]:
    if inspect.isclass(endpoint):
        named = getattr(endpoint, method.lower(), None)
        return [named] if callable(named) else []
    return [endpoint] if callable(endpoint) else []


def _code(function: Any) -> CodeType | None:
    function = inspect.unwrap(called(function))
    if not hasattr(function, "__code__"):
        kind: Any = getattr(function, "__class__", None)
        function = kind.__call__
    code: CodeType | None = getattr(function, "__code__", None)
    return code


def handler_of(scope: Any) -> Handler | None:
    """What answered a request; None where the application has no routing that says so."""
    endpoint = scope.get("endpoint")
    return None if endpoint is None else Handler(endpoint, scope.get("method", ""))


def name_of_route(scope: Any) -> str:
    """The route's template, with the path it is mounted under; the plain path where there is no routing.

    What has no template has as many paths as are asked for: what no route answers is one route, and what is
    answered by a mounted application that tells of no route of its own is one too.
    """
    if "router" not in scope:
        return str(scope.get("path", ""))
    if "endpoint" not in scope:
        return NO_ROUTE
    if _is_mount(scope):
        return _mounted(scope) + ANY_PATH
    template = getattr(scope.get("route"), "path", None)
    if template is None:  # a plain route of Starlette in FastAPI, which does not say which it was
        return _named(str(scope.get("path", "")), scope)
    template = str(template)
    return _prefix(scope, template) + template


def _is_mount(scope: Any) -> bool:
    """Whether the last that routing told of is a mounted application."""
    if "route" in scope:
        return getattr(scope["route"], "endpoint", None) is None
    if "app_root_path" not in scope:  # which mounts leave behind
        return False
    return not (inspect.isroutine(scope["endpoint"]) or inspect.isclass(scope["endpoint"]))


def _prefix(scope: Any, template: str) -> str:
    """What stands before a route's own template: where its router is mounted or included.

    Frameworks tell of it in different ways, so it is read off the path: the segments that the template leaves
    over. Values of parameters among them give way to their names.
    """
    if ":path}" in template:  # it takes any number of segments
        return _mounted(scope)
    segments = str(scope.get("path", "")).split("/")
    left_over = len(segments) - len(template.split("/"))
    return _named("/".join(segments[: left_over + 1]), scope, template) if left_over > 0 else ""


def _mounted(scope: Any) -> str:
    """Where the application that answered is mounted."""
    outside = str(scope.get("app_root_path", ""))
    return _named(str(scope.get("root_path", "")).removeprefix(outside), scope)


def _named(path: str, scope: Any, template: str = "") -> str:
    """A path in which values of parameters, which come in its order, have given way to their names.

    From its end on: a value may be what a segment before it is called, as in /files/files. Those of the
    template that follows are not looked for.
    """
    segments = path.split("/")
    end = len(segments)
    for name, value in reversed(scope.get("path_params", {}).items()):
        if f"{{{name}}}" in template or f"{{{name}:" in template:
            continue
        size = str(value).count("/") + 1
        for at in range(end - size, 0, -1):
            if _says("/".join(segments[at : at + size]), value):
                segments[at : at + size] = [f"{{{name}}}"]
                end = at
                break
    return "/".join(segments)


def _says(text: str, value: Any) -> bool:
    """Whether it is how a path says a value, which frameworks may have converted: 007 is 7."""
    if text == str(value):
        return True
    try:
        return type(value) in _CONVERTED and type(value)(text) == value
    except ValueError:
        return False
