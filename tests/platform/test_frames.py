"""Other threads' frames are seen, and looking never stops the interpreter."""

import gc
import subprocess
import sys
import threading

import pytest

from concurrent_choices._platform._frames import _uncollected, back, frames, own_frame

CROWD = """
import faulthandler, gc, os, sys, threading, time
from concurrent_choices._platform._frames import frames
class Closes:
    def __init__(self):
        self.itself = self
    def __del__(self):
        time.sleep(0)  # lets go of the GIL, as closing a file does
def threads():
    while True:
        threading.Thread(target=int).start()
def garbage():
    while True:
        Closes()
        time.sleep(0)
faulthandler.dump_traceback_later(30, exit=True)  # a timer that needs no GIL
gc.set_threshold(5)
sys.setswitchinterval(1e-5)
for work in (threads, garbage):
    threading.Thread(target=work, daemon=True).start()
end = time.monotonic() + 1
while time.monotonic() < end:
    frames()
os._exit(0)
"""


@pytest.mark.parametrize("look", [frames, _uncollected])
def test_the_frame_of_a_thread(look):
    """By its identifier."""
    assert look()[threading.get_ident()].f_globals["__name__"].endswith("_frames")


def test_looking_beside_threads_and_garbage():
    """A thread that starts while garbage is closed does not stop everything (CPython's issue 106883)."""
    subprocess.run([sys.executable, "-c", CROWD], check=True)


class Frame:
    """One that tells whether garbage might be collected as its caller's is asked for."""

    @property
    def f_back(self):
        return gc.isenabled()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="garbage is collected between instructions only")
def test_no_garbage_is_collected_on_the_way_out():
    """Its closing would let the other thread go on, and its frame be gone that is made an object of."""
    assert gc.isenabled()
    assert back(Frame()) is False
    assert gc.isenabled()


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_as_before(collects):
    """Whoever switched that off finds it off."""
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        _uncollected()
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_what_another_environment_has_is_not_the_users_own(folder):
    """As what `PYTHONPATH` or a container's layer brings: of a line in there nobody need be told."""
    code = compile("import sys; seen = sys._getframe()", f"/layer/python/{folder}/server/main.py", "exec")
    names = {}
    exec(code, names)
    assert own_frame(names["seen"], within="/nowhere").f_code.co_filename == __file__
