"""The numbers by which the controller passes from one state to another; a verdict shares two of them."""

from __future__ import annotations

__all__ = [
    "CALM",
    "CLEAR",
    "COMPUTED",
    "COUNTED",
    "FROM_ONE",
    "FULL",
    "GAINS",
    "GLANCE",
    "HANDED",
    "LEARNING_LOOKS",
    "LONGEST",
    "MANY",
    "MOSTLY",
    "MOST_INSIDE",
    "PARALLEL",
    "PROCESSES_PER_CORE",
    "PROCESS_START",
    "PROVING",
    "SHORTEST",
    "TINY",
    "TWO",
    "WAITS",
]

GLANCE = 2e-3
"""Seconds between looks while nothing is known: a call that has not returned by then is worth a look
at its CPU clock (DECISION.md, experiments 13 and 17)."""

TINY = 0.5e-6
"""Seconds of an item that is not worth handing over: ten times what that costs in batches (0.05 µs:
benchmarks.dispatch), since results come back too and the start has to be earned (guessed)."""

CALM = 50e-3
"""Longest time between looks (guessed)."""

WAITS = 0.3
"""Share of an item's time spent waiting from which lanes in threads may overlap it (guessed: below,
two threads under one GIL gain less than starting them costs)."""

CLEAR = 20e-3
"""Seconds of evidence before a share between `WAITS` and `MOSTLY` counts: on a busy machine a neighbour's
time slice of 4 ms while another thread holds the GIL looks like waiting (guessed: five of them)."""

HANDED = 0.13e-3
"""Seconds that a worker takes at least to hand an item to a lane inside it, and its result back (measured:
the `hybrid_item` of `_facts/_costs`). Items that wait for less are no faster there: files that are read took
five times as long as without such lanes, small ones that are written twice (measured with warm workers)."""

MOST_INSIDE = 64
"""Items in flight in each process at most: each has to be sent ahead (guessed)."""

MOSTLY = 0.5
"""Share from which it is above all waiting (DECISION.md 5.1)."""

COMPUTED = 4e-3
"""Seconds of evidence before work counts as computing (guessed)."""

FROM_ONE = 1.5
"""Factor by which that is longer for a single call, which may have imported what the others need not
(guessed). At 1, simulated jobs whose first call computes and whose others wait take 1.1 times as long."""

PROCESS_START = 80e-3
"""Seconds from ordering worker processes until they are up: beside a computing caller 40 to 70 ms and more
(measured). At half of it jobs of 50 ms took 1.43 times the best by hand instead of 1.30."""

PARALLEL = 1.4
"""CPU that two lanes use, as a multiple of what one got, where the GIL does not stop them (DECISION.md
5.3: 0.7 of 2). Run-queue delay is left out: on a crowded machine it also grows for who waits for the GIL."""

TWO = 1.15
"""Cores that two lanes use together, where the GIL does not stop them: under it they never use more than
one, whatever a neighbour left for the one lane before (guessed: an eighth for what is measured late)."""

GAINS = 1.15
"""Least gain in items per second that proves more lanes to be faster: two, those of a probe, or those of an
earlier run (guessed)."""

FULL = 0.85
"""Share of a core from which waiting lanes are bound by what they compute, and below which lanes that compute
beside each other leave it idle (guessed)."""

COUNTED = 8
"""Items in a window from which its rate means something, and looks from which they do (guessed)."""

PROVING = 3 * COUNTED
"""Items from which it is believed of lanes that they deliver no more than one does (guessed)."""

PROCESSES_PER_CORE = 4
"""Worker processes per core at most, where items also wait (DECISION.md 5.2)."""

MANY = 4
"""Processors from which a trial of two lanes loses more than it is worth where looks show the GIL free: with
fewer, two lanes are half of all or more (seen in simulation only, on 8 and 64: up to 2.4 times the best)."""

SHORTEST, LONGEST = 6e-3, 20e-3
"""Seconds for which two lanes are compared with one: three items' time within these (DECISION.md 5.3, S3).
Of the work of processes the latter are judged at a time, until those have proved themselves (guessed)."""

LEARNING_LOOKS = 4
"""Looks in a time as long as calls have waited for a first one to come back, once all are begun: only the
next run learns from them, as of errors (guessed: twenty sleeps of 50 ms spent half of their CPU on looks)."""
