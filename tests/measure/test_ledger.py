import threading

from concurrent_choices._facts._batch import Claim
from concurrent_choices._measure._figures import Block
from concurrent_choices._measure._ledger import Ledger, Run


def test_a_block_is_begun_and_finished():
    """What was finished is in the ledger, with its times."""
    ledger, block = Ledger(), Block(3, 2, 10, 5, 0)
    assert ledger.begin(Claim(3, "ab"))
    ledger.finish(Run(3, ["A", "B"]), block)

    assert ledger.runs == [Run(3, ["A", "B"])]
    assert ledger.blocks == [block]
    assert ledger.samples == [("a", "A")]


def test_untimed_runs_have_no_block():
    """Lanes are timed as a whole, so their runs come without times."""
    ledger = Ledger()
    ledger.begin(Claim(0, "a"))
    ledger.finish(Run(0, ["A"]), None)

    assert ledger.blocks == []
    assert len(ledger.runs) == 1


def test_samples_become_rarer():
    """Of a thousand runs only a few items are kept for weighing."""
    ledger = Ledger()
    for at in range(1000):
        ledger.begin(Claim(at, [at]))
        ledger.finish(Run(at, [-at]), None)

    assert [item for item, _ in ledger.samples] == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


def test_nothing_begins_once_abandoned():
    """After the caller has gone, no call is begun, and what was not begun is known."""
    ledger, claims = Ledger(), [Claim(0, "a"), Claim(1, "b")]
    ledger.begin(claims[0])
    ledger.finish(Run(0, ["A"]), None)

    assert ledger.abandon() == ()
    assert not ledger.begin(claims[1])
    assert ledger.unbegun(claims) == [claims[1]]


def test_what_was_under_way_can_be_waited_for():
    """A call that ends late hands its outcome to who waits for it, not into the ledger."""
    ledger = Ledger()
    ledger.begin(Claim(7, "xy"))
    (orphan,) = ledger.abandon()

    assert not orphan.done()
    thread = threading.Thread(target=ledger.finish, args=(Run(7, ["X", "Y"]), None))
    thread.start()
    assert orphan.result() == Run(7, ["X", "Y"])
    thread.join()
    assert ledger.runs == []
    assert ledger.abandon() == (orphan,)
