"""`offload`: under asyncio and trio, called and as a decorator, cancelled, misused."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import inspect
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref

import anyio
import anyio.lowlevel
import pytest
from fastapi import Depends, FastAPI
from starlette._utils import is_async_callable
from starlette.background import BackgroundTask

from asgi_client import TestClient
from concurrent_choices import InvalidArgumentError, offload, run
from concurrent_choices._embed._offload import _core, _shared

BACKENDS = ["asyncio", "trio"]


@pytest.fixture(scope="module", autouse=True)
def nothing_stays():
    """What serves all calls of a program ends with these tests: its workers would rest during others."""
    yield
    while _shared:
        core = _shared.pop()
        core.close()
        core.join()


def spin(rounds):
    """Compute under the GIL."""
    return sum(number * number for number in range(rounds))


def boom():
    """Raise."""
    raise KeyError("boom")


def stop():
    """Raise what ends iterators."""
    raise StopIteration("stop")


def refuse(_argument):
    """Raise."""
    raise KeyError("refused")


class Argument:
    """What a call is given."""


def linger(seconds):
    """Compute for so long, however many share the machine."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
    return os.getpid()


class Service:
    """Something with a method to offload."""

    factor = 3

    @offload
    def triple(self, number):
        """Multiply."""
        return self.factor * number


class Sent:
    """Something that keeps what it is told."""

    def __init__(self, told):
        self.told = told

    @offload
    def send(self, what):
        """Keep it."""
        self.told.append(what)


@offload
def decorated(number, *, plus=0):
    """Add."""
    return number + plus


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_gives_its_result(backend):
    """Awaited, it gives what the call gives, from another thread."""

    async def main():
        thread = await offload(threading.get_ident)
        return thread, await offload(pow, 2, 10), await offload(int, "ff", base=16)

    thread, power, number = anyio.run(main, backend=backend)
    assert thread != threading.get_ident()
    assert (power, number) == (1024, 255)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_raises_its_error(backend):
    """What the call raises is raised where it is awaited."""

    async def main():
        await offload(boom)

    with pytest.raises(KeyError, match="boom"):
        anyio.run(main, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_that_raises_stop_iteration(backend):
    """A coroutine cannot raise StopIteration: who awaits gets RuntimeError, and does not wait for ever."""

    async def main():
        await offload(stop)

    with pytest.raises(RuntimeError, match="StopIteration") as raised:
        anyio.run(main, backend=backend)
    assert raised.value.__cause__.args == ("stop",)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_call_that_gives_back_a_coroutine(backend):
    """Nobody would await it, and a worker process could not send it: it is refused wherever that was."""

    async def main():
        await offload(lambda: anyio.sleep(0.01))

    with pytest.raises(InvalidArgumentError, match=r"fn: .*lambda.* gave back a coroutine .*; await it"):
        anyio.run(main, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_as_a_decorator(backend):
    """A decorated function or method is awaited with its own arguments."""

    async def main():
        by_name = await Service.triple(self=Service(), number=5)
        return await decorated(1, plus=2), await Service().triple(4), by_name

    assert anyio.run(main, backend=backend) == (3, 12, 15)


def test_frameworks_see_that_methods_are_async():
    """By `__call__` they look for what is async: Starlette calls all else in a thread, and awaits nothing."""
    service = Service()
    assert is_async_callable(service.triple)
    assert is_async_callable(decorated)
    assert list(inspect.signature(service.triple).parameters) == ["number"]

    answers = []
    offloaded = BackgroundTask(offload(answers.append), "offloaded")
    asyncio.run(BackgroundTask(Sent(answers).send, "method")())
    asyncio.run(offloaded())
    assert answers == ["method", "offloaded"]


def test_methods_are_routes_and_dependencies():
    """FastAPI awaits them, and sees their arguments without `self`."""
    app, dependency = FastAPI(), Depends(Service().triple)
    app.add_api_route("/triple/{number}", Service().triple)
    app.add_api_route("/depends", lambda tripled=dependency: {"got": tripled})
    client = TestClient(app)
    assert client.get("/triple/2").json() == "222"  # of a string, since it says nothing of its argument
    assert client.get("/depends?number=1").json() == {"got": "111"}


def test_a_method_is_the_same_however_often_it_is_asked_for():
    """As Python's own are: frameworks keep them as keys. Each object has its own; none is bound twice."""
    service = Service()
    assert service.triple == service.triple
    assert hash(service.triple) == hash(service.triple)
    assert service.triple != Service().triple
    assert service.triple != Service.triple
    Sent.triple = service.triple
    try:
        assert Sent([]).triple == service.triple
    finally:
        del Sent.triple


def test_what_is_gathered_is_called_each_time():
    """`asyncio.gather` awaits what is equal once: two calls of a function are not."""
    calls = []

    async def main():
        await asyncio.gather(*(offload(lambda: calls.append(1)) for _ in range(3)))
        await asyncio.gather(offload(count), offload(count))

    def count():
        calls.append(1)

    asyncio.run(main())
    assert len(calls) == 5


def test_a_method_is_called_to_be_awaited():
    """Equal as they are, two of them gathered would be one call."""

    async def main():
        await Service().triple

    with pytest.raises(TypeError, match=r"triple is a method: call it to await its result"):
        asyncio.run(main())


@offload
def sixfold(number):
    """Six times a number."""
    return 6 * number


def test_what_is_decorated_is_pickled_by_name():
    """The name leads to it, and not to its function; what is not found so goes with its function."""
    assert pickle.loads(pickle.dumps(sixfold)) is sixfold
    assert pickle.loads(pickle.dumps(Service.triple)) is Service.triple
    assert asyncio.run(pickle.loads(pickle.dumps(offload(pow)))(2, 3)) == 8


SCRIPT = """
from concurrent_choices import offload, run


@offload
def doubled(number):
    return 2 * number


async def item(number):
    return await doubled(number)


print(run(item, range(3), strategy="process"))
"""


def test_what_a_script_decorates_travels_with_its_function():
    """Workers do not import the main module, where its name leads."""
    done = subprocess.run([sys.executable, "-"], input=SCRIPT, capture_output=True, text=True, check=False)
    assert done.stdout == "[0, 2, 4]\n", done.stderr


def test_a_method_is_pickled_with_its_object():
    """What it gives, pickled and back, is awaited as before."""

    async def main():
        return await pickle.loads(pickle.dumps(Service().triple))(2)

    assert asyncio.run(main()) == 6


@functools.wraps(decorated)
def waits(number):
    return asyncio.run(decorated(number))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there are no marks before Python 3.12")
def test_inspect_sees_that_it_is_async():
    """And what is no coroutine function is not taken for one because it wraps one that is offloaded."""
    assert inspect.iscoroutinefunction(decorated)
    assert inspect.iscoroutinefunction(Service().triple)
    assert not inspect.iscoroutinefunction(waits)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="from Python 3.12 on all ask inspect")
def test_asyncio_sees_that_it_is_async():
    """So does Django, which would call such a view in a thread as it does what is `def`."""
    assert asyncio.iscoroutinefunction(decorated)
    assert asyncio.iscoroutinefunction(Service().triple)
    assert not asyncio.iscoroutinefunction(waits)


def test_what_is_offloaded_is_not_offloaded_again():
    """It is refused at the call, as any other callable that is async."""
    for fn in (decorated, Service().triple):
        with pytest.raises(InvalidArgumentError, match="await it"):
            offload(fn, 5)


def test_run_awaits_what_is_offloaded():
    """It calls it as any `async def`."""
    assert run(decorated, [1, 2]) == [1, 2]
    assert run(Service().triple, [1, 2], strategy="asyncio") == [3, 6]


def test_a_decorated_function_keeps_its_face():
    """Name, documentation and signature are the function's; frameworks see a coroutine function."""
    assert decorated.__name__ == "decorated"
    assert decorated.__doc__ == "Add."
    assert list(inspect.signature(decorated).parameters) == ["number", "plus"]
    assert inspect.iscoroutinefunction(decorated.__call__)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_loop_goes_on(backend):
    """Other tasks run while the call waits."""
    gate = threading.Event()

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(offload, gate.wait, 10)
            await anyio.lowlevel.checkpoint()
            gate.set()
        return True

    assert anyio.run(main, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_contextvars_are_seen(backend):
    """A call sees the context variables of the task that awaits it."""
    variable = contextvars.ContextVar("variable", default=0)

    async def main():
        variable.set(5)
        return await offload(variable.get)

    assert anyio.run(main, backend=backend) == 5


@pytest.mark.parametrize("backend", BACKENDS)
def test_cancelled_while_a_thread_runs_it(backend):
    """Whoever is cancelled goes on at once; the thread ends when the call does."""
    begun, gate, ended = threading.Event(), threading.Event(), threading.Event()

    def hold():
        begun.set()
        gate.wait(10)
        ended.set()

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(offload(hold))
            await anyio.to_thread.run_sync(begun.wait, 10)
            group.cancel_scope.cancel()
        gate.set()

    anyio.run(main, backend=backend)
    assert ended.wait(10)


@pytest.mark.parametrize("backend", BACKENDS)
def test_cancelled_while_a_process_runs_it(backend):
    """A computing call that nobody waits for any longer is ended with its process."""

    async def main():
        while await offload(linger, 0.004) == os.getpid():
            pass  # until it is moved to a process
        worker = await offload(linger, 0.004)
        with anyio.move_on_after(0.1) as scope:
            await offload(linger, 600)
        assert scope.cancelled_caught
        assert isinstance(await offload(linger, 0.004), int)
        return worker

    assert anyio.run(main, backend=backend) != os.getpid()


def test_an_async_def_is_refused():
    """Somebody who offloads a coroutine function is told to await it."""

    async def give():
        return 1

    with pytest.raises(InvalidArgumentError, match="await it"):
        offload(give)


def test_a_generator_function_is_refused():
    """Its items would be made on the loop, by whoever iterates what comes back."""

    def each():
        yield 1

    with pytest.raises(InvalidArgumentError, match=r"each is a generator function: .* returns them"):
        offload(each)


def test_no_callable_is_refused():
    """Somebody who calls the function instead of handing it over is told how to write it."""
    with pytest.raises(InvalidArgumentError, match=r"^fn: must be callable, not int; write offload\(fn, x\)"):
        offload(abs(-3))


def test_without_a_loop_it_says_so():
    """Outside of a loop the error says what to do instead, and the call is not made."""
    with pytest.raises(RuntimeError, match="call fn itself"):
        offload(never)().send(None)
    assert "never" not in {account.name for account in _core().accounts}


def test_it_may_be_made_before_there_is_a_loop():
    """As what `asyncio.to_thread` gives, it is taken by whatever runs a coroutine."""

    async def main(made):
        loop = asyncio.get_running_loop()
        return await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(made(), loop).result(10))

    assert asyncio.run(offload(pow, 2, 3)) == 8
    assert asyncio.run(main(lambda: offload(pow, 2, 4))) == 16
    with pytest.raises(InvalidArgumentError):
        offload(4, 2)


def never():
    """What is never called."""


def test_made_under_one_library_and_awaited_under_another():
    """It is at home wherever it is awaited."""

    async def made():
        return offload(pow, 2, 5)

    async def main(coroutine):
        return await coroutine

    assert anyio.run(main, anyio.run(made, backend="asyncio"), backend="trio") == 32


def test_one_executor_serves_all():
    """All calls of a program share what was learnt."""
    assert _core() is _core()


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_failed_is_not_kept_until_the_collector_comes(backend):
    """An error's traceback holds the frames that it came through: none of them holds the call."""
    argument = Argument()
    seen = weakref.ref(argument)

    async def main(argument):
        with pytest.raises(KeyError):
            await offload(refuse, argument)

    gc.disable()
    try:
        anyio.run(main, argument, backend=backend)
        del argument
        while _core()._dispatch._busy:
            time.sleep(1e-3)
        assert seen() is None
    finally:
        gc.enable()
