"""Doing: one file per way of running. All side effects live here.

_registry     the ways by name
_sequential, _threads, _event_loop, _anyio, _processes, _hybrid    each way, as a frozen value
_lanes        what they call the callable with in this process
_workers      worker processes, the wire to them, and their supervision
"""
