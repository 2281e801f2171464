"""The console, what a run has to do in words, and the bars of runs and checks."""

from __future__ import annotations

import threading
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
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.text import Text

from harness.base.text import printable
from harness.runner.workload import Progress as RunProgress

if TYPE_CHECKING:
    from harness.runner.workload import Workload


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


def workload_lines(name: str, work: Workload) -> str:
    """What a run has to do, on a line for each of its parts."""
    bound = "up to " if work.at_most else ""
    memory = work.memory
    size = f"{memory / 1e9:.2g} GB" if memory >= 1e9 else f"{memory / 1e6:.0f} MB"
    lines = [
        name,
        f"  scenarios: {work.scenarios:,}",
        f"  tasks: {bound}{work.tasks:,}",
        f"  trials: {bound}{work.trials:,}",
        f"  outcomes: {work.outcomes:,}" if work.outcomes else "",
        f"  rows: at most {work.cells:,} of cells, {work.summary:,} of the summary",
        f"  memory: about {size}",
    ]
    return "\n".join(line for line in lines if line)


class ProgressLines(RunProgress):
    """The progress of one experiment as lines: what was found of a former run.

    Args:
        name: of the experiment.
        say: shows a line.
    """

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self._name, self._say = name, say

    def begun(self, program: str) -> None:
        self._say(
            f"{self._name}: another version of the program began this run ({program}); what both "
            "compute alike is taken from there, and the rest is computed anew"
        )

    def damaged(self, records: int) -> None:
        many = "1 record" if records == 1 else f"{records:,} records"
        were = "was damaged and is" if records == 1 else "were damaged and are"
        self._say(f"{self._name}: {many} of the journal {were} computed anew")

    def found(self, recorded: int, parts: int) -> None:
        if 0 < recorded < parts:
            share = 100 * recorded // parts
            self._say(
                f"{self._name} goes on at {share} %: {recorded:,} of {parts:,} parts are recorded"
            )


class _TrialsPerSecond(ProgressColumn):
    """The speed in millions of trials per second."""

    def render(self, task: Task) -> Text:
        speed = f"{task.speed / 1e6:.1f} M/s" if task.speed else ""
        return Text(speed, style="progress.data.speed")


class ProgressBar(ProgressLines):
    """The progress bar of one experiment, with lines above it."""

    def __init__(self, progress: Progress, name: str) -> None:
        super().__init__(name, lambda line: progress.console.print(escape_markup(line)))
        self._progress = progress
        self._expected = 0
        self._task = progress.add_task(escape_markup(name), total=0)

    def expect(self, trials: int) -> None:
        self._expected += trials
        self._progress.update(self._task, total=self._expected)

    def advance(self, trials: int) -> None:
        self._progress.advance(self._task, trials)


class _Doing(ProgressColumn):
    """What is being done, in words that are asked for whenever the bar is drawn."""

    def __init__(self, doing: Callable[[], str]) -> None:
        super().__init__()
        self._doing = doing

    def render(self, task: Task) -> Text:
        return Text(printable(self._doing()), overflow="ellipsis", no_wrap=True)


QUICK = 1.0
"""What takes so many seconds shows no bar."""


@contextmanager
def _begun(progress: Progress, after: float = QUICK) -> Iterator[None]:
    """Show bars from so many seconds on until the context exits."""
    timer = threading.Timer(after, progress.start)
    timer.daemon = True
    if after > 0:
        timer.start()
    else:
        progress.start()
    try:
        yield
    finally:
        timer.cancel()
        if timer.is_alive():
            timer.join()
        progress.stop()


@contextmanager
def work_bar(console: Console, doing: Callable[[], str], after: float = QUICK) -> Iterator[None]:
    """Show a bar of a computation whose end is not known until the context exits.

    Args:
        console: where the bar is shown.
        doing: says what is being done.
        after: the seconds after which it appears.
    """
    columns = (_Doing(doing), BarColumn(bar_width=16), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True)
    progress.add_task("", total=None)
    with _begun(progress, after):
        yield


@contextmanager
def progress_bar(console: Console, name: str, after: float = QUICK) -> Iterator[ProgressBar]:
    """Show a bar until the context exits, with the time that is left.

    Args:
        console: where the bar is shown.
        name: of the experiment.
        after: the seconds after which it appears.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} trials"),
        _TrialsPerSecond(),
        TimeRemainingColumn(),
    )
    progress = Progress(*columns, console=console, transient=True)
    with _begun(progress, after):
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
    progress = Progress(*columns, console=console, transient=True, speed_estimate_period=_PERIOD)
    with _begun(progress):
        task = progress.add_task(_description(methods, 0), total=len(methods))

        def tell(number: int, done: float) -> None:
            progress.update(
                task, completed=number + done, description=_description(methods, number)
            )

        yield tell


def _description(methods: Sequence[str], number: int) -> str:
    place = f" ({number + 1} of {len(methods)})" if len(methods) > 1 else ""
    return escape_markup(f"checking {methods[number]}{place}")
