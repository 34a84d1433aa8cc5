"""Coroutines that engine tests call, and orders for their loop."""

import asyncio
import os
import threading
import time

import engine_acts as acts
from engine_fakes import LANES, Scripted

from concurrent_choices._engine._coroutines import LoopConductor
from concurrent_choices._engine._memory import Recollection
from concurrent_choices._engine._report import begin_report
from concurrent_choices._judge._controller._sight import Arrangement, Limits
from concurrent_choices._runtime._contexts import lanes_around

LIMITS = Limits(cpus=2.0, processes=2)
LOOP = Arrangement(stage="loop", reason="scripted", threads=8, relieved=True, look=1e-3)
FEW = LOOP._replace(threads=2)
STARTING = LOOP._replace(stage="starting", processes=2)
OUTSIDE = STARTING._replace(stage="outside", outside=True)
INSIDE = OUTSIDE._replace(inside=4)
THREADS = LOOP._replace(stage="waiting")

HOME = LOOP._replace(threads=0)

RESTS = {
    "threads and back": [LANES, LANES, HOME],
    "processes and back": [OUTSIDE, OUTSIDE, OUTSIDE, HOME],
}
"""What those who follow the loop are told, where that is scripted, too."""

SCRIPTS = {
    "loop": [LOOP],
    "fewer and more": [LOOP, FEW, LOOP, FEW],
    "threads": [LOOP, THREADS],
    "a pair": [LOOP, LOOP._replace(stage="pair")],
    "processes": [LOOP, STARTING, OUTSIDE],
    "processes with lanes": [LOOP, STARTING, INSIDE],
    "threads and back": [LOOP, THREADS],
    "processes and back": [LOOP, STARTING, OUTSIDE],
}


async def note_soon(pair):
    await asyncio.sleep(0.002)
    return acts.note(pair)


async def double_soon(item):
    await asyncio.sleep(0.001)
    return 2 * item


async def double_at_once(item):
    return 2 * item


async def block(item):
    time.sleep(0.005)  # noqa: ASYNC251 - what is looked for
    return item, threading.get_ident()


async def lanes_soon(item):
    await asyncio.sleep(0.001)
    return lanes_around.get()


async def compute(item):
    acts.spin(item)
    return item, os.getpid()


async def fail_at_seven_soon(item):
    await asyncio.sleep(0.001)
    return acts.fail_at_seven(item)


async def fail_beside_the_loop(item):
    if threading.current_thread() is threading.main_thread():
        await asyncio.sleep(3600)
    raise ValueError(f"beside the loop: {item}")


async def sleep(seconds):
    await asyncio.sleep(seconds)


class LoopScript(Scripted):
    """A loop's controller that follows a script; it waits for workers where the script needs some."""

    first = 8
    weighed = waits = blocks = False

    def allow(self, limits):
        """The script knows them."""

    def anew(self, reason, barred):
        """Others have come back, and the loop goes on to the end."""
        del reason, barred
        following = LoopScript([LOOP._replace(threads=self.first)])
        following.first = self.first
        return following

    def look(self, sight):
        return super().look(sight.run)


class RestScript(Scripted):
    """The controller of those who follow the loop, who go on with their part in a script."""

    @property
    def homeward(self):
        """Why the loop is to go on."""
        return self._order.reason if self._order.stage == "loop" else ""


class LoopStrategy:
    """`auto` for coroutines under a scripted controller.

    Args:
        script: The orders.
        controller: Who gives them instead.
        limits: What a run may use.
    """

    name = "scripted"

    def __init__(self, *script, controller=None, limits=LIMITS):
        self.limits = limits
        self.controller = controller or LoopScript(script)

    def execute(self, job):
        return self._conductor(job).batches()

    def aexecute(self, job):
        return self._conductor(job).abatches()

    def _conductor(self, job):
        self.report = job.report = begin_report(job.name)
        recollection = Recollection(job, self.limits)
        return LoopConductor(job, self.controller, self.limits, lambda: self.limits, recollection)
