"""The caller's side of worker processes.

_host         the workers of one strategy, which _spawn or _fork_client starts; a _child is any such process
_staffed, _staffing    what strategies ask for, and where their host comes from: kept, resting or new
_pump         one job on a host, from a _supply of items; at its end workers rest (_parting)
_worker_queue    what one worker has in hand; _mishaps: what becomes of items that stay or are lost
_wires        hears all workers in one thread, which a _waker wakes
_job_frames, _own_modules    a job as workers are told it, and which of our modules they need for it;
              _setup_frames: what new ones call first
_logged       hands on what calls have logged
"""
