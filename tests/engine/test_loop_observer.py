"""What is told of a loop: whether it stands still by its items' doing, or waits for threads of theirs."""

import threading
import time

import engine_coroutines as coroutines

from concurrent_choices import run

SPENT = 0.2
"""CPU seconds."""


def compute():
    """Hold the GIL, and let go of it only when asked."""
    while time.thread_time() < SPENT:
        sum(range(100))


class Watcher(coroutines.LoopScript):
    """Leaves everything as it is, and keeps what it was told."""

    def __init__(self):
        super().__init__([coroutines.LOOP])
        self.seen = []

    def look(self, sight):
        self.seen.append(sight)
        return super().look(sight)


async def held_up(_item):
    """Wait for a thread of its own that computes, and a little longer, so that this is seen."""
    helper = threading.Thread(target=compute)
    helper.start()
    helper.join()
    time.sleep(0.1)  # noqa: ASYNC251 - what is looked for


def test_a_loop_that_waits_for_its_items_threads_does_not_stand_still():
    """Those hold the GIL, or locks that it needs, as where files are written through a loop's executor."""
    watcher = Watcher()
    run(held_up, [0], strategy=coroutines.LoopStrategy(controller=watcher))
    last = watcher.seen[-1]
    assert last.unclear >= 0.9 * SPENT
    assert last.stuck <= last.run.now - 0.9 * SPENT
