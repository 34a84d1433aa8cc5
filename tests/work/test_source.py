"""The one source: every item leaves it once, in runs, within its window."""

from __future__ import annotations

import _thread
import signal
import threading
import weakref
from itertools import count
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concurrent_choices._facts._batch import Claim
from concurrent_choices._work import _source, _tap
from concurrent_choices._work._source import Source
from concurrent_choices._work._tap import CAUTION, SMOOTH


@pytest.fixture(autouse=True, scope="module")
def at_once():
    """However long the machine stands still, no item seems to have taken its time, unless a test says so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tap, "FEED_SECONDS", inf)
        yield


def drained(source, limit=3):
    """All claims there are, one after another."""
    claims = []
    while (claim := source.claim(limit)) is not None:
        claims.append(claim)
    return claims


@pytest.mark.parametrize("made", [list, tuple, iter, dict.fromkeys, lambda items: (n for n in items)])
def test_runs_of_consecutive_items(made):
    """Claims follow each other without a gap, whatever the items are in."""
    claims = drained(Source(made(range(7))))
    assert [item for claim in claims for item in claim.items] == list(range(7))
    assert [claim.start for claim in claims] == [0, 3, 6] or claims[0].start == 0
    starts = [claim.start for claim in claims]
    ends = [claim.start + len(claim.items) for claim in claims]
    assert starts[1:] == ends[:-1]


@given(
    items=st.lists(st.integers(), max_size=40),
    limits=st.lists(st.integers(1, 7), min_size=1),
    returns=st.lists(st.booleans(), min_size=1),
    lazy=st.booleans(),
    singly=st.booleans(),
)
def test_each_item_leaves_once(items, limits, returns, lazy, singly):
    """However claims are sized and handed back, every item is performed once, at its own index."""
    source = Source(iter(items) if lazy else items)
    if singly:
        source.hand_out_singly()
    performed = {}
    for turn in count():
        claim = source.claim(limits[turn % len(limits)])
        if claim is None:
            break
        kept = len(claim.items)
        if returns[turn % len(returns)] and turn < 50:
            kept //= 2
            source.give_back(Claim(claim.start + kept, claim.items[kept:]))
        for index, item in enumerate(claim.items[:kept], claim.start):
            assert index not in performed
            performed[index] = item
    assert [performed[index] for index in range(len(items))] == items
    assert source.finished


def test_only_the_owner_advances_an_iterator():
    """Another thread gets what is ready, and never touches the iterable itself."""
    source = Source(iter(range(5)))
    seen = []
    other = threading.Thread(target=lambda: seen.append(source.claim(2)))
    other.start()
    other.join()
    assert seen == [None]
    assert source.claim(2) is not None


def test_whoever_adopts_it_becomes_the_owner():
    """A source can be handed to the thread that reads."""
    source = Source(iter(range(5)))
    seen = []

    def read():
        source.adopt()
        seen.extend(drained(source))

    other = threading.Thread(target=read)
    other.start()
    other.join()
    assert [item for claim in seen for item in claim.items] == list(range(5))


def test_nobody_advances_what_was_disowned():
    """After `disown` items come only by what it gave, whoever adopts the source afterwards."""
    source = Source(iter(range(5)))
    feed = source.disown()
    source.adopt()
    assert not source.feed(2)
    assert source.claim(2) is None
    assert feed(2, None)
    assert source.claim(5).items == [0, 1]


@pytest.mark.parametrize("made", [list, iter])
def test_the_window_is_kept(made):
    """No more leaves than the window lets, until results are released."""
    source = Source(made(range(10)), window=3)
    first = [item for claim in drained(source, 2) for item in claim.items]
    assert first == [0, 1, 2]
    assert source.claim(1) is None
    assert not source.finished
    source.release(2)
    assert [item for claim in drained(source, 5) for item in claim.items] == [3, 4]


def test_a_fixed_window_does_not_widen():
    """What the caller asked for stays."""
    fixed, free = Source(range(9), window=2, fixed=True), Source(range(9), window=2)
    fixed.window.staffed(3)
    free.window.staffed(3)
    assert (fixed.room, free.room) == (2, 6)


@pytest.mark.parametrize("made", [list, iter])
def test_a_window_that_shrinks(made):
    """What has left the iterable already waits, too, and still counts among what remains."""
    source = Source(made(range(8)), window=9)
    source.feed(9)
    source.claim(1)
    source.window.look_ahead(9, 2)
    assert (source.ready, source.room <= 1, source.remaining) == (1, True, 7)
    assert source.claim(5).items == [1]
    assert source.claim(5) is None
    source.release(1)
    assert source.claim(5).items == [2]


def test_what_lanes_have_in_hand_is_no_look_ahead():
    """So many are under way anyway; beyond these, as many again, or what may be held."""
    source = Source(range(99), window=5)
    source.window.staffed(10)
    assert source.room == 20
    source.window.look_ahead(5, 3)
    assert source.room == 13
    source.window.look_ahead(50, 30)
    assert source.room == 40


def test_room_can_be_made():
    """A claim that must go on may pass the window by the one item that it needs."""
    source = Source(range(9), window=1)
    source.claim(1)
    source.make_room()
    assert source.claim(5).items == range(1, 2)


def test_room_that_was_made_stays():
    """Who waits for an item may hold others back until it has come, while the window shrinks."""
    source = Source.pushed(window=64)
    source.push([0])
    source.claim(1)
    source.make_room()
    source.window.look_ahead(64, 1)
    assert source.room == 1
    source.push([1])
    assert source.claim(1).items == [1]


def test_what_the_iterable_raises_is_kept():
    """Items before the error can be claimed; the error waits for the end."""

    def items():
        yield 1
        raise LookupError("half-way")

    source = Source(items())
    assert source.claim(5).items == [1]
    assert source.claim(5) is None
    assert source.finished
    assert str(source.error) == "'half-way'" or str(source.error) == "half-way"


def test_pushed_items():
    """Somebody may push items from outside, and tells those who wait."""
    rung = []
    source = Source.pushed()
    source.on_change(lambda: rung.append(source.ready))
    assert source.claim(1) is None
    assert not source.finished
    source.push([1, 2])
    assert source.claim(5).items == [1, 2]
    source.end()
    assert source.finished
    assert rung == [2, 0]


def test_hunger_reaches_whoever_feeds():
    """Lanes that find nothing say so, until there is nothing more to come."""
    asked = []
    source = Source.pushed()
    source.on_hunger(lambda: asked.append(1))
    source.hunger()
    source.end()
    source.hunger()
    assert asked == [1]


def test_a_closed_source_hands_out_nothing():
    """After `close` nothing leaves, not even what was handed back."""
    source = Source(range(5))
    claim = source.claim(2)
    source.give_back(claim)
    source.close()
    assert source.claim(1) is None
    assert source.finished


@pytest.mark.parametrize("items", [range(5), iter(range(5))])
def test_what_came_back_can_be_claimed_while_the_window_is_full(items):
    """It has left already; nobody else would bring on the result that the window waits for."""
    source = Source(items, window=2, fixed=True)
    source.give_back(source.claim(2))
    assert (source.room, source.ready, source.claimable) == (0, 2, True)
    assert source.claim(9) == Claim(0, range(2) if source.length else [0, 1])
    assert not source.claimable


def test_lengths():
    """Plain containers tell how many items remain; iterators only when they have given all."""
    source = Source([1, 2, 3])
    source.claim(2)
    assert (source.length, source.remaining) == (3, 1)
    source = Source(iter([1, 2, 3]))
    assert source.feed(2)
    assert source.remaining is None
    assert source.feed(4)
    assert not source.feed(4)
    source.give_back(source.claim(1))
    source.claim(2)
    assert (source.length, source.remaining) == (None, 2)


def test_what_goes_through_containers_has_their_length():
    """Some of them may have been taken before; and no fewer than none remain if there come to be more."""
    letters = list("abc")
    numbered = enumerate(letters)
    next(numbered)
    source = Source(numbered)
    assert source.feed(2)
    assert source.claim(1) == Claim(0, [(1, "b")])
    assert (source.length, source.remaining) == (2, 1)
    letters += "de"
    while source.feed(4):
        pass
    assert [claim.items for claim in drained(source)] == [[(2, "c"), (3, "d"), (4, "e")]]
    assert source.remaining == 0


@pytest.mark.parametrize(("items", "lanes"), [([1, 2, 3], 3), ([], 1), (iter([1]), 8)])
def test_no_more_lanes_than_items(items, lanes):
    """Of eight lanes as many are of use as there are items, where that is known."""
    assert Source(items).fitting(8) == lanes


def test_no_more_lanes_than_an_iterable_has_given():
    """Once it has come to its end, that many items are all there are."""
    source = Source(iter([1, 2, 3]))
    source.feed(9)
    source.claim(2)
    assert source.fitting(8) == 3


@pytest.mark.parametrize("items", [range(9), iter(range(9))])
def test_no_more_lanes_than_items_under_way(items):
    """What is beyond a fixed window no lane can begin; another window is wider where lanes want it."""
    assert Source(items, window=3, fixed=True).fitting(8) == 3
    assert Source(items, window=3).fitting(8) == 8


def test_claimed_items_are_let_go():
    """What was claimed from an iterator is not kept by the source."""
    source = Source(iter(range(10_000)))
    for _ in range(100):
        source.claim(100)
    assert len(source._ready) < 5000


def test_one_at_a_time(monkeypatch):
    """Where that was asked for, under a GIL, no claim gives two; some may have left, and some come back."""
    monkeypatch.setattr(_source, "gil_enabled", lambda: True)
    source = Source("abcde")
    assert source.claim(2) == Claim(0, "ab")
    source.hand_out_singly()
    assert source.claim(2) == Claim(2, "c")
    source.give_back(Claim(0, "ab"))
    assert sorted(drained(source)) == [(0, "a"), (1, "b"), (3, "d"), (4, "e")]
    assert (source.claimed, source.ready, source.finished) == (5, 0, True)


def test_one_at_a_time_until_closed():
    """A closed source hands out nothing."""
    source = Source([1, 2])
    source.hand_out_singly()
    source.close()
    assert source.claim() is None
    assert source.claimed == 0


def test_one_at_a_time_within_a_window():
    """A window stays, whoever claims."""
    source = Source(range(5), window=2)
    source.hand_out_singly()
    assert [source.claim(), source.claim(), source.claim()] == [(0, range(1)), (1, range(1, 2)), None]


@pytest.mark.parametrize("gil", [True, False])
@pytest.mark.parametrize("singly", [True, False])
def test_many_threads_share_it(monkeypatch, gil, singly):
    """Lanes in threads together get everything, once."""
    monkeypatch.setattr(_source, "gil_enabled", lambda: gil)
    source = Source(range(5000))
    if singly:
        source.hand_out_singly()
    got = []

    def lane():
        while (claim := source.claim(7)) is not None:
            got.append(claim)

    lanes = [threading.Thread(target=lane) for _ in range(4)]
    for thread in lanes:
        thread.start()
    for thread in lanes:
        thread.join()
    assert sorted(item for claim in got for item in claim.items) == list(range(5000))


def interrupted():
    """Ctrl-C that a generator of C gives no chance to be raised within it, but when it has been asked."""
    return iter(_thread.interrupt_main, "never")


def test_ctrl_c_among_items_is_raised_at_once():
    """Kept like any error of the iterable, it would wait for the items in work, or for ever."""
    source = Source(interrupted())
    with pytest.raises(KeyboardInterrupt):
        source.claim(5)
    assert source.error is None
    assert source.ended


def test_what_a_signal_raises_behind_the_last_item_ends_the_source():
    """An iterable that goes on for ever must not make anybody miss it."""

    def out_of_time(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGINT, out_of_time)
    try:
        source = Source(interrupted())
        claim = source.claim(5)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(claim.items) == 1
    assert isinstance(source.error, TimeoutError)
    assert source.ended


class Looked(list):
    """Has somebody look, as another thread may, as soon as something is dropped."""

    def __delitem__(self, places):
        super().__delitem__(places)
        self.look()


def test_it_never_seems_finished_while_items_are_left():
    """Who sees that reads without the lock, and ends the run; dropping what was claimed is no end."""
    source, seen = Source(iter(range(3000))), []
    while not source.ended:
        source.feed(4000)
    ready = source._ready = Looked(source._ready)
    ready.look = lambda: seen.append(source.finished)
    source.claim(1600)
    source.claim(1)
    assert seen == [False]


def test_what_was_claimed_is_held_by_who_claimed_it_alone():
    """A generator of pictures would fill the memory: a thousand of them were kept after they were done."""

    class Picture:
        """What may be large."""

    source = Source(Picture() for _ in range(9))
    source.feed(9)
    claims = [source.claim(limit) for limit in (1, 3)]
    kept = [weakref.ref(item) for claim in claims for item in claim.items]
    assert all(each() for each in kept)
    claims.clear()
    assert not any(each() for each in kept)


@pytest.mark.parametrize("items", [range(10**30), range(0, -(10**30), -1)])
def test_a_range_longer_than_len_can_tell(items):
    """It is advanced as an endless iterable is."""
    source = Source(items)

    assert source.length is None
    assert source.claim(2) == Claim(0, list(items[:2]))


def test_what_has_come_is_begun_before_the_next_is_waited_for():
    """It may be one that takes its time, and lanes would be idle beside items that are there."""
    begun = []

    def items():
        for item in range(9):
            assert begun == list(range(item))
            yield item

    def begin():
        begun.extend(item for claim in drained(source) for item in claim.items)

    source = Source(items())
    feed = source.disown()
    while not source.ended:
        feed(10, begin)
        begin()
    assert (source.error, len(begun)) == (None, 9)


@pytest.mark.parametrize(("longest", "paused"), [(-1.0, True), (inf, False)])
def test_who_has_paused_may_pause_again(monkeypatch, longest, paused):
    """Until many items have come at once, and where the end has come."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", longest)
    source = Source(iter(range(3 * SMOOTH)))
    source.feed(1)
    assert (source.pause > 0) is paused
    monkeypatch.setattr(_tap, "FEED_SECONDS", inf)
    source.feed(SMOOTH)
    assert (source.pause > 0) is paused
    source.feed(SMOOTH + 1)
    assert source.pause == 0


def test_nobody_waits_for_more_than_there_is(monkeypatch):
    """Where the end has come, the next item takes no time."""
    monkeypatch.setattr(_tap, "FEED_SECONDS", -1.0)
    source = Source(iter([1]))
    source.feed(1)
    assert source.pause > 0
    source.feed(2)
    assert source.pause == 0


def test_of_what_comes_at_once_few_are_taken_together():
    """Nobody has any of them before the last has come, which may be one that takes its time."""
    steps = []

    def items():
        for item in range(400):
            steps.append(source._pulled)  # what has been handed on
            yield item

    source = Source(items())
    while not source.ended:
        source.feed(401, lambda: None)
    assert all(item - there <= item / CAUTION for item, there in enumerate(steps))


def test_it_is_not_finished_while_a_claim_drops_what_was_claimed():
    """Without the GIL a lane may claim while another asks, which would end though there is more."""

    class Claimed(list):
        """Items of which another lane claims some as they are counted."""

        def __len__(self):
            source._ready = ready
            assert source.claim(10) is not None
            assert len(ready) == 3000 - 1511
            return len(ready)

    source = Source(iter(range(3000)))
    source.feed(3000)
    while not source.ended:
        source.feed(3001)
    for limit in (1024, 477):
        source.claim(limit)
    ready = source._ready
    source._ready = Claimed()
    assert not source.finished
