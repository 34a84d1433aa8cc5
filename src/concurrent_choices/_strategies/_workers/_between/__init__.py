"""What a caller and its workers have in common.

_wire         messages; _shared_memory: their large buffers; _page: how far a worker is, or was
_loading      reads what was sent
_outcome      what came of a claim; _portable_errors: what it raised
_surroundings, _settings    what a worker takes over from its caller
"""
