"""What the process pool takes on while its thread is only being started."""

import threading

from concurrent_choices._embed import _process_pool
from concurrent_choices._embed._process_pool import ProcessPool


class Unstartable:
    """A thread that is refused, after a while."""

    daemon = True
    starting, may_fail = threading.Event(), threading.Event()

    def start(self):
        self.starting.set()
        assert self.may_fail.wait(60)
        raise RuntimeError("can't start new thread")


def test_calls_that_come_while_its_thread_fails_to_start(monkeypatch):
    """None of them is left where nobody looks: each is made in a thread."""
    monkeypatch.setattr(_process_pool, "new_thread", lambda *_: Unstartable())
    refused = []
    pool = ProcessPool(
        2, on_refused=lambda task, _: refused.append(task), on_returned=None, on_ended=None, on_looked=None
    )
    first = threading.Thread(target=pool.submit, args=("first",))
    second = threading.Thread(target=pool.submit, args=("second",))
    first.start()
    assert Unstartable.starting.wait(60)
    second.start()
    second.join(0.1)  # it waits now, unless the machine is crowded: then it comes later, to the same end
    Unstartable.may_fail.set()
    first.join(60)
    second.join(60)
    assert sorted(refused) == ["first", "second"]
