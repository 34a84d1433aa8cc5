"""Requests made up from an application's OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from ..._errors import InvalidArgumentError
from ..._inspect._asking import of_type
from ..._inspect._words import safe_repr
from ._exchange import Request

__all__ = ["HARMLESS", "requests_of"]

HARMLESS = ("GET",)
"""Methods that are used unless others are asked for: by HTTP's own rule they change nothing."""

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE")

DEEPEST = 8
"""Schemas inside one another that are followed."""

ENCODERS: dict[str, Callable[[Any], str]] = {
    "application/json": json.dumps,
    "application/x-www-form-urlencoded": urlencode,
}
"""The kinds of bodies that can be made up."""

_SAMPLES = {"integer": 1, "number": 1.0, "boolean": True, "null": None}
_FORMATS = {
    "uuid": "00000000-0000-4000-8000-000000000000",
    "date": "2024-01-01",
    "date-time": "2024-01-01T00:00:00Z",
    "email": "a@example.com",
    "uri": "http://example.com/",
}


def requests_of(app: Any, methods: Sequence[str] = HARMLESS) -> list[Request]:
    """A request for each path and method the application describes, its parameters and body made up.

    Raises:
        InvalidArgumentError: There is no such method, or the description cannot be used.
    """
    unknown = [method for method in methods if method.upper() not in METHODS]
    if unknown:
        raise InvalidArgumentError("methods", f"must be among {', '.join(METHODS)}, not {unknown[0]!r}")
    describe = getattr(app, "openapi", None)
    if not callable(describe):
        return []
    try:
        return list(_requests(describe(), methods))
    except Exception as error:
        problem = f"must be given: the application's OpenAPI description cannot be used ({safe_repr(error)})"
        raise InvalidArgumentError("requests", problem) from error


def _requests(document: Any, methods: Sequence[str]) -> Iterator[Request]:
    for path, operations in document.get("paths", {}).items():
        for method in methods:
            operation = operations.get(method.lower())
            if operation is not None:
                yield _request(path, method.upper(), operations.get("parameters", []), operation, document)


def _request(path: str, method: str, shared: list[Any], operation: Any, document: Any) -> Request:
    query: dict[str, str] = {}
    headers: list[tuple[str, str]] = []
    for parameter in (*shared, *operation.get("parameters", [])):
        each = _resolved(parameter, document)
        value = _text(each, document)
        if each.get("in") == "path":
            path = path.replace("{" + each["name"] + "}", quote(value, safe=""))
        elif each.get("in") == "query" and each.get("required"):
            query[each["name"]] = value
        elif each.get("in") == "header" and each.get("required"):
            headers.append((each["name"], value))
    kind, body = _body(operation, document)
    if kind:
        headers.append(("content-type", kind))
    target = path + (f"?{urlencode(query)}" if query else "")
    return Request(target, method, tuple(headers), body.encode())


def _body(operation: Any, document: Any) -> tuple[str, str]:
    """The content type of a body that fits, and the body; both empty where none can be made up."""
    content = _resolved(operation.get("requestBody", {}), document).get("content", {})
    for kind, encode in ENCODERS.items():
        if kind in content:
            return kind, encode(_described(content[kind], document))
    return "", ""


def _text(parameter: Any, document: Any) -> str:
    value = _described(parameter, document)
    if of_type(value, list):
        value = value[0] if value else ""
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _described(described: Any, document: Any) -> Any:
    """A value for a parameter or a body: the example given with it, or one that fits its schema."""
    examples = described.get("examples")
    if of_type(examples, list) and examples:
        return examples[0]
    for example in _resolved(examples, document).values() if examples else ():
        return _resolved(example, document).get("value")
    if "example" in described:
        return described["example"]
    return _value(described.get("schema", {}), document)


def _value(schema: Any, document: Any, depth: int = 0) -> Any:
    """A value that fits: an example, a default, the first choice, or one of the right kind."""
    schema = _resolved(schema, document)
    for options in (schema.get("examples"), schema.get("enum")):
        if of_type(options, list) and options:
            return options[0]
    for name in ("example", "default", "const"):
        if schema.get(name) is not None:
            return schema[name]
    if depth == DEEPEST:
        return None
    if "properties" in schema:
        known, needed = schema["properties"], schema.get("required", [])
        return {name: _value(known.get(name, {}), document, depth + 1) for name in needed}
    kind = schema.get("type", "string")
    kind = kind[0] if of_type(kind, list) else kind
    if kind == "array":
        return [_value(schema.get("items", {}), document, depth + 1)] * max(1, schema.get("minItems", 1))
    return {} if kind == "object" else _plain(schema, kind)


def _plain(schema: Any, kind: str) -> Any:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    if "minimum" in schema or "exclusiveMinimum" in schema:
        return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    return _SAMPLES.get(kind, "a" * max(1, schema.get("minLength", 1)))


def _resolved(schema: Any, document: Any) -> Any:
    """A schema without references, and the first of its alternatives."""
    for _ in range(DEEPEST):
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
