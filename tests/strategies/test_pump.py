"""What the calling thread asks of others while workers have its items."""

from __future__ import annotations

import sys
from contextlib import closing
from itertools import count

import pytest

from concurrent_choices import stream
from concurrent_choices._strategies._workers._pump import Pump


@pytest.mark.parametrize("strategy", ["process", "hybrid"])
def test_who_waits_for_workers_takes_the_gil_from_others_sooner_than_usual(strategy, monkeypatch):
    """Each answer would wait for all threads that compute; and nobody waits while a result is used."""
    usual, listen, waiting, using = sys.getswitchinterval(), Pump._listen, set(), set()

    def listens(pump, seconds):
        waiting.add(sys.getswitchinterval())
        listen(pump, seconds)

    monkeypatch.setattr(Pump, "_listen", listens)
    with closing(stream(abs, count(), strategy=strategy)) as results:
        for _, _ in zip(range(1000), results, strict=False):
            using.add(sys.getswitchinterval())

    assert max(waiting) < usual
    assert using == {usual}
    assert sys.getswitchinterval() == usual
