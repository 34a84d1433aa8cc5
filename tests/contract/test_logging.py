"""What calls log reaches the handlers of the caller, wherever they run."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import contract_acts as acts
import contract_logs as logs
import pytest
from contract_ways import only, only_outside, parameters, small

from concurrent_choices import ItemTimeoutError, WorkerDiedError, run, stream
from concurrent_choices._strategies._workers._inside._records import MOST


@pytest.fixture
def strategy(lean):
    """As few processes as will do."""
    return lean


@pytest.fixture
def told():
    """A handler of what the acts log from the level INFO on."""
    yield from attached(logs.Noting())


def attached(handler):
    logs.LOG.addHandler(handler)
    logs.LOG.setLevel(logging.INFO)
    yield handler
    logs.LOG.setLevel(logging.NOTSET)
    logs.LOG.removeHandler(handler)


@pytest.fixture
def raising():
    """A handler that raises."""
    yield from attached(logs.Raising())


@pytest.fixture
def told_slowly():
    """A handler that is slow."""
    yield from attached(logs.Slow())


@pytest.fixture
def touching():
    """A handler that makes the file a record names."""
    yield from attached(logs.Touching())


def test_every_record_that_its_level_lets_through(strategy, of_kind, told):
    """Each once, and none below the level that was set here."""
    run(of_kind(logs.speak), range(20), strategy=strategy)
    assert sorted(told.messages) == sorted(f"called with {number}" for number in range(20))
    assert {record.name for record in told.records} == {"contract.logs"}


def test_without_a_logger(strategy, of_kind, told):
    """The functions of the module do not set logging up where a worker's own has no handler."""
    logging.root.addHandler(told)
    try:
        run(of_kind(logs.speak_plainly), range(3), strategy=strategy)
    finally:
        logging.root.removeHandler(told)
    assert sorted(told.messages) == [f"called with {number}" for number in range(3)]


def test_before_its_result(strategy, of_kind, told):
    """Whoever has a result has what was logged for it."""
    for result in stream(of_kind(logs.speak), range(20), strategy=strategy):
        assert f"called with {result}" in told.messages


def test_levels_of_now(strategy, of_kind, told):
    """What was set or taken back since the last run is so in the next, however warm the workers."""
    speak = of_kind(logs.speak)
    for level, count in ((logging.DEBUG, 2), (logging.ERROR, 0), (logging.INFO, 1)):
        logs.LOG.setLevel(level)
        told.records.clear()
        run(speak, [0], strategy=strategy)
        assert len(told.records) == count
    logs.LOG.setLevel(logging.NOTSET)
    logging.disable(logging.INFO)
    try:
        run(speak, [0], strategy=strategy)
    finally:
        logging.disable(logging.NOTSET)
    assert len(told.records) == 1


def test_tracebacks_and_extras(strategy, of_kind, told):
    """What cannot travel comes in words, and the rest as it was."""
    run(of_kind(logs.lament), [0], strategy=strategy)
    (record,) = told.records
    text = logging.Formatter().format(record)
    assert text.startswith("cannot divide\nTraceback")
    assert text.endswith("ZeroDivisionError: division by zero")
    assert (record.number, record.kept) == (0, {"a": [1]})
    assert "lambda" in repr(record.lost)


def test_in_the_context_of_the_call(strategy, of_kind, told):
    """A filter or a handler that asks a context variable finds what the caller has set."""
    token = acts.CALLER.set("us")
    try:
        run(of_kind(logs.speak), [0, 1], strategy=strategy)
    finally:
        acts.CALLER.reset(token)
    assert told.callers == ["us", "us"]


def test_while_the_call_still_runs(strategy, of_kind, touching, tmp_path):
    """Nobody has to wait for a result to see how far its call is."""
    assert run(of_kind(logs.wait_to_be_heard), [str(tmp_path / "heard")], strategy=strategy) == [True]


@only_outside
def test_before_a_death(strategy, of_kind, touching, tmp_path):
    """What a worker has said before it dies is heard."""
    path = tmp_path / "heard"
    with pytest.raises(WorkerDiedError):
        run(of_kind(logs.be_heard_and_die), [str(path)], strategy=strategy)
    assert path.exists()


@only_outside
def test_a_handler_that_raises(strategy, of_kind, raising, capsys):
    """Costs no result; it is complained of as logging does."""
    assert run(of_kind(logs.speak), range(3), strategy=strategy) == [0, 1, 2]
    assert "Logging error" in capsys.readouterr().err


@only_outside
def test_a_message_without_words(strategy, of_kind, told):
    """Costs no result either."""
    assert run(of_kind(logs.speak_of_the_mute), [1], strategy=strategy) == [1]


@only_outside
def test_many_records(strategy, of_kind, told):
    """More than may wait to be sent: all come, in their order."""
    many = 2 * MOST
    run(of_kind(logs.speak_at_length), [many], strategy=strategy)
    assert told.messages == [*map(str, range(many))]


@only(lambda name: name == "process")  # lanes inside give a call up, and it goes on
def test_a_time_limit(strategy, told_slowly):
    """Holds for calls that log without a pause, too."""
    (error,) = run(logs.speak_at_length, [30_000], strategy=strategy, timeout=0.2, return_exceptions=True)
    assert isinstance(error, ItemTimeoutError)


@only_outside
def test_set_up_again_and_again(strategy, of_kind, monkeypatch):
    """A warm worker hands records on once, however often that came to be wanted."""
    carrying = of_kind(logs.threads_that_carry)
    with strategy, monkeypatch.context() as patch:
        patch.setattr(logging.root, "handlers", [])  # pytest's own
        for _ in range(3):
            for handler in attached(logs.Noting()):
                assert run(carrying, [0], strategy=strategy) == [1]
                assert handler.messages == ["called with 0"]
            run(carrying, [0], strategy=strategy)


def test_a_run_inside_a_run(strategy, told):
    """From a worker of a worker, too."""
    run(logs.speak_inside, [5], strategy=strategy)
    assert told.messages == ["called with 5"]


@only_outside
def test_a_fork_of_a_worker(strategy, of_kind, told):
    """Says nothing over its parent's wire."""
    assert run(of_kind(logs.speak_in_a_fork), [5], strategy=strategy) == [5]
    assert told.messages == ["called with 5"]


@only(lambda name: "initializer" in parameters(name))
def test_what_an_initializer_has_set_up(name, of_kind, told, tmp_path):
    """Is what handles records, each of them once."""
    path = tmp_path / "log"
    with small(name, initializer=logs.logging_to(str(path))) as strategy:
        run(of_kind(logs.speak), range(3), strategy=strategy)
    assert told.messages == []
    assert len(Path(path).read_text().splitlines()) == 3


SILENT = """
import logging
from concurrent_choices import run

LOG = logging.getLogger("silent")
heard = []

def lament(item):
    LOG.error("alas")

if __name__ == "__main__":
    {}
    run(lament, range(3), strategy="process")
    print(len(heard))
"""


@pytest.mark.parametrize(
    ("setting", "heard"),
    [
        ("LOG.addFilter(lambda record: heard.append(record))", 3),
        ("LOG.propagate, LOG.handlers = False, [logging.NullHandler()]", 0),
        ("LOG.disabled = True", 0),
    ],
)
def test_what_is_turned_off_here(setting, heard, tmp_path):
    """No worker prints it, though no handler is set up; a filter is asked here."""
    script = tmp_path / "script.py"
    script.write_text(SILENT.format(setting), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"{heard}\n", "")
