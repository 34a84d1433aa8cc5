"""What the calling thread asks of others while workers have its items."""

from __future__ import annotations

import sys
from contextlib import closing
from itertools import count

import pytest

from concurrent_choices import HybridStrategy, ProcessStrategy, WorkerStartError, run, stream
from concurrent_choices._strategies._workers._between._wire import Link
from concurrent_choices._strategies._workers._hosting._pump import Pump


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


@pytest.mark.parametrize("strategy", ["process", "hybrid"])
def test_what_workers_have_done_comes_before_what_keeps_others_from_the_job(strategy, monkeypatch):
    """Both may be heard in one moment: results that have arrived are due."""
    listen = Pump._listen

    def listen_to_a_complaint_too(pump, seconds):
        listen(pump, seconds)
        if pump._out:
            raise WorkerStartError("a worker process cannot load it")

    monkeypatch.setattr(Pump, "_listen", listen_to_a_complaint_too)
    with closing(stream(abs, [-1, -1, -1], strategy=strategy, ordered=False)) as results:
        assert next(results) == 1  # whichever comes first
        with pytest.raises(WorkerStartError, match="cannot load it"):
            list(results)


@pytest.mark.parametrize("strategy", [ProcessStrategy, HybridStrategy])
def test_ctrl_c_as_a_batch_is_sent_is_what_the_caller_gets(strategy, monkeypatch):
    """It is not sent again, and so not reported twice, though nobody knows that it was sent."""
    send = Link._send

    def is_interrupted(link, view, flags):
        send(link, view, flags)
        monkeypatch.setattr(Link, "_send", send)
        raise KeyboardInterrupt

    with strategy(1) as workers:
        run(abs, [-1], strategy=workers)  # they are up
        monkeypatch.setattr(Link, "_send", is_interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(abs, [-1], strategy=workers)
        assert run(abs, [-2], strategy=workers) == [2]
