"""The progress bar of checks: the method, the fraction that is done and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from harness.screen.records import escape_markup

_PERIOD = 600.0
"""Seconds over which the speed is estimated, since the steps of a check take unequally long."""


@contextmanager
def check_bar(console: Console, methods: Sequence[str]) -> Iterator[Callable[[int, float], None]]:
    """Show a bar until the context exits; what is yielded is told how far which method is.

    Args:
        console: where the bar is shown.
        methods: the names of what is checked, in this order.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, speed_estimate_period=_PERIOD
    ) as progress:
        task = progress.add_task(_description(methods, 0), total=len(methods))

        def tell(number: int, done: float) -> None:
            progress.update(
                task, completed=number + done, description=_description(methods, number)
            )

        yield tell


def _description(methods: Sequence[str], number: int) -> str:
    place = f" ({number + 1} of {len(methods)})" if len(methods) > 1 else ""
    return escape_markup(f"checking {methods[number]}{place}")
