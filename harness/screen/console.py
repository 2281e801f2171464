"""The console, what a run will cost in words, and the bars of runs and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.text import Text

from harness.base.text import printable

if TYPE_CHECKING:
    from harness.runner.estimate import Estimate


def escape_markup(text: str) -> str:
    """The text as rich prints it: its brackets are no markup, and it is ``printable``."""
    return escape(printable(text))


class PrintableConsole(Console):
    """A console that prints its own escape codes and those of no text.

    Texts are made printable before they are measured, by ``escape_markup``; here none is left out.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of something to be printed."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


_UNITS = ((86_400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


def estimate_lines(name: str, found: Estimate) -> str:
    """The cost of a run on a line for each of its parts."""
    return "\n".join(
        (
            name,
            f"  scenarios: {found.scenarios:,}",
            f"  tasks: {_bound(found)}{found.tasks:,}",
            f"  trials: {_bound(found)}{found.trials:,}",
            f"  rows: at most {found.cells:,} of cells, {found.summary:,} of the summary",
            f"  time: {_bound(found)}about {_time(found)}",
            f"  memory: about {_memory(found)}",
        )
    )


def estimate_line(name: str, found: Estimate) -> str:
    """The cost of a run on one line."""
    return (
        f"{name}: the run is expected to take {_bound(found)}about {_time(found)} and "
        f"{_memory(found)} of memory "
        f"(scenarios: {found.scenarios:,}, trials: {_bound(found)}{found.trials:,}, "
        f"rows of cells: {found.cells:,} at most)"
    )


def begun_line(name: str, program: str) -> str:
    """That another version of the program has begun a run, on one line."""
    return (
        f"{name}: another version of the program began this run ({program}); what both compute "
        "alike is taken from there, and the rest is computed anew"
    )


def goes_on_line(name: str, recorded: int, parts: int) -> str:
    """From where a run goes on, on one line."""
    share = 100 * recorded // parts
    return f"{name} goes on at {share} %: {recorded:,} of {parts:,} parts are recorded"


def _bound(found: Estimate) -> str:
    return "up to " if found.at_most else ""


def _time(found: Estimate) -> str:
    text = duration(found.seconds)
    return f"{text} without the user's functions" if found.without_user_functions else text


def _memory(found: Estimate) -> str:
    return f"{found.memory / 1e9:.2g} GB" if found.memory >= 1e9 else f"{found.memory / 1e6:.0f} MB"


def duration(seconds: float) -> str:
    """A time with two digits in the largest unit that it has one of: ``3.5 min``."""
    for length, unit in _UNITS:
        if seconds >= length:
            return f"{seconds / length:.2g} {unit}"
    return "1 s"


class _TrialsPerSecond(ProgressColumn):
    """The speed in millions of trials per second."""

    def render(self, task: Task) -> Text:
        speed = f"{task.speed / 1e6:.1f} M/s" if task.speed else ""
        return Text(speed, style="progress.data.speed")


class ProgressBar:
    """The progress bar of one experiment."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress, self._name = progress, name
        self._task = progress.add_task(escape_markup(name), total=0)

    def begun(self, program: str) -> None:
        self._progress.console.print(escape_markup(begun_line(self._name, program)))

    def found(self, recorded: int, parts: int) -> None:
        if 0 < recorded < parts:
            self._progress.console.print(escape_markup(goes_on_line(self._name, recorded, parts)))

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
        yield ProgressBar(progress, name)


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
