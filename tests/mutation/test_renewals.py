"""What is bound anew counts where it is made of what was there before, or of the item."""

import threading
from functools import partial
from types import SimpleNamespace

import pytest
import trail_callables as own

from concurrent_choices._mutation._alterations import altered_by

count = 0
best = table = None
words = ""
per_thread = threading.local()
per_thread.count = 0


class Ledger:
    """Keeps things in each of the ways that are looked for, or are not."""

    made = 0
    latest = None

    def __init__(self):
        self.count = self.best = 0
        self.seen, self.table = (), {}
        self.last = self.client = None
        self.inner = SimpleNamespace(count=0)

    def adds(self, item):
        self.count = self.count + item

    def compares(self, _item):
        self.best = max(self.best, len(self.seen))

    def extends(self, _item):
        self.seen = (*self.seen, 1)

    def merges(self, _item):
        self.table = {**self.table, "k": 1}

    def calls_what_is_there(self, _item):
        self.seen = self.seen.__add__((1,))

    def reaches_inside(self, _item):
        self.inner.count = self.inner.count - 1

    def counts_in_its_class(self, _item):
        Ledger.made = Ledger.made + 1

    def gives_numbers(self, _item):
        number = self.count
        self.count = number + 1
        return number

    def swaps(self, _item):
        self.count, self.best = self.best, self.count + self.best

    def counts_from_nothing(self, _item):
        self.fresh = getattr(self, "fresh", 0) + 1

    def helps_itself(self, _item):
        self.gives_numbers(None)

    def remembers(self, item):
        before, self.last = self.last, item.key
        return before

    def remembers_what_it_makes(self, item):
        found = [item]
        if len(found) > 1:
            self.last = found

    def remembers_in_its_class(self, item):
        Ledger.latest = item

    # What follows is how each process comes to something for itself.

    def connects(self, _item):
        if self.client is None:
            self.client = self.made_for(self.count)
        client = self.client
        if client is None:
            client = object()
        self.client = self.client or client
        self.count = 0
        return self.client

    def made_for(self, number):
        self.last = number
        return number

    def puts_it_back(self, item):
        before = self.count
        self.count = 5
        try:
            return item
        finally:
            self.count = before

    def keeps_for_the_thread(self, item):
        per_thread.count = per_thread.count + 1
        per_thread.last = item
        per_thread.fresh = getattr(per_thread, "fresh", 0) + 1

    def fills_its_own(self, item):
        found = Ledger()
        found.last = item
        found.count = found.count + 1
        return found


def counts(_item):
    global count  # noqa: PLW0603 - what is looked for
    count = count + 1


def counts_its_calls(_item):
    counts_its_calls.number = getattr(counts_its_calls, "number", 0) + 1


def compares(_item):
    global count
    return (count := max(count, 5))


def writes(_item):
    global words  # noqa: PLW0603 - as above
    words = f"{words} and more"


def remembers(item):
    global best  # noqa: PLW0603 - as above
    if best is None or item > best:
        best = item


def counts_in_a_module(_item):
    own.failures = own.failures + 1


def loads(_item):
    global table  # noqa: PLW0603 - as above
    if table is None:
        table = [count]
    return table


def hands_on(item):
    ledger.adds(item)


def enclosing():
    """Two functions that bind what is around them anew."""
    total, last = 0, None

    def adds(_item):
        nonlocal total
        total = total * 2

    def keeps(item):
        nonlocal last
        last = item

    return adds, keeps


class Slotted:
    """Keeps things in a place of its own."""

    __slots__ = ("last",)

    def remembers(self, item):
        self.last = item


class Unruly:
    """Has its attributes in such a table."""

    def __init__(self):
        self.__dict__ = own.UnrulyTable(last=None)

    def remembers(self, item):
        self.last = item


ledger, slotted, unruly = Ledger(), Slotted(), Unruly()
adds, keeps = enclosing()


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (ledger.adds, "its object"),
        (ledger.compares, "its object"),
        (ledger.extends, "its object"),
        (ledger.merges, "its object"),
        (ledger.calls_what_is_there, "its object"),
        (ledger.reaches_inside, "its object"),
        (ledger.counts_in_its_class, "the global 'Ledger'"),
        (ledger.gives_numbers, "its object"),
        (ledger.swaps, "its object"),
        (ledger.counts_from_nothing, "its object"),
        (ledger.helps_itself, "its object"),
        (counts, "the global 'count'"),
        (counts_its_calls, "the global 'counts_its_calls'"),
        (compares, "the global 'count'"),
        (writes, "the global 'words'"),
        (counts_in_a_module, "the global 'own'"),
        (adds, "the enclosing 'total'"),
        (partial(Ledger.adds, ledger), "its bound arguments"),
        (hands_on, "the global 'ledger'"),
    ],
)
def test_what_is_made_of_what_was_there(fn, words):
    """It is a change, as by an operator such as `+=`."""
    assert altered_by(fn) == words


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (ledger.remembers, "its object"),
        (ledger.remembers_what_it_makes, "its object"),
        (partial(Ledger.remembers, ledger), "its bound arguments"),
        (ledger.remembers_in_its_class, "the global 'Ledger'"),
        (slotted.remembers, "its object"),
        (unruly.remembers, "its object"),
        (remembers, "the global 'best'"),
        (keeps, "the enclosing 'last'"),
    ],
)
def test_what_is_kept_of_an_item(fn, words):
    """Whoever comes later may find it there, and in another process would not."""
    assert altered_by(fn) == words


@pytest.mark.parametrize(
    "fn",
    [
        ledger.connects,
        ledger.puts_it_back,
        ledger.keeps_for_the_thread,
        ledger.fills_its_own,
        loads,
    ],
)
def test_what_a_process_comes_to_by_itself(fn):
    """A connection or a table is loaded once by each, and is the same everywhere."""
    assert altered_by(fn) == ""
