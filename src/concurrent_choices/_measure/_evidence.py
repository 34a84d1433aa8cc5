"""From what was measured to a `Profile`: sums, means, and what to make of contradictions.

Arithmetic only, so every figure can be tested with numbers made up for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from attrs import evolve

from .._facts._profile import TIMES, Payload, Profile
from .._facts._shares import COMPUTES, SURELY_FREE, SURELY_HELD
from .._facts._table import counted
from ._figures import PAIR, SURE, Totals, relative_error, spread, trend
from ._ledger import HOPELESS, Run, calls_of, errors_of, turned_away
from ._sample import SHORT, Sample, Unfinished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._figures import Block, Trial
    from ._sizes import Foretold
    from ._steps import Steps

__all__ = ["Evidence", "profile_of"]

_BIAS = 0.03
"""Error of the witness that more looks do not cure (measured: see `_witness`)."""

_LATE = 0.1
"""What lanes' first calls take longer, as a part of what a call takes, up to which it may be anything
(guessed)."""

_TOO_SMALL = 0.1
"""CPU share of the wall time below which the witness cannot tell who holds the GIL (guessed from
its error of 0.07)."""


class Evidence(NamedTuple):
    """All that was measured of a callable: in one lane, in trials of several, and beside its calls.

    Attributes:
        sample: What the instruments showed of one lane.
        items: How many items there are; None where nobody knows.
        is_async: Whether its calls give coroutines.
        gil: Whether this interpreter has a GIL.
        runs: The outcomes of one lane's calls.
        crowded_runs: Those of calls in trials.
        in_threads: Time for which one lane's coroutines had the loop's threads work, ns.
        blocks_at: ``FILE:LINE`` that was seen to hold the loop; empty where none was.
        trials: What several lanes did together.
        payload: What a trip to another process costs.
        missing: What could not be measured, each as "field: reason".
        binding: Why calls are made in the caller's own thread; empty where they need not be.
        turned_away: Share of a trial's lanes that were turned away at once, in two trials alike; else 0.
        foretold: What all calls will take, where the sizes of their items tell.
        source: Seconds that the iterable takes to give an item.
        result_memory: Bytes that keeping a small result takes.
    """

    sample: Sample = Sample()
    items: int | None = None
    is_async: bool = False
    gil: bool = True
    runs: Sequence[Run] = ()
    crowded_runs: Sequence[Run] = ()
    in_threads: int = 0
    blocks_at: str = ""
    trials: Sequence[Trial] = ()
    payload: Payload = Payload()
    missing: tuple[str, ...] = ()
    binding: str = ""
    turned_away: float = 0.0
    foretold: Foretold | None = None
    source: float = 0.0
    result_memory: float = 0.0


def profile_of(evidence: Evidence) -> Profile:
    """The profile that the evidence supports."""
    profile = _of_one_lane(evidence)
    if evidence.is_async:
        profile = _with_steps(profile, evidence.sample.steps)
        profile = evolve(profile, in_threads=evidence.in_threads / 1e9 / max(1, calls_of(evidence.runs)))
    profile = _with_errors(_with_trials(profile, evidence), evidence)
    if evidence.foretold is None or evidence.sample.unfinished:
        return profile
    return _of_all(profile, evidence.foretold)


def _of_one_lane(evidence: Evidence) -> Profile:
    """What one lane's calls took, and what was found out beside them."""
    sample = evidence.sample
    blocks = sample.counted
    alone = [sample.first] if sample.first and not blocks else blocks
    totals = Totals.of(alone)
    wall, cpu, queued = _means(totals, sample.unfinished)
    gil, gil_se, doubts = _gil(evidence, wall, cpu, queued)
    first = sample.first.wall / 1e9 if sample.first else 0.0
    return Profile(
        calls=totals.calls if blocks else 0,
        items=evidence.items,
        wall=wall,
        wall_sd=spread(blocks),
        wall_max=_longest(alone, sample.unfinished),
        wall_at_least=sample.unfinished is not None and not totals.calls,
        cpu=cpu,
        queued=queued,
        gil=gil,
        gil_se=gil_se,
        first_excess=max(0.0, first - wall) if blocks else 0.0,
        trend=trend(blocks, evidence.items),
        native=sample.native,
        children=sample.children,
        blocking_calls=sample.whole.switches / sample.calls,
        disk_blocks=sample.whole.blocks / sample.calls,
        blocks_at=evidence.blocks_at,
        payload=evidence.payload,
        missing=(*evidence.missing, *doubts),
        binding=evidence.binding,
        source=evidence.source,
        result_memory=max(0.0, evidence.result_memory - sample.whole.fresh / sample.calls),
    )


def _of_all(profile: Profile, foretold: Foretold) -> Profile:
    """With what all calls will take, as the sizes of items tell; last, since trials are of the sample."""
    return evolve(
        profile,
        **{name: foretold.mean * getattr(profile, name) for name in TIMES},
        wall_sd=foretold.deviation * profile.wall,
        wall_max=max(profile.wall_max, foretold.longest * profile.wall),
        by_size=foretold.share,
    )


def _with_steps(profile: Profile, steps: Steps) -> Profile:
    """With what its coroutines did on their loop."""
    coroutines = max(1, steps.coroutines)
    return evolve(
        profile,
        is_async=True,
        steps=steps.steps / coroutines,
        loop_held=steps.held / 1e9 / coroutines,
        loop_cpu=min(steps.cpu, steps.held) / 1e9 / coroutines,
        loop_queued=steps.queued / 1e9 / coroutines,
        longest_wait=steps.longest / 1e9 / coroutines,
    )


def _with_trials(profile: Profile, evidence: Evidence) -> Profile:
    """With what lanes did together; of coroutines on one loop that says nothing about threads."""
    profile, trials = _undisturbed(profile, evidence)
    if evidence.sample.testimony.share is not None and profile.gil > SURELY_HELD * profile.cpu:
        trials = [_allowed(each, profile.wall - profile.queued, profile.cpu) for each in trials]
    pair = _pair_of(trials)
    wide = [trial for trial in trials if trial is not pair]
    together = wide or (trials if evidence.is_async else [])
    late = trials[-1].late if trials else evidence.sample.connecting
    profile = evolve(profile, lane_excess=late if late > _LATE * profile.wall else 0.0)
    if pair is not None:
        profile = evolve(profile, pair_speedup=pair.speedup, pair_se=pair.error)
    if pair is not None and not evidence.is_async:
        if pair.hands_over and _seems_free(profile):
            doubt = "gil: calls let go of it too often to tell; how far two threads got tells more"
            profile = evolve(profile, missing=(*profile.missing, doubt))
        profile = evolve(
            profile,
            pair_parallelism=pair.parallelism,
            pair_inflation=pair.inflation,
            pair_resident=pair.resident,
        )
    return evolve(
        profile,
        ramp=tuple((each.lanes, each.speedup) for each in wide),
        ramp_inflation=together[-1].inflation if together else None,
    )


def _pair_of(trials: Sequence[Trial]) -> Trial | None:
    """The trial of two lanes, if one was made."""
    return next((trial for trial in trials if trial.lanes == PAIR), None)


def _seems_free(profile: Profile) -> bool:
    """Whether a function computes, and the witness saw the GIL free meanwhile."""
    computes = profile.cpu >= COMPUTES * (profile.wall - profile.queued)
    return computes and profile.gil <= SURELY_HELD * profile.cpu


def _undisturbed(profile: Profile, evidence: Evidence) -> tuple[Profile, Sequence[Trial]]:
    """The sample, made no dearer than the trial of a pair after it, and the trials as compared with that.

    Nothing makes a second lane's computing cheaper than one's, so where the pair took less CPU time, the host
    was taken by others during the sample: clocks do not show it where cores share their units. Of 78 profiles
    on such a host this took the error of the predicted loop from 17 to 13 % (root mean square).
    """
    part = _part_undisturbed(profile, evidence)
    if part >= 1.0:
        return profile, evidence.trials
    calm = evolve(
        profile,
        wall=profile.wall - (1.0 - part) * profile.cpu,
        wall_sd=part * profile.wall_sd,
        wall_max=part * profile.wall_max,
        cpu=part * profile.cpu,
        gil=part * profile.gil,
    )
    served = _served(calm) / _served(profile)
    return calm, [
        each._replace(inflation=each.inflation and each.inflation / part, speedup=each.speedup * served)
        for each in evidence.trials
    ]


def _served(profile: Profile) -> float:
    """The wall time of a call without what was spent waiting for a core."""
    return max(profile.wall - profile.queued, profile.cpu)


def _part_undisturbed(profile: Profile, evidence: Evidence) -> float:
    """The part of the sample's CPU time that its calls should have taken; 1 where nothing tells."""
    pair = _pair_of(evidence.trials)
    computes = profile.cpu >= COMPUTES * profile.wall and not evidence.sample.native
    if evidence.is_async or pair is None or not pair.inflation or not computes:
        return 1.0
    return min(1.0, pair.inflation + SURE * relative_error(evidence.sample.counted))


def _with_errors(profile: Profile, evidence: Evidence) -> Profile:
    """With how many calls raised; a crowded resource refuses them in trials, if not before."""
    everywhere = [*evidence.runs, *evidence.crowded_runs]
    raised, calls = errors_of(everywhere), max(1, calls_of(everywhere))
    refused = max(map(_surely_refused, (evidence.runs, evidence.crowded_runs)))
    return evolve(
        profile,
        errors=len(raised) / calls,
        congestion=_refusals(everywhere) / calls,
        refused=max(refused, evidence.turned_away),
    )


def _refusals(runs: Sequence[Run]) -> int:
    return sum(turned_away(run.outcomes) for run in runs)


def _surely_refused(runs: Sequence[Run]) -> float:
    """The share of calls that are turned away, less what may be chance among so few.

    The lower end of Wilson's interval, with half a call taken off as whole calls are counted. One call of one
    or two of two are few whatever that says: hosts that are down come first as often as any.
    """
    calls, refused = calls_of(runs), _refusals(runs)
    if refused < HOPELESS:
        return 0.0
    share, doubt = (refused - 0.5) / calls, SURE**2 / calls
    error = math.sqrt(doubt * (share * (1.0 - share) + doubt / 4))
    return (share + doubt / 2 - error) / (1.0 + doubt)


def _means(totals: Totals, unfinished: Unfinished | None) -> tuple[float, float, float]:
    """Wall, CPU and run-queue delay of a call, seconds.

    A call that has not come back counts with the time it has taken so far and not as a call: of times that
    are cut off, that is the likeliest mean if they are exponential.
    """
    so_far = unfinished or Unfinished(0.0, 0.0, 0.0)
    calls = max(1, totals.calls)
    wall = (totals.wall + so_far.wall) / calls
    return wall, min(wall, (totals.cpu + so_far.cpu) / calls), (totals.queued + so_far.queued) / calls


def _longest(blocks: Sequence[Block], unfinished: Unfinished | None) -> float:
    """The longest call seen, seconds; one that has not come back is at least as long as it has lasted.

    What a block of several took beyond the others' mean is taken to be one call's.
    """
    totals = Totals.of(blocks)
    usual = totals.wall / max(1, totals.calls)
    longest = max((block.wall / 1e9 - (block.calls - 1) * usual for block in blocks), default=0.0)
    return max(longest, unfinished.wall) if unfinished else max(longest, usual)


def _gil(evidence: Evidence, wall: float, cpu: float, queued: float) -> tuple[float, float, list[str]]:
    """CPU time that holds the GIL, the error of its share of the wall time, and doubts."""
    if not evidence.gil:
        return 0.0, 0.0, []
    testimony = evidence.sample.testimony
    share, busy = testimony.share, cpu / wall if wall > 0 else 0.0
    if share is None:
        seen = counted(testimony.looks, "look")
        doubt = f"gil: {seen} at it told too little; all CPU time counts as holding it"
        return cpu, busy, [doubt]
    if evidence.is_async and _step(evidence.sample.steps) < SHORT:
        # Between steps the loop lets go of the GIL for a moment, and the witness slips in.
        doubt = "gil: what runs between two awaits is too short to tell; all CPU time counts as holding it"
        return cpu, testimony.error, [doubt]
    if busy < _TOO_SMALL:
        doubt = "gil: there is too little CPU time to tell; all of it counts as holding it"
        return cpu, busy, [doubt] if busy > share + testimony.error else []
    # Whoever loses its core while it holds the GIL goes on holding it.
    part = min(1.0, share * wall / (cpu + queued))
    if part > SURELY_HELD:
        part = 1.0
    elif part < SURELY_FREE:
        part = 0.0
    return part * cpu, math.hypot(testimony.error, _BIAS), []


def _allowed(trial: Trial, served: float, gil: float) -> Trial:
    """A trial's figures, no higher than the GIL allows where all that a call computes holds it.

    On a busy machine a lane that waits for the GIL wakes now and then to ask for it, and then waits
    for a core too; that looks as if it could have worked (measured here with both cores busy: 1.7
    for what is 1.0). Only for calls that surely hold it: where the host takes cores away, the witness is late
    and says up to 0.75 of hashing outside the GIL, of which two lanes tell the truth (measured: 2.0).
    Many that wait compute less for each than one alone, whose thread sleeps and wakes up for every step:
    sixteen conversations on a loop were told as 5.5 times as fast as one, where they were 8 to 12 times
    (measured). A pair that computes less was compared with a disturbed sample.
    """
    held = gil * min(1.0, trial.inflation or 1.0) if trial.lanes > PAIR else gil
    return trial._replace(
        parallelism=min(trial.parallelism, 1.0),
        speedup=min(trial.speedup, max(1.0, served / held)),
    )


def _step(steps: Steps) -> float:
    """How long one step held the loop, ns."""
    return steps.held / max(1, steps.steps + steps.coroutines)
