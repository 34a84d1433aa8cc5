"""Which route a request was for, and what answers it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any

from ..._work._callables import is_async

__all__ = ["Handler", "handler_of", "name_of_route"]

METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")


class Handler:
    """What answers a route's requests.

    Args:
        endpoint: What the framework calls.
        method: The request's method, for endpoints that are classes.

    Attributes:
        is_async: Whether it is an `async def`; None where there is no telling.
        codes: The code of its functions.
        name: What it is called.
        where: ``FILE:LINE`` of its definition.
    """

    def __init__(self, endpoint: Any, method: str) -> None:
        functions = _functions(endpoint, method)
        self.is_async = any(map(is_async, functions)) if functions else None
        self.codes = frozenset(filter(None, map(_code, functions)))
        self.name = getattr(endpoint, "__qualname__", "") or type(endpoint).__qualname__
        first: CodeType | None = next(iter(self.codes), None)
        self.where = f"{first.co_filename}:{first.co_firstlineno}" if first is not None else ""


def _functions(endpoint: Any, method: str) -> list[Callable[..., Any]]:
    if inspect.isclass(endpoint):
        named = getattr(endpoint, method.lower(), None)
        return [named] if callable(named) else []
    return [endpoint] if callable(endpoint) else []


def _code(function: Any) -> CodeType | None:
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
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
    """The route's template, with the path it is mounted under; the plain path where there is no template."""
    route = scope.get("route")
    template = getattr(route, "path", None)
    if not template:
        return str(scope.get("path", ""))
    template = str(template)
    return _prefix(scope, template) + template


def _prefix(scope: Any, template: str) -> str:
    """What stands before a route's own template: where its router is mounted or included.

    Frameworks tell of it in different ways, so it is read off the path: the segments that the template leaves
    over. Values of parameters among them give way to their names.
    """
    if ":path}" in template:  # it takes any number of segments
        outside = str(scope.get("app_root_path", ""))
        return str(scope.get("root_path", "")).removeprefix(outside)
    segments = str(scope.get("path", "")).split("/")
    left_over = len(segments) - len(template.split("/"))
    if left_over <= 0:
        return ""
    values = {str(value): name for name, value in scope.get("path_params", {}).items()}
    named = (f"{{{values[each]}}}" if each in values else each for each in segments[1 : left_over + 1])
    return "".join(f"/{each}" for each in named)
