"""What runs in a worker process.

_fork_server  forks workers, where the system can
_worker       performs batches, _inner_lanes do several at once
_watch        whether calls change what would be lost there
_voice        says what there is to say; _records: what calls log
"""
