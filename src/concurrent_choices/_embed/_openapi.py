"""Requests made up from an application's OpenAPI description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from ._driving import Request

__all__ = ["requests_of"]

_SAMPLES = {
    "integer": 1,
    "number": 1.0,
    "boolean": "true",
    "string": "a",
    "array": "a",
}


def requests_of(app: Any) -> list[Request]:
    """A GET request for each path the application describes, its parameters made up.

    Only GET, which by HTTP's own rule changes nothing.
    """
    describe = getattr(app, "openapi", None)
    if not callable(describe):
        return []
    document: Any = describe()
    return list(_requests(document))


def _requests(document: Any) -> Iterator[Request]:
    for path, operations in document.get("paths", {}).items():
        if "get" in operations:
            shared = operations.get("parameters", [])
            yield _request(path, [*shared, *operations["get"].get("parameters", [])], document)


def _request(path: str, parameters: list[Any], document: Any) -> Request:
    query: dict[str, str] = {}
    headers: list[tuple[str, str]] = []
    for each in parameters:
        value = _sample(each, document)
        if each.get("in") == "path":
            path = path.replace("{" + each["name"] + "}", quote(value, safe=""))
        elif each.get("in") == "query" and each.get("required"):
            query[each["name"]] = value
        elif each.get("in") == "header" and each.get("required"):
            headers.append((each["name"], value))
    return Request(path + (f"?{urlencode(query)}" if query else ""), headers=tuple(headers))


def _sample(parameter: Any, document: Any) -> str:
    """A value that fits: an example, a default, the first choice, or one of the right kind."""
    schema = _resolved(parameter.get("schema", {}), document)
    for options in (parameter.get("examples"), schema.get("examples"), schema.get("enum")):
        if _is_list(options) and options:
            return str(options[0])
    for given in (parameter.get("example"), schema.get("default"), schema.get("const")):
        if given is not None:
            return str(given)
    return str(_of_kind(schema))


def _is_list(thing: object) -> bool:
    """As `isinstance`, unseen by type checkers, which would then ask for type arguments."""
    return isinstance(thing, list)


def _of_kind(schema: Any) -> Any:
    if schema.get("format") == "uuid":
        return "00000000-0000-4000-8000-000000000000"
    if schema.get("format") in {"date", "date-time"}:
        return "2024-01-01" if schema["format"] == "date" else "2024-01-01T00:00:00Z"
    if "minimum" in schema or "exclusiveMinimum" in schema:
        return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    sample = _SAMPLES.get(schema.get("type", "string"), "a")
    length = schema.get("minLength", 1)
    return sample * length if isinstance(sample, str) and sample == "a" else sample


def _resolved(schema: Any, document: Any) -> Any:
    """A schema without references, and the first of its alternatives."""
    for _ in range(8):
        if "$ref" in schema:
            found: Any = document
            for name in schema["$ref"].removeprefix("#/").split("/"):
                found = found.get(name, {})
            schema = found
        elif alternatives := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
            schema = alternatives[0]
        else:
            break
    return schema
