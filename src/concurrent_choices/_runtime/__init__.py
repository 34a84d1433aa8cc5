"""What the interpreter runs everything on: threads and locks, loops, contexts, and what interrupts them.

_new_thread   how threads of ours begin; _hand: one that calls something, and may be left behind
_mutex        locks that Ctrl-C does not leave locked; _switching: how long a thread keeps the GIL
_at_exit      what is called before the interpreter ends
_forks        what holds threads is told that it is in a fork, which has none of them
_running_loop whether a loop runs in this thread; _own_loops: those that we make
_limited      a coroutine that is given up when it takes too long; _suspended: what one waits for
_contexts     the context that items run in
_interrupted  whether an error is that of a signal's handler, which ends what it comes in the midst of
"""
