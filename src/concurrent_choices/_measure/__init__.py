"""Looking: what a callable and a machine do, measured, never guessed.

    _profiler     a callable and its items -> its Profile, and the results of the sampled calls
    _calibration  this machine and interpreter -> its Costs, by _probes, kept between runs by _cache
    _congestion   which errors mean "too many at once"
    the rest      one source of evidence a module

The profiler's bench (_bench) has the callable, the items of a _feed, who makes the _calls or _awaited_calls
(on a _sample_loop; _steps), under a _stopwatch with a _clock, and a _ledger of them. On it come, in turn:

    _rounds       one lane, for as long as an _allowance says: a _sample. Beside it a _witness, on time by its
                  _promptness, sees whether it holds the GIL; _blame: which line holds its loop
    _trial        several lanes (_lane_trials), and how much any two slow each other down (_control)
    _payload      what a trip to another process costs, by way of _transfer_cost
    _sizes        whether calls take longer the larger their items are, so that all items tell what all will
    _result_memory    how much memory small results take, which must be got from the system
    _evidence     from all of these, by the arithmetic of _figures, to a Profile

Nothing here decides anything, and nothing here knows a strategy.
"""
