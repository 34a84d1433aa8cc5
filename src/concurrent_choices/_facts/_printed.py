"""What is made to be printed, as a notebook shows it."""

from __future__ import annotations

__all__ = ["Printed"]


class Printed:
    """Has IPython show a value, at the end of a cell, as `print` does: its `repr` is one long line.

    By a bundle, since for `_repr_pretty_` IPython takes the `__repr__` that attrs gives to subclasses first.
    """

    __slots__ = ()

    def _repr_mimebundle_(self, **_wanted: object) -> dict[str, str]:
        return {"text/plain": str(self)}
