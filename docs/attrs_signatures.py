"""Shows the API page what attrs makes: the `__init__` of classes defined with `frozen` or `define`.

mkdocstrings reads source without running it, and attrs writes `__init__` when a class is made. This
griffe extension writes the same signature from the annotated fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from griffe import (
    Attribute,
    Class,
    Expr,
    ExprCall,
    ExprKeyword,
    Extension,
    Function,
    Module,
    Parameter,
    ParameterKind,
    Parameters,
)

__all__ = ["AttrsSignatures"]

_MAKERS = {"frozen", "define"}


class AttrsSignatures(Extension):
    """Adds `__init__` to attrs classes."""

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Add them once all modules are there: a class takes its parent's fields first."""
        for cls in list(_classes(pkg)):
            self._complete(cls)

    def _complete(self, cls: Class) -> None:
        makers = [decorator.value for decorator in cls.decorators]
        if not any(_name(maker) in _MAKERS for maker in makers) or "__init__" in cls.members:
            return
        kind = _kind(makers)
        parameters = [_parameter(each, kind) for each in _fields(cls)]
        if not parameters:
            return  # it takes its parent's
        me = Parameter("self", kind=ParameterKind.positional_or_keyword)
        init = Function("__init__", parameters=Parameters(me, *parameters), returns="None")
        cls.set_member("__init__", init)


def _classes(owner: Module | Class) -> Iterator[Class]:
    for member in owner.members.values():
        if isinstance(member, Class):
            yield member
        if isinstance(member, (Module, Class)):
            yield from _classes(member)


def _fields(cls: Class) -> Iterable[Attribute]:
    """The fields that become arguments, those of parents first, each name once."""
    found: dict[str, Attribute] = {}
    for owner in [*reversed(cls.mro()), cls]:
        fields = (each for each in owner.members.values() if isinstance(each, Attribute))
        found |= {each.name: each for each in fields if _is_argument(each)}
    return found.values()


def _name(maker: Expr | str) -> str:
    called = maker.function if isinstance(maker, ExprCall) else maker
    return str(called).rpartition(".")[2]


def _kind(makers: list[Expr | str]) -> ParameterKind:
    keyword_only = any("kw_only=True" in str(maker) for maker in makers)
    return ParameterKind.keyword_only if keyword_only else ParameterKind.positional_or_keyword


def _is_argument(field: Attribute) -> bool:
    belongs = field.annotation is not None and "instance-attribute" in field.labels
    return belongs and _keywords(field).get("init") != "False"


def _parameter(field: Attribute, kind: ParameterKind) -> Parameter:
    return Parameter(field.name.lstrip("_"), annotation=field.annotation, kind=kind, default=_default(field))


def _default(field: Attribute) -> str | Expr | None:
    if not isinstance(field.value, ExprCall) or _name(field.value) != "field":
        return field.value
    keywords = _keywords(field)
    return f"{keywords['factory']}()" if "factory" in keywords else keywords.get("default")


def _keywords(field: Attribute) -> dict[str, str]:
    if not isinstance(field.value, ExprCall):
        return {}
    given = (each for each in field.value.arguments if isinstance(each, ExprKeyword))
    return {each.name: str(each.value) for each in given}
