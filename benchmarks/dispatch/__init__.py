"""What each strategy costs per item, beside what people use today.

The parts, each importing only from those above it:

    _callables   what is called: deliberately almost nothing
    _case        the nouns: size, contestant, row, group, measurement
    _fresh       measurements that need an interpreter of their own; _fresh_case asks for them
    _peers       what the groups share: our strategies and the peers' pools, opened warm
    _loops       what the groups share: how people run many coroutines
    sequential threads coroutines processes payload sleeping memory startup
                 the groups: all contestants of one run interleaved with each other
    _groups      all of them, in the order in which they run
    _harness     rounds, shuffling, timing
    _statistics  medians
    _targets     the figures to reach, one table
    _limits      the fixed words of the report
    _report      REPORT.md, made from the files of raw results alone
    __main__     the command

This file stays empty of code: interpreters started for a cold start import it.
"""
