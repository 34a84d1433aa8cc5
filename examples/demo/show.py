"""What the person sees: a live progress display while it runs, and one table at the end."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from .race import fastest

WIDTH = 79  # a plain terminal's, where rich cannot ask one


def console():
    """A console that shows the whole table where output goes to a file or a pipe."""
    there = Console()
    return there if there.is_terminal else Console(width=WIDTH)


def progress(there, runs):
    """A live display of which run is on and how far the race has come."""
    display = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        console=there,
    )
    return display, display.add_task("starting the server", total=runs)


def table(finishes):
    """Everything in one table, the fastest of each workload marked."""
    best = fastest(finishes)
    shown = Table(title="Every strategy on real work", header_style="bold")
    shown.add_column("workload")
    shown.add_column("strategy")
    for name in ("seconds", "items/s", "x sequential"):
        shown.add_column(name, justify="right")
    shown.add_column("")
    for finish, following in zip(finishes, [*finishes[1:], None], strict=True):
        first = finish.strategy == finishes[0].strategy
        last = following is None or following.workload is not finish.workload
        shown.add_row(*_cells(finish, first), _remark(finish, best), end_section=last)
    return shown


def _cells(finish, first):
    name = f"{finish.workload.name} ({len(finish.workload.items)})" if first else ""
    figures = (f"{finish.seconds:.3f}", f"{finish.rate:,.0f}", f"{finish.speedup:.2f}")
    return name, finish.strategy, *(("-", "-", "-") if finish.fault else figures)


def _remark(finish, best):
    if finish.fault:
        return "[bold red]WRONG[/]"
    return "[bold green]fastest[/]" if finish in best else ""


def complain(there, finishes):
    """Say loudly which runs gave other results than the sequential one; answer how many."""
    wrong = [finish for finish in finishes if finish.fault]
    for finish in wrong:
        there.print(
            f"WRONG: {finish.workload.name} under {finish.strategy}: {finish.fault}",
            style="bold red",
            markup=False,
        )
    return len(wrong)
