"""In a worker, what calls change is looked for now and then: what the callable holds, and some items."""

from __future__ import annotations

import pytest

from concurrent_choices._strategies._workers._between._wire import Kind, Message
from concurrent_choices._strategies._workers._inside import _watch
from concurrent_choices._strategies._workers._inside._watch import FEW, LARGE, Watch
from concurrent_choices._transfer._pickling import dump, load


class Bench:
    """Performs batches as a worker does, and keeps what is said."""

    def __init__(self, fn):
        self.fn = fn
        self.looker = None
        self.performed = 0
        self.looked_at = []
        self.said = []

    def __call__(self, message):
        items = load(message.frames)
        looker, self.looker = self.looker, None
        looks = looker.before(items, message.frames) if looker else {}
        self.looked_at.append(list(looks))
        for item in items:
            self.fn(item)
        self.performed += len(items)
        if looks:
            looker.after(looks.values())

    def say(self, kind, start, frames):
        assert (kind, start) == (Kind.CHANGED, 0)
        self.said.append(frames[0].decode())


def watched(fn):
    """A bench, and what sends it batches and looks."""
    bench = Bench(fn)
    return bench, Watch(fn, bench)


@pytest.fixture
def now(monkeypatch):
    """The clock that tells when a look is due: it goes on by one where it is asked, or as it is told."""

    class Clock:
        time = 1000.0

        def monotonic(self):
            self.time += 1.0
            return self.time

    clock = Clock()
    monkeypatch.setattr(_watch, "time", clock)
    return clock


def batch(*items):
    return Message(Kind.BATCH, 1, 0, 0, dump([*items]))


def mark(row):
    row["seen"] = True


def mark_rows(order):
    for row in order["rows"]:
        mark(row)


class Order:
    """Has something of its own, and a method that changes it."""

    def __init__(self):
        self.rows = []

    def note(self):
        self.rows.append(1)


@pytest.mark.parametrize(
    ("fn", "item"),
    [(mark_rows, {"rows": [{}]}), (Order.note, Order()), (list.clear, [3])],
    ids=["helper", "method", "list"],
)
def test_a_change_of_an_item_is_told_with_the_first_batch(fn, item):
    """Though nobody reads it from the code: through a loop variable, a helper, a method of its own."""
    bench, watch = watched(fn)
    watch(batch(item))
    assert bench.said == ["their items"]
    watch.audit()
    assert bench.said == ["their items"] * 2
    watch(batch(item))
    assert bench.looked_at == [[0], []]


def test_items_that_stay_what_they_are_are_not_told_of():
    """To read them is no change, nor to hold a part of them."""
    kept = []
    bench = Bench(lambda item: kept.append(item["rows"]))
    watch = Watch(len, bench)
    watch(batch({"rows": [1]}, {"rows": []}))
    watch.audit()
    assert bench.looked_at == [[0, 1]]
    assert bench.said == [""]


def test_what_cannot_change_is_not_looked_at():
    """Numbers, texts, and tuples of such: only what is left of a batch."""
    bench, watch = watched(str)
    watch(batch(1, "a", b"b", 2.5, None, (True, ("a", None)), (1, [2]), {}))
    assert bench.looked_at == [[6, 7]]


def test_of_many_items_some_are_looked_at():
    """Spread over the batch."""
    bench, watch = watched(len)
    watch(batch(*([] for _ in range(10 * FEW))))
    assert bench.looked_at == [[*range(0, 10 * FEW, 10)]]


def test_of_a_large_batch_fewer_are_looked_at():
    """The first is, whatever it takes; so it is little."""
    bench, watch = watched(len)
    watch(batch(*([bytes(LARGE)] for _ in range(5))))
    assert bench.looked_at == [[0]]


def test_a_look_is_rested_from(now):
    """For a multiple of what both halves of it took; and a change that comes later is told all the same."""
    bench, watch = watched(lambda item: item.append(1) if item else None)
    watch(batch([]))
    due = now.time
    watch(batch([]))
    assert bench.looked_at == [[0], []]
    now.time = due + 4 * _watch.SPARING
    watch(batch([2]))
    assert bench.looked_at == [[0], [], [0]]
    assert bench.said == ["their items"]


class Moody:
    """Raises as it is pickled for the second time, and whenever it is asked for what it holds."""

    pickled = 0

    def __reduce__(self):
        type(self).pickled += 1
        if self.pickled > 1:
            raise ValueError
        return type(self), ()

    @property
    def __dict__(self):
        raise ValueError


def test_items_that_raise_when_they_are_looked_at_do_no_harm():
    """Their own methods raise anything, and the batch is performed."""
    bench, watch = watched(id)
    watch(batch(Moody()))
    watch.audit()
    assert (bench.performed, bench.said) == (1, [""])
