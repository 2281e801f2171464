"""The progress bar of a run: trials done, trials per second and time left."""

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

from harness.screen.records import escape_markup


class _TrialsPerSecond(ProgressColumn):
    """The speed in millions of trials per second."""

    def render(self, task: Task) -> Text:
        speed = f"{task.speed / 1e6:.1f} M/s" if task.speed else ""
        return Text(speed, style="progress.data.speed")


class ProgressBar:
    """The progress bar of one experiment."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def expect(self, trials: int) -> None:
        self._progress.update(self._task, total=trials)

    def advance(self, trials: int) -> None:
        self._progress.advance(self._task, trials)


@contextmanager
def progress_bar(console: Console, name: str) -> Iterator[ProgressBar]:
    """Show a bar until the context exits."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} trials"),
        _TrialsPerSecond(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield ProgressBar(progress, progress.add_task(escape_markup(name), total=0))
