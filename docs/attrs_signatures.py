"""Shows the API page what attrs makes: the `__init__` of classes defined with `frozen` or `define`.

mkdocstrings reads source without running it, and attrs writes `__init__` when a class is made. This
griffe extension writes the same signature from the annotated fields.
"""

from __future__ import annotations

from typing import Any

from griffe import (
    Attribute,
    Class,
    Expr,
    ExprCall,
    ExprKeyword,
    Extension,
    Function,
    Parameter,
    ParameterKind,
    Parameters,
)

__all__ = ["AttrsSignatures"]

_MAKERS = {"frozen", "define"}


class AttrsSignatures(Extension):
    """Adds `__init__` to attrs classes."""

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Add it to one class, where attrs would."""
        makers = [decorator.value for decorator in cls.decorators]
        if not any(_name(maker) in _MAKERS for maker in makers) or "__init__" in cls.members:
            return
        kind = _kind(makers)
        fields = [each for each in cls.members.values() if isinstance(each, Attribute)]
        parameters = [_parameter(each, kind) for each in fields if _is_argument(each)]
        if not parameters:
            return  # it takes its parent's
        me = Parameter("self", kind=ParameterKind.positional_or_keyword)
        init = Function("__init__", parameters=Parameters(me, *parameters), returns="None")
        cls.set_member("__init__", init)


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
    return Parameter(
        field.name.lstrip("_"), annotation=field.annotation, kind=kind, default=_default(field)
    )


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
