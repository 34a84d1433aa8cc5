"""What results weigh, about."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from io import BytesIO
from types import SimpleNamespace

import pytest

from concurrent_choices._work._weight import weight_of

BODY = b"x" * 100_000


@dataclass(slots=True)
class Page:
    """A result with slots."""

    url: str
    body: bytes


class Table:
    """An array, as far as it tells."""

    nbytes = 100_000


class Sealed:
    """Something that answers nothing."""

    @property
    def nbytes(self) -> int:
        """What it raises instead."""
        raise LookupError

    def __sizeof__(self) -> int:
        raise LookupError


class Lazy(list):
    """A list that asks a database for its length."""

    def __len__(self) -> int:
        raise LookupError


def written(content: bytes) -> BytesIO:
    """A file in memory."""
    file = BytesIO()
    file.write(content)
    return file


def round_about() -> object:
    """Something that holds itself."""
    one = SimpleNamespace(body=BODY)
    one.me = one
    return one


@pytest.mark.parametrize(
    "value",
    [
        BODY,
        bytearray(BODY),
        written(BODY),
        memoryview(BODY),
        ("url", 200, BODY),
        {"url": "", "body": BODY},
        [b"x" * 1000] * 1 + [b"x" * 1000 for _ in range(99)],
        [{"row": "x" * 1000} for _ in range(100)],
        Lazy([BODY]),
        deque([BODY]),
        Page("url", BODY),
        SimpleNamespace(table=Table()),
        round_about(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_much_weighs_it(value):
    """Wherever it is, and once."""
    assert 90_000 < weight_of(value) < 130_000


@pytest.mark.parametrize(
    "value",
    [0, None, "", (), [], {}, set(), len, SimpleNamespace, pytest, Sealed()],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_little(value):
    """Nor does what all of a program's results share, such as a class."""
    assert weight_of(value) < 1000


def test_what_another_holds_too_is_shared():
    """It takes no more memory than it did; what is equal only does."""
    model = SimpleNamespace(table=Table(), body=BODY)
    assert weight_of(SimpleNamespace(model=model), SimpleNamespace(model=model)) < 1000
    assert weight_of((1, BODY), [2, BODY]) < 1000
    assert weight_of((1, bytearray(BODY)), (1, bytearray(BODY))) > 90_000


def test_a_large_graph_is_not_walked():
    """A few of its things are looked at."""
    looked = []

    class Counted:
        @property
        def nbytes(self) -> int:
            looked.append(self)
            return 1

    weight_of([[[Counted() for _ in range(10)] for _ in range(10)] for _ in range(10)])
    assert len(looked) < 20
