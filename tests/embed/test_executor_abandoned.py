"""Calls in worker processes that nobody waits for any more are given up, and take no other with them."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import CancelledError

import pytest
from executor_acts import Held, hold, nap, where, where_it_is
from pool_calls import appear

from concurrent_choices import AdaptiveExecutor
from concurrent_choices._strategies._workers._hosting._host import Worker


def test_what_nobody_waits_for_does_not_begin_elsewhere():
    """A call that lay ahead at a worker is given up with the one that the worker was ended for."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        for _ in range(10):
            executor.submit(nap, 0).result()
        tasks = [executor._core.submit(nap, (300,), {}) for _ in range(2)]
        for task in reversed(tasks):
            executor._core.abandon(task)
        for task in tasks:
            with pytest.raises(CancelledError):
                task.result()


def two_at_one_worker(executor, folder, *, reading=False):
    """Two calls that one worker has, the second behind the first; each ends when its gate is there.

    Or, the second, as its argument is read.
    """
    executor._core.accounts.of(hold).figures.measured = 2  # and short, so that one may be sent ahead
    tasks = []
    for name in ("first", "second"):
        call = hold, folder / f"{name} begun", folder / f"{name} gate"
        fn, *args = (where_it_is, Held(*call)) if reading and tasks else call
        tasks.append(executor._core.submit(fn, tuple(args), {}))
        while not tasks[-1].running():
            time.sleep(1e-3)
    appear(folder / "first begun")
    return tasks


def test_no_call_is_sent_behind_one_of_unknown_length(tmp_path):
    """It would wait there for as long as that takes, while another worker has nothing to do."""
    with AdaptiveExecutor(max_processes=2, place="process") as executor:
        calls = [executor.submit(hold, tmp_path / f"{at} begun", tmp_path / f"{at} gate") for at in range(2)]
        for at in range(2):
            appear(tmp_path / f"{at} begun")
        third = executor.submit(where, 1)
        (tmp_path / "1 gate").touch()
        try:
            assert third.result(20) != os.getpid()
            assert not calls[0].done()
        finally:
            (tmp_path / "0 gate").touch()


def test_a_cancelled_call_is_not_made_when_its_turn_comes(tmp_path):
    """It lay behind another at a worker, which is ended as soon as the other is done."""
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path)
        executor._core.abandon(second)
        (tmp_path / "first gate").touch()
        assert first.result(60) == "made"
        with pytest.raises(CancelledError):
            second.result(60)


def test_a_cancelled_call_that_has_ended_takes_no_other_with_it(tmp_path):
    """That it has ended was not read yet, and its worker makes another call already."""
    busy = threading.Event()
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path)
        executor._core._process_pool.tray.put(busy.wait)  # so that it does not listen
        (tmp_path / "first gate").touch()
        appear(tmp_path / "second begun")
        executor._core.abandon(first)
        busy.set()
        (tmp_path / "second gate").touch()
        assert first.result(60) == second.result(60) == "made"


def test_a_call_that_ends_as_its_worker_is_ended_takes_no_other_with_it(tmp_path, monkeypatch):
    """What that worker would have begun next is made by another."""
    kill = Worker.kill
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path)

        def kill_late(worker):
            (tmp_path / "first gate").touch()
            while worker.page.started < 2 and not (tmp_path / "second gate").exists():
                time.sleep(1e-3)
            (tmp_path / "second gate").touch()
            kill(worker)

        monkeypatch.setattr(Worker, "kill", kill_late)
        executor._core.abandon(first)
        assert second.result(60) == "made"


def test_a_call_that_is_read_as_another_is_given_up(tmp_path):
    """Its worker is ended for the other's sake, which says nothing against the arguments that it read."""
    busy = threading.Event()
    with AdaptiveExecutor(max_processes=1, place="process") as executor:
        first, second = two_at_one_worker(executor, tmp_path, reading=True)
        executor._core._process_pool.tray.put(busy.wait)
        (tmp_path / "first gate").touch()
        appear(tmp_path / "second begun")
        executor._core.abandon(first)
        busy.set()
        (tmp_path / "second gate").touch()
        assert second.result(60) != os.getpid()
