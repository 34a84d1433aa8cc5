# What this project uses of cloudpickle, which ships no types.

import pickle
from collections import ChainMap
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

class _Writable(Protocol):
    def write(self, data: bytes, /) -> object: ...

class Pickler(pickle.Pickler):
    dispatch_table: ChainMap[Any, Any]  # pyright: ignore[reportIncompatibleVariableOverride] - it narrows pickle's
    def __init__(
        self,
        file: _Writable,
        protocol: int | None = None,
        buffer_callback: Callable[[pickle.PickleBuffer], object] | None = None,
    ) -> None: ...

def register_pickle_by_value(module: ModuleType) -> None: ...
def dumps(
    obj: object,
    protocol: int | None = None,
    buffer_callback: Callable[[pickle.PickleBuffer], object] | None = None,
) -> bytes: ...
