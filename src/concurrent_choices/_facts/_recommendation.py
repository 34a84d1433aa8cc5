"""The verdict: what to run, why, and what it was weighed against."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from attrs import field, frozen

from .._errors import UnknownStrategyError
from ._estimate import Estimate
from ._json import Jsonable
from ._machine import Machine
from ._plan import Plan
from ._printed import Printed
from ._profile import Profile
from ._table import aligned, counted, how, paragraph, section, spell

__all__ = ["Recommendation"]


@frozen(kw_only=True, str=False)
class Recommendation(Printed, Jsonable):
    """Which strategy to run a workload with. It prints as a table.

    Attributes:
        name: What the workload is called.
        items: How many items the prediction is for.
        items_known: Whether that is their real number; otherwise it is assumed.
        plan: The strategy to use, with its numbers.
        estimates: One for every strategy, from the fastest to those that cannot run.
        bound: "io", "cpu" or "mixed"; "unknown" where nothing could be measured, or no call succeeded.
        diagnosis: What the callable spends its time on, in a few words.
        reason: Why this plan, in one sentence.
        changes: What would change the verdict, a sentence each.
        close: Whether another strategy is predicted to take as long, within 7 %.
        notes: What else to know; above all, what could not be measured.
        contenders: The plans that only a race on real items could tell apart; the chosen one first.
        profile: The figures that the verdict rests on.
        machine: The machine that the verdict is for.
    """

    name: str
    items: int
    plan: Plan
    estimates: tuple[Estimate, ...]
    bound: str
    diagnosis: str
    reason: str
    items_known: bool = True
    changes: tuple[str, ...] = ()
    close: bool = False
    notes: tuple[str, ...] = ()
    contenders: tuple[Plan, ...] = ()
    profile: Profile = field(default=Profile(), repr=False)
    machine: Machine = field(default=Machine(), repr=False)

    @property
    def chosen(self) -> Estimate:
        """The estimate of the chosen plan.

        Raises:
            UnknownStrategyError: There is none, as in JSON that somebody has edited.
        """
        return self.estimate(self.plan.strategy)

    def estimate(self, strategy: str) -> Estimate:
        """The estimate of a strategy.

        Args:
            strategy: Its name, such as ``"thread"``.

        Raises:
            UnknownStrategyError: There is no estimate of that name.
        """
        for each in self.estimates:
            if each.plan.strategy == strategy:
                return each
        listed = ", ".join(each.plan.strategy for each in self.estimates)
        raise UnknownStrategyError("strategy", f"no estimate of {strategy!r}; there are {listed}")

    def __str__(self) -> str:
        return "\n".join([*self._head(), "", *self._table(), "", *self._foot()])

    def _head(self) -> Iterator[str]:
        machine = self.machine
        items = counted(self.items, "item") + ("" if self.items_known else " (assumed)")
        gil = "" if machine.gil else ", no GIL"
        yield f"{self.name}: {items} on {counted(machine.cpus, 'CPU')} ({machine.python}{gil})"
        yield f"bound: {self.bound}    diagnosis: {self.diagnosis}"
        chosen = f'Use "{self.plan.strategy}" ({how(self.plan, is_async=self.profile.is_async)})'
        told = f"{'Nothing to go by' if self._vain else chosen}: {self.reason}"
        yield paragraph(told if self.items else "There are no items.")

    def _table(self) -> Iterator[str]:
        raced = ["measured"] if any(each.measured is not None for each in self.estimates) else []
        head = [" ", "strategy", "how", "predicted", *raced]
        # beside what was measured, predictions of others that are a little better look like the choice
        rows = sorted(self.estimates, key=lambda each: each.measured is None)
        yield from aligned([head, *(self._row(each, raced=bool(raced)) for each in rows)])

    def _row(self, each: Estimate, *, raced: bool) -> list[str]:
        strategy = each.plan.strategy
        mark = ">" if strategy == self.plan.strategy else " "
        if each.obstacle:
            return [mark, strategy, f"cannot run: {each.obstacle}"]
        measured = "" if each.measured is None else spell(each.measured)
        plan = how(each.plan, is_async=self.profile.is_async)
        return [mark, strategy, plan, self._predicted(each), *([measured] if raced else [])]

    def _predicted(self, each: Estimate) -> str:
        if each.seconds is None:
            return "not measured"
        if self.profile.wall_at_least:
            return f"at least {spell(each.seconds)}"
        error = f" ± {spell(each.error)}" if isfinite(each.error) else ""  # JSON may have none
        return f"{spell(each.seconds)}{error}"

    @property
    def _vain(self) -> bool:
        return self.profile.failed or self._unmeasured

    @property
    def _unmeasured(self) -> bool:
        return all(each.seconds is None for each in self.estimates)

    def _foot(self) -> Iterator[str]:
        if self.close and not self._vain:
            yield "It was close: another strategy is within 7 %. Of such, the simplest is chosen."
        yield from section("What would change it", self.changes)
        noted = [f"{each.plan.strategy}: {each.note}" for each in self.estimates if each.note]
        yield from section("To know", [*self.notes, *noted])
        if self._unmeasured:
            return
        if any(each.measured is not None for each in self.estimates):
            yield "Measured: what a short race on some of the items comes to for all of them."
        error = "" if self.profile.wall_at_least else "± is one standard error; "
        yield f"{error}times are for all items together, starting up included.".capitalize()
