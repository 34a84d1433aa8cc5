"""What Linux calls the threads of this process."""

from __future__ import annotations

import os
import threading

__all__ = ["task_of"]


def task_of(thread: threading.Thread) -> str:
    """The folder that `/proc` keeps of a thread of this process while it runs.

    In a forked process the thread that forked, its main thread now, still bears the number it had in the
    process before (CPython 3.11 to 3.13); its folder bears the number of the new process.
    """
    folder = f"/proc/self/task/{thread.native_id}"
    if thread is threading.main_thread() and not os.path.isdir(folder):  # noqa: PTH112 - a Path costs more than the looking
        return f"/proc/self/task/{os.getpid()}"
    return folder
