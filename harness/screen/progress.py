"""A progress bar: trials done, rate and time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Rate(ProgressColumn):
    """Million trials a second."""

    def render(self, task: Task) -> Text:
        speed = f"{task.speed / 1e6:.1f} M/s" if task.speed else ""
        return Text(speed, style="progress.data.speed")


class Bar:
    """The bar of one experiment."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def expect(self, trials: int) -> None:
        self._progress.update(self._task, total=trials)

    def advance(self, trials: int) -> None:
        self._progress.advance(self._task, trials)


@contextmanager
def bar(console: Console, name: str) -> Iterator[Bar]:
    """A bar that goes away when the experiment is done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} trials"),
        _Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield Bar(progress, progress.add_task(name, total=0))
