"""What the person sees: a live progress display while it runs, and one table at the end."""

from itertools import groupby

from rich import box
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

CLOSE = 1.05  # one run of each: a difference of 5 % is noise (guessed)
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
    shown = Table(title="Every strategy on real work", box=box.HORIZONTALS, collapse_padding=True)
    shown.add_column("workload", no_wrap=True)
    shown.add_column("strategy", no_wrap=True)
    for name in ("seconds", "items/s", "x sequential"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("", no_wrap=True)
    for workload, group in groupby(finishes, lambda finish: finish.workload):
        names = [f"{workload.name} ({len(workload.items)})"]
        for finish in (runs := list(group)):
            name = names.pop() if names else ""
            shown.add_row(name, finish.strategy, *_figures(finish), _remark(finish, fastest(runs)))
        shown.add_section()
    return shown


def _figures(finish):
    if finish.fault:
        return "-", "-", "-"
    return f"{finish.seconds:.3f}", f"{finish.rate:,.0f}", f"{finish.speedup:.2f}"


def _remark(finish, best):
    if finish.fault:
        return "[bold red]WRONG[/]"
    if finish is best:
        return "[bold green]fastest[/]"
    return "[green]close[/]" if finish.seconds <= CLOSE * best.seconds else ""


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
