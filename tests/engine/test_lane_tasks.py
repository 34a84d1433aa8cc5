"""Threads with a loop each, which look whether an item waits only where others may be let in beside it."""

import asyncio
import threading
from collections import Counter as Tallied

import engine_coroutines as coroutines
from engine_fakes import LANES

from concurrent_choices import run
from concurrent_choices._engine import _succession
from concurrent_choices._engine._elastic_task_pool import ElasticTaskPool


def in_threads(monkeypatch, *orders):
    """A strategy that leaves its loop for threads, which are given these orders."""
    monkeypatch.setattr(_succession, "Controller", lambda *_: coroutines.RestScript(orders))
    return coroutines.LoopStrategy(coroutines.LOOP, coroutines.THREADS)


def test_lanes_beside_others_do_not_look_ahead(monkeypatch):
    """To look takes turns of the loop, each of which gives the GIL away that the others want."""
    looked = []
    monkeypatch.setattr(ElasticTaskPool, "_look_ahead", _noted(ElasticTaskPool._look_ahead, looked))
    results = run(coroutines.block, range(60), strategy=in_threads(monkeypatch, LANES))
    assert [item for item, _ in results] == list(range(60))
    assert len({thread for _, thread in results}) > 1
    assert set(looked) <= {threading.get_ident()}


def _noted(look_ahead, looked):
    """The same, and the thread that does it is noted."""

    async def noted(tasks):
        looked.append(threading.get_ident())
        await look_ahead(tasks)

    return noted


def test_a_lane_that_is_left_alone_lets_others_in(monkeypatch):
    """It has rested since there were other lanes, and its item waits as they leave."""
    flying, most = Tallied(), Tallied()

    async def call(_item):
        thread = threading.get_ident()
        flying[thread] += 1
        most[thread] = max(most[thread], flying[thread])
        await asyncio.sleep(0.005)
        flying[thread] -= 1

    strategy = in_threads(monkeypatch, LANES, LANES, LANES, LANES._replace(threads=1))
    run(call, range(400), strategy=strategy)
    del most[threading.get_ident()]
    assert max(most.values()) > 1
