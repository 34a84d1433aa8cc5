"""The progress display under `auto`."""

import time

from concurrent_choices import AutoStrategy, run


def test_the_display_says_who_works_now(capfd):
    """The callable, the strategy, and the lanes there are at the end."""
    run(time.sleep, [0.02] * 60, strategy=AutoStrategy(max_workers=7), progress=True)
    shown = " ".join(capfd.readouterr().err.split())
    assert "sleep · auto: thread ×7" in shown
    assert "60/60" in shown


def test_a_strategy_by_name_is_shown_by_its_name(capfd):
    """It does not change, so there is nothing more to say."""
    run(time.sleep, [0.01] * 5, strategy="thread", progress=True)
    assert "sleep · thread" in " ".join(capfd.readouterr().err.split())
