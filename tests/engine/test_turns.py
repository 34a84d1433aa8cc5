"""Work that turns in the middle of a run, and runs that are ended in each stage: real parts, untimed."""

import asyncio
import threading
import time
import weakref
from collections import Counter as Tallied
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from random import Random
from urllib.request import urlopen

import engine_acts as acts
import pytest
from engine_fakes import ALONE, LANES, OUTSIDE, PAIR, STARTING, ScriptedStrategy

from concurrent_choices import AutoStrategy, run, run_report, stream
from concurrent_choices._engine._conductor import Conductor
from patience import TRIES


class Crowd(BaseHTTPRequestHandler):
    """Serves so many at a time, and turns the others away."""

    def do_GET(self):
        server = self.server
        with server.counting:
            server.inside += 1
            crowded = server.inside > server.seats
        crowded |= server.is_down(self.path)
        time.sleep(server.pause(self.path))
        with server.counting:
            server.most.append(server.inside)
            server.inside -= 1
            server.asked.append(self.path)
        self.send_response(server.refusal if crowded else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Has room for many at its door: those whom it turns away there ask again after seconds."""

    daemon_threads = True
    request_queue_size = 256  # read when it is made


@pytest.fixture
def server():
    """A server of this process; by default it answers everybody after 5 ms."""
    with Server(("127.0.0.1", 0), Crowd) as server:
        server.counting, server.asked, server.inside = threading.Lock(), [], 0
        server.seats, server.refusal, server.pause = 10**6, 503, lambda path: 0.005
        server.is_down, server.most = lambda path: False, []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def address_of(server, number):
    return f"http://127.0.0.1:{server.server_address[1]}/{number}"


def fetch(address):
    with urlopen(address, timeout=20) as answer:
        return answer.status


@pytest.mark.parametrize("refusal", [429, 503])
def test_refusals_of_a_server_halve_the_lanes(server, refusal):
    """Too many at once: the lanes that were there when it said so are never reached again."""
    server.seats, server.refusal = 4, refusal
    server.pause = lambda path: 0.02

    def ask(number):
        return fetch(address_of(server, number))  # what holds the server stays in this process

    # The server computes here too: on a busy machine asking is taken for that at first. And the report leaves
    # out a step of a few lanes, so that there may have been more than it tells.
    fewer = False
    for _ in range(TRIES):
        server.asked.clear()
        results = run(ask, range(300), return_exceptions=True)
        refused = [result for result in results if result != 200]
        assert {error.code for error in refused} <= {refusal}
        for error in refused:
            error.close()
        assert Tallied(server.asked) == Tallied(f"/{number}" for number in range(300))
        steps = run_report().steps
        halved = [
            place for place, step in enumerate(steps) if "too many calls are made at once" in step.reason
        ]
        fewer = bool(halved) and _most(steps[halved[0] :]) < _most(steps[: halved[0]])
        if fewer:
            break
    assert fewer


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_hosts_that_are_down_take_no_lanes_away(kind):
    """Two of a hundred are, whatever the number of calls: 2,000 of 20 ms came down to one lane."""

    def ask(number):
        time.sleep(0.005)
        if number % 50 == 0:
            raise ConnectionRefusedError(number)
        return number

    async def ask_on_loop(number):
        await asyncio.sleep(0.005)
        if number % 50 == 0:
            raise ConnectionRefusedError(number)
        return number

    results = run({"def": ask, "async def": ask_on_loop}[kind], range(1000), return_exceptions=True)
    assert [number for number in range(1000) if results[number] != number] == [*range(0, 1000, 50)]
    assert not [step for step in run_report().steps if "too many calls" in step.reason]


def test_refusals_that_fewer_lanes_do_not_lessen_are_borne(server):
    """One call in four asks for what is down: all the others were done one at a time for it."""
    server.is_down = lambda path: Random(path).random() < 0.25
    server.pause = lambda path: 0.02

    def ask(number):
        return fetch(address_of(server, number))

    results = run(ask, range(1000), return_exceptions=True, strategy=AutoStrategy(max_workers=32))
    refused = [result for result in results if result != 200]
    for error in refused:
        error.close()
    assert {error.code for error in refused} == {503}
    assert Tallied(server.asked) == Tallied(f"/{number}" for number in range(1000))
    assert max(server.most[-200:]) >= 8


def _most(steps):
    return max(step.lanes for step in steps)


@pytest.mark.parametrize("slow", [range(100, 10**6), range(60, 120)], ids=["slows down", "recovers"])
def test_a_server_that_turns_gets_every_request_once(server, slow):
    """It answers ten times as late from the middle on, or for a while."""
    server.pause = lambda path: 0.03 if int(path[1:]) in slow else 0.003
    assert run(fetch, [address_of(server, number) for number in range(200)]) == [200] * 200
    assert Tallied(server.asked) == Tallied(f"/{number}" for number in range(200))


def waits_then_computes(pair):
    if pair[1] < 60:
        time.sleep(0.002)
    else:
        acts.spin(pair[1])
    return acts.note(pair)


def computes_then_waits(pair):
    return waits_then_computes((pair[0], 119 - pair[1]))


@pytest.mark.parametrize("fn", [waits_then_computes, computes_then_waits])
def test_each_half_of_another_kind(fn, tmp_path):
    """From the caller's items the one half waits and the other computes; each is called once."""
    log = tmp_path / "calls"
    results = run(fn, [(str(log), number) for number in range(120)])
    assert sorted(results) == list(range(120))
    assert Tallied(map(int, log.read_text().split())) == Tallied(range(120))


def test_a_lock_that_the_caller_holds():
    """The calling thread has it: no other may make these calls, though they wait."""
    lock = threading.RLock()

    def guarded(item):
        with lock:
            time.sleep(0.003)
            return threading.get_ident()

    with lock:
        assert run(guarded, range(30)) == [threading.get_ident()] * 30


def test_a_lock_that_a_call_holds():
    """It is the call's own, as a handler of logging takes one: later calls may be made in other threads."""
    lock = threading.RLock()

    def guarded(item):
        with lock if item == 0 else nullcontext():
            time.sleep(0.05 if item == 0 else 0.01)
        return threading.get_ident()

    assert len(set(run(guarded, range(60)))) > 1


def test_ctrl_c_while_the_calling_thread_looks_itself(monkeypatch):
    """It is raised there and then, and no other call is made first."""
    lock, look, called, before = threading.RLock(), Conductor._look, [], []

    def interrupted(conductor):
        if threading.current_thread() is threading.main_thread():
            before.extend(called)
            raise KeyboardInterrupt
        return look(conductor)

    def guarded(item):
        called.append(item)
        with lock:
            time.sleep(0.1)

    monkeypatch.setattr(Conductor, "_look", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(guarded, range(20))
    assert called == before


def test_a_lock_shared_with_who_takes_the_results():
    """A consumer that takes the lock between results holds nobody up for good."""
    lock = threading.Lock()

    def guarded(item):
        with lock:
            time.sleep(0.001)
            return item

    found = []
    for result in stream(guarded, range(100)):
        with lock:
            found.append(result)
    assert found == list(range(100))


def interrupted_in(press, *orders):
    """A script whose last order has been followed for some looks when Ctrl-C comes."""
    yield from orders
    yield from repeat(orders[-1], 5)
    threading.Thread(target=press).start()
    yield from repeat(orders[-1])


STAGES = {
    "sequential": [ALONE],
    "second lane": [PAIR],
    "threads": [LANES],
    "processes starting": [STARTING],
    "processes": [STARTING, OUTSIDE],
    "coming back": [STARTING, *[OUTSIDE] * 10, ALONE],
}


@pytest.mark.parametrize("fn", [acts.nap, acts.spin])
@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_in_each_stage(stage, fn, ctrl_c):
    """It comes back as KeyboardInterrupt; the fixture sees that no thread goes on."""
    script = interrupted_in(ctrl_c.press, *STAGES[stage])
    with pytest.raises(KeyboardInterrupt):
        run(fn, range(100_000), strategy=ScriptedStrategy.following(script))


MANY = 50_000_000


def large(item):
    time.sleep(0.002)
    return bytes([item]) * MANY


@pytest.mark.parametrize("stage", ["sequential", "threads", "processes", "coming back"])
def test_results_of_fifty_megabytes(stage):
    """They arrive whole, wherever they were made."""
    strategy = ScriptedStrategy(*STAGES[stage])
    found = [
        (len(result), result[0], result[-1])
        for result in stream(large, range(8), strategy=strategy, buffersize=2)
    ]
    assert found == [(MANY, item, item) for item in range(8)]


def slowly(items, seconds):
    for item in items:
        time.sleep(seconds)
        yield item


@pytest.mark.parametrize("fn", [acts.double, acts.nap])
def test_a_generator_slower_than_the_work(fn):
    """Whoever performs the items waits for the next; no lanes pile up for items that are not there."""
    assert run(fn, slowly(range(60), 0.004)) == [fn(item) for item in range(60)]
    assert all(step.lanes <= 32 for step in run_report().steps)  # none, where there was nothing to decide


@pytest.mark.parametrize("length", range(1, 12))
def test_a_source_that_ends_at_a_switch(length):
    """Each look is a switch, and the items end around it, wherever they then are."""
    orders = [LANES, ALONE, PAIR, LANES, STARTING, OUTSIDE, ALONE, OUTSIDE, LANES]
    strategy = ScriptedStrategy(*chain.from_iterable(repeat(orders, 50)))
    assert run(acts.nap, slowly(range(length), 0.0015), strategy=strategy) == list(range(length))


@pytest.mark.usefixtures("uncollected")
def test_a_run_that_was_looked_at_lets_go_of_its_items():
    """Nothing of it is in a cycle, which would wait for the next collection, with all that its items hold."""

    class Item:
        pass

    def wait(_item):
        time.sleep(0.005)

    items = [Item() for _ in range(20)]
    traces = [weakref.ref(item) for item in items]
    run(wait, items)
    del items
    until = time.monotonic() + 30
    while any(trace() for trace in traces) and time.monotonic() < until:  # a lane may be at its end
        time.sleep(0.01)
    assert not any(trace() for trace in traces)
