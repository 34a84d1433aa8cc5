"""Whatever calls turn out to do, each future ends once, as its call did; what was cancelled is not called."""

from collections import Counter
from random import Random

import pytest

import chances
from concurrent_choices import AdaptiveExecutor


def made(chance):
    """An executor of some kind."""
    return AdaptiveExecutor(
        chance.choice([None, 1, 3]),
        chance.choice([None, 1, 2]),
        max_queue=chance.choice([None, None, 2, 20]),
        when_full=chance.choice(["block", "caller"]),
        limits=chance.choice([{}, {chances.call: 1}, {chances.call: 3}]),
        place=chance.choice(["auto", "process", "thread"]),
    )


def ended(future):
    """What came of a call that has ended, or that it was cancelled."""
    if future.cancelled():
        return "cancelled"
    return chances.comparable(future.exception() or future.result())


@pytest.mark.parametrize("seed", range(18))
def test_calls_made_by_chance(seed, tmp_path):
    """Some are cancelled, one by one or at the end; each future tells its end once."""
    chance, log = Random(seed), tmp_path / "calls"
    log.touch()
    items = chances.job(f"calls {seed}", str(log))
    futures, told = [], []
    with made(chance) as executor:
        for item in items:
            futures.append(executor.submit(chances.call, item))
            futures[-1].add_done_callback(told.append)
            if chance.random() < 0.1:
                chance.choice(futures).cancel()
        executor.shutdown(wait=False, cancel_futures=chance.random() < 0.3)
    ends = [*map(ended, futures)]
    called = [item for item, end in zip(items, ends, strict=True) if end != "cancelled"]
    assert [end for end in ends if end != "cancelled"] == [*map(chances.outcome, called)]
    assert sorted(map(int, log.read_text().split())) == [item.number for item in called]
    assert Counter(told) == Counter(futures)


@pytest.mark.parametrize("seed", range(8))
def test_a_map_made_by_chance(seed, tmp_path):
    """In chunks or not, ahead or not, it gives what a loop gives, and each item is called once."""
    chance, log = Random(seed), tmp_path / "calls"
    items = [item._replace(fails=False) for item in chances.job(f"map {seed}", str(log))]
    how = {"chunksize": chance.choice([1, 2, 30]), "buffersize": chance.choice([None, 1, 40])}
    with made(chance) as executor:
        assert [*executor.map(chances.call, items, **how)] == [item.number for item in items]
    assert sorted(map(int, log.read_text().split())) == [item.number for item in items]
