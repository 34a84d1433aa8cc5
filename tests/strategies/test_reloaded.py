"""Workers that rest, and modules that are loaded anew meanwhile."""

import importlib
import sys

from concurrent_choices import run

SOURCE = "def tell(_):\n    return {told!r}\n"


def test_workers_that_rest_do_not_keep_what_is_reloaded(tmp_path, monkeypatch):
    """They had imported it as it was, and would give its old results."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = tmp_path / "told_anew.py"
    module.write_text(SOURCE.format(told="old"))
    import told_anew  # pyright: ignore[reportMissingImports] - it is not there before

    monkeypatch.setitem(sys.modules, "told_anew", told_anew)
    assert set(run(told_anew.tell, range(4), strategy="process")) == {"old"}
    module.write_text(SOURCE.format(told="new one"))
    importlib.reload(told_anew)
    assert set(run(told_anew.tell, range(4), strategy="process")) == {"new one"}
