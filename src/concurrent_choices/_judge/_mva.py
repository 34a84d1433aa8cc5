"""Mean value analysis of a closed queueing network: how fast n lanes work through items.

An item visits stations and is then replaced by the next. Stations that serve one at a time (the
GIL, an event loop, the parent process, a lock) have a demand D_i; the P cores have a demand D_c;
waiting that anybody may do at the same time is think time Z. For n = 1 .. N lanes

    R_i(n) = D_i (1 + Q_i(n-1))
    R_c(n) = D_c (1 + max(0, Q_c(n-1) + U_g(n-1) - (P-1)) / P)
    R_g(n) = D_g (1 + Q_g(n-1)) (1 + max(0, Q_c(n-1) - (P-1)) / P)
    X(n)   = min(n / (Z + sum R), 1 / max D_i, P / D_c, ceiling)
    Q(n)   = X(n) R(n),   U_g(n) = X(n) D_g

These are Reiser and Lavenberg's equations with Seidmann's treatment of the cores (DECISION.md 5.2);
against 16 real workloads under 6 strategies they were mostly within 10 % (DECISION.md, EXP 11). The
GIL (g) is a station whose customer also needs a core: whoever holds it competes with those who
compute without it, and they with it. Without these terms the simulator was up to 20 % slower.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import inf

from attrs import field, frozen, validators

from .._runtime._mutex import Mutex

__all__ = ["Network", "capacity", "invert", "throughput"]

_SATURATED = 0.9999999
"""Share of its bound at which a curve is taken to be flat: saves steps, costs no visible digit."""

_HALVINGS = 40
"""Bisection steps: 1e-12 of the interval, below any measurement."""


@frozen(kw_only=True)
class Network:
    """What an item asks of each station.

    Attributes:
        queues: Seconds at each station that serves one item at a time.
        held: Seconds of computing under the GIL, which serves one at a time and needs a core.
        work: Seconds on a core.
        cores: How many cores there are; may be a fraction.
        think: Seconds of waiting that any number of items may do at once.
        ceiling: A bound on items a second that no station shows.
        pause: Seconds of the longest of an item's waits, where it waits several times.
    """

    queues: tuple[float, ...] = ()
    held: float = 0.0
    work: float = 0.0
    cores: float = field(default=1.0, validator=validators.gt(0.0))
    think: float = 0.0
    ceiling: float = inf
    pause: float = inf

    @property
    def bound(self) -> float:
        """Items a second that no number of lanes can exceed."""
        return min(capacity(self._slowest), capacity(self.work, self.cores), self.ceiling)

    @property
    def _slowest(self) -> float:
        """Seconds of an item at the station that takes most of those that serve one at a time."""
        return max(*self.queues, self.held, 0.0)

    def in_step(self, lanes: int) -> float:
        """Items a second of lanes that all compute, then all wait: nothing of the one hides behind the other.

        Equal waits bring lanes into step. It is the least that n lanes can achieve, as `throughput` is about
        the most.
        """
        at_once = max(1.0, lanes / self.cores)
        cycle = self.think + lanes * (sum(self.queues) + self.held) + at_once * self.work
        cycle = min(cycle, self._overtaken(lanes))
        return min(lanes / cycle, self.ceiling) if cycle > 0 else self.ceiling

    def _overtaken(self, lanes: int) -> float:
        """Seconds of such a cycle where the first goes on before the last has begun to wait; else infinite.

        From so many lanes on they are spread out, and the slowest station never rests but for one wait.
        """
        slowest = self._slowest
        if lanes * slowest <= self.think:
            return inf
        each = sum(self.queues) + self.held + self.work / self.cores
        return max(self.think * (1.0 + each / slowest), lanes * slowest + self.pause)


def capacity(seconds: float, servers: float = 1.0) -> float:
    """Items a second that a station can serve; infinite where an item asks nothing of it."""
    return servers / seconds if seconds > 0 else inf


class _Curve:
    """Throughput by number of lanes, computed as far as somebody asked; safe to use from several threads."""

    def __init__(self, network: Network) -> None:
        self._lock = Mutex()
        self._network = network
        self._bound = network.bound
        self._known: list[float] = [0.0]
        self._queued: list[float] = [0.0] * len(network.queues)
        self._working: float = 0.0
        self._holding: float = 0.0
        self._held: float = 0.0
        self._flat = False

    def at(self, lanes: int) -> float:
        with self._lock:
            while len(self._known) <= lanes and not self._flat:
                self._known.append(self._step(len(self._known)))
            return self._known[min(lanes, len(self._known) - 1)]

    def _step(self, lanes: int) -> float:
        network = self._network
        residences = [
            demand * (1.0 + queued) for demand, queued in zip(network.queues, self._queued, strict=True)
        ]
        at_cores = network.work * self._slowed(self._working + self._held)
        at_gil = network.held * (1.0 + self._holding) * self._slowed(self._working)
        cycle = network.think + sum(residences) + at_cores + at_gil
        rate = min(lanes / cycle, self._bound) if cycle > 0 else self._bound
        self._flat = rate >= self._bound * _SATURATED
        if rate < inf:
            self._queued = [rate * residence for residence in residences]
            self._working = rate * at_cores
            self._holding = rate * at_gil
            self._held = rate * network.held
        return rate

    def _slowed(self, computing: float) -> float:
        """How much longer another one takes when that many are computing already."""
        cores = self._network.cores
        return 1.0 + max(0.0, computing - (cores - 1.0)) / cores


_curve_of = lru_cache(maxsize=512)(_Curve)


def throughput(network: Network, lanes: int) -> float:
    """Items a second that `lanes` lanes get through; infinite where nothing costs anything."""
    return _curve_of(network).at(lanes)


def invert(build: Callable[[float], Network], lanes: int, observed: float, most: float) -> float:
    """The unknown demand, in seconds up to `most`, that explains so many items a second with so many lanes.

    What builds the network for a demand must give less throughput for more. Where no demand explains what was
    observed, the nearest end is the answer.
    """
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if throughput(build(middle), lanes) > observed:
            low = middle
        else:
            high = middle
    return (low + high) / 2
