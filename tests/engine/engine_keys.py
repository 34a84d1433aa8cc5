"""Ctrl-C as somebody presses it who wants the run to end."""

import os
import signal
import threading


class CtrlC:
    """Presses Ctrl-C, again if need be, and hears it in the place of Python's own handler.

    What is raised within the callback of a weak reference, Python prints and drops, also a KeyboardInterrupt
    that happens to come there. So none is raised there, and the next is pressed.
    """

    def __init__(self):
        self._heard = threading.Event()

    def press(self):
        """Press until it is heard."""
        while not self._heard.is_set():
            os.kill(os.getpid(), signal.SIGINT)
            self._heard.wait(0.02)

    def hear(self, _number, frame):
        """Raise KeyboardInterrupt, once."""
        if not self._heard.is_set() and not _in_a_callback(frame):
            self._heard.set()
            raise KeyboardInterrupt


def _in_a_callback(frame):
    while frame is not None:
        if frame.f_code.co_name in {"_remove", "remove"} and "weak" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
