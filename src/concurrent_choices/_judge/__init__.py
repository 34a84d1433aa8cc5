"""Deciding, from numbers alone: no clock, no thread, no file.

    Profile, Costs, Machine ─► _demand ─► _formulas over _mva ─► _search ─► _recommend
                                 └─────► _diagnose ──────────────────────────┘

The simulator beside them runs described workloads in virtual time, to test all this against.

Nothing is imported here: every `run` loads the controller, which is in this package, and the cost model takes
30 ms it does not need.
"""
