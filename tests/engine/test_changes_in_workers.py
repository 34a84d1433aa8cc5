"""Changes that calls make in worker processes are told, and what workers do for themselves is none."""

import os

import engine_acts as acts
import pytest
from engine_fakes import HYBRID, LANES, OUTSIDE, STARTING, ScriptedStrategy
from engine_moves import outside, some_after_the_move

from concurrent_choices import run


class ChangesFrom:
    """Counts itself from some item on, where nobody reads it from the code, and after the move."""

    def __init__(self, first, move):
        self.move = move
        self.first = first
        self.count, self.counted = 0, "count"

    def note(self, item):
        self.move.linger(early=item < 50)
        if item >= self.first:
            object.__setattr__(self, self.counted, self.count + 1)
        return acts.spun(item)


@pytest.fixture
def move(tmp_path):
    """The move of a run to other processes."""
    return acts.Move(tmp_path / "moved")


@pytest.mark.parametrize("first", [250, 299], ids=["goes on", "the last item only"])
def test_changes_in_workers_are_told(first, move, caplog):
    """They stay there: the report says so, the log warns, and what is left comes back."""
    strategy = outside()
    assert run(ChangesFrom(first, move).note, range(300), strategy=strategy) == list(range(300))
    assert strategy.report.lost == "its object"
    assert "those changes stayed there" in str(strategy.report)
    assert [record.levelname for record in caplog.records if "its object" in record.message] == ["WARNING"]
    assert "calls change its object" in strategy.controller.barred


def test_changes_in_lanes_of_workers_are_told(move):
    """A worker with threads inside looks at what they share."""
    strategy = ScriptedStrategy(STARTING._replace(inside=3), HYBRID)
    assert run(ChangesFrom(250, move).note, range(300), strategy=strategy) == list(range(300))
    assert strategy.report.lost == "its object"


class ChangesAtHome(ChangesFrom):
    """Is changed by one call, which has begun here before others go elsewhere, and ends after those begin."""

    def note(self, item):
        here = os.getpid() == self.move.home
        if item == self.first and here:
            self.move.wait()
            object.__setattr__(self, self.counted, 1)
        else:
            self.move.linger(early=item < 50)
        return item


def test_changes_here_that_workers_do_not_see_are_told(move, caplog):
    """They have copies from before it; that all stayed in this process would be wrong."""
    strategy = ScriptedStrategy(LANES, LANES._replace(stage="starting", processes=2), OUTSIDE)
    assert run(ChangesAtHome(2, move).note, range(300), strategy=strategy) == list(range(300))
    assert (strategy.report.witness, strategy.report.lost) == ("its object", "")
    assert "Calls changed its object here, and worker processes did not see" in str(strategy.report)
    assert "stayed in this process" not in str(strategy.report)
    assert [record.levelname for record in caplog.records if "its object" in record.message] == ["WARNING"]


def discount(row):
    row["discount"] = True


def through_a_variable(order):
    order["move"].linger(early=order["number"] < 50)
    for _, row in enumerate(order["rows"]):
        if order["number"] >= 250:
            row["discount"] = True
    return acts.spun(order["number"])


def through_a_helper(order):
    order["move"].linger(early=order["number"] < 50)
    if order["number"] >= 250:
        list(map(discount, order["rows"]))
    return acts.spun(order["number"])


@pytest.mark.parametrize("fn", [through_a_variable, through_a_helper])
@pytest.mark.parametrize("inside", [1, 3])
def test_changes_of_items_in_workers_are_told(fn, inside, move, caplog):
    """No call has changed any before, and the code does not plainly: they are seen where they are made."""
    to, then = (STARTING, OUTSIDE) if inside == 1 else (STARTING._replace(inside=inside), HYBRID)
    strategy = ScriptedStrategy(to, then)
    orders = [{"number": number, "rows": [{"price": 3}, {"price": 4}], "move": move} for number in range(900)]
    assert run(fn, orders, strategy=strategy) == list(range(900))
    assert strategy.report.lost == "their items"
    assert [record.levelname for record in caplog.records if "their items" in record.message] == ["WARNING"]
    assert "calls change their items" in strategy.controller.barred


@pytest.mark.parametrize("inside", [1, 3])
def test_items_that_are_read_in_workers_are_not_told_of(inside):
    """They are looked at, and are what they were."""
    strategy = ScriptedStrategy(STARTING._replace(inside=inside), OUTSIDE if inside == 1 else HYBRID)
    orders = [{"number": number, "rows": [{"price": 3}]} for number in range(300)]
    drawn = run(lambda order: acts.spin(order["rows"][0]["price"]), orders, strategy=strategy)
    assert drawn == [acts.spin(3)] * 300
    assert (strategy.report.lost, strategy.controller.barred) == ("", "")


class Connected:
    """Connects once in each process."""

    def __init__(self):
        self.process = os.getpid()

    def ask(self, item):
        if self.process != os.getpid():
            self.process = os.getpid()
        return acts.spun(item)


def test_what_a_worker_does_for_itself_once_is_no_change():
    """The caller's process has connected long ago; a worker does so with its first item."""
    strategy = outside()
    first, *others = some_after_the_move(Connected().ask, strategy, 1000)
    assert others == [*range(first + 1, first + 1000)]
    assert (strategy.report.lost, strategy.controller.barred) == ("", "")
