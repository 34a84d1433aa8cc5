"""Deciding, from numbers alone: no clock, no thread, no file.

    Profile, Costs, Machine ─► _demand ─► _formulas over _mva ─► _search ─► _recommend
                                 └─────► _diagnose ──────────────────────────┘

_stations, _trials, _gil_share    what _demand makes of a profile; _uncertainty: how sure that is
_obstacles, _choice, _changes     what cannot run, which estimate wins, and what would change that
_reason       a verdict in words
_controller   what `auto` decides by, while it works; it shares nothing with the cost model but one number

The simulator beside them runs described workloads in virtual time, to test all this against.

Nothing is imported here: every `run` loads the controller, which is in this package, and the cost model takes
30 ms it does not need.
"""
