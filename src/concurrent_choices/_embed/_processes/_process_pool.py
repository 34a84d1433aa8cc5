"""The process pool: one thread that hands calls to worker processes and takes what comes of them.

    submit ── in-tray ── the process pool's thread ══ one wire per worker ══ _remote.serve

It alone touches the wires, so there is no lock around them. A worker that dies takes with it the
calls it had started and nothing else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from ..._errors import WorkerStartError
from ..._inspect._words import reason_of
from ..._strategies._workers._between._wire import Kind, Message, Terms
from ..._strategies._workers._hosting._host import Host, Starts
from ..._strategies._workers._hosting._waker import Waker
from ..._strategies._workers._hosting._wires import Wires
from ..._transfer._pickling import dump
from .._accounting._account import Account
from .._calls._tasks import Task, complain
from ._call_queue import JOB, Assignment, CallQueue, Inquiry
from ._desk import Desk
from ._in_tray import InTray
from ._packing import BelongsHereError, Packer, StaysForNowError, look_frames
from ._recall import overdue
from ._remote import serve
from ._respite import AWHILE, Respite

__all__ = ["ProcessPool"]

REST = 60.0
"""Seconds without calls after which workers are let go (guessed: memory is worth more than a new start)."""


class ProcessPool:
    """Worker processes of one executor, and the calls that wait for them.

    Args:
        most: Processes at most.
        desk: What it is asked for.

    Attributes:
        most: As given, or fewer for now where no more could be started.
        tray: What its thread is to do.
    """

    def __init__(self, most: int, desk: Desk) -> None:
        self.most = self._wanted = most
        self._unfit = ""  # as it was when calls were last dealt out
        self._respite = Respite()
        self._desk = desk
        self.tray = InTray(self._work)
        self._closing = False
        self._packer = Packer()
        self._queues: dict[int, CallQueue] = {}

    # From any thread

    @property
    def thread(self) -> threading.Thread | None:
        """Its thread; None before there was anything to do."""
        return self.tray.thread

    @property
    def unfit(self) -> str:
        """Why it does without workers for now; empty where it does not."""
        return self._respite.reason

    def submit(self, task: Task) -> None:
        """Have a worker make a call."""
        if not self.tray.put(self.order(task)):
            self._desk.put_off(task, self._respite.begin(self.tray.obstacle))

    def order(self, task: Task) -> Callable[[], object]:
        """What has its thread take a call."""
        return partial(self._desk.backlog.add, task)

    def look_at(self, account: Account, fn: Any) -> None:
        """Have a worker load a callable and say what it holds there."""
        inquiry = Inquiry(account, fn)
        if not self.tray.put(lambda: self._desk.looks.append(inquiry)):
            self._desk.put_off(inquiry, self._respite.begin(self.tray.obstacle))

    def warm(self) -> None:
        """There may soon be work: start a worker, which takes longer than all the rest."""
        if self.thread is None:
            self.tray.put(lambda: self._queues or self._unfit or self._open_queue())

    def abandon(self, task: Task) -> None:
        """Nobody waits for a call any longer: end the worker that makes it."""
        self.tray.put(lambda: self._give_up(task))

    def poke(self) -> None:
        """Have it look again: a thread has ended a call, so that a waiting one may go."""
        if self.thread is not None:
            self.tray.put(lambda: None)

    def cancel_waiting(self) -> None:
        """Cancel what has not been handed to a worker."""
        if self.thread is not None:
            self.tray.put(self._desk.cancel_all)

    def close(self) -> None:
        """End the workers when no call is left."""
        self._closing = True
        self.poke()

    # In the process pool's thread

    def _work(self, waker: Waker) -> None:
        waker.adopt()
        while not self._served(waker):
            pass
        waker.close()

    def _served(self, waker: Waker) -> bool:
        """See to all that is asked for, to the end; False where something has failed that nobody foresaw."""
        try:
            while unfit := self.unfit:
                if self._finished(unfit):
                    return True
                self.tray.nap(AWHILE)
            self._employ(waker)
        except BaseException as error:  # noqa: BLE001 - whatever it is, calls would wait for ever
            self._fail(error)
            return False
        return True

    def _employ(self, waker: Waker) -> None:
        """Have workers make calls, to the end."""
        self._wires = Wires(self._queues, waker)
        self._host = Host("process")
        try:
            self._host.preload(serve, [serve.__module__])
            self._starts = Starts(self._host)
            while not self._finished(self.unfit):
                self._listen()
        finally:
            self._host.close()

    def _fail(self, error: BaseException) -> None:
        """The workers are gone, by this error: do without for a while, and answer what they had begun."""
        self._respite.begin(f"what hands calls to them has failed ({reason_of(error)})")
        complain("unexpected in the thread %s, which goes on without worker processes", self.thread)
        self.most = self._wanted
        queues = [*self._queues.values()]
        self._queues.clear()
        for queue in queues:
            queue.dropped = True
            self._desk.settle(queue, queue.worker.process.wait(0), error)

    def _finished(self, unfit: str) -> bool:
        """Deal out what there is; whether all is done, and nothing more will come.

        `unfit` is asked but once: it ends by itself, and where it has not there may be nobody who hires.
        """
        self._unfit = unfit
        orders = self.tray.orders
        while orders:
            orders.popleft()()
        self._deal()
        return self._closing and not (
            orders or not self._desk.is_empty or any(queue.assignments for queue in self._queues.values())
        )

    def _deal(self) -> None:
        """Give every worker what it has room for; start workers while there is work for them."""
        self._desk.return_settled()
        while not (self._desk.is_empty or self._unfit):
            queue = self._queue_with_room()
            if queue is None or not self._give(queue):
                break
        if self._unfit:
            self._desk.refuse_all(self._unfit)

    def _queue_with_room(self) -> CallQueue | None:
        idle = [queue for queue in self._queues.values() if not queue.assignments]
        if idle:
            return idle[0]
        opened = self._open_queue() if len(self._queues) < self.most else None
        return opened or next((queue for queue in self._queues.values() if queue.room()), None)

    def _open_queue(self) -> CallQueue | None:
        try:
            worker = self._host.hire()
        except (WorkerStartError, OSError) as error:
            if self._queues:
                self.most = len(self._queues)  # they are as good as before, and do until there is no work
            else:
                self._unfit = self._respite.begin(str(error))
            return None
        queue = CallQueue(worker)
        worker.link.queue(Kind.JOB, JOB, 0, dump(Terms(serve, lanes=self.most)))
        self._wires.add(queue)
        return queue

    def _give(self, queue: CallQueue) -> bool:
        """Ask one worker for one thing; False where there is nothing it may be asked for."""
        desk = self._desk
        if desk.looks:
            self._send_look(queue, desk.looks.popleft())
            return True
        task = desk.backlog.take(time.perf_counter_ns(), self._may)
        if task is None:
            return False
        if task.account.place == "thread":
            desk.on_returned(task)
        elif task.begin():
            self._send_call(queue, task)
        else:
            desk.on_ended(task)
        return True

    def _may(self, account: Account) -> bool:
        """Whether a worker may be given one more call: those that lie ahead on a queue do not run yet."""
        return account.away < account.limit + len(self._queues) and account.below_ceiling

    def _send_call(self, queue: CallQueue, task: Task) -> None:
        try:
            frames = self._packer.pack(task, queue.sent)
        except BelongsHereError as obstacle:
            self._refuse(task, obstacle)
            return
        task.account.away += 1
        self._send(queue, task, frames, task.number)

    def _send_look(self, queue: CallQueue, inquiry: Inquiry) -> None:
        try:
            frames = look_frames(inquiry.fn, inquiry.account.marks)
        except BelongsHereError as obstacle:
            self._refuse(inquiry, obstacle)
            return
        self._send(queue, inquiry, frames, 0)

    def _refuse(self, asked: Assignment, obstacle: BelongsHereError) -> None:
        refuse = self._desk.put_off if isinstance(obstacle, StaysForNowError) else self._desk.turn_away
        refuse(asked, str(obstacle))

    def _send(self, queue: CallQueue, asked: Assignment, frames: list[Any], number: int) -> None:
        queue.assignments.append(asked)
        queue.worker.link.queue(Kind.BATCH, JOB, number, frames)
        self._wires.flush(queue)

    # Listening

    def _listen(self) -> None:
        longest = max([len(queue.assignments) for queue in self._queues.values()], default=0)
        pause = None if longest or not self._queues else REST
        if longest > 1:
            pause = self._recall()
        events = self.tray.sleep(partial(self._wires.wait, None if pause is None else pause * 1000))
        if events is None:
            return
        if not (events or longest):
            self._let_go()
        for queue, dead in self._wires.heard(events):
            self._hear(queue, dead=dead)

    def _recall(self) -> float | None:
        """Take back what lies behind calls that take too long; for how many seconds to listen then."""
        free, pause = overdue(self._queues.values(), self.most, time.monotonic())
        for queue in free:
            self._desk.hand_on(queue, queue.recall())
        return 0.0 if free else pause  # it waits now, and is dealt out before the next time

    def _let_go(self) -> None:
        """Nothing was asked for so long that the workers are let go."""
        self.most = self._wanted
        for idle in list(self._queues.values()):
            self._wires.remove(idle)
            self._host.dismiss(idle.worker)

    def _hear(self, queue: CallQueue, *, dead: bool) -> None:
        with suppress(EOFError):
            for message in queue.worker.hear(queue.context, dead=dead):
                self._handle(queue, message)
            self._drop_abandoned(queue)
            return
        self._settle(queue)

    def _handle(self, queue: CallQueue, message: Message) -> None:
        if message.kind == Kind.READY and not message.text:
            self._starts.succeed()
            self._respite.end()
        elif message.kind == Kind.DONE:
            self._desk.take(queue, message)
        elif message.kind == Kind.REFUSED:
            self._desk.take_unread(queue, message)
        elif message.kind in {Kind.READY, Kind.UNFIT}:
            what = "does not come up" if message.kind == Kind.READY else "cannot load this library"
            self._respite.begin(f"a worker process {what}: {message.text}")
            queue.worker.kill()  # it answers nothing; what it was sent is handed on once it is gone

    # Ends

    def _give_up(self, task: Task) -> None:
        for queue in self._queues.values():
            if any(asked is task for asked in queue.assignments):
                self._drop_abandoned(queue)

    def _drop_abandoned(self, queue: CallQueue) -> None:
        """End a worker that makes a call nobody waits for, or is about to.

        Not where its first call has ended and only the message has not been read: it makes the next one.
        """
        first = queue.assignments[0] if queue.assignments else None
        if isinstance(first, Task) and first.abandoned:
            queue.drop()

    def _settle(self, queue: CallQueue) -> None:
        """A worker is gone."""
        self._wires.remove(queue)
        code = None
        try:
            code = self._host.dismiss(queue.worker)
        finally:  # it is known here alone by now
            self._desk.settle(queue, code)
        if not (queue.dropped or queue.worker.ready) and self._starts.fail(queue.worker):
            self._respite.begin(self._starts.reason(code))
