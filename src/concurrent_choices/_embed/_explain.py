"""What the executor has learnt, as facts and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from .._facts._printed import Printed
from .._facts._table import aligned, spell
from ._accounting._account import Account

__all__ = ["Explanation", "Learnt", "explain"]


@frozen(kw_only=True)
class Learnt:
    """What was learnt of one callable; times are seconds a call.

    Attributes:
        name: What it is called.
        place: "thread" or "process": where its calls run now.
        kind: What it spends its time on.
        why: The reason for its place.
        calls: How many calls have ended.
        errors: How many of them raised.
        limit: How many may run at once now.
        wall: How long one takes.
        cpu: How long it computes.
        queued: How long it was ready to run and had no core.
        gil: The share of its computing that holds the GIL; None where that was not found out.
        payload: What pickling a call's arguments and result costs; None where that was not measured.
    """

    name: str
    place: str
    kind: str
    why: str
    calls: int
    errors: int
    limit: int
    wall: float
    cpu: float
    queued: float
    gil: float | None
    payload: float | None


@frozen
class Explanation(Printed):
    """What was learnt of every callable.

    Attributes:
        callables: One for each, those that took most time first.
    """

    callables: tuple[Learnt, ...]

    def __iter__(self) -> Iterator[Learnt]:
        return iter(self.callables)

    def __getitem__(self, name: str) -> Learnt:
        for each in self.callables:
            if each.name == name:
                return each
        raise KeyError(name)

    def __str__(self) -> str:
        head = ["callable", "runs in", "at once", "calls", "a call", "computes", "GIL", "because"]
        return "\n".join(aligned([head, *map(_row, self.callables)]))


def explain(accounts: Iterable[Account]) -> Explanation:
    """What a set of accounts says."""
    learnt = [_learnt(account) for account in accounts]
    return Explanation(tuple(sorted(learnt, key=lambda each: -each.calls * each.wall)))


def _learnt(account: Account) -> Learnt:
    known = account.figures
    each = account.tasks / max(1, account.calls)  # a task was measured, which may be a chunk of calls
    return Learnt(
        name=account.name,
        place=account.place,
        kind=account.placement.kind,
        why=account.why,
        calls=account.calls,
        errors=account.errors,
        limit=account.at_once,
        wall=known.wall * each,
        cpu=known.cpu * each,
        queued=known.queued * each,
        gil=known.gil,
        payload=None if known.payload is None else known.payload * each,
    )


def _row(each: Learnt) -> list[str]:
    return [
        each.name,
        each.place,
        str(each.limit),
        str(each.calls),
        spell(each.wall),
        spell(each.cpu),
        "?" if each.gil is None else f"{each.gil:.0%}",
        f"{each.kind}: {each.why}",
    ]
