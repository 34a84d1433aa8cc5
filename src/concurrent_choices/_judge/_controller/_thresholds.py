"""The numbers by which the controller passes from one state to another."""

from __future__ import annotations

__all__ = [
    "ASLEEP",
    "BLIND_LOOKS",
    "BOTH",
    "CALM",
    "CARRIED",
    "CLEAR",
    "COMPUTED",
    "COUNTED",
    "DOUBTS",
    "EAGER",
    "ENGAGED",
    "FULL",
    "GAINS",
    "GLANCE",
    "HELD",
    "IDLE",
    "LONGEST",
    "MANY",
    "MOSTLY",
    "MOST_INSIDE",
    "NATIVE",
    "PARALLEL",
    "SHORTEST",
    "TINY",
    "TWO",
    "WAITING_INSIDE",
    "WAITS",
    "WITNESSED",
]

GLANCE = 2e-3
"""Seconds between looks while nothing is known: a call that has not returned by then is worth a look
at its CPU clock (DECISION.md, experiments 13 and 17)."""

CALM = 50e-3
"""Longest time between looks."""

BLIND_LOOKS = 16
"""Looks in a time as long as lanes have waited for a first call to come back: what they show is late by a
sixteenth of it, and fifty lanes that send their requests meanwhile keep the GIL (guessed)."""

WAITS = 0.3
"""Share of an item's time spent waiting from which lanes in threads may overlap it (guessed: below,
two threads under one GIL gain less than starting them costs)."""

CLEAR = 20e-3
"""Seconds of evidence before a share between these counts: on a busy machine a neighbour's time slice of
4 ms while another thread holds the GIL looks like waiting."""

MOST_INSIDE = 64
"""Items in flight in each process at most: each has to be sent ahead (guessed)."""

WAITING_INSIDE = 0.1
"""Share of its time that an item in a worker computes, from which it is given more lanes there: below, those
in this process do as well (guessed)."""

MOSTLY = 0.5
"""Share from which it is above all waiting."""

COMPUTED = 4e-3
"""Seconds of evidence before work counts as computing."""

PARALLEL = 1.4
"""CPU that two lanes use, as a multiple of what one got, where the GIL does not stop them (DECISION.md
5.3: 0.7 of 2). Run-queue delay is left out: on a crowded machine it also grows for who waits for the GIL."""

TINY = 0.5e-6
"""Seconds of an item that is not worth handing over: ten times what that costs in batches (0.05 µs:
benchmarks.dispatch), since results come back too and the start has to be earned (guessed)."""

TWO = 1.15
"""Cores that two lanes use together, where the GIL does not stop them: under it they never use more than
one, whatever a neighbour left for the one lane before (guessed: an eighth for what is measured late)."""

GAINS = 1.15
"""Least gain in items per second that proves two lanes to be faster."""

FULL = 0.85
"""Share of a core from which waiting lanes are bound by what they compute."""

CARRIED = 0.5
"""CPU for pickling and sending, per second, from which a slow hand-over is the payload's fault and not a
crowded machine's (guessed)."""

COUNTED = 8
"""Items in a window from which its rate means something."""

NATIVE = 0.6
"""Cores that a process uses beside its lanes from which its items have threads of their own: the clock of
a process is late by 4 ms for each of its threads, which is 0.4 of a core in 20 ms."""

HELD = 0.9
"""Share of looks that come late from which the GIL is held (guessed: a look in ten may find the moment in
which a call lets go of it)."""

WITNESSED = 3
"""Looks before that counts (guessed)."""

MANY = 4
"""Processors from which a trial of two lanes loses more than it is worth where looks show the GIL free: with
fewer, two lanes are half of all or more (seen in simulation only, on 8 and 64: up to 2.4 times the best)."""

ENGAGED = 0.5
"""Cores that lanes keep busy at least if they wait for the GIL in turns, since one of them has it (guessed:
half of one, for what they do not hold on to): with less, somebody else has it, or they sleep."""

ASLEEP = 0.9
"""Share of the time since the last look that a call has stood still, from which it waits now, whatever it did
before (guessed: clocks are read within a tenth of that time)."""

SHORTEST, LONGEST = 6e-3, 20e-3
"""Seconds for which two lanes are compared with one: three items' time within these (DECISION.md 5.3, S3)."""

BOTH = 1.7
"""Cores that two lanes use, from which the shortest time is enough: a GIL allows one (guessed: what clocks
read late may add half a core in that time)."""

IDLE = 5e-3
"""Seconds in which two lanes hardly compute that show them waiting (guessed: longer than the time slice of
a neighbour)."""

EAGER = 4
"""Lanes to begin with while the first call computed for a while and waits now (guessed: if it goes on to
compute, they have claimed no more items than processes would soon be glad of)."""

DOUBTS = 3
"""Windows in a row, taken together, that have to show items to be no faster before processes are given up for
good: in one of 20 ms a single long item of many short ones can make it look so (measured with items of 20 ms
among fifteen times as many of 0.5 ms, and of 8 ms among four times as many of 1 ms: one window gave up in 16
of 64 runs, three do in 11)."""
