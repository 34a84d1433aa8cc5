"""Methods that a script has put into the classes of its items."""

from __future__ import annotations

from interpreters import printed

SCRIPT = """
from fractions import Fraction
from concurrent_choices._transfer._kept_here import kept_here

def words(number):
    return number.numerator

def told(number):
    return number.words()

items = [Fraction(1, 2), 1]
print(kept_here(told, items) or "it may go")
Fraction.words = words
print(kept_here(told, items))
print(kept_here(len, items) or "it may go")
"""


def test_what_calls_use_of_them_keeps_a_callable_here(tmp_path):
    """A worker's classes do not have them; what uses none of them may go."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    stays = "fractions.Fraction.words was replaced here, which another process would not see"
    assert printed(script) == ["it may go", stays, "it may go"]
