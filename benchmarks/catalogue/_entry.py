"""What the catalogue knows of a workload."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from inspect import iscoroutinefunction
from typing import Any

from attrs import field, frozen

from benchmarks.catalogue.work.python import counted

__all__ = ["Entry", "one_of", "prepared"]


def one_of(*words: str) -> frozenset[str]:
    """Labels of which any is right: where the truth lies on a border, or depends on the machine."""
    return frozenset(words)


def _labels(label: str | frozenset[str]) -> frozenset[str]:
    return frozenset({label}) if isinstance(label, str) else label


@frozen(eq=False)
class Entry:
    """A workload and its labels.

    Attributes:
        name: What it is called in tables.
        fn: The callable, which can be imported by name.
        bound: What `Recommendation.bound` must be: one of these.
        diagnosis: How `Recommendation.diagnosis` must begin: one of these.
        count: Items of a full run: a third of a second to a second, one after another.
        quick: Items of a quick run: less than a tenth of a second where that tells anything.
        items: Gives so many items; called with the surroundings standing.
        around: What must stand around it: a server, a folder.
        apart: Whether its calls may go to processes of their own. Where a lock of this process is what they
            share, each process would have another one, and the lock would keep nobody out.
        judged_only: Whether only the verdict counts: running all of it raises.
    """

    name: str
    fn: Callable[[Any], Any]
    bound: frozenset[str] = field(converter=_labels)
    diagnosis: frozenset[str] = field(converter=_labels)
    count: int = field(kw_only=True)
    quick: int = field(kw_only=True)
    items: Callable[[int], Sequence[Any]] = field(default=counted, kw_only=True)
    around: Callable[[], AbstractContextManager[Any]] = field(default=nullcontext, kw_only=True)
    apart: bool = field(default=True, kw_only=True)
    judged_only: bool = field(default=False, kw_only=True)

    @property
    def is_async(self) -> bool:
        """Whether the callable is an `async def`."""
        return iscoroutinefunction(self.fn)

    def right(self, bound: str, diagnosis: str) -> tuple[bool, bool]:
        """Whether a verdict's two words agree with the labels."""
        return bound in self.bound, any(diagnosis.startswith(each) for each in self.diagnosis)


@contextmanager
def prepared(entry: Entry, count: int) -> Iterator[Sequence[Any]]:
    """Set up what an entry needs, give its items, and clear up."""
    with entry.around():
        yield entry.items(count)
