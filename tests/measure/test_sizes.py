"""Whether calls take longer the larger their items are, and what all of them take then."""

import math
from random import Random

import pytest

from concurrent_choices._measure._figures import Block
from concurrent_choices._measure._sizes import MOST, foretold

SPREAD = [10, 80, 30, 70, 20, 60, 40, 50]
PLACES = [3, 11, 25, 38, 47, 59, 66, 74, 88, 95]


def timed(items, seconds, places=None, calls=1):
    """Blocks of calls at some places among items, each of which takes so many seconds for one."""
    return [
        Block(at, calls, round(1e9 * sum(map(seconds, items[at : at + calls]))), 0, 0)
        for at in (range(len(items)) if places is None else places)
    ]


def test_times_that_follow_the_sizes_are_told_for_all_items():
    """A sample without the longest naps tells how long those are, and how much all vary."""
    naps = [0.001] * 95 + [0.002, 0.02, 0.05, 0.1, 0.1]
    sample = timed(naps, float, [*range(0, 90, 8), 95, 96])
    mean = sum(block.wall for block in sample) / len(sample) / 1e9

    told = foretold(sample, naps)

    assert told.mean * mean == pytest.approx(sum(naps) / 100)
    assert told.longest * mean == pytest.approx(0.1)
    assert told.deviation * mean == pytest.approx(
        math.sqrt(sum((each - sum(naps) / 100) ** 2 for each in naps) / 100)
    )
    assert told.share == pytest.approx(1.0)


@pytest.mark.parametrize("make", [lambda size: "x" * size, lambda size: [0] * size, bytes, float])
def test_sizes_are_lengths_or_numbers_themselves(make):
    """Texts, lists and bytes have a length; a number is its own size."""
    sizes = [*SPREAD, 200]
    items = list(map(make, sizes))
    cost = dict(zip(map(str, items), sizes, strict=True))

    told = foretold(timed(items, lambda item: cost[str(item)], range(8)), items)

    assert told.mean * 45 == pytest.approx(sum(sizes) / 9)
    assert told.longest * 45 == pytest.approx(200)


def test_short_calls_are_told_by_blocks_of_several():
    """What a block of calls takes is that of the mean of their sizes."""
    items = list(range(1000))

    told = foretold(timed(items, lambda item: 1e-6 * (1 + item), range(100, 1000, 100), calls=5), items)

    assert told.longest / told.mean == pytest.approx(1000 / 500.5, rel=0.02)


def test_no_call_takes_less_than_the_quickest():
    """A line through long calls would have short ones take less than nothing."""
    items = [0] * 8 + SPREAD
    sample = timed(items, lambda item: item - 9, range(8, 16))

    assert foretold(sample, items).mean * 36 == pytest.approx((8 * 1 + 8 * 36) / 16)


def test_what_chance_adds_is_part_of_how_calls_differ():
    """Sizes account for nearly all of it; the rest stays."""
    items = SPREAD * 2
    noise = iter([4] * 8 + [-4] * 8)  # on whatever line, so that it changes none

    told = foretold(timed(items, lambda item: item + next(noise)), items)

    assert told.share == pytest.approx(525 / (525 + 16))
    assert told.deviation * 45 == pytest.approx(math.hypot(math.sqrt(525), 4), rel=0.02)


@pytest.mark.parametrize(
    ("items", "seconds"),
    [
        (SPREAD[:7], float),
        (SPREAD, lambda _: 5),
        (SPREAD, lambda item: 100 - item),
        ([5] * 8, lambda _: Random().random()),
        ([*SPREAD[:7], "8"], int),
        ([(each, each) for each in SPREAD], lambda item: item[0]),
        ([object() for _ in SPREAD], lambda _: 5),
        ([*SPREAD[:7], math.inf], lambda item: min(item, 50)),
        ([*SPREAD[:7], 10**400], lambda item: min(item, 50)),
        ([True, False] * 4, lambda item: 1 + item),
    ],
    ids=["few", "constant", "inverse", "equal", "mixed", "pairs", "objects", "infinite", "huge", "truths"],
)
def test_sizes_that_tell_nothing(items, seconds):
    """Too few calls, times that have nothing to do with sizes, and items without a size."""
    assert foretold(timed(items, seconds), items) is None


def test_times_at_random_tell_nothing():
    """Of samples whose times are drawn at random hardly any is taken for one that follows its sizes."""
    random = Random(5)
    items = [random.random() for _ in range(100)]
    samples = [timed(items, lambda _: random.expovariate(1.0), PLACES) for _ in range(1000)]

    assert sum(foretold(sample, items) is not None for sample in samples) <= 1


def test_an_item_of_another_kind_among_the_others():
    """All items are asked, and one without a size tells that the sample was no example."""
    assert foretold(timed(SPREAD, float), [*SPREAD, None]) is None


class Lazy(list):
    """Items that take long to come by."""

    def __getitem__(self, at):
        raise AssertionError


def test_items_that_may_be_dear_to_look_at():
    """What is more than a list may read a file for each item, so that nothing of it is looked at."""
    assert foretold(timed(SPREAD, float), Lazy(SPREAD)) is None


def test_of_many_items_some_are_asked():
    """A range of any length takes a moment."""
    items = range(100 * MOST + 7)

    told = foretold(timed(items, lambda item: 1 + item, range(0, len(items), 10 * MOST)), items)

    assert told.longest == pytest.approx(2.0, rel=0.01)
