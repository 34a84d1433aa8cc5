"""Deciding while coroutines run: how many at once, and whether one loop is the right place for them."""

from __future__ import annotations

from math import ceil, sqrt

from ._climb import FIRST, WORTH, Climb
from ._known import Known, worth_carrying, worth_sharing
from ._sight import Arrangement, Limits, LoopSight, Prior, Sight
from ._thresholds import COUNTED, FULL, GLANCE

__all__ = ["FIRST_TASKS", "LoopController"]

FIRST_TASKS = 16
"""Items in flight once one waits: few enough to be borne where each of them blocks the loop later."""

BLIND_TASKS = ((1.5e-3, 64), (4e-3, 128), (0.02, 256), (0.08, 1000))
"""Most items in flight while none has come back, by the seconds waited so far. Items that wait for a short
time and then block the loop do so one after another, however many there are by then: 78 that do after 3 ms
take as long as when there were no more than 16 before 4 ms, 109 ms for 62 where 128 might begin after 1 ms;
74 conversations of 6 ms take 27 ms instead of 30 (benchmarks.regret, async-awaits-blocks and async-echo)."""

FEW_TASKS = 32
"""Items that are all begun at once, as soon as one is seen to wait: 25 that only wait for 20 ms lose a
millisecond (benchmarks.regret, async-sleep-20ms). Of more than these the last must wait all the same."""

MOST_TASKS = 1000
"""Items in flight at most: half the files a process may open by default (DECISION.md 5.3, caps)."""

BLOCKS = 0.4
"""Share of the time in which the loop stands still inside the callable, without computing, from which
threads with loops are the better place (guessed: a verdict says so from 0.3, DECISION.md 5.1)."""

NEVER_WAITING = 2
"""Items in flight, where lanes are many, that show that none waits: one is at work, one has just ended."""

AT_WORK = 1.5
"""Items in flight on average from which one waits while another is at work (guessed: without, it is 1)."""

STUCK = 2e-3
"""Seconds at one place of the callable, without computing, from which it counts as blocked (guessed: short
enough to be known within the first item, longer than a thread waits for the GIL with quick switching)."""

EARLY = 1e-3
"""Seconds between looks until the loop has been weighed."""

THREAD_LOOP = 0.4e-3
"""CPU seconds for a thread with a loop of its own, from start to end (measured: 32 in 12 ms)."""

MOST_BLIND = 64
"""Most threads with loops to begin with (guessed, as where a `def` waits)."""

REST = 10e-3
"""Longest time between looks: eight of them must show what blocks a loop before it is felt (guessed)."""

HUSHED = 4
"""Lanes for items that never wait: more gain nothing, and each is one item longer until the loop turns."""

LOOKS = 8
"""Looks at the loop before what they show counts."""

PLAIN_LOOKS = 4
"""Looks before what its clock shows counts (guessed: one more than tell of the GIL)."""

WEIGHED = 2
"""Times they have counted, after which nothing urgent is left: in the first the run itself still begins."""

TELLING = 0.3e-3
"""Seconds of an item from which looks tell of the GIL: between items it is let go of (DECISION.md, EXP 3)."""

CARRIED = 60e-6
"""CPU seconds to carry an item that waits to a loop in a worker process, and its result back (measured: 45 µs
there and 15 here; a task that sleeps once takes 9 in all, so that 20,000 took 1.2 s instead of 0.4)."""

TOO_SHORT = "the loop is full, and carrying such short items elsewhere would cost more"


class LoopController:
    """Decides about one run of an `async def`.

    The stage of its answers is "loop", "starting" (the loop goes on while processes come up), "waiting"
    (over to so many threads with loops), "pair" (over to two, and to more if those compute side by side) or
    "outside" (over to processes with loops).

    Args:
        limits: What the run may use, as far as that is known; `threads` may have a loop each.
        prior: What an earlier run has learnt; None where there was none.
        bound: Whether items may use what belongs to this loop. Then only those leave that were never seen to
            wait for it: what never waits for a loop needs nothing of it.
        items: How many there are; None where nobody knows.
        reason: Why they are on one loop.

    Attributes:
        prior: As given.
    """

    def __init__(
        self,
        limits: Limits,
        prior: Prior | None = None,
        *,
        bound: bool = False,
        items: int | None = None,
        reason: str = "coroutines on one loop",
    ) -> None:
        self.prior = prior
        self._known = Known(limits, each=prior.each if prior else 0.0)
        self._known.expected = prior.items if prior else 0
        self._most = limits.concurrency or MOST_TASKS
        self._movable = True
        self._bound = bound
        self._few = items if items is not None and items <= FEW_TASKS else 0  # all of them, if they are few
        self._climb: Climb | None = None  # from when an item was seen to wait
        self._window: LoopSight | None = None  # where the present window began
        self._last: LoopSight | None = None
        self._stage = "loop"
        self._reason = reason
        self._inside = 1  # lanes in each worker process
        self._plain = False  # whether processes were ordered for items that never wait
        self._crowd = 0  # threads with loops
        self._most_in_flight = self._peak = 0  # in the present window, and ever
        self._starved = False  # whether lanes lacked items in the present window
        self._turned_away = False  # whether calls were, in the present window
        self._hushed = False  # whether items never wait, though several are begun at once
        self._windows = 0  # those that are over

    @property
    def first(self) -> int:
        """Items in flight once one waits."""
        known = self.prior.lanes if self.prior is not None and self.waits else 0
        return min(max(FIRST_TASKS, self._few, known), self._most)

    @property
    def weighed(self) -> bool:
        """Whether nothing urgent is left to be found out."""
        return self._windows >= WEIGHED

    @property
    def waits(self) -> bool:
        """Whether items are known to wait, so that none need go ahead."""
        return self.prior is not None and self.prior.stage == "loop"

    @property
    def blocks(self) -> bool:
        """Whether items are known to hold their loop up, so that none need begin on one here."""
        known = self.prior is not None and self.prior.stage in {"waiting", "parallel"}
        return known and self._movable and not self._bound and self._known.limits.threads > 1

    @property
    def learnt(self) -> Prior | None:
        """What another run of the same callable may begin with; None where that is nothing."""
        known, climb = self._known, self._climb
        items = self._last.run.done if self._last is not None else 0
        if climb is not None and self._last is not None:
            run = self._last.run
            lanes = climb.lanes if climb.settled else min(climb.lanes, self._peak)
            each = run.now / max(1, run.calls)
            if self.prior is not None and self.waits and each > self.prior.each / WORTH:
                lanes = min(lanes, self.prior.lanes)  # more of them delivered no more
            return Prior(stage="loop", lanes=lanes, each=each, items=items)
        if known.each == (self.prior.each if self.prior else 0.0):
            return None  # nothing of its own, so that what an earlier run has learnt stands
        return Prior(stage="gil", lanes=1, each=known.each, inside=self._inside, items=items)

    def anew(self, reason: str, barred: str) -> LoopController:
        """Who decides about the rest of the run, once others have come back for a reason."""
        following = LoopController(self._known.limits, bound=self._bound, reason=reason)
        following.bar(barred)
        return following

    def allow(self, limits: Limits) -> None:
        """Learn all that the run may use; before the first look."""
        self._known.limits = limits

    def bar(self, reason: str) -> None:
        """Learn that processes cannot serve."""
        self._known.barred = reason

    def stay(self, why: str) -> None:
        """Learn that nothing but this loop can serve."""
        self._movable, self._stage, self._reason = False, "loop", why

    def look(self, sight: LoopSight) -> Arrangement:
        """Learn how the loop stands; what to do until the next look."""
        if self._window is None:
            self._window = sight
            self._resume(sight)
        self._turned_away |= self._last is not None and sight.run.errors > self._last.run.errors
        lanes = self._lanes(sight)
        self._most_in_flight = max(self._most_in_flight, sight.run.in_flight)
        self._peak = max(self._peak, self._most_in_flight)
        self._starved |= sight.run.starved
        self._last = sight
        if self._stage == "starting":
            self._wait_for_workers(sight)
        elif self._is_stuck(sight, self._window):
            seconds = sight.run.now - self._window.run.now
            self._block(sight.run, (sight.stuck - self._window.stuck) / seconds)
        elif sight.looks - self._window.looks >= LOOKS or self._plainly_computes(sight, self._window):
            self._close_window(sight)
        return self._arrangement(lanes)

    def _resume(self, sight: LoopSight) -> None:
        """Have processes come up where an earlier run computed, if this one is worth it."""
        prior, known = self.prior, self._known
        if prior is None or prior.stage not in {"gil", "outside"} or known.obstacle or not self._movable:
            return
        self._inside, self._plain = prior.inside, prior.inside == 1
        if known.processes_pay(known.rest(sight.run)):
            self._stage, self._reason = "starting", prior.reason

    def _lanes(self, sight: LoopSight) -> int:
        """Items in flight, once one waits."""
        if sight.alone:
            return self.first
        if self._climb is None:
            blind = ((0.0, self.first), *BLIND_TASKS)
            self._climb = Climb(sight.run, self._most, self.first, blind=blind)
        if self._last is not None and sight.is_held_up(self._last):
            return self._climb.lanes  # others would be held up too
        lanes = self._climb.look(sight.run)
        return min(lanes, HUSHED) if self._hushed else lanes

    def _never_wait(self, sight: LoopSight) -> bool:
        """Whether items need nothing of their loop: one at a time is begun, and over before the next."""
        return sight.alone or self._hushed

    def _may_leave(self, sight: LoopSight) -> bool:
        """Whether items may go elsewhere; what one needs of its loop is not known until it is over.

        Not while calls are turned away: those take no time, so that asking again and again fills the loop,
        and there would be more of them from several loops.
        """
        needless = self._never_wait(sight) and sight.run.calls > 0 and not sight.needs_loop
        return self._movable and (needless or not self._bound) and not self._turned_away

    def _is_stuck(self, sight: LoopSight, since: LoopSight) -> bool:
        """Whether an item was seen to block the loop."""
        least = max(STUCK, BLOCKS * (sight.run.now - since.run.now))
        stuck = sight.stuck - since.stuck >= least
        return stuck and self._may_leave(sight) and self._known.limits.threads > 1

    @staticmethod
    def _plainly_computes(sight: LoopSight, since: LoopSight) -> bool:
        """Whether items that never wait fill the loop, so that nothing blocks it that others would show."""
        enough = sight.looks - since.looks >= PLAIN_LOOKS and sight.run.calls > since.run.calls
        return sight.alone and enough and sight.run.busy(since.run) >= FULL

    def _close_window(self, sight: LoopSight) -> None:
        assert self._window is not None
        before, self._window = self._window, sight
        self._windows += 1
        most, self._most_in_flight = self._most_in_flight, 0
        if not sight.alone:
            self._hushed = most < HUSHED if self._hushed else self._is_idle(sight, before, most)
        self._starved = False
        if self._may_leave(sight):
            self._weigh(sight, before)
        self._turned_away = False

    def _is_idle(self, sight: LoopSight, before: LoopSight, most: int) -> bool:
        """Whether hardly anything was in flight, though there were lanes and items for more.

        Where looks have the loop turn after each item that is begun, there are two at most in any case: one
        that blocks, and one that waits meanwhile.
        """
        assert self._climb is not None
        run, since = sight.run, before.run
        waits = run.call_seconds - since.call_seconds >= AT_WORK * (run.now - since.now)
        few = most <= NEVER_WAITING < self._climb.lanes and not waits
        return few and run.remaining != 0 and not self._starved

    def _weigh(self, sight: LoopSight, before: LoopSight) -> None:
        """Whether the loop waits, computes or is blocked."""
        busy, blocked = sight.busy(before), sight.blocked(before)
        seconds, calls = sight.run.now - before.run.now, sight.run.calls - before.run.calls
        if blocked >= BLOCKS and self._known.limits.threads > 1:
            self._block(sight.run, blocked)
        elif busy >= FULL:
            if calls >= COUNTED or self._never_wait(sight):
                served = _served(sight.run, before.run)
                self._known.each = seconds / served if calls >= COUNTED else self._each_so_far(sight.run)
                self._fill(sight, before, busy)
            else:
                self._window = before  # a longer one will tell what an item takes

    @staticmethod
    def _each_so_far(sight: Sight) -> float:
        """Seconds of an item that never waits, where few are over: half of one, until the first is."""
        return sight.now / max(sight.calls, 0.5)

    def _block(self, sight: Sight, share: float) -> None:
        """Over to threads: the more there are the less each has to do, and the more their loops cost."""
        self._stage, self._reason = "waiting", f"items block their loop {share:.0%} of the time"
        self._inside = 1
        self._known.each = self._each_so_far(sight)
        most = min(MOST_BLIND, self._known.limits.threads)
        wanted = FIRST if sight.remaining is None else ceil(sqrt(self._known.rest(sight) / THREAD_LOOP))
        self._crowd = max(1, min(wanted, most))

    def _fill(self, sight: LoopSight, before: LoopSight, busy: float) -> None:
        """One loop is full: more of them, in threads or in processes, if the rest pays for those."""
        known = self._known
        if self._leaves_gil_free(sight, before):
            self._stage, self._reason = "pair", "items compute, and whoever looks need not wait for the GIL"
            self._inside = 1
            return
        if known.obstacle:
            self._reason = f"the loop is full, and {known.obstacle}"
            return
        if not (self._never_wait(sight) or self._is_worth_carrying(sight, before)):
            self._reason = TOO_SHORT
            return
        if known.processes_pay(known.rest(sight.run)):
            self._plain = self._never_wait(sight)
            self._inside = 1 if self._plain else self._lanes_inside(sight.run.in_flight)
            self._stage = "starting"
            self._reason = f"the loop computes {busy:.0%} of the time, and {known.left(sight.run)}"

    def _leaves_gil_free(self, sight: LoopSight, before: LoopSight) -> bool:
        """Whether two threads may compute more than one: items need nothing of their loop, nor the GIL."""
        known, limits = self._known, self._known.limits
        if min(limits.threads, round(limits.cpus)) < 2 or known.each < TELLING:  # noqa: PLR2004 - two threads on two cores
            return False
        free = self._never_wait(sight) and known.gil_is_free(before.run, sight.run)
        return free and worth_sharing(known.rest(sight.run), 2)

    def _lanes_inside(self, in_flight: int) -> int:
        """Items in flight in each process, of those that wait; no more in all than there are now."""
        limits = self._known.limits
        return max(1, min(limits.share(in_flight), self._most // limits.processes))

    def _wait_for_workers(self, sight: LoopSight) -> None:
        assert self._window is not None
        if self._known.obstacle:
            self._stage, self._reason = "loop", f"the loop is full, and {self._known.obstacle}"
        elif self._plain and not self._never_wait(sight):
            # Those before had a lane in each process to come. Whether these need a place beside the loop, and
            # how many lanes there, is seen anew.
            self._go_on(sight, "after items that computed, some wait")
        elif not (self._plain or self._is_worth_carrying(sight, self._window)):
            self._go_on(sight, TOO_SHORT)  # those in the first window may have computed, or begun their lanes
        elif sight.run.ready >= min(2, self._known.limits.processes):
            pays = worth_sharing(self._known.rest(sight.run), self._known.limits.processes)
            self._stage = "outside" if pays and self._may_leave(sight) else "loop"
            self._movable = pays

    def _is_worth_carrying(self, sight: LoopSight, since: LoopSight) -> bool:
        """Whether items that wait compute so much that carrying them gains anything; also where few tell."""
        run, before = sight.run, since.run
        cpu = (run.lane_cpu - before.lane_cpu) / max(_served(run, before), 0.5)
        return run.calls - before.calls < COUNTED or worth_carrying(
            cpu, CARRIED, self._known.limits.processes
        )

    def _go_on(self, sight: LoopSight, reason: str) -> None:
        """The loop goes on, and is looked at anew."""
        self._stage, self._reason = "loop", reason
        self._window, self._most_in_flight, self._starved = sight, 0, False

    def _arrangement(self, lanes: int) -> Arrangement:
        return Arrangement(
            stage=self._stage,
            reason=self._why,
            threads=self._crowd if self._stage == "waiting" else lanes,
            relieved=True,
            processes=self._known.limits.processes if self._stage in {"starting", "outside"} else 0,
            outside=self._stage == "outside",
            inside=self._inside,
            look=self._next_look,
        )

    @property
    def _why(self) -> str:
        if self._stage != "loop":
            return self._reason
        lanes = "one at a time until one waits" if self._climb is None else self._climb.why
        return f"{self._reason}; {lanes}"

    @property
    def _next_look(self) -> float:
        """Seconds until the next look."""
        if not self.weighed:
            return EARLY
        if self._stage == "starting":
            return REST / 2
        if self._climb is None:
            return REST
        return max(GLANCE, min(self._climb.round_trip / 4, REST)) if self._climb.settled else GLANCE


def _served(run: Sight, before: Sight) -> float:
    """Items done since then, those that were begun and are not over as if they were half done."""
    return run.calls - before.calls + max(0, run.in_flight - before.in_flight) / 2
