"""Loggers of classes, and levels of names, that a program has made for itself."""

from __future__ import annotations

from interpreters import printed

LIBRARY = """
import logging

class Traced(logging.Logger):
    def trace(self, message):
        self.log(5, message)

usual = logging.getLoggerClass()
logging.setLoggerClass(Traced)
log = logging.getLogger("library")
log.setLevel(5)
logging.setLoggerClass(usual)

def work(item):
    log.trace(f"library {item}")
"""

SCRIPT = """
import logging, sys
import library
from concurrent_choices import AdaptiveExecutor, run

class Traced(logging.Logger):
    def trace(self, message):
        self.log(5, message)

logging.setLoggerClass(Traced)
log = logging.getLogger("script.deep.down")
logging.getLogger("script").setLevel(5)
logging.addLevelName(5, "TRACE")
logging.basicConfig(format="%(levelname)s %(message)s", stream=sys.stdout)

def work(item):
    log.trace(f"script {item}")

def both(item):
    library.log.trace(f"both {item}")
    log.trace(f"both {item}")
    return log

run(library.work, [1], strategy="process")
run(work, [2], strategy="process")
sys.stdout.flush()
print(run(both, [3], strategy="process") == [log], log.level, log.getEffectiveLevel())
"""


def test_they_are_in_workers_what_they_are_here(tmp_path):
    """Each has the methods of its class, a module's or the script's, and records name levels as here."""
    (tmp_path / "library.py").write_text(LIBRARY)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    logged = ["TRACE library 1", "TRACE script 2", "TRACE both 3", "TRACE both 3"]
    assert printed(script) == [*logged, "True 0 5"]
