"""Looking: what a callable and a machine do, measured, never guessed.

    _profiler     a callable and its items -> its Profile, and the results of the sampled calls
    _calibration  this machine and interpreter -> its Costs, kept between runs by _cache
    the rest      one source of evidence a module

Nothing here decides anything, and nothing here knows a strategy.
"""
