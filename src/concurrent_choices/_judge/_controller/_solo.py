"""What the calling thread's work looks like while nobody else works: how long items take, how they wait."""

from __future__ import annotations

from ._first_look import HARDLY, tells
from ._sight import Sight
from ._thresholds import CLEAR, COMPUTED, FULL, GLANCE, MOSTLY, WAITS

__all__ = ["Solo"]

ENOUGH = 0.45 * GLANCE
"""Seconds of work from which a look says anything: the first comes after a millisecond. At twice as much,
jobs of 50 ms that wait took up to 1.09 times as long; beside a neighbour it made no difference (measured)."""


class Solo:
    """Follows the calling thread from a sight on.

    Once the first call has returned, it is left out: at once if it was long, else as soon as others tell
    enough. It may have imported or connected, which the others need not. Nothing counts from a rough sight
    on, which may still be the last of what counts.

    Attributes:
        began: Since when it counts.
    """

    def __init__(self, sight: Sight) -> None:
        # Where following began; since when it counts; the last look but one, and the last.
        self._since = self.began = self._last = self._sight = sight

    def look(self, sight: Sight) -> None:
        """Learn how the run stands."""
        self._last, self._sight = self._sight, sight
        if self.began.rough:
            self.began = sight
        elif self._is_fresh():
            self.began = self._last
        elif self._returned_late():
            self.began = sight
        if sight.has_others and not self.began.alone_items:
            others = _after_first(self.began, sight)
            if _work(others, sight) >= ENOUGH:
                self.began = others

    def restart(self) -> None:
        """What was seen until now is not what it is like alone."""
        self.began = self._sight

    def _returned_late(self) -> bool:
        """Whether the first call has just returned, and was looked at before."""
        last, sight = self._last, self._sight
        return last.held >= GLANCE and last.alone_items == self._since.alone_items < sight.alone_items

    def _is_fresh(self) -> bool:
        """Whether the latest look alone gives enough evidence, from more than one item."""
        last, sight = self._last, self._sight
        if last.rough:
            return False
        several = sight.alone_items - last.alone_items >= 2  # noqa: PLR2004 - a single one may be unlike the others
        return several and sight.alone_wall - last.alone_wall >= COMPUTED

    @property
    def items(self) -> int:
        """Items finished."""
        return self._sight.alone_items - self.began.alone_items

    @property
    def work(self) -> float:
        """Seconds of work."""
        return _work(self.began, self._sight)

    @property
    def waits(self) -> float:
        """Share of them in which it did not want a core."""
        return _waits(self.began, self._sight)

    @property
    def waits_now(self) -> float:
        """The same, of a call that has stood still since the last look only of that time."""
        if not self._asleep:
            return self.waits
        return _waits(self._last, self._sight)

    @property
    def _asleep(self) -> bool:
        """Whether one call has stood still since the last look, whatever it did before."""
        last, sight = self._last, self._sight
        same = sight.alone_items == last.alone_items
        still = _work(last, sight) >= ENOUGH and _waits(last, sight) >= 1 - HARDLY
        return same and still and not (last.rough or _full(last, sight))

    @property
    def sleeps(self) -> bool:
        """Whether it waits, beyond doubt."""
        if self._asleep:
            return True
        if self.work < ENOUGH or _full(self.began, self._sight):
            return False
        return self.waits >= MOSTLY or (self.waits >= WAITS and self.work >= CLEAR)

    @property
    def computes(self) -> bool:
        """Whether there is enough evidence that it computes; more where it comes from one call."""
        if self.work < ENOUGH or (self.waits >= WAITS and not _full(self.began, self._sight)):
            return self.work >= CLEAR
        return tells(self.work, self._sight.alone_items - self._since.alone_items)


def _after_first(began: Sight, sight: Sight) -> Sight:
    """The moment when the first call had just returned, as far as it can be told later."""
    wall, cpu = sight.first_wall, sight.first_cpu
    return began._replace(
        now=began.now + wall,
        alone_items=1,
        alone_wall=wall,
        alone_cpu=cpu,
        cpu=began.cpu + cpu,
        lane_cpu=began.lane_cpu + cpu,
    )


def _work(began: Sight, sight: Sight) -> float:
    return sight.alone_wall - began.alone_wall + sight.held - began.held


def _waits(began: Sight, sight: Sight) -> float:
    """Share of its work between two sights in which it did not want a core."""
    cpu = sight.alone_cpu - began.alone_cpu + sight.held_cpu - began.held_cpu
    # At the first it was taken to be queueing, and was not: then these two tell nothing.
    return 1.0 - cpu / _work(began, sight) if cpu >= 0 else 0.0


def _full(began: Sight, sight: Sight) -> bool:
    """Whether this process computed all the time: what seemed to wait then waited for the GIL."""
    return sight.cpu - began.cpu >= FULL * (sight.now - began.now)
