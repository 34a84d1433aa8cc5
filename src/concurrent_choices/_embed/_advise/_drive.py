"""Driving an application with requests to get advice on its endpoints."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from attrs import frozen

from ..._errors import InvalidArgumentError
from ..._inspect._words import safe_repr
from .._advisor._advice import AdviceTable
from .._advisor._middleware import EndpointAdvisor
from .._advisor._rules import FEW
from ._exchange import Answer, Request, exchange, lifespan
from ._watch import GRACE, StuckError, Watch

__all__ = ["AT_ONCE", "PATIENCE", "TIMES", "Drive", "check_drive", "drive"]

TIMES = 20
"""How often each request is made (guessed: enough looks at a handler that takes some milliseconds)."""

AT_ONCE = 4
"""How many of a kind are made at once, so that what blocks makes others wait."""

PATIENCE = 30.0
"""Seconds an answer may take (as many as most proxies wait)."""

LEFT_RUNNING = "something that the application began does not end, though told to: it is left behind"

REFUSED = 400
"""Status from which a request was refused, often before it came to its handler."""


@frozen
class Drive:
    """What came of driving an application.

    Attributes:
        advice: What is to be said of its endpoints.
        troubles: A sentence for each request that was not answered as it should be, and for an end that
            failed.
        answered: How many times the application answered rather than raised, be it with a refusal.
        unending: Whether it left something running, which the interpreter would wait for at its end.
    """

    advice: AdviceTable
    troubles: tuple[str, ...]
    answered: int
    unending: bool


def drive(app: Any, asked: Sequence[Request], *, times: int, at_once: int, timeout: float) -> Drive:
    """Start an ASGI application, and make each request so many times, `at_once` of a kind at once.

    No server and no socket is involved: the application is called in this process, its lifespan around it.
    An answer may take the seconds of `timeout`, and so may its start-up and its end. What holds the loop for
    longer is broken off, where this is the main thread.

    Raises:
        InvalidArgumentError: There is no request to make, or a number is not above 0.
        Exception: What the application's start-up raised.
    """
    check_drive(asked, times=times, at_once=at_once, timeout=timeout)
    advisor, watch = EndpointAdvisor(app, on_shutdown=None), Watch(timeout, at_once)
    client = _Client(advisor, times, at_once, timeout)
    ending: list[str] = []
    before = set(threading.enumerate())
    with watch.watching(), _closed(asyncio.Runner(), watch, ending) as runner:
        answers = runner.run(client.answers(asked, ending, watch))
    late = any(isinstance(answer.error, TimeoutError) for answer in chain.from_iterable(answers))
    if late and LEFT_RUNNING not in ending and _lingering(set(threading.enumerate()) - before):
        ending.append(LEFT_RUNNING)
    troubles = [_trouble(request, each) for request, each in zip(asked, answers, strict=True)]
    return Drive(
        advisor.advice(),
        (*filter(None, troubles), *ending),
        sum(answer.error is None for answer in chain.from_iterable(answers)),
        LEFT_RUNNING in ending,
    )


def check_drive(asked: Sequence[Request], *, times: int, at_once: int, timeout: float) -> None:
    """Refuse what `drive` cannot work with, before anything is said or begun.

    Raises:
        InvalidArgumentError: There is no request to make, or a number is not above 0.
    """
    if not asked:
        problem = "must be named, such as /orders/7: no OpenAPI description names any with these methods"
        raise InvalidArgumentError("requests", problem)
    for name, value in (("times", times), ("at_once", at_once), ("timeout", timeout)):
        if not value > 0:
            raise InvalidArgumentError(name, f"must be above 0, not {value}")


@contextmanager
def _closed(runner: asyncio.Runner, watch: Watch, troubles: list[str]) -> Generator[asyncio.Runner]:
    """A runner that is closed, unless what runs in it does not end; at once where that was interrupted."""
    try:
        yield runner
    except KeyboardInterrupt:
        watch.hurry()
        raise
    finally:
        try:
            runner.close()
        except StuckError:
            troubles.append(LEFT_RUNNING)


def _lingering(threads: set[threading.Thread]) -> bool:
    """Whether one of those that the interpreter would wait for does not end by itself."""
    awaited = [thread for thread in threads if not thread.daemon]
    for thread in awaited:
        thread.join(GRACE / len(awaited))
    return any(thread.is_alive() for thread in awaited)


@frozen
class _Client:
    """Makes each request so many times, some at once, and waits for each answer for a number of seconds."""

    app: Any
    times: int
    at_once: int
    patience: float

    async def answers(
        self, asked: Sequence[Request], troubles: list[str], watch: Watch
    ) -> list[list[Answer]]:
        """The answers to each request; `troubles` is told of an end that failed."""
        asyncio.get_running_loop().set_exception_handler(_complain)
        beating = asyncio.ensure_future(watch.beat())
        answers: list[list[Answer]] = []
        async with lifespan(self.app, self.patience, troubles) as state:
            for request in asked:
                turns = [range(lane, self.times, self.at_once) for lane in range(self.at_once)]
                lanes = await asyncio.gather(*(self._lane(request, state, each) for each in turns))
                answers.append(list(chain.from_iterable(lanes)))
        beating.cancel()
        return answers

    async def _lane(self, request: Request, state: Any, turns: range) -> list[Answer]:
        """The answers to a request that is made once in each of these turns, one after the other."""
        answers: list[Answer] = []
        for _ in turns:
            answers.append(await exchange(self.app, request, state, self.patience))
            if isinstance(answers[-1].error, StuckError) and len(answers) * turns.step >= FEW:
                break  # enough is known by now, and each more would take as long
        return answers


def _complain(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """As loops do by themselves, except of what ends programs: of that it is said elsewhere."""
    if not isinstance(context.get("exception"), (KeyboardInterrupt, SystemExit)):
        loop.default_exception_handler(context)


def _trouble(request: Request, answers: Sequence[Answer]) -> str:
    """What was wrong with the answers to a request; empty where nothing was."""
    wrong = Counter(_wrong(answer) for answer in answers)
    del wrong[""]
    if not wrong:
        return ""
    found = ", ".join(f"{what} ({count} of {len(answers)})" for what, count in wrong.most_common())
    return f"{request} {found}"


def _wrong(answer: Answer) -> str:
    if isinstance(answer.error, TimeoutError):
        return "was not answered in time"
    if answer.error is not None:
        return f"raised {safe_repr(answer.error)}"
    if not answer.status:
        return "was not answered"
    return f"was refused with status {answer.status}" if answer.status >= REFUSED else ""
