"""The loops that we make ourselves can be closed, whatever happens to them."""

import asyncio
import signal
import socket

import pytest

from concurrent_choices._runtime._own_loops import end_loop, run_on
from descriptors import no_descriptors


async def nothing():
    pass


@pytest.mark.parametrize("spare", [0, 1])
@pytest.mark.parametrize("runs", [0, 1])
def test_a_loop_that_finds_no_descriptors_as_it_starts_is_closed(runs, spare):
    """One of uvloop's opens some whenever it starts, and would count as running ever after."""
    uvloop = pytest.importorskip("uvloop")
    loop = uvloop.new_event_loop()
    for _ in range(runs):
        run_on(loop, nothing())
    with no_descriptors(spare):
        with pytest.raises(OSError, match="Too many open files"):
            run_on(loop, nothing())
        with pytest.raises(OSError, match="Too many open files"):
            end_loop(loop)
    assert loop.is_closed()


@pytest.mark.parametrize("library", ["asyncio", "uvloop"])
def test_a_loop_that_was_interrupted_as_it_was_to_stop_is_ended(library):
    """It stops as soon as it runs again; an error that says so would take the place of Ctrl-C."""
    loop, ended = pytest.importorskip(library).new_event_loop(), []

    async def wait():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    task = loop.create_task(wait())
    run_on(loop, nothing())
    loop.call_soon(loop.stop)
    end_loop(loop)
    assert ended == [True]
    assert task.cancelled()
    assert loop.is_closed()


def test_a_loop_that_is_not_begun_beside_another():
    """Greenlets share a thread; Python would complain that what was to run there was never awaited."""
    loop = asyncio.new_event_loop()

    async def begin_another():
        with pytest.raises(RuntimeError, match="while another loop is running"):
            run_on(loop, nothing())

    asyncio.run(begin_another())
    end_loop(loop)
    assert loop.is_closed()


def test_a_loop_that_is_interrupted_leaves_no_descriptor_for_signals():
    """They would write to whoever gets its number, and trio takes it for another library's."""
    loop = asyncio.new_event_loop()

    async def interrupted():
        signal.set_wakeup_fd(left.fileno(), warn_on_full_buffer=False)
        raise KeyboardInterrupt

    with socket.socket() as left:
        left.settimeout(0.0)
        with pytest.raises(KeyboardInterrupt):
            run_on(loop, interrupted())
        end_loop(loop)
        assert signal.set_wakeup_fd(-1) == -1
