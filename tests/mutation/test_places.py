"""One place may be written in many ways: what is bound anew there counts in each, and in what is called."""

from functools import partial
from types import SimpleNamespace

import pytest
import trail_callables as own

from concurrent_choices._mutation._alterations import altered_by

count = 0
last = None
settings = SimpleNamespace(count=0, last=None)


class Ledger:
    """Binds things anew, each time in another way."""

    made = 0
    latest = None

    def __init__(self):
        self.count = self._size = 0
        self.last = self.empty = self.host = None
        self.inner = SimpleNamespace(count=0, last=None)
        self.steps = partial(keep_in, self)

    @property
    def size(self):
        return self._size

    @size.setter
    def size(self, size):
        self._size = size

    def by_setattr(self, _item):
        setattr(self, "count", self.count + 1)  # noqa: B010 - what is looked for

    def by_object(self, item):
        object.__setattr__(self, "count", max(item, self.count))

    def by_its_own_setattr(self, _item):
        self.__setattr__("count", self.count - 1)

    def by_its_dictionary(self, _item):
        self.__dict__["count"] = self.count + 1

    def by_its_dictionary_alone(self, _item):
        self.__dict__["count"] = self.__dict__.get("count", 0) + 1

    def by_its_variables(self, _item):
        vars(self)["count"] = 1 + vars(self)["count"]

    def in_its_class(self, _item):
        type(self).made = type(self).made + 1

    def by_a_property(self, _item):
        self.size = self.size + 1

    def by_a_property_that_is_updated(self, _item):
        self.size += 1

    def toggles(self, _item):
        self.count = not self.count

    def gives_a_variable_twice(self, _item):
        number = self.count
        number += 1
        self.count = number

    def gives_a_variable_in_branches(self, item):
        number = self.count
        if item:
            number = number + item
        elif number:
            number = 0
        self.count = number

    def adds_in_a_loop(self, items):
        total = self.count
        for each in items:
            total += each
        self.count = total

    def keeps_by_a_variable(self, item):
        best = self.last
        if best is None or item > best:
            best = item
        self.last = best

    def keeps_in_what_has_another_name(self, item):
        inner = self.inner
        inner.last = item

    def keeps_in_its_class(self, item):
        type(self).latest = item

    def keeps_by_setattr(self, item):
        setattr(self, "last", item)  # noqa: B010 - as above

    def keeps_in_its_dictionary(self, item):
        self.__dict__["last"] = item

    def keeps_by_a_condition(self, item):
        self.last = item if item > 3 else self.last

    def keeps_a_part(self, item):
        self.last, rest = divmod(item, 7)
        return rest

    def keeps_what_is_behind_the_first(self, item):
        first, *self.last = item
        return first

    def counts_by_a_condition(self, item):
        self.count = self.count + (1 if item else 2)

    def steps_on(self, item):
        self.count, found = stepped(self.count, item)
        return found

    def keeps_where_an_error_leads(self, item):
        try:
            found = item.name
        except AttributeError:
            self.last = item
        else:
            return found

    def counts_in_what_a_call_gives(self, _item):
        self.its_inner().count = self.its_inner().count + 1

    def keeps_in_what_a_property_gives(self, item):
        self.core.last = item

    def its_inner(self):
        return self.inner

    @property
    def core(self):
        return self.inner

    def keeps_one_of_many(self, items):
        for each in items:
            self.last = each

    def keeps_what_uses_it(self, item):
        self.last = lambda: item

    def keeps_what_has_its_variable(self, item):
        found = item
        found = found.strip()
        self.last = found

    def keep(self, item):
        self.last = item

    def hands_on(self, item):
        self.keep(item)

    def hands_on_by_name(self, item):
        self.keep(item=item + 1)

    def hands_on_twice(self, item):
        self.hands_on(item)

    def hands_on_by_a_partial(self, item):
        self.steps(item)

    def hands_on_to_a_function(self, item):
        keep_in(self, item)

    # What follows is no change, or one that each process comes to by itself.

    def connects(self, item):
        if self.empty is None:
            self.connect_to(item.host)
        self.read_for(len(item))
        return self.empty

    def connect_to(self, host):
        self.empty = connected(host)

    def read_for(self, number):
        found = [number]
        found = self.inner
        self.host = found
        return found

    def puts_back(self, item):
        before = self.count
        setattr(self, "count", 5)  # noqa: B010 - as above
        setattr(self, "count", before)  # noqa: B010 - as above
        self.__dict__["count"] = before
        return item

    def counts_for_itself(self, item):
        number = self.count
        number += item
        number = 0
        self.count = number

    def puts_many_back(self, item):
        before, last, host, empty = self.count, self.last, self.host, self.empty
        self.count = 5
        self.count, self.last, self.host, self.empty = before, last, host, empty
        return item

    def has_its_own_by_then(self, item):
        found = item
        found = 1 if found else 2
        self.last = found

    def counts_in_its_own_variable(self, item):
        number = self.count
        number += 1

        def counted():
            return number + item

        return counted()

    def keeps_for_the_call(self, item):
        last = None

        def keep():
            nonlocal last
            last = item

        keep()
        made = Ledger()
        made.keep(item)
        setattr(made, "count", made.count + 1)  # noqa: B010 - as above
        return last


def stepped(count, item):
    return count + 1, item


def connected(host):
    return [host]


def keep_in(ledger, item):
    ledger.last = item


def remember(item):
    global last  # noqa: PLW0603 - as above
    last = item


def remembers(item):
    if item:
        remember(item)


def remembers_inside(item):
    def inside():
        remember(item)

    return inside


def remembers_elsewhere(item):
    own.remember(item)


def remembers_all(*items):
    remember(items)


def counts_globally(_item):
    globals()["count"] = count + 1


def counts_by_a_variable(_item):
    global count  # noqa: PLW0603 - as above
    number = count
    number = number + 1
    count = number


def updates_settings(_item):
    setattr(settings, "count", getattr(settings, "count") + 1)  # noqa: B009, B010 - as above


def marks_itself(item):
    marks_itself.last = item


ledger = Ledger()


@pytest.mark.parametrize(
    "method",
    [
        ledger.by_setattr,
        ledger.by_object,
        ledger.by_its_own_setattr,
        ledger.by_its_dictionary,
        ledger.by_its_dictionary_alone,
        ledger.by_its_variables,
        ledger.in_its_class,
        ledger.by_a_property,
        ledger.by_a_property_that_is_updated,
        ledger.toggles,
        ledger.gives_a_variable_twice,
        ledger.gives_a_variable_in_branches,
        ledger.adds_in_a_loop,
        ledger.keeps_by_a_variable,
        ledger.keeps_in_what_has_another_name,
        ledger.keeps_in_its_class,
        ledger.keeps_by_setattr,
        ledger.keeps_in_its_dictionary,
        ledger.keeps_by_a_condition,
        ledger.keeps_a_part,
        ledger.keeps_what_is_behind_the_first,
        ledger.counts_by_a_condition,
        ledger.steps_on,
        ledger.keeps_where_an_error_leads,
        ledger.counts_in_what_a_call_gives,
        ledger.keeps_in_what_a_property_gives,
        ledger.keeps_one_of_many,
        ledger.keeps_what_uses_it,
        ledger.keeps_what_has_its_variable,
        ledger.hands_on,
        ledger.hands_on_by_name,
        ledger.hands_on_twice,
        ledger.hands_on_by_a_partial,
        ledger.hands_on_to_a_function,
    ],
)
def test_what_a_method_binds_anew(method):
    """In whatever way it is written: to what is made of what was there, or to something of its item."""
    assert altered_by(method) == "its object"


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (remembers, "the global 'last'"),
        (remembers_inside, "the global 'last'"),
        (remembers_elsewhere, "the global 'latest'"),
        (remembers_all, "the global 'last'"),
        (counts_globally, "the global 'count'"),
        (counts_by_a_variable, "the global 'count'"),
        (updates_settings, "the global 'settings'"),
        (marks_itself, "the global 'marks_itself'"),
        (partial(keep_in, ledger), "its bound arguments"),
    ],
)
def test_what_a_function_binds_anew(fn, words):
    """So do functions, and those that they hand their item on to."""
    assert altered_by(fn) == words


@pytest.mark.parametrize(
    "method",
    [
        ledger.connects,
        ledger.puts_back,
        ledger.puts_many_back,
        ledger.counts_for_itself,
        ledger.counts_in_its_own_variable,
        ledger.has_its_own_by_then,
        ledger.keeps_for_the_call,
    ],
)
def test_what_is_bound_and_no_change(method):
    """What a function calls, to connect to what it was given, is made once; and a call has its own things."""
    assert altered_by(method) == ""
