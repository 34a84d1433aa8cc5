"""The progress display: done and total, rate, time left, and what is running."""

from __future__ import annotations

from typing import Any, Self

from ._errors import MissingExtraError
from ._facts._batch import Batch
from ._work._job import Job

__all__ = ["Display"]


class Display:
    """A context that shows, on standard error, the batches it is told of.

    Args:
        job: What is running.
        strategy: How.
    """

    def __init__(self, job: Job, strategy: str) -> None:
        self._job = job
        self._strategy = strategy
        self._bar = _new_bar()
        self._task = self._bar.add_task(self._words(), total=job.source.length)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._bar.stop()

    def __call__(self, batch: Batch) -> None:
        """Show that a batch has arrived."""
        self._bar.update(self._task, advance=len(batch.values), description=self._words())

    def _words(self) -> str:
        """What runs, and how; under `auto`, who works now."""
        doing = getattr(self._job.report, "doing", "")
        return f"{self._job.name} · {self._strategy}{': ' if doing else ''}{doing}"


def _new_bar() -> Any:
    try:
        from rich.console import Console  # noqa: PLC0415 - an extra
        from rich.progress import (  # noqa: PLC0415 - an extra
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
    except ImportError as error:
        raise MissingExtraError("progress=True", "progress") from error

    class _Rate(ProgressColumn):
        """Items a second."""

        def render(self, task: Any) -> str:
            return f"{task.speed:.0f}/s" if task.speed else ""

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
