"""The process host: worker processes, the wire to them, and their supervision.

caller ── Pump ── Worker ══ one socket, one page of shared memory ══ serve, in a process ── the callable
                  └── ForkServer, which forks that process where the system can

_hosting      the caller's side: it starts workers, hands them items, and hears of them
_inside       what runs in a worker
_between      what both sides know: messages, outcomes, and what a worker takes over from its caller

A worker imports nothing of _hosting: nothing of what it needs may be slow to import.
"""
