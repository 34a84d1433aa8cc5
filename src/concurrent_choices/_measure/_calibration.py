"""What this machine and interpreter charge for concurrency: measured once, and remembered.

Strategies are not known here. What can only be measured by running one is handed in, as a mapping
from a field of `Costs` to a function that answers seconds, and how it finds them.
"""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from attrs import asdict, evolve, fields, frozen

from .._facts._costs import Costs
from .._facts._json import Jsonable
from .._runtime._hand import in_time
from . import _cache
from ._clock import SystemClock
from ._probes import DIRECT, for_another_process

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._probes import Probe

__all__ = ["Calibration", "Row", "describe", "machine_costs"]

BUDGET = 2.0
"""Seconds after which no more is begun (a choice: whoever asks first waits that long, once)."""

PATIENCE = 3.0
"""Seconds after which a probe that hangs is left behind (guessed: half as much again as the budget)."""

FRESH_SECONDS = 30 * 24 * 3600
"""How long a calibration is believed (guessed: a month, in which kernels are updated)."""

DISTURBED = 0.08
"""Share of the time spent waiting for a core from which a calibration was disturbed: its own workers and
threads wait for one another (measured on two cores: 0.045 to 0.069; with a neighbour on one, from 0.094)."""

DISTURBED_SECONDS = 600
"""How long one is believed that was disturbed (guessed: until the neighbours may have gone)."""

_MEASURED = "measured: "
_UNASKED = "default: nothing was at hand to measure it with"
_NO_TIME = "default: there was no time left to measure it"


class Row(NamedTuple):
    """A line of the table of costs: a field, its value in seconds, and how it was obtained."""

    name: str
    seconds: float
    how: str


@frozen(kw_only=True)
class Calibration(Jsonable):
    """Costs, and where each figure is from.

    Attributes:
        costs: The figures.
        origins: Pairs of a field and how it was obtained: ``"measured: ..."`` or ``"default:
            ..."``.
        taken: When, in seconds since 1970.
        starved: Share of the time it took that was spent waiting for a core; 1.0 where probes lacked time, or
            anything else.
        kept: Where it is kept between runs, or why it is not. Not itself kept.
    """

    costs: Costs
    origins: tuple[tuple[str, str], ...] = ()
    taken: float = 0.0
    starved: float = 0.0
    kept: str = ""


_known: dict[str, Calibration] = {}


def machine_costs(
    probes: Mapping[str, Probe] | None = None,
    *,
    now: Callable[[], float] = time.time,
) -> Calibration:
    """The costs on this machine: remembered, or measured now and then remembered.

    What there was no time for, as on a machine that had no core to spare, is measured at the next call; and
    what this process cannot tell, by the next that can.

    Nothing about the cache can make this fail: where it cannot be read or written, the costs are
    measured once for this process, and `Calibration.kept` says why.

    Args:
        probes: What can only be measured by running a strategy, by field of `Costs`: a function that answers
            seconds, and how, in words.
        now: The time, in seconds since 1970.
    """
    elsewhere = for_another_process()
    asked = {name: each for name, each in {**DIRECT, **(probes or {})}.items() if name not in elsewhere}
    place = _cache.place()
    name = f"{place.folder}:{place.name}"
    known = _known.get(name) or _load(place)
    if known is None or not _is_fresh(known, now()) or _outdated(known, asked):
        known = _blank(now())
    wanted = _lacking(known, asked)
    if wanted:
        known = _measured(known, wanted)
        problem = _cache.store(place, known.to_json())
        known = _with_place(known, place, problem)
    _known[name] = known
    return known


def describe(calibration: Calibration) -> list[Row]:
    """The costs as a table's rows: field, seconds, and how the figure was obtained."""
    origins = dict(calibration.origins)
    figures: dict[str, float] = asdict(calibration.costs)
    return [Row(name, value, origins.get(name, _UNASKED)) for name, value in figures.items()]


def _blank(taken: float) -> Calibration:
    """One of which nothing is measured yet."""
    origins = tuple((each.name, _UNASKED) for each in fields(Costs))
    return Calibration(costs=Costs(), origins=origins, taken=taken)


def _lacking(known: Calibration, probes: Mapping[str, Probe]) -> dict[str, Probe]:
    """The probes, in their order, of what nobody could measure yet, or nobody had time for."""
    lacking = {name for name, how in known.origins if how in {_UNASKED, _NO_TIME}}
    return {name: probe for name, probe in probes.items() if name in lacking}


def _measured(known: Calibration, probes: Mapping[str, Probe]) -> Calibration:
    """A calibration with more of it measured."""
    results: dict[str, tuple[float, str]] = dict.fromkeys(probes, (0.0, _NO_TIME))
    starved = in_time(partial(_measure, probes, results), PATIENCE, 1.0, name="calibration")
    found = dict(results)  # what is left behind may still go on
    costs = {name: seconds for name, (seconds, _) in found.items() if seconds > 0}
    origins = {**dict(known.origins), **{name: how for name, (_, how) in found.items()}}
    return evolve(
        known,
        costs=evolve(known.costs, **costs),
        origins=tuple(origins.items()),
        starved=max(known.starved, starved),
    )


def _measure(probes: Mapping[str, Probe], results: dict[str, tuple[float, str]]) -> float:
    """Run probes while there is time; 0.0 stands for a figure that was not obtained.

    Returns:
        The share of the time that was spent waiting for a core; 1.0 where there was too little of it, or of
        something else.
    """
    clock = SystemClock()
    start, queued = clock.wall(), clock.run_queue()
    end = time.perf_counter() + BUDGET
    lacked = False
    for place, (name, (probe, how)) in enumerate(probes.items()):
        if time.perf_counter() > end:
            return 1.0
        if not place:  # the first has all the time there is: where that is not enough, it is not tried again
            results[name] = 0.0, "default: measuring it did not end"
        try:
            results[name] = _asked(probe, how)
        except Exception as error:  # noqa: BLE001 - a probe may fail in any way here; the default then stands
            results[name] = 0.0, f"default: {error or type(error).__name__}"
            # such as descriptors or pids, which others have, or this process soon; not so a package
            lacked = lacked or not isinstance(error, ImportError)
    return 1.0 if lacked else (clock.run_queue() - queued) / max(1, clock.wall() - start)


def _asked(probe: Callable[[], float], how: str) -> tuple[float, str]:
    seconds = float(probe())
    if not (math.isfinite(seconds) and seconds > 0):
        return 0.0, f"default: measuring it gave {seconds:g}"
    return seconds, f"{_MEASURED}{how}"


def _outdated(known: Calibration, probes: Mapping[str, Probe]) -> bool:
    """Whether something is measured in another way now."""
    now = {name: f"{_MEASURED}{how}" for name, (_, how) in probes.items()}
    return any(how.startswith(_MEASURED) and now.get(name, how) != how for name, how in known.origins)


def _is_fresh(known: Calibration, now: float) -> bool:
    fresh = DISTURBED_SECONDS if known.starved > DISTURBED else FRESH_SECONDS
    return known.taken <= now < known.taken + fresh


def _load(place: _cache.Place) -> Calibration | None:
    text = _cache.load(place)
    if text is None:
        return None
    try:
        known = Calibration.from_json(text)
    except (ValueError, OverflowError, RecursionError):
        return None
    figures: dict[str, float] = asdict(known.costs)
    sound = all(0 < value <= PATIENCE for value in figures.values())
    names = {each.name for each in fields(Costs)}
    complete = names == {name for name, _ in known.origins}
    return _with_place(known, place, "") if sound and complete else None


def _with_place(known: Calibration, place: _cache.Place, problem: str) -> Calibration:
    kept = f"not kept: {problem}" if problem else f"kept in {place.file}"
    return evolve(known, kept=kept)
