"""The process host: worker processes, the wire to them, and their supervision.

caller ── Pump ── Worker ══ one socket, one page of shared memory ══ _worker.serve ── the callable
                  └── ForkServer ══ _fork_server.main, which forks it where the system can

In the caller's process:

_host         the workers of one strategy, which _spawn or _fork_client starts; a _child is any such process
_staffed, _staffing    what strategies ask for, and where their host comes from: kept, resting or new
_pump         one job on a host, from a _supply of items; at its end workers rest (_parting)
_worker_queue    what one worker has in hand; _mishaps: what becomes of items that stay or are lost
_wires        hears all workers in one thread, which a _waker wakes
_job_frames, _own_modules    a job as workers are told it, and which of our modules they need for it
_logged       hands on what calls have logged

In a worker:

_worker       performs batches, _inner_lanes do several at once; _loading reads what was sent
_watch        whether calls change what would be lost there
_voice        says what there is to say; _records: what calls log

In both:

_wire         messages; _shared_memory: their large buffers; _page: how far a worker is, or was
_outcome      what came of a claim; _portable_errors: what it raised
_surroundings, _settings    what a worker takes over from its caller
"""
