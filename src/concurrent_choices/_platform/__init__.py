"""What the operating system and the interpreter allow this process, and show of it.

_this_machine    the facts about both, from _processors, _memory and _interpreter
_tasks           the system's numbers and clocks for threads; _children: what child processes have computed
_frames          what other threads are at; _libraries: whether their code is the user's

Readers of limits (by _cgroups and _files) take the root of the file system, so that a made-up `/proc` and
`/sys` can be read like the real ones. A file that is missing or unreadable sets no limit: that is how other
systems than Linux, and containers that hide their files, come out right.
"""
