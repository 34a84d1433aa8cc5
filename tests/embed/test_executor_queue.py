"""A full queue: who submits waits, is refused, or makes the call, and goes on as soon as there is room."""

from __future__ import annotations

import threading
import time

import pytest
from executor_acts import hold

from concurrent_choices import AdaptiveExecutor, QueueFullError


def test_a_full_queue_rejects():
    """With "reject" the call beyond the queue's length is refused, by an error that says so."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=2, when_full="reject") as executor:
        held = executor.submit(gate.wait, 10)
        for _ in range(2):
            executor.submit(pow, 2, 2)
        with pytest.raises(QueueFullError, match="max_queue=2"):
            executor.submit(pow, 2, 2)
        gate.set()
        assert held.result(10)


def test_a_refused_chunk_is_told_by_its_first_call():
    """As one would write it, not by the function of ours that makes a chunk's calls."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1, when_full="reject") as executor:
        executor.submit(gate.wait, 10)
        executor.submit(gate.wait, 10)
        try:
            with pytest.raises(QueueFullError, match=r"^chunk of 3 from pow\(2, 5\) was rejected"):
                executor.map(pow, [2] * 4, [5, 6, 7, 8], chunksize=3)
        finally:
            gate.set()


def test_a_full_queue_runs_in_the_caller():
    """With "caller" the submitting thread makes the call itself."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1, when_full="caller") as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        assert executor.submit(threading.get_ident).result() == threading.get_ident()
        gate.set()


def test_a_call_in_the_caller_may_submit_more_of_its_kind():
    """It has the only place of its callable, so what it submits waits, though the queue is full."""
    gate, begun = threading.Event(), []

    def crawl(depth):
        begun.append(depth)
        if depth:
            executor.submit(crawl, depth - 1)
            executor.submit(crawl, depth - 1)

    with AdaptiveExecutor(1, 0, max_queue=1, when_full="caller", limits={crawl: 1}) as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        executor.submit(crawl, 1)
        gate.set()
        while len(begun) < 3:
            time.sleep(1e-3)


def test_a_full_queue_blocks_until_there_is_room():
    """With "block" a submitter waits, and goes on as soon as a call has left the queue."""
    gate = threading.Event()
    with AdaptiveExecutor(1, max_queue=1) as executor:
        executor.submit(gate.wait, 10)
        executor.submit(pow, 2, 2)
        late = []
        submitter = threading.Thread(target=lambda: late.append(executor.submit(pow, 2, 5)))
        submitter.start()
        submitter.join(0.05)
        assert submitter.is_alive()
        gate.set()
        submitter.join(10)
        assert late[0].result(10) == 32


def test_a_submitter_goes_on_when_more_calls_may_run():
    """Calls that stand still make room for others, which leave the queue though none has ended."""
    meet = threading.Barrier(60)
    with AdaptiveExecutor(max_queue=1) as executor:
        futures = [executor.submit(meet.wait, 20) for _ in range(60)]
        assert sorted(future.result() for future in futures) == list(range(60))


def test_a_submitter_goes_on_when_waiting_calls_move_to_processes(tmp_path):
    """They leave the queue there and then, not when the first of them has ended."""
    gate, late = threading.Event(), threading.Event()
    with AdaptiveExecutor(1, max_queue=1) as executor:
        executor.submit(gate.wait, 60)
        moving = executor.submit(hold, tmp_path / "begun", tmp_path / "gate")
        submitter = threading.Thread(target=lambda: (executor.submit(pow, 2, 5), late.set()))
        submitter.start()
        while not executor._core._room._waiters:
            time.sleep(1e-3)
        account = executor._core.accounts.of(hold)
        account.move()
        executor._core._move_waiting(account)
        gone_on = late.wait(10)
        (tmp_path / "gate").touch()
        gate.set()
        assert moving.result(60) == "made"
        submitter.join()
    assert gone_on


def test_its_own_threads_are_never_blocked_by_a_full_queue():
    """A call that submits more than the queue holds would wait for itself, so it need not."""
    with AdaptiveExecutor(1, max_queue=1) as executor:

        def fan_out():
            return [executor.submit(pow, 2, power) for power in range(10)]

        futures = executor.submit(fan_out).result(10)
        assert [future.result(10) for future in futures] == [2**power for power in range(10)]
