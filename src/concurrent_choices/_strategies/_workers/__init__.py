"""The process host: worker processes, the wire to them, and their supervision.

caller ── Pump ── Worker ══ one socket, one page of shared memory ══ _worker.main ── the callable
                  └── Nursery ── _nursery.main, which forks it: a fresh interpreter, for systems that can
"""
