"""A worker process: performs batches until its caller goes away.

Nothing slow may be imported here: the first result of a cold run waits for it.
"""

from __future__ import annotations

import faulthandler
import os
import select
import sys
import time
from _socket import socket
from contextvars import copy_context
from itertools import pairwise

from ...._facts._batch import Batch, Claim
from ...._facts._lean import TYPE_CHECKING
from ...._inspect._words import reason_of, unfit_for
from ...._runtime._contexts import lanes_around
from ...._transfer._pickling import Performed, load
from ...._work._perform import Performer
from .._between._loading import read
from .._between._outcome import Scrutiny, pack_outcome
from .._between._page import A_JOB, CANCELLED, SINCE, STARTED, Page
from .._between._surroundings import adopt
from .._between._wire import Kind, Link, Message, Terms
from ._voice import Voice, flush_output

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._watch import Watch

__all__ = ["main", "serve", "settle"]


def main() -> None:
    """The fresh interpreter's entry: the descriptors are on the command line."""
    wire, page, lifeline = settle()
    serve(Link(socket(fileno=wire)), Page(page), lifeline)


def settle() -> list[int]:
    """Make a fresh interpreter ready to be a worker; the descriptors that its command line names."""
    ours = [int(word) for word in sys.argv[1:]]
    _close_all_but(ours)
    _complete_builtins()
    _have_programs_run_site()
    if sys.stderr is not None:
        faulthandler.enable()  # a crash in C says where, which its exit code does not
    return ours


def _close_all_but(ours: list[int]) -> None:
    """Close what was inherited by accident: somebody may be waiting for its last copy to be closed."""
    try:
        there = [int(name) for name in os.listdir("/dev/fd")]  # noqa: PTH208 - pathlib costs a worker's start 5 ms
    except OSError:  # no /proc is mounted here, so nobody can say which there are
        kept = [2, *sorted(ours), os.sysconf("SC_OPEN_MAX")]
        for low, high in pairwise(kept):
            os.closerange(low + 1, high)
        return
    for descriptor in there:
        if descriptor > 2 and descriptor not in ours and _is_inherited(descriptor):  # noqa: PLR2004 - those are the standard streams
            os.close(descriptor)


def _is_inherited(descriptor: int) -> bool:
    """Whether another program left it here; the interpreter's own, as for `-X perf`, are not to be left."""
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # the one that read the folder
        return False


def _complete_builtins() -> None:
    """What `site` would have added; running it whole takes longer than all the rest of a start."""
    import _sitebuiltins  # noqa: PLC0415 - needed here alone
    import builtins  # noqa: PLC0415 - as above

    for name in ("exit", "quit"):
        # In its words: who names them would stay where they are, were they another value here than there.
        setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))


def _have_programs_run_site() -> None:
    """Hide that this interpreter has not: joblib would start its own in the same way, without packages."""
    __import__("site")  # as it asks this flag then: whoever imported it later would run it whole
    module: Any = sys
    # From CPython 3.14 on the interpreter sets one of its own later, and crashes if they are of another type.
    anew: Any = getattr(sys.flags, "__replace__", None)
    module.flags = anew(no_site=0) if anew else _Flags(sys.flags)


class _Flags:
    """`sys.flags`, but for one of them; for CPython up to 3.12, whose own cannot be replaced."""

    no_site = 0

    def __init__(self, flags: Any) -> None:
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags, name)

    def __getitem__(self, place: int) -> Any:
        return self._flags[place]


def serve(link: Link, page: Page, lifeline: int) -> None:
    """Serve one caller to its end, then exit."""
    for descriptor in (link.fileno(), page.descriptor, lifeline):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - that is its name there; programs that items start have no use for them
    _die_with_caller(lifeline)
    code = 0
    try:
        _Server(link, page).run()
    except (EOFError, ConnectionError):
        pass  # the caller is gone, or done with us
    except SystemExit:
        code = 1
    except BaseException as error:  # noqa: BLE001 - said here, or nobody would ever know: the process ends below
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    finally:
        flush_output()
        os._exit(code)


def _die_with_caller(lifeline: int) -> None:
    """Have the kernel kill this process when the other end of `lifeline` closes, however that comes about.

    Even C code that holds the GIL is ended: the signal's default action is the kernel's. Where
    descriptors cannot send signals, a worker notices at its next message.
    """
    import fcntl  # noqa: PLC0415 - not on every platform

    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, 9)
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
        poll = select.poll()
        poll.register(lifeline, select.POLLIN)
        if poll.poll(0):  # it went before we listened
            os._exit(1)


class _Server:
    def __init__(self, link: Link, page: Page) -> None:
        self._link = link
        self._voice = Voice(link)
        self._page = page
        self._perform: Any = self._unprepared
        self._fn: Callable[..., Any] | None = None
        self._unfit = b""
        self._told: dict[str, Any] = {}
        self._carries = False
        self._number = 0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._let_go)

    def run(self) -> None:
        """Answer messages until there is nobody to answer."""
        while True:
            for message in self._link.receive():
                self._handle(message)

    def _let_go(self) -> None:
        """In a fork that a call has made: where that comes out of its call, it ends.

        It would tell what came of the item once more, and go on with others.
        """
        self._voice.muted = True
        self._page.detach()
        self._page.cancelled = self._number

    def _handle(self, message: Message) -> None:
        if message.kind == Kind.BATCH:
            self._perform(message)
        elif message.kind == Kind.JOB:
            self._fn = None
            self._take_job(message)
        elif message.kind == Kind.GO_ON:
            self._go_on(message)
        elif message.kind == Kind.HELLO:
            self._end_job()
            self._settle_in(message)
        elif message.kind == Kind.AUDIT:
            self._perform.audit()
        elif message.kind == Kind.CEASE and self._perform != self._unprepared:
            self._perform.cease()

    def _settle_in(self, message: Message) -> None:
        """Take over the caller's surroundings, run an initializer, and say that all is well."""
        what = "taking over the caller's surroundings"
        try:
            surroundings = load(message.frames[:1])
            adopt(surroundings, self._told)
            if surroundings["logging"] and not self._carries:
                from ._records import carry  # noqa: PLC0415 - only where the caller has set logging up

                carry(self._voice)
                self._carries = True
            self._told = surroundings
            what = "initializer"
            if len(message.frames) > 1:
                initializer, arguments = read(message.frames[1:])
                from ...._transfer._prepared import prepare  # noqa: PLC0415 - only where there is one

                prepare(initializer, arguments)
        except BaseException as error:
            self._voice.say(Kind.READY, 0, 0, [f"{what} raised {reason_of(error)}".encode()])
            raise EOFError from error
        self._voice.say(Kind.READY, 0, 0, [b""])

    def _take_job(self, message: Message, fn: Callable[..., Any] | None = None) -> None:
        self._end_job()
        self._number = message.job
        try:
            terms = self._page.read(A_JOB, message.frames)
            self._fn = terms.fn if fn is None else fn
            Performed.fn = self._fn
            self._perform = self._performing(terms._replace(fn=self._fn), message.job)
        except Exception as error:  # noqa: BLE001 - told to the caller, who raises it
            self._unfit = unfit_for(error).encode()
            self._voice.say(Kind.UNFIT, message.job, 0, [self._unfit])

    def _go_on(self, message: Message) -> None:
        """Take a job whose callable came with the last one, if that could be loaded."""
        if self._fn is None:
            self._voice.say(Kind.UNFIT, message.job, 0, [self._unfit])
        else:
            self._take_job(message, self._fn)

    def _end_job(self) -> None:
        """Let go of the last job, before what belongs to the next is told."""
        end = getattr(self._perform, "end", None)
        self._perform = self._unprepared
        if end is not None:
            end()

    def _performing(self, terms: Terms, number: int) -> Any:
        """What takes the batches of a job."""
        if terms.inner is not None:
            from ._inner_lanes import InnerLanes  # noqa: PLC0415 - only hybrids need lanes inside

            perform: Any = InnerLanes(terms, number, self._voice, self._page)
        else:
            perform = _Bench(terms, number, self._voice, self._page)
        if not terms.watched:
            return perform
        from ._watch import Watch  # noqa: PLC0415 - costs 5 ms; most callables hold nothing that can change

        return Watch(terms.fn, perform)

    def _unprepared(self, message: Message) -> None:
        """Items for a job that could not be loaded: nothing is started."""


def _performer(terms: Terms) -> Callable[..., Batch]:
    context = copy_context()
    context.run(lanes_around.set, terms.lanes)
    if not terms.is_async:
        return Performer(terms.fn, context, return_exceptions=terms.return_exceptions, quick=terms.quick)
    from ...._work._awaiter import Awaiter  # noqa: PLC0415 - only coroutines need asyncio

    return Awaiter(terms.fn, context, return_exceptions=terms.return_exceptions)


class _Bench:
    """Where one job's batches are performed, one after another.

    Attributes:
        performed: Items that have been, all together.
        looker: Who looks at the items of the next batch, before and after; None where nobody does.
    """

    def __init__(self, terms: Terms, number: int, voice: Voice, page: Page) -> None:
        self._number = number
        self._perform = _performer(terms)
        self._tolerant = terms.return_exceptions
        self._timed = terms.timeout is not None
        self._whole = terms.quick
        self._voice = voice
        self._page = page
        self._scrutiny = None if terms.quick else Scrutiny(terms.fn)
        self._started = 0
        self._spent = 0
        self.performed = 0
        self.looker: Watch | None = None
        page.clear()

    def __call__(self, message: Message) -> None:
        try:
            items = self._page.read(message.start + 1, message.frames)
        except Exception as error:  # noqa: BLE001 - told to the caller
            self.say(Kind.REFUSED, message.start, [reason_of(error).encode()])
            return
        claim = Claim(message.start, items)
        looker, self.looker = self.looker, None
        looks = looker.before(items, message.frames) if looker else None
        if self._whole:
            self._started += len(items) - 1
        began = time.monotonic_ns()
        self._page.worked = self._spent - began
        batch = self._perform(claim, self._mark)
        took = time.monotonic_ns() - (self._page.since or began)  # one that is timed began later
        self._spent += took
        self._page.worked = self._spent
        self._page.since = 0
        frames = pack_outcome(claim, batch, tolerant=self._tolerant, scrutiny=self._scrutiny)
        self.performed += len(batch.values)
        del batch, items, claim
        self._voice.say(Kind.DONE, message.job, message.start, frames, took)
        if looker and looks:
            looker.after(looks.values())

    def say(self, kind: int, start: int, frames: list[Any]) -> None:
        """Tell the caller something."""
        self._voice.say(kind, self._number, start, frames)

    def cease(self) -> None:
        """The caller leaves: end what this job's coroutines have left, and say so."""
        self.end()
        self.say(Kind.CEASED, 0, [b""])

    def end(self) -> None:
        """Another job takes this one's place: let go of the loops that this one's coroutines had."""
        stop = getattr(self._perform, "stop", None)
        if stop is not None:
            stop()

    def _mark(self) -> bool:
        self._started += 1
        numbers = self._page.numbers
        numbers[STARTED] = self._started
        if self._timed:
            numbers[SINCE] = time.monotonic_ns()
        return numbers[CANCELLED] != self._number
