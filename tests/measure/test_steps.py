import asyncio
import contextvars
import threading

import pytest
import uvloop

from concurrent_choices._measure._steps import StepMeter, Steps, isolated

LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]

pytestmark = pytest.mark.parametrize("factory", LOOPS, ids=["asyncio", "uvloop"])


@pytest.fixture
def run(factory):
    def run(coroutine):
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(coroutine)

    return run


@pytest.fixture
def meter(clock):
    return StepMeter(clock)


@pytest.fixture
def timed(meter):
    return lambda coroutine: meter.timed(coroutine, contextvars.copy_context())


def test_steps_are_counted_and_timed(run, meter, timed, clock):
    """What happens between a send and the next is held; what others do meanwhile is not."""

    async def work():
        clock.spend(wall=0.010, cpu=0.004)
        await asyncio.sleep(0)
        clock.spend(wall=0.002, cpu=0.002)
        await asyncio.sleep(0)
        return "done"

    async def other():
        clock.spend(wall=1.0)

    async def both():
        task = asyncio.ensure_future(other())
        result = await timed(work())
        await task
        return result

    assert run(both()) == "done"
    assert meter.sums == Steps(1, 2, held=12_000_000, cpu=6_000_000, longest=1_000_000_000)
    assert meter.since == 0


def test_the_longest_wait_of_each_counts(run, meter, timed, clock):
    """Of each coroutine's waits between two steps the longest counts; what came before the first is none."""

    async def work(*waits):
        for seconds in waits:
            clock.spend(wall=0.010)
            passes = asyncio.ensure_future(passing(seconds))
            await asyncio.sleep(0)
            await passes

    async def passing(seconds):
        clock.spend(wall=seconds)

    async def both():
        clock.spend(wall=5.0)
        await timed(work(0.1, 0.3, 0.2))
        await timed(work(0.05))

    run(both())
    assert meter.longest == meter.sums.longest == 350_000_000


def test_sums_since(factory):
    """Sums of a later time less those of an earlier one are what lies between."""
    assert Steps(3, 5, 70, 9).since(Steps(1, 2, 30, 4)) == Steps(2, 3, 40, 5)


def test_an_exception_passes(run, meter, timed):
    """What the coroutine raises is raised, and its last step counts."""

    async def work():
        await asyncio.sleep(0)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run(_of(timed(work())))
    assert meter.steps == 1
    assert meter.since == 0


def test_cancellation_reaches_the_coroutine(run, timed):
    """Cancelled from outside, the coroutine cleans up and may decline."""
    seen = []

    async def work():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            return "declined"

    async def main():
        task = asyncio.ensure_future(_of(timed(work())))
        await asyncio.sleep(0)
        task.cancel()
        return await task

    assert run(main()) == "declined"
    assert seen == ["cancelled"]


def test_wait_for(run, timed):
    """A time-out ends the coroutine, as without the watch."""
    cleaned = []

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(True)

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_of(timed(work())), 0.001)

    run(main())
    assert cleaned == [True]


def test_gather_events_and_threads(run, meter, timed):
    """Coroutines that meet each other and use threads work as ever."""

    async def work(number, event):
        if number == 2:
            event.set()
        await event.wait()
        return await asyncio.to_thread(lambda: number * 10)

    async def main():
        event = asyncio.Event()
        return await asyncio.gather(*(_of(timed(work(number, event))) for number in range(3)))

    assert run(main()) == [0, 10, 20]
    assert meter.coroutines == 3


def test_task_groups_and_timeouts_inside(run, timed):
    """Structured concurrency inside a watched coroutine sees its own task."""

    async def work():
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            first = group.create_task(asyncio.sleep(0, "a"))
        return first.result()

    assert run(_of(timed(work()))) == "a"


def test_a_step_that_still_runs_counts_with_all_that_it_has_done(factory, meter, clock):
    """What it has queued for a core, too: it would seem to have blocked its loop meanwhile."""
    clock.spend(wall=1.0)
    meter.begin()
    clock.spend(wall=0.2, cpu=0.05, queued=0.14)
    assert meter.sums_now(threading.current_thread()) == Steps(
        held=200_000_000, cpu=50_000_000, queued=140_000_000
    )


@pytest.mark.parametrize("watched", [True, False])
def test_each_coroutine_has_its_own_context(run, meter, watched):
    """It sees the caller's variables, and what it sets stays with it over all its steps."""
    variable = contextvars.ContextVar("variable", default="nothing")
    variable.set("the caller's")
    through = meter.timed if watched else isolated

    async def work(own):
        before = variable.get()
        variable.set(own)
        await asyncio.sleep(0)
        return before, variable.get()

    async def main():
        return [await through(work(own), contextvars.copy_context()) for own in ("a", "b")]

    assert run(main()) == [("the caller's", "a"), ("the caller's", "b")]
    assert variable.get() == "the caller's"


def test_isolated_passes_errors_and_cancellation(run):
    """Without a watch the same passes through."""

    async def failing():
        await asyncio.sleep(0)
        raise LookupError("gone")

    async def waiting():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "declined"

    async def main():
        with pytest.raises(LookupError):
            await isolated(failing(), contextvars.copy_context())
        task = asyncio.ensure_future(_of(isolated(waiting(), contextvars.copy_context())))
        await asyncio.sleep(0)
        task.cancel()
        return await task

    assert run(main()) == "declined"


def test_what_the_watch_costs_is_taken_off(factory, clock):
    """A clock whose readings take time themselves does not make the coroutine slower."""

    class SlowClock(type(clock)):
        def wall(self):
            self.spend(wall=1e-6)
            return super().wall()

    meter = StepMeter(SlowClock())

    async def work():
        pass

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_of(meter.timed(work(), contextvars.copy_context())))

    assert meter.held == 1000
    assert meter.sums.held == 0


async def _of(awaitable):
    return await awaitable


def test_queueing_within_a_step_is_told_apart_from_queueing_between_steps(factory, meter, clock):
    """Only the former keeps the loop."""
    for _ in range(2):
        meter.begin()
        clock.spend(wall=0.005, cpu=0.002, queued=0.001)
        meter.end()
        clock.spend(wall=0.010, queued=0.010)

    assert meter.sums == Steps(held=10_000_000, cpu=4_000_000, queued=2_000_000)


def test_what_is_closed_cleans_up_in_its_context(factory, timed):
    """A coroutine that is let go of can take back what it set."""
    variable = contextvars.ContextVar("variable", default="outside")
    seen = []

    async def work():
        token = variable.set("inside")
        try:
            await asyncio.sleep(0)
        finally:
            seen.append(variable.get())
            variable.reset(token)

    async def waiting(driven):
        await driven

    for driven in (timed(work()), isolated(work(), contextvars.copy_context())):
        coroutine = waiting(driven)
        coroutine.send(None)
        coroutine.close()

    assert seen == ["inside", "inside"]


def test_what_is_closed_within_a_step_leaves_its_time_alone(factory, meter, timed, clock):
    """The garbage collector closes what was dropped in the midst of any other step."""

    async def dropped():
        await asyncio.sleep(0)

    async def work():
        clock.spend(wall=0.010, cpu=0.004)
        coroutine.close()
        clock.spend(wall=0.002, cpu=0.001)

    clock.spend(wall=5.0)
    coroutine = timed(dropped())
    coroutine.send(None)
    with pytest.raises(StopIteration):
        timed(work()).send(None)

    assert (meter.steps, meter.held, meter.cpu) == (1, 12_000_000, 5_000_000)
