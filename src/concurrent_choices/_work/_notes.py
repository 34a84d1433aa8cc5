"""Notes on exceptions: which item raised one, and what to do about it.

Here alone it is known how a note names an item. A worker imports this when it starts, so nothing slow may be
imported here.
"""

from __future__ import annotations

from .._facts._lean import TYPE_CHECKING
from .._inspect._words import show, text_of

if TYPE_CHECKING:
    from typing import Any

__all__ = ["add_note", "add_to", "annotate", "index_noted", "note_index", "notes_of"]

_RAISED_BY = "raised by item "

_ELSEWHERE = ("bound to a different event loop", "attached to a different loop", "Event loop is closed")
_ONE_LOOP = (
    "it uses something of one event loop on another: each run has its own, and so has recommend(). Make it "
    "inside the coroutine function, or around `await arun(fn, items)`, which uses the loop that is running"
)

_MOST = 8
"""Items named on one exception object: raised again and again it must not grow for ever (guessed)."""


def annotate(error: BaseException, index: int, item: object) -> None:
    """Note on an exception which item raised it, and what to do where it came from another event loop."""
    notes = [*notes_of(error)]
    naming = _naming(notes)
    if len(naming) >= _MOST:
        del notes[naming[0]]
    add_to(error, "__notes__", [*notes, _note(index, show(item))])
    if isinstance(error, RuntimeError) and any(words in text_of(error) for words in _ELSEWHERE):
        add_note(error, _ONE_LOOP)


def index_noted(error: BaseException) -> int | None:
    """The index of the item that the last note of that kind says raised it; None where there is none."""
    notes = notes_of(error)
    naming = _naming(notes)
    return _index_in(notes[naming[-1]]) if naming else None


def note_index(error: BaseException, index: int) -> None:
    """Have the last note that names an item give it another index."""
    notes = notes_of(error)
    place = _naming(notes)[-1]
    _, _, item = notes[place].partition(": ")
    notes[place] = _note(index, item)


def _note(index: int, item: str) -> str:
    return f"{_RAISED_BY}{index}: {item}"


def _naming(notes: list[str]) -> list[int]:
    """Where in a list the notes that name an item stand."""
    return [place for place, note in enumerate(notes) if _index_in(note) is not None]


def _index_in(note: Any) -> int | None:
    """The index in a note; None where it is none of ours, and maybe no text."""
    if not (isinstance(note, str) and note.startswith(_RAISED_BY)):
        return None
    index, colon, _ = note.removeprefix(_RAISED_BY).partition(": ")
    return int(index) if colon and index.isdecimal() else None


def add_note(error: BaseException, text: str) -> None:
    """As its own `add_note`, also on one of a frozen class, and not again on one that is raised again."""
    notes = notes_of(error)
    if text not in notes:
        add_to(error, "__notes__", [*notes, text])


def notes_of(error: BaseException) -> list[str]:
    """The notes on an exception, not asked of itself: its own `__getattr__` may give or raise anything."""
    notes: Any = BaseException.__getattribute__(error, "__dict__").get("__notes__")
    return notes if type(notes) is list else []  # pyright: ignore[reportUnknownVariableType] - its type says not of what


def add_to(error: BaseException, name: str, value: object) -> None:
    """Set what Python itself keeps on an exception, such as its notes, also on one of a frozen class."""
    BaseException.__setattr__(error, name, value)
