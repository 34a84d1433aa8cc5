import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concurrent_choices._facts._workload import Workload
from concurrent_choices._measure._feed import Feed, Places


@given(st.integers(0, 300), st.lists(st.integers(1, 20), min_size=1, max_size=50))
def test_each_place_is_taken_once(count, limits):
    """However they are asked for, places never overlap, and at the end all were taken."""
    places, taken = Places(count), []
    for limit in itertools.cycle(limits):
        run = places.take(limit)
        if not run:
            break
        assert len(run) <= limit
        taken.extend(run)

    assert sorted(taken) == list(range(count))
    assert len(set(taken)) == len(taken)


def test_the_first_place_is_the_first():
    """The first call is made with the first item."""
    assert Places(1000).take(3) == range(3)


@pytest.mark.parametrize("count", [100, 128, 1000, 10**6])
def test_any_number_of_places_is_spread_evenly(count):
    """After ten looks no fifth of the sequence is left out."""
    places = Places(count)
    fifths = {places.take(1).start * 5 // count for _ in range(10)}

    assert fifths == set(range(5))


@pytest.mark.parametrize("period", [2, 3, 4, 8])
def test_periodic_items_are_sampled_fairly(period):
    """Items that repeat with a period are met in each phase about equally often."""
    places = Places(4096)
    phases = [places.take(1).start % period for _ in range(60)]

    assert all(phases.count(each) >= 60 / period / 2 for each in range(period))


def test_gaps_and_putting_back():
    """What was put back is free again."""
    places = Places(10)
    places.take(4)
    run = places.take(2)
    assert run == range(6, 8)
    assert places.gaps == (range(4, 6), range(8, 10))

    places.put_back(run)
    places.put_back(range(0))

    assert sorted(index for gap in places.gaps for index in gap) == [4, 5, 6, 7, 8, 9]


class Dataset:
    """Has items by index, and is no Sequence."""

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError("no slices here")
        return index * 10


@pytest.mark.parametrize("items", [[0, 10, 20, 30, 40, 50], range(0, 60, 10), Dataset()])
def test_a_sequence_is_taken_from_everywhere(items):
    """Lists, ranges and data sets are taken by index, and the rest comes in order."""
    feed = Feed(items)
    first, second = feed.take(2, 1)

    assert (first.start, list(first.items)) == (0, [0])
    assert (second.start, list(second.items)) == (3, [30])
    assert list(feed.rest()) == [(1, 10), (2, 20), (4, 40), (5, 50)]
    assert feed.count == 6


def test_runs_within_one_request():
    """A request is filled with runs of at most the length asked for."""
    claims = Feed(range(1000)).take(10, 4)

    assert [len(claim.items) for claim in claims] == [4, 4, 2]


def test_an_iterator_is_advanced_no_further_than_asked():
    """An iterator gives its next items, and keeps the others."""
    iterator = iter(range(10))
    feed = Feed(iterator)

    (claim,) = feed.take(3, 1)

    assert (claim.start, claim.items) == (0, [0, 1, 2])
    assert next(iterator) == 3
    assert feed.count is None


class Growing:
    """Ends, and has more when it is asked again."""

    def __init__(self):
        self.numbers = itertools.count(1)

    def __iter__(self):
        return self

    def __next__(self):
        number = next(self.numbers)
        if number == 4:
            raise StopIteration
        return number


def test_what_has_ended_is_not_asked_again():
    """It might give more, and never end."""
    feed = Feed(Growing())
    (claim,) = feed.take(5, 5)

    assert claim.items == [1, 2, 3]
    assert feed.take(5, 5) == []
    assert list(itertools.islice(feed.rest(), 1)) == []
    assert feed.count == 3


def test_an_infinite_generator():
    """The rest of an infinite generator is lazy."""
    feed = Feed(itertools.count())
    feed.take(5, 5)

    assert list(itertools.islice(feed.rest(), 2)) == [(5, 5), (6, 6)]


def test_items_given_back_come_first():
    """What was not called is handed out again before the iterator goes on, and only once."""
    feed = Feed(iter("abcdef"))
    (first,) = feed.take(2, 2)
    (second,) = feed.take(2, 2)
    feed.give_back([second])

    assert feed.take(2, 2) == [second]
    feed.give_back([second, first])
    assert list(feed.rest()) == list(enumerate("abcdef"))


def test_as_many_items_as_are_asked_for():
    """What was given back one by one is handed out together, and the iterator gives the others."""
    feed = Feed(iter("abcdef"))
    claims = [claim for _ in range(3) for claim in feed.take(1, 1)]
    feed.give_back(claims)

    assert [item for claim in feed.take(2, 2) for item in claim.items] == ["a", "b"]
    assert [item for claim in feed.take(3, 3) for item in claim.items] == ["c", "d", "e"]


def test_items_of_a_sequence_given_back():
    """Given back, they stand among the rest again."""
    feed = Feed("abcd")
    claims = feed.take(2, 1)
    feed.give_back(claims)

    assert sorted(feed.rest()) == list(enumerate("abcd"))


@pytest.mark.parametrize("items", [[], (), iter(()), {}, set()])
def test_no_items(items):
    """Nothing gives nothing."""
    feed = Feed(items)

    assert feed.take(3, 3) == []
    assert list(feed.rest()) == []


class Column:
    """Has items by label, as a column of pandas, and a loop that knows nothing of labels."""

    def __len__(self):
        return 3

    def __getitem__(self, label):
        return {2: "a", 1: "b", 0: "c"}[label]

    def __iter__(self):
        return iter("abc")


def test_what_has_a_loop_of_its_own_is_iterated():
    """By an index it may mean something else; in a loop it means what everybody sees there."""
    feed = Feed(Column())

    assert feed.take(1, 1)[0].items == ["a"]
    assert list(feed.rest()) == [(1, "b"), (2, "c")]
    assert feed.count == 3


class Doubled(list):
    """Gives other items in a loop."""

    def __iter__(self):
        return (2 * each for each in list.__iter__(self))


class Shifted(list):
    """Gives other items by an index."""

    def __getitem__(self, index):
        return list.__getitem__(self, index) + 1


class Curtailed(tuple):
    """Says that there are fewer."""

    __slots__ = ()

    def __len__(self):
        return 1


@pytest.mark.parametrize("items", [Doubled([1, 2, 3]), Shifted([1, 2, 3]), Curtailed((1, 2, 3))])
def test_what_differs_from_its_base_is_iterated(items):
    """A loop is what `run` goes by."""
    feed = Feed(items)
    first = feed.take(1, 1)[0].items

    assert first + [item for _, item in feed.rest()] == [*iter(items)]


def test_an_array_is_taken_from_everywhere():
    """It has a loop of its own, but by an index it means the same."""
    numpy = pytest.importorskip("numpy")
    feed = Feed(numpy.arange(0, 60, 10))

    assert [claim.items for claim in feed.take(2, 1)] == [[0], [30]]


class Unsure(list):
    """Does not know yet how many there are."""

    def __len__(self):
        raise NotImplementedError


@pytest.mark.parametrize("items", [range(10**30), Unsure([0, 1, 2])])
def test_what_cannot_tell_its_length_is_iterated(items):
    """A range that is longer than `len` can say, a user's own class whose `__len__` raises."""
    feed = Feed(items)

    assert (feed.count, feed.places) == (None, None)
    assert [each for claim in feed.take(2, 2) for each in claim.items] == [0, 1]
    assert Workload(abs, items).count is None


def test_a_mapping_is_iterated():
    """A mapping has no places, but keys, and knows how many."""
    feed = Feed({"a": 1, "b": 2})

    assert feed.take(1, 1)[0].items == ["a"]
    assert feed.count == 2


def test_nothing_is_taken_from_an_iterable_that_has_raised():
    """Some could go on, and who loops over them never comes to that."""

    class Flawed:
        def __init__(self):
            self.numbers = itertools.count()

        def __iter__(self):
            return self

        def __next__(self):
            number = next(self.numbers)
            if number == 2:
                raise OSError("the third is broken")
            return number

    feed = Feed(Flawed())

    assert [item for _ in range(3) for claim in feed.take(2, 2) for item in claim.items] == [0, 1]
    with pytest.raises(OSError, match="the third is broken"):
        list(feed.rest())


def test_an_iterable_that_raises():
    """Its error is kept until the items before it have been dealt with, and is then raised."""

    def broken():
        yield 1
        yield 2
        raise OSError("the file is gone")

    feed = Feed(broken())
    (claim,) = feed.take(5, 5)

    assert claim.items == [1, 2]
    assert feed.take(5, 5) == []
    with pytest.raises(OSError, match="the file is gone"):
        list(feed.rest())


class Damaged(Sequence):
    """Has an item that cannot be read."""

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 4:
            raise OSError("the fifth is broken")
        return index * 10


def test_a_sequence_that_raises():
    """What was taken before is not lost, and the others come up to the place of its error."""
    feed = Feed(Damaged())

    assert feed.peek(8) == [0, 10, 20, 30]
    taken = [claim.start for _ in range(8) for claim in feed.take(1, 1)]
    assert taken == [0]  # the next look is at the fifth
    rest = feed.rest()
    assert [next(rest) for _ in range(3)] == [(1, 10), (2, 20), (3, 30)]
    with pytest.raises(OSError, match="the fifth is broken"):
        next(rest)


@pytest.mark.parametrize(
    ("items", "first"), [([0, 1, 2, 3], [0, 2]), ([7], [7]), ([], []), (iter("abc"), ["a", "b"])]
)
def test_items_that_are_looked_at_are_handed_out_nevertheless(items, first):
    """They are those that are called first."""
    feed = Feed(items)

    assert feed.peek(2) == first
    assert [feed.take(1, 1)[0].items[0] for _ in first] == first
    assert len([*feed.rest()]) + len(first) == {4: 4, 1: 1, 0: 0, None: 3}[feed.count]


class SlowItems:
    """An iterable whose items take so many nanoseconds each, as its clock tells."""

    def __init__(self, *each):
        self.now = 0
        self.each = iter(each)

    def __iter__(self):
        return self

    def __next__(self):
        self.now += next(self.each)
        return self.now


def test_what_an_iterable_takes_to_give_an_item():
    """That of the first is left out where there are more: it may have sent a query for all."""
    items = SlowItems(900, 100, 300, 200)
    feed = Feed(items, lambda: items.now)
    assert feed.pace.seconds == 0.0

    feed.peek(1)
    assert feed.pace.seconds == pytest.approx(900e-9)
    feed.take(4, 4)
    assert feed.pace.seconds == pytest.approx(200e-9)


def test_what_a_data_set_takes_to_give_an_item():
    """Those of a list are there."""
    clock = itertools.count(0, 1000)
    for items, seconds in ((Dataset(), 1e-6 / 3), ([1, 2, 3, 4, 5, 6], 0.0)):
        feed = Feed(items, clock.__next__)
        feed.take(1, 1)
        feed.take(3, 3)
        assert feed.pace.seconds == pytest.approx(seconds)
