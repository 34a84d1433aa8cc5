"""What another thread is seen to do: whether it has had a core since it was looked at."""

import sys
import threading
import time

import pytest

from concurrent_choices._engine._tally import Queueing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody else tells of a thread's turns")


def test_a_thread_that_rests_has_not_gone_on_until_it_is_woken():
    """However late the looks come."""
    asked, answered, over = threading.Event(), threading.Event(), threading.Event()

    def body():
        asked.wait()
        answered.set()
        over.wait()

    thread = threading.Thread(target=body)
    thread.start()
    queueing = Queueing(thread)
    try:
        queueing.read()
        while queueing.is_queueing() or queueing.has_gone_on():  # it is on its way into its first wait
            time.sleep(0.001)
            queueing.read()
        turns = queueing.turns
        asked.set()
        answered.wait()
        assert queueing.has_gone_on()
        queueing.read()
        assert queueing.turns > turns
    finally:
        over.set()
        thread.join()
        queueing.close()
