"""Importing what a command names in the way that servers have it: MODULE:APP."""

from __future__ import annotations

import inspect
from importlib import import_module
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any

from ..._errors import InvalidArgumentError

__all__ = ["application_at", "found_at"]

SCOPE_RECEIVE_SEND = (None, None, None)


def application_at(reference: str, *, factory: bool = False) -> Any:
    """The ASGI application of a reference, such as ``package.module:app``, or what a `factory` there makes.

    Raises:
        InvalidArgumentError: There is no such module or attribute, or it is no ASGI application.
        Exception: Whatever the module, or the factory, raises.
    """
    found = found_at(reference, "APP")
    if factory:
        if not _takes(found, ()):
            raise InvalidArgumentError(reference, "takes arguments, so it is no factory: those take none")
        found = found()
    elif not _takes(found, SCOPE_RECEIVE_SEND) and _takes(found, ()):
        problem = "takes no arguments, so it is no ASGI application; if it makes one, add --factory"
        raise InvalidArgumentError(reference, problem)
    if not _takes(found, SCOPE_RECEIVE_SEND):
        wsgi = "; it looks like WSGI, which asgiref.wsgi.WsgiToAsgi turns into ASGI"
        problem = (
            f"is no ASGI application but {type(found).__name__!r}: it cannot be called with scope, receive "
            f"and send{wsgi if _takes(found, (None, None)) else ''}"
        )
        raise InvalidArgumentError(reference, problem)
    return found


def found_at(reference: str, name: str) -> Any:
    """What is there; `name` is what to call it in messages.

    Raises:
        InvalidArgumentError: There is no such module or attribute.
        Exception: Whatever the module raises.
    """
    module, _, attribute = reference.partition(":")
    if not all(each.isidentifier() for each in (*module.split("."), *attribute.split("."))):
        raise InvalidArgumentError(reference, f"names nothing; write it as {_meant(module, attribute, name)}")
    try:
        home = import_module(module)
    except ModuleNotFoundError as error:
        if f"{module}.".startswith(f"{error.name}."):
            problem = f"there is no module {error.name}; modules are searched from the current folder"
            if module.endswith(".py"):
                problem = f"names a file; write it as {_meant(module, attribute, name)}"
        else:
            problem = f"{module} needs {error.name}, which is not installed here"
        raise InvalidArgumentError(reference, problem) from error
    try:
        return attrgetter(attribute)(home)
    except AttributeError as error:
        raise InvalidArgumentError(reference, f"{error}; write it as MODULE:{name}") from error


def _meant(module: str, attribute: str, name: str) -> str:
    """What a reference should have been: of a file its module, of a call what is called."""
    path = PurePosixPath(module.replace("\\", "/").removesuffix("/py"))
    stem, called = path.name.removesuffix(".py"), attribute.partition("(")[0]
    named = stem if all(each.isidentifier() for each in stem.split(".")) else "MODULE"
    inside = called if all(each.isidentifier() for each in called.split(".")) else name
    if named == module and "." in module and not attribute:  # as Python has it: the last may be what is meant
        return f"{named}:{inside} or {':'.join(named.rsplit('.', 1))}"
    return f"{named}:{inside}{' from its folder' if '/' in module and path.name else ''}"


def _takes(thing: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether it can be called with so many arguments, as far as can be told."""
    if not callable(thing):
        return False
    try:
        inspect.signature(thing).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # a callable that is not Python and says nothing of itself
        return bool(arguments)
    return True
