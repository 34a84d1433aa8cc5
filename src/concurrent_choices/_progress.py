"""The progress display: done and total, rate, time left, and what is running."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from ._errors import MissingExtraError
from ._facts._batch import Batch
from ._work._job import Job

__all__ = ["Display"]


class Display:
    """A context that shows, on standard error, the batches it is told of."""

    def __init__(self, job: Job, strategy: str) -> None:
        self._job = job
        self._strategy = strategy
        self._bar = _new_bar(self._words)
        self._task = self._bar.add_task("", total=job.source.length)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._bar.stop()

    def __call__(self, batch: Batch) -> None:
        """Show that a batch has arrived."""
        self._bar.update(self._task, advance=len(batch.values))

    def _words(self) -> str:
        """What runs, and how; under `auto`, who works now."""
        doing = getattr(self._job.report, "doing", "")
        return f"{self._job.name} · {self._strategy}{': ' if doing else ''}{doing}"


class _Terminal:
    """Standard error, while somebody reads it: whoever closes a terminal must not lose the results."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        """Write, or do without."""
        with suppress(Exception):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush, or do without."""
        with suppress(Exception):
            self._file.flush()


def _new_bar(words: Callable[[], str]) -> Any:
    try:
        from rich.console import Console  # noqa: PLC0415 - an extra
        from rich.progress import (  # noqa: PLC0415 - an extra
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("progress=True", "progress") from error

    class _Words(ProgressColumn):
        """What runs, and how, as of now: it may be long until the first item is done."""

        def render(self, task: Any) -> Text:  # noqa: ARG002 - rich's
            return Text(words())

    class _Rate(ProgressColumn):
        """Items a second."""

        def render(self, task: Any) -> str:
            return f"{task.speed:.0f}/s" if task.speed else ""

    shown = getattr(sys.stderr, "rich_proxied_file", sys.stderr)  # another display may have taken its place
    terminal: Any = None if shown is None else _Terminal(shown)
    return Progress(
        _Words(),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(file=terminal, stderr=True),
    )
