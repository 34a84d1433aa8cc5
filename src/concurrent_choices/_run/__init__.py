"""`run`, `stream`, `arun`, `astream`, `recommend`: where choosing meets doing.

_sync, _async    the first four, from what _arguments has checked and _prepare has made a job, to _collect
_open_streams    streams are closed before the interpreter ends, and refused in a fork that came in between
_choosing        `recommend`: looks, judges, asks a worker (_elsewhere), and has the best race (_race)
_verdict         what it gives, which goes on with what is left (_leftover, _numbering)
_probes          what calibration can only learn from running strategies
"""
