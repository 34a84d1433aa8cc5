"""Words for messages: what things and errors say of themselves, safe where their own methods raise.

A worker imports this when it starts, so nothing slow may be imported here.
"""

from __future__ import annotations

__all__ = ["loss_of", "no_workers", "reason_of", "safe_repr", "shortened", "show", "text_of", "unfit_for"]

_SHOWN = 120


def show(item: object) -> str:
    """A repr for messages: short, and safe even where the item's own repr raises."""
    return shortened(safe_repr(item))


def shortened(text: str) -> str:
    """A text for messages, cut off where it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def safe_repr(item: object) -> str:
    """A repr at its full length, safe even where the item's own raises."""
    try:
        return repr(item)
    except Exception as error:  # noqa: BLE001 - a broken repr must not hide the error it should explain
        _raise_handlers(error)
        return f"<{type(item).__name__} whose repr raises {type(error).__name__}>"


def text_of(error: BaseException) -> str:
    """An exception's own words; empty where its `__str__` raises."""
    try:
        return str(error)
    except Exception as broken:  # noqa: BLE001 - a broken text must not hide the exception
        _raise_handlers(broken)
        return ""


def _raise_handlers(error: Exception) -> None:
    from .._runtime._interrupted import raise_handlers  # noqa: PLC0415 - seldom needed, and a worker must start fast

    raise_handlers(error)


def loss_of(changed: str) -> str:
    """Why calls that change something stay in this process; empty where they change nothing."""
    return f"calls change {changed}, which would be lost in another process" if changed else ""


def no_workers(reason: str) -> str:
    """Why all calls stay in this process, where the system, or something else, lets no other one begin."""
    return f"worker processes cannot be started here ({reason})"


def reason_of(error: BaseException) -> str:
    """An error in one line."""
    text = text_of(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def unfit_for(error: BaseException) -> str:
    """Why a worker cannot do what it is asked to: an error, and what its notes say of the way out."""
    return "; ".join([reason_of(error), *map(str, getattr(error, "__notes__", ()))])
