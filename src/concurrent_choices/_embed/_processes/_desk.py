"""What the process pool is asked for: what waits for a worker, and who gets what came of the rest.

    asked for ── waits here ── a worker's, in its `CallQueue` ── answered
                      └──────────────────┴── turned away, and made in a thread

Used in the process pool's thread alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..._errors import ResultLostError, WorkerDiedError
from ..._inspect._words import reason_of
from .._accounting._account import Account
from .._calls._backlog import Backlog
from .._calls._tasks import Task, complain
from ._call_queue import Assignment, CallQueue, Inquiry
from ._reading import read_answer, settle_call, settle_lost

if TYPE_CHECKING:
    from ..._strategies._workers._between._wire import Message
    from .._accounting._held import Held

__all__ = ["Desk"]


class Desk:
    """Calls and looks from when they are asked for until they are answered.

    Args:
        on_returned: Told of a call that is to be made in a thread after all.
        on_ended: Told of a call that has ended.
        on_looked: Told what a worker says of a callable: what it holds there, or why it cannot be loaded.

    Attributes:
        backlog: Calls that wait for a worker.
        looks: Looks that do.
    """

    def __init__(
        self,
        *,
        on_returned: Callable[[Task], None],
        on_ended: Callable[[Task], None],
        on_looked: Callable[[Account, Held | str], None],
    ) -> None:
        self.backlog = Backlog()
        self.looks: deque[Inquiry] = deque()
        self.on_returned = on_returned
        self.on_ended = on_ended
        self._on_looked = on_looked

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return not (self.looks or self.backlog.size)

    def cancel_all(self) -> None:
        """Cancel calls that have not begun."""
        for task in self.backlog.unbegun():
            try:
                task.call_off()
            except KeyboardInterrupt:  # a callback's own: Ctrl-C strikes in the main thread
                complain("a callback of a call of %s raised", task.account.name)
            self.on_ended(task)

    # What is made in a thread instead

    def return_settled(self) -> None:
        """Give up calls of callables that have gone back to threads."""
        for task in self.backlog.take_home():
            self.on_returned(task)

    def refuse_all(self, reason: str) -> None:
        """Give up all that waits, as there are no workers for now."""
        while self.looks:
            self.put_off(self.looks.popleft(), reason)
        for task in self.backlog.clear():
            self.put_off(task, reason)

    def put_off(self, asked: Assignment, reason: str) -> None:
        """Keep a callable in this process while there are no workers, and make its call there."""
        asked.account.put_off(reason)
        if isinstance(asked, Task):
            self.on_returned(asked)

    def turn_away(self, asked: Assignment, reason: str) -> None:
        """Keep a callable in this process, and make its call there."""
        if isinstance(asked, Inquiry):
            self._on_looked(asked.account, reason)
        else:
            asked.account.bar(reason)
            self.on_returned(asked)

    def take_back(self, queue: CallQueue, asked: Assignment, reason: str) -> None:
        """A worker could not read what it was asked, and did not begin it."""
        queue.sent.lost_all()
        if isinstance(asked, Task):
            asked.account.away -= 1
        self.turn_away(asked, reason)

    def take_unread(self, queue: CallQueue, message: Message) -> None:
        """A worker says that it cannot read what it was asked first, of which it has started nothing."""
        if (asked := queue.answered()) is not None:
            self.take_back(queue, asked, f"a worker process cannot read its arguments: {message.text}")

    # What another worker gets

    def hand_on(self, queue: CallQueue, asked: Assignment | None) -> None:
        """Give what a worker has not begun, and will not, to the next that has room."""
        queue.sent.lost_all()
        if isinstance(asked, Inquiry):
            self.looks.appendleft(asked)
        elif asked is not None:
            asked.account.away -= 1
            self.backlog.put_back(asked)

    # What has been begun

    def take(self, queue: CallQueue, message: Message) -> None:
        """Hand over what a worker says of what it was asked first."""
        asked = queue.assignments[0]
        if asked is None:
            queue.ended()
            return
        answer, error = read_answer(message, asked)  # before it is taken from there: it may fail
        queue.ended()
        if error is None and answer is None:
            self.hand_on(queue, asked)
        elif isinstance(asked, Inquiry):
            self._on_looked(asked.account, reason_of(error) if error else answer)
        elif error is None and answer.unloadable:
            self.take_back(queue, asked, answer.unloadable)
        else:
            asked.account.away -= 1
            settle_call(asked, answer, error)
            self.on_ended(asked)

    def settle(self, queue: CallQueue, code: int | None, cause: BaseException | None = None) -> None:
        """A worker is gone, of that cause: report what died with it, and hand on what it had not begun."""
        begun, unbegun = queue.fallen()  # not before: until it was killed it may have gone on
        reading = 0 if queue.dropped else queue.worker.page.reading
        for asked in reversed(unbegun):
            if isinstance(asked, Task) and asked.number == reading - 1:
                reason = f"reading its arguments ends a worker process (exit code {code})"
                self.take_back(queue, asked, reason)
            else:
                self.hand_on(queue, asked)
        for place, asked in enumerate(begun, 1):
            if isinstance(asked, Inquiry) and queue.dropped:
                self.hand_on(queue, asked)
            elif isinstance(asked, Inquiry):
                self.turn_away(asked, f"loading it ends a worker process (exit code {code})")
            elif asked is not None:
                kind = WorkerDiedError if place == len(begun) else ResultLostError
                self._bury(asked, kind(asked.number, asked.shown(), queue.worker.pid, code), cause)

    def _bury(self, task: Task, error: WorkerDiedError, cause: BaseException | None) -> None:
        error.__cause__ = cause
        task.account.away -= 1
        settle_lost(task, error)
        self.on_ended(task)
