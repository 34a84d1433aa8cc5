"""What a worker has in hand, and what that means when it dies."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concurrent_choices import Claim
from concurrent_choices._strategies._workers._between._surroundings import surroundings
from concurrent_choices._strategies._workers._between._wire import Kind, Terms
from concurrent_choices._strategies._workers._hosting._host import Host
from concurrent_choices._strategies._workers._hosting._worker_queue import SharedWorkerQueue, WorkerQueue
from concurrent_choices._transfer._pickling import dump
from concurrent_choices._work._pace import LOAD, REPAID, TAIL, TRIP, Pace
from concurrent_choices._work._source import Source


def queue_with(*claims, batch=None):
    """A queue that was sent some claims."""
    queue = WorkerQueue(None, Pace(batch, TRIP))
    for claim in claims:
        queue.sent(claim)
    return queue


def test_nothing_was_started():
    """A worker that died before its first item leaves everything to others."""
    claims = [Claim(0, "ab"), Claim(2, "cd")]
    assert queue_with(*claims).fallen(0) == ([], [], claims)


def test_the_item_started_last_was_running():
    """Those started before it had finished, and their results are lost."""
    fallen = queue_with(Claim(0, "abc"), Claim(3, "de")).fallen(2)
    assert fallen.lost == [(0, "a")]
    assert fallen.running == [(1, "b")]
    assert fallen.unstarted == [Claim(2, "c"), Claim(3, "de")]


def test_reported_items_are_safe():
    """What has been reported is neither lost nor running."""
    queue = queue_with(Claim(0, "ab"), Claim(2, "cd"))
    assert queue.reported(0, 2) == Claim(0, "ab")
    assert queue.fallen(3) == ([], [(2, "c")], [Claim(3, "d")])


def test_a_batch_that_was_never_started():
    """A batch that the worker could not read counts as not started."""
    queue = queue_with(Claim(0, "ab"), Claim(2, "cd"))
    assert queue.refused(0) == Claim(0, "ab")
    assert queue.fallen(1) == ([], [(2, "c")], [Claim(3, "d")])


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.data())
def test_every_item_is_accounted_for(sizes, data):
    """Whatever had been started and reported, each item in hand is lost, running or unstarted, once."""
    queue, start, claims = WorkerQueue(None, Pace(None, TRIP)), 0, []
    for size in sizes:
        claims.append(Claim(start, list(range(start, start + size))))
        start += size
        queue.sent(claims[-1])
    reported = data.draw(st.integers(0, len(claims)))
    done = sum(len(claim.items) for claim in claims[:reported])
    for claim in claims[:reported]:
        queue.reported(claim.start, len(claim.items))
    started = data.draw(st.integers(done, start))
    lost, running, unstarted = queue.fallen(started)
    left = [*lost, *running, *((i, x) for c in unstarted for i, x in enumerate(c.items, c.start))]
    assert left == [(index, index) for index in range(done, start)]
    assert len(running) == (started > done)


def test_room_comes_with_reports():
    """A worker whose pace is unknown gets one batch at a time."""
    queue = WorkerQueue(None, Pace(None, TRIP))
    assert queue.room == 1
    queue.sent(Claim(0, "a"))
    assert queue.room == 0
    queue.reported(0, 1)
    assert queue.room == 1
    assert queue.idle


def test_credit_follows_the_pace():
    """Short batches are sent ahead, long ones are not."""
    queue = WorkerQueue(None, Pace(1))
    queue.took(1e-6, 1)
    assert queue.brisk
    queue.sent(Claim(0, "a"))
    assert queue.room
    queue.took(1.0, 1)
    assert not queue.brisk
    assert queue.room == 0


def test_heavy_batches_shrink():
    """Items of megabytes go one at a time, and so do those whose results are."""
    for tell in (lambda queue, *message: queue.packed(0.0, *message), WorkerQueue.answered):
        queue = WorkerQueue(None, Pace(None, TRIP))
        queue.pace.size = 1000
        for count in (1, 10):
            tell(queue, count * LOAD, count)
        assert queue.room == 1


def test_a_batch_lasts_as_long_as_its_message_is_worth():
    """A table that all items share is pickled once a message, so that there should be few messages."""
    queue = WorkerQueue(None, Pace(None, TRIP))
    queue.packed(0.5, 180_000, 1)  # it imported cloudpickle
    queue.packed(9e-3, 180_000, 2)  # somebody else had the core
    queue.packed(1e-3, 180_000, 4)
    for _ in range(20):
        queue.took(queue.room * 1e-3, queue.room)
    assert queue.room == REPAID
    assert queue.least == REPAID // TAIL


def test_a_batch_of_items_that_share_nothing_is_short_however_long_they_take_to_pickle():
    """To send more of them together saves nothing."""
    queue = WorkerQueue(None, Pace(None, TRIP))
    for count in (1, 2, 4):
        queue.packed(count * 2e-3, count * 100_000, count)
    assert queue.pace.aim == TRIP
    assert queue.least == 1


def test_what_recurs_is_shared_though_neighbours_share_nothing():
    """Four tables that come in turn: each message of more than four has as much to pickle as any other."""
    queue = WorkerQueue(None, Pace(None, TRIP))
    for count in (1, 2, 4, 8, 16):
        queue.packed(min(count, 4) * 0.5e-3, min(count, 4) * 180_000, count)
    assert queue.pace.aim > 3 * TRIP


def test_few_large_messages_are_lined_up():
    """Memory bounds them, where time would let a worker have many."""
    queue = WorkerQueue(None, Pace(None, TRIP))
    queue.packed(1e-3, LOAD, 40)
    queue.took(1e-6, 40)
    queue.sent(Claim(0, [1]))
    assert queue.room
    queue.sent(Claim(1, [1]))
    assert not queue.room


def test_who_is_not_heard_gets_what_lasts_so_long():
    """It would be idle, as nobody gives it more; what is long anyway may wait for another worker."""
    queue = WorkerQueue(None, Pace(1))
    queue.sent(Claim(0, "a"))
    queue.reported(0, 1)
    queue.took(0.04, 1)
    for seconds, most in ((0.03, 1), (0.1, 3)):
        queue.unheard = seconds
        while queue.room:
            queue.sent(Claim(0, "a"))
        assert len(queue.fallen(0).unstarted) == most


def test_the_idlest_worker_comes_first():
    """Whoever has the least in hand; of those who have as much, who has had it for longest."""
    idle, early, late, busy = (
        queue_with(*(Claim(start, "a") for start in starts)) for starts in ([], [3], [4], [0, 1])
    )
    assert sorted([busy, late, idle, early]) == [idle, early, late, busy]


def test_the_idlest_of_those_with_lanes_comes_first():
    """Else one would have all of a few items, and some of them wait, while lanes of another were idle."""
    queues = [shared_by(2) for _ in range(2)]
    for start in range(4):
        min(queues).sent(Claim(start, "a"))
    assert [len(queue.fallen(0).unstarted) for queue in queues] == [2, 2]


def test_lanes_that_are_not_heard_have_another_round():
    """So that they need not wait for who gives the items, either."""
    queue = shared_by(2)
    queue.sent(Claim(0, "abc"))
    assert queue.room == 0
    queue.unheard = 0.1
    assert queue.room


def shared_by(lanes, remaining=100, window=None):
    """The queue of one of two workers with so many lanes each."""
    return SharedWorkerQueue(
        None, lanes, 2, Source(range(remaining), window=window, fixed=window is not None)
    )


def test_what_is_secluded_has_a_worker_to_itself():
    """It comes to one that has nothing in hand, and until it is over nothing else does."""
    queue = shared_by(8)
    queue.sent(Claim(0, "a"))
    assert not queue.seclude(1)
    assert queue.room
    queue.reported(0, 1)
    assert queue.seclude(1)
    queue.sent(Claim(1, "b"))
    assert not queue.room
    queue.reported(1, 1)
    assert queue.room


def test_a_shared_queue_reports_out_of_order():
    """A worker with many in hand gives them back in any order."""
    queue = shared_by(8)
    queue.sent(Claim(0, "abcd"))
    assert queue.reported(2, 1) == Claim(2, ["c"])
    assert not queue.idle
    assert queue.room


def test_a_shared_queue_gives_back_the_whole_batch_that_was_never_started():
    """A batch that the worker could not read, between others; it may be sent again, one at a time."""
    queue = shared_by(8)
    for claim in (Claim(0, "ab"), Claim(2, "cd"), Claim(4, "ef")):
        queue.sent(claim)
    assert queue.refused(2) == Claim(2, list("cd"))
    queue.reported(4, 1)
    queue.sent(Claim(2, "c"))
    assert queue.refused(2) == Claim(2, ["c"])
    assert queue.fallen(2) == ([], [(0, "a")], [Claim(1, ["b"]), Claim(5, ["f"])])


def test_a_shared_queue_that_falls():
    """Those started and not reported were running; the rest goes to others."""
    queue = shared_by(8)
    queue.sent(Claim(0, "abcd"))
    queue.reported(0, 1)
    assert queue.fallen(3) == ([], [(1, "b"), (2, "c")], [Claim(3, ["d"])])


def test_a_full_shared_queue_has_no_room():
    """It holds no more than its lanes take, and a quarter of that."""
    queue = shared_by(2)
    queue.sent(Claim(0, "ab"))
    assert queue.room == 1
    queue.sent(Claim(2, "c"))
    assert queue.room == 0


@pytest.mark.parametrize("remaining", [1, 16])
def test_the_last_items_wait_for_no_lane(remaining):
    """They would wait behind others in one worker while lanes of another were idle."""
    queue = shared_by(8, remaining)
    queue.sent(Claim(0, "abcdefg"))
    assert queue.room == 1
    queue.sent(Claim(7, "h"))
    assert queue.room == 0


@pytest.mark.parametrize(("window", "most"), [(8, 8), (16, 8), (18, 9), (1000, 10)])
def test_nothing_waits_for_a_lane_where_others_would_go_without(window, most):
    """So few items may be under way that what one worker has ahead is what another's lanes lack."""
    queue = shared_by(8, window=window)
    queue.sent(Claim(0, range(most - 1)))
    assert queue.room == 1
    queue.sent(Claim(most - 1, [0]))
    assert queue.room == 0


def test_time_counts_before_anybody_reads_what_came_of_it():
    """A caller who looks at results late must not be taken for work that lasts."""
    host = Host("process")
    worker = host.hire()
    queue = WorkerQueue(worker, Pace(None, TRIP))
    worker.take_job(1, dump(Terms(time.sleep)), dump(surroundings()))
    worker.link.queue(Kind.BATCH, 1, 0, dump([0.002]))
    worker.link.flush()

    heard = []
    while Kind.DONE not in {message.kind for message in heard}:
        heard += worker.link.receive()
    took = heard[-1].nanoseconds / 1e9
    assert queue.held == pytest.approx(took)

    queue.took(took, 1)
    assert queue.held == 0.0

    host.close()
    assert queue.held == 0.0
