"""The process host: worker processes, the wire to them, and their supervision.

caller ── Pump ── Worker ══ one socket, one page of shared memory ══ _worker.serve ── the callable
                  └── ForkServer ══ _fork_server.main, which forks it where the system can
"""
