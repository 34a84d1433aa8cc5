"""Whoever knows all after a while, in virtual time: what any controller loses by having to find out."""

import pytest
from benchmarks.regret._drawn import best_of
from benchmarks.regret.informed import LATE, informed_after, main

from concurrent_choices._judge._simulator import Native, Python, Script, Wait

WAITING = Script((Wait(2e-3),), 25)


def test_who_knows_at_once_takes_what_the_best_plan_takes():
    """Twenty-five naps of 2 ms overlap; the threads take their own time to start."""
    assert informed_after(0.0, WAITING, 2, 0) == pytest.approx(best_of(WAITING, 2, 0), abs=1e-4)


def test_who_knows_later_has_done_one_nap_after_another():
    """After 10 ms, five of them; the others then take no longer than one."""
    known_at_once = informed_after(0.0, WAITING, 2, 0)
    assert informed_after(10e-3, WAITING, 2, 0) == pytest.approx(10e-3 + known_at_once, rel=0.1)


def test_an_item_that_is_under_way_is_not_done_again():
    """One nap of 50 ms is not longer for being watched, and four of them are by those 2 ms."""
    long = Wait(50e-3)
    assert informed_after(2e-3, Script((long,), 1), 2, 0) == pytest.approx(50e-3, abs=1e-4)
    assert informed_after(2e-3, Script((long,), 4), 2, 0) == pytest.approx(52e-3, abs=1e-3)


def test_where_a_loop_is_best_nothing_has_to_be_known():
    """A job that is over before processes are up takes one thread as long, whenever that is known."""
    script = Script((Python(1e-3),), 20)
    assert informed_after(10e-3, script, 2, 0) == informed_after(0.0, script, 2, 0) == best_of(script, 2, 0)


def test_the_calling_thread_works_until_processes_are_up():
    """What it does meanwhile nobody who only waits for them has done: the bound is below the plan's time."""
    script = Script((Python(1e-3),), 500)
    assert informed_after(0.0, script, 8, 0) < best_of(script, 8, 0)


def test_two_lanes_that_compute_at_once_are_taken_up_late():
    """Of 50 ms of hashing, 10 are done alone and 40 by two."""
    assert informed_after(10e-3, Script((Native(1e-3),), 50), 2, 0) == pytest.approx(30e-3, rel=0.05)


def test_it_is_told_in_a_table(capsys):
    """The controller, and those who know sooner or later, on workloads of every kind."""
    assert main(["--count", "7", "--size", "0.02", "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| geometric mean | cpu | native |")
    assert [line.split(" | ")[0] for line in lines[2:]] == [
        "| `auto`",
        *(f"| knows all after {late * 1e3:g} ms" for late in LATE),
    ]
