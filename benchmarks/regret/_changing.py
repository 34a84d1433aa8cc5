"""Callables that change what they hold: results and changes must be those of a loop."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.catalogue.work.python import loop, megabyte
from benchmarks.dispatch._callables import nothing
from benchmarks.oracle._grid import Runner
from benchmarks.oracle._grid import loop as one_by_one
from benchmarks.oracle._protocol import HANGS, Keep
from benchmarks.oracle._zygote import Answer, in_own_process
from benchmarks.regret._run import CHANGING, Run
from concurrent_choices import run, run_report

__all__ = ["HOLDERS", "OVERLAPPING", "WORKS", "differing", "measure_changes"]

COUNT = 500
"""Items of each: a second of computing, which is enough to move to processes in, and to change late."""

Work = Callable[[int], Any]
Held = tuple[Callable[[int], Any], Callable[[], Any]]
"""A callable, and a function that gives what it holds: in an order that does not depend on who came first."""

_global = 0


def compute(item: int) -> int:
    """2 ms of Python."""
    return loop(38_000) + item


def digest(_: int) -> str:
    return hashlib.sha256(megabyte()[:400_000]).hexdigest()


def wait(_: int) -> None:
    time.sleep(1e-3)


def a_list(work: Work) -> Held:
    seen: list[int] = []

    def note(item: int) -> int:
        work(item)
        seen.append(item)
        return item

    return note, lambda: sorted(seen)


def a_dict(work: Work) -> Held:
    seen: dict[int, int] = {}

    def note(item: int) -> int:
        work(item)
        seen[item % 7] = seen.get(item % 7, 0) + 1
        return item

    return note, lambda: sorted(seen.items())


def a_set(work: Work) -> Held:
    seen: set[int] = set()

    def note(item: int) -> int:
        work(item)
        seen.add(item % 100)
        return item

    return note, lambda: sorted(seen)


def a_counter(work: Work) -> Held:
    count = 0

    def note(item: int) -> int:
        nonlocal count
        work(item)
        count += 1
        return item

    return note, lambda: count


def a_late_change(work: Work) -> Held:
    """Nothing changes before two thirds of the items are done."""
    seen: list[int] = []

    def note(item: int) -> int:
        work(item)
        if item >= 2 * COUNT // 3:
            seen.append(item)
        return item

    return note, lambda: sorted(seen)


def deep_inside(work: Work) -> Held:
    seen: dict[str, Any] = {"a": {"b": [[]]}}

    def note(item: int) -> int:
        work(item)
        seen["a"]["b"][0].append(item)
        return item

    return note, lambda: sorted(seen["a"]["b"][0])


def a_default(work: Work) -> Held:
    def note(item: int, seen: list[int] = []) -> int:  # noqa: B006 - what is tried
        work(item)
        seen.append(item)
        return item

    return note, lambda: sorted(note.__defaults__[0])


class Counting:
    """Changes itself, and its class."""

    total = 0

    def __init__(self, work: Work) -> None:
        self.work = work
        self.count = 0

    def note(self, item: int) -> int:
        self.work(item)
        self.count += 1
        return item

    def note_in_class(self, item: int) -> int:
        self.work(item)
        type(self).total += 1
        return item


def itself(work: Work) -> Held:
    counting = Counting(work)
    return counting.note, lambda: counting.count


def its_class(work: Work) -> Held:
    Counting.total = 0
    return Counting(work).note_in_class, lambda: Counting.total


def a_global(work: Work) -> Held:
    global _global  # noqa: PLW0603 - what is tried
    _global = 0
    return partial(_note_globally, work), lambda: _global


def _note_globally(work: Work, item: int) -> int:
    global _global  # noqa: PLW0603 - what is tried
    work(item)
    _global += 1
    return item


def in_a_partial(work: Work) -> Held:
    seen: list[int] = []
    return partial(_note_in, work, seen), lambda: sorted(seen)


def _note_in(work: Work, seen: list[int], item: int) -> int:
    work(item)
    seen.append(item)
    return item


def how_many_so_far(work: Work) -> Held:
    """The results themselves tell the order of the calls."""
    seen: list[int] = []

    def note(item: int) -> int:
        work(item)
        seen.append(item)
        return len(seen)

    return note, lambda: sorted(seen)


HOLDERS = (
    a_list,
    a_dict,
    a_set,
    a_counter,
    a_late_change,
    deep_inside,
    a_default,
    itself,
    its_class,
    a_global,
    in_a_partial,
    how_many_so_far,
)
WORKS = (compute, digest, wait)

OVERLAPPING = "how_many_so_far, wait"
"""Calls that wait overlap, as whoever waits wants them to: these results tell the order they came back in."""


def measure_changes(keep: Keep) -> None:
    """Every way of holding something with every kind of work, each in a process of its own."""
    for holder in HOLDERS:
        for work in WORKS:
            answer = in_own_process(partial(differing, run, holder, work, COUNT), HANGS)
            name = f"{holder.__name__}, {work.__name__}"
            keep(Run(workload=name, kind=CHANGING, items=COUNT, answer=answer))


def differing(perform: Runner, holder: Callable[[Work], Held], work: Work, count: int) -> Answer:
    """How many results differ from those of a loop, and whether what is held in the end does."""
    fn, held = holder(nothing)
    expected, left = one_by_one(fn, range(count)), held()
    fn, held = holder(work)
    values = perform(fn, range(count))
    return {
        "different": sum(value != other for value, other in zip(values, expected, strict=True)),
        "held": held() == left,
        "report": str(run_report()),
    }
