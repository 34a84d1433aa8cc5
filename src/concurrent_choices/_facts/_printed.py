"""What is made to be printed, as a notebook shows it."""

from __future__ import annotations

from typing import Any

__all__ = ["Printed"]


class Printed:
    """Has IPython show a value, at the end of a cell, as `print` does: its `repr` is one long line."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, _cycle: object) -> None:
        printer.text(str(self))
