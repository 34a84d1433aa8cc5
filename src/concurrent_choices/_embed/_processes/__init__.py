"""Calls in worker processes.

_process_pool    the thread that serves workers; _in_tray: by what it is asked; _desk: what for, and who gets
              what comes of it (_reading)
_call_queue   what one worker has in hand; _packing: callables on their way there; _recall: calls that come
              back as one before them takes too long
_respite      for how long there are no processes, where none could be had
_remote       what a worker does; _dear_look: at what calls are given, which takes ten times as long;
              _gil_monitor: whether they hold the GIL

Worker processes import _remote, and what that does: nothing slow.
"""
