"""Errors on their trip from a worker to the caller."""

import sys

import pytest

from concurrent_choices._facts._batch import Claim
from concurrent_choices._strategies._workers._between._portable_errors import opened, portable


def test_an_error_travels_where_nothing_can_be_imported(monkeypatch):
    """An item has used up the descriptors, so that what words a traceback cannot be read."""
    monkeypatch.setitem(sys.modules, "traceback", None)
    with pytest.raises(OSError, match="Too many open files") as caught:
        raise OSError(24, "Too many open files")
    carried = portable(caught.value, Claim(0, ["item"]), 0)
    assert "Too many open files" in carried.text
    with pytest.raises(OSError, match="Too many open files"):
        raise opened(carried)
