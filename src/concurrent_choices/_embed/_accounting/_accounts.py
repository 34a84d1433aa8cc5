"""The accounts of an executor, by what stays the same of a callable from call to call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from ..._inspect._callables import is_async, name_of
from ..._inspect._ownership import recognise_program
from ._account import Account
from ._identity import Number, identity_of, number_of, unwrapped

__all__ = ["Accounts"]

KEPT = 1024
"""Callables remembered; beyond, the quarter that came first is forgotten (guessed: a megabyte)."""

COROUTINE = "it is an async def, whose coroutine belongs to this process"


class Accounts:
    """Finds the account of a callable.

    Args:
        open_account: Makes one, from a name, an identity, and why its calls belong here, or nothing.
    """

    def __init__(self, open_account: Callable[[str, tuple[object, ...], str], Account]) -> None:
        self._open = open_account
        self._known: dict[Number, Account] = {}

    def of(self, fn: Callable[..., Any]) -> Account:
        """The account of a callable; a new one where it has none."""
        # A plain function's number, without the calls that work out any other's.
        if type(fn) is FunctionType and not (fn.__closure__ and hasattr(fn, "__wrapped__")):
            account = self._known.get(id(fn.__code__))
        else:
            account = self._known.get(number_of(identity_of(fn)))
        return account if account is not None else self._enter(fn)

    def __iter__(self) -> Iterator[Account]:
        return iter(list(self._known.values()))

    def _enter(self, fn: Callable[..., Any]) -> Account:
        if len(self._known) >= KEPT:
            self._forget()
        recognise_program(fn)
        called, _, _ = unwrapped(fn, (), {})
        identity = identity_of(fn)
        account = self._open(name_of(called), identity, COROUTINE if is_async(called) else "")
        # Two threads may open one for the same callable: the first is kept.
        return self._known.setdefault(number_of(identity), account)

    def _forget(self) -> None:
        """Forget the quarter that was entered first, apart from what runs."""
        for number, account in list(self._known.items())[: KEPT // 4]:
            if not (account.running or account.away):
                self._known.pop(number, None)
