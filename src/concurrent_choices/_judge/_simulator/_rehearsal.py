"""The controller in the simulator: the same decisions as in a real run, in virtual time."""

from __future__ import annotations

from functools import partial

from ..._facts._costs import Costs
from ..._facts._machine import Machine
from .._controller._controller import Controller
from .._controller._first_look import FIRST_LOOK, at_call_start, computes, sleeps, tells
from .._controller._sight import Arrangement, Limits, Sight
from ._run import Controls, Outcome, steer
from ._scripts import Script
from ._work_queue import Completion

__all__ = ["rehearse"]


class Rehearsal:
    """An agent that obeys a controller."""

    def __init__(self, machine: Machine, costs: Costs) -> None:
        self._workers = round(machine.cpus)
        self._costs = costs
        limits = Limits(
            cpus=machine.cpus,
            gil=machine.gil,
            processes=self._workers,
            process_start=costs.process_start + costs.process_worker,
        )
        self._controller = Controller(limits)
        self._up_at: list[float] = []
        self._relieved = False
        self._outside = 0
        self._sum: Sight = Sight(now=0.0)  # what completions and looks add up to

    def began(self, controls: Controls) -> None:
        """Begin with the calling thread, and glance at it soon."""
        controls.add_caller()
        controls.call_after(FIRST_LOOK, partial(self._glance, controls))

    def completed(self, completion: Completion, controls: Controls) -> None:
        """Count what is done."""
        del controls
        count, wall, cpu = completion.count, completion.wall, completion.cpu
        told = self._sum
        if completion.kind == "process":
            self._sum = told._replace(
                outside_items=told.outside_items + count,
                outside_seconds=told.outside_seconds + wall,
                outside_cpu=told.outside_cpu + cpu,
            )
        elif completion.kind == "caller":
            if count == 1 and not told.alone_items:
                told = told._replace(first_wall=wall, first_cpu=cpu)
            self._sum = told._replace(
                alone_items=told.alone_items + count,
                alone_wall=told.alone_wall + wall,
                alone_cpu=told.alone_cpu + cpu + completion.queued,
            )
        else:
            each = wall / count
            self._sum = told._replace(
                calls=told.calls + count,
                call_seconds=told.call_seconds + wall,
                quickest=min(told.quickest, each) if told.calls else each,
            )

    def _glance(self, controls: Controls) -> None:
        """Begin to look as the engine does: later at calls that compute, at once at one that sleeps."""
        if not controls.left and not controls.at_work():
            return
        sight = self._sight(controls)
        wall, cpu = sight.alone_wall + sight.held, sight.alone_cpu + sight.held_cpu
        computed = computes(wall, cpu)
        if computed and not tells(wall, sight.alone_items):
            self._count_look(controls)
            controls.call_after(FIRST_LOOK, partial(self._glance, controls))
        elif computed or sleeps(sight):
            self._look(controls)
        else:
            self._controller.begin(at_call_start(sight))
            controls.call_after(FIRST_LOOK, partial(self._look, controls))

    def _count_look(self, controls: Controls) -> None:
        late = controls.main.gil.is_held  # as the engine's looks are, which need it
        self._sum = self._sum._replace(looks=self._sum.looks + 1, late=self._sum.late + late)

    def _look(self, controls: Controls) -> None:
        if not controls.left and not controls.at_work():
            return
        self._count_look(controls)
        arrangement = self._controller.look(self._sight(controls))
        self._obey(arrangement, controls)
        controls.call_after(arrangement.look, lambda: self._look(controls))

    def _sight(self, controls: Controls) -> Sight:
        now, running = controls.now, controls.at_work()
        here = [each for each in running if each.kind != "process"]
        there = [each for each in running if each.kind == "process"]
        caller = next((each for each in here if each.kind == "caller"), None)
        held = now - caller.began if caller else 0.0
        outside_cpu = self._sum.outside_cpu + sum(min(each.cpu, now - each.began) for each in there)
        cpu = controls.world.cores.spent - outside_cpu
        return self._sum._replace(
            now=now,
            done=controls.queue.done,
            remaining=controls.left,
            held=held,
            held_cpu=min(caller.cpu, held) if caller else 0.0,
            in_flight=len(here) - (caller is not None),
            cpu=cpu,
            lane_cpu=cpu,
            ready=sum(now >= up_at for up_at in self._up_at),
            outside_held=sum(now - each.began for each in there),
            outside_cpu=outside_cpu,
        )

    def _obey(self, arrangement: Arrangement, controls: Controls) -> None:
        if arrangement.processes and not self._up_at:
            first = controls.now + self._costs.process_start
            self._up_at = [first + place * self._costs.process_worker for place in range(self._workers)]
        if arrangement.relieved != self._relieved:
            self._relieved = arrangement.relieved
            if self._relieved:
                controls.remove("caller", 1)
            else:
                controls.add_caller()
        self._staff(arrangement.threads, controls)
        outside = self._workers * arrangement.inside if arrangement.outside else 0
        if outside and not self._outside:
            for up_at in self._up_at:
                controls.add_processes(1, arrangement.inside, start=max(0.0, up_at - controls.now))
        elif self._outside and not outside:
            controls.remove("process", self._outside)
        self._outside = outside

    @staticmethod
    def _staff(wanted: int, controls: Controls) -> None:
        have = controls.lanes("thread")
        if wanted > have:
            controls.add_threads(min(wanted - have, max(1, controls.left)))
        elif wanted < have:
            controls.remove("thread", have - wanted)


def rehearse(script: Script, machine: Machine, *, seed: int = 0) -> Outcome:
    """Run a described workload under the controller, in virtual time."""
    costs = Costs()
    return steer(script, Rehearsal(machine, costs), machine, costs, seed=seed)
