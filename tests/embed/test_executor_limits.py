"""How many calls of a callable run at once: by a limit of its own, or by what is known of it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import wait
from functools import partial

import pytest
from executor_acts import Counter, plain, traced

from concurrent_choices import AdaptiveExecutor, InvalidArgumentError
from concurrent_choices._embed._accounting._account import WAITING


def counted(seconds):
    """A callable that takes so long, and a list of how many of its calls have run at once at most."""
    lock, running, most = threading.Lock(), [0], [0]

    def limited():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(seconds)
        with lock:
            running[0] -= 1

    return limited, most


def test_a_limit_of_its_own():
    """A callable with a limit never runs more often at once, while others go on."""
    limited, most = counted(2e-3)
    with AdaptiveExecutor(limits={limited: 3}) as executor:
        wait([executor.submit(limited) for _ in range(60)])
    assert most == [3]


def test_a_callable_and_its_decorated_form_have_limits_of_their_own():
    """One must not take the place of the other."""
    with AdaptiveExecutor(limits={traced(plain): 1, plain: 8}) as executor:
        decorated, bare = (executor._core.accounts.of(fn) for fn in (traced(plain), plain))
        assert decorated.limit == 1 < bare.limit


TWINS = {
    "partials": (partial(pow, 2), partial(pow, 3)),
    "methods": (Counter().step, Counter().step),
    "closures": tuple(counted(seconds)[0] for seconds in (1, 2)),
}


@pytest.mark.parametrize("kind", TWINS)
@pytest.mark.parametrize("second", [1, 5])
def test_callables_that_calls_are_not_told_apart_by_have_no_limits_of_their_own(kind, second):
    """One's would silently take the place of the other's, so two are refused; one does for both."""
    one, other = TWINS[kind]
    with pytest.raises(InvalidArgumentError) as caught:
        AdaptiveExecutor(limits={one: 1, other: second})
    assert str(caught.value) == (
        f"limits: cannot tell {one!r} from {other!r}, as both run the same code: name one of them, whose "
        "limit then holds for both together, or have an executor for each"
    )
    with AdaptiveExecutor(limits={one: 1}) as executor:
        assert executor._core.accounts.of(other).limit == 1


def test_the_caller_keeps_to_a_limit_too():
    """It waits rather than make a call more of a callable than may run at once."""
    limited, most = counted(5e-3)
    with AdaptiveExecutor(4, 0, max_queue=1, when_full="caller", limits={limited: 1}) as executor:
        futures = [executor.submit(limited) for _ in range(6)]
    assert all(future.exception() is None for future in futures)
    assert most == [1]


def test_bursts_of_waiting_calls_that_queue_soon_run_at_once(executor):
    """Also where few queue, and nobody does any more when all that ran meanwhile are back."""
    waits, most = counted(0.02)
    for _ in range(10):
        executor.submit(waits).result()  # one at a time, which gives it the limit of what is known to wait
    for _ in range(WAITING // 2):  # of the two that queue each time, all together are no round
        for future in [executor.submit(waits) for _ in range(WAITING + 2)]:
            future.result()
        if most[0] > WAITING:
            break
    assert most[0] > WAITING
