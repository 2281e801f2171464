"""What a command shows of a run that has ended: its figures, its tables in short, its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import NOT_CONCLUDED, FigureError, HarnessError, MethodError, WriteError
from harness.commands.ending import print_error, shown

if TYPE_CHECKING:
    from harness.config.form import AnyExperiment
    from harness.runner.parallel import Progress
    from harness.tables.results import Results


def finish(
    written: Results,
    experiment: AnyExperiment,
    path: Path,
    quiet: bool,
    report: bool = False,
    verbose: bool = False,
) -> int:
    """Draw the figures of a run, print its results, and return its exit code.

    Args:
        written: the results, in their folder.
        experiment: what was run.
        path: the folder, as it is to be shown.
        quiet: whether to print nothing but errors.
        report: whether to write the page of the results.
        verbose: whether to print all tables.
    """
    from harness.commands.output import show_uncut
    from harness.commands.report import write_report
    from harness.kinds.catalogue import kind_of_experiment
    from harness.runner.write import write_figures_asked_for
    from harness.screen.console import escape_markup

    drawn: list[Path] = []
    figure_fault: FigureError | WriteError | None = None
    try:
        if written.path is not None:
            drawn = write_figures_asked_for(written, experiment, written.path)
    except (FigureError, WriteError) as fault:
        # The tables are good without figures.
        figure_fault = fault
    page = write_report(written.path, path) if report and written.path is not None else None
    results = replace(written, path=path)
    kind = kind_of_experiment(experiment)
    if not quiet:
        lines = [_figures_line(drawn, experiment, path)] if drawn else []
        lines += [] if page is None else [escape_markup(f"The page of the results is {page}")]
        show_uncut(*kind.screen(results, verbose), *lines)
    if figure_fault is not None:
        print_error(f"{experiment.name}: {figure_fault}")
    if not quiet:
        for sentence in kind.remarks(results.manifest):
            print_error(f"{experiment.name}: {sentence}")
    failed = list(kind.failures(results.manifest))
    for sentence in failed:
        print_error(f"{experiment.name}: {sentence}")
    if not kind.agrees(results.manifest):
        print_error(f"{experiment.name}: the engines disagree")
        return HarnessError.exit_code
    if figure_fault is not None:
        return figure_fault.exit_code
    if failed:
        return MethodError.exit_code
    unanswered = list(kind.unanswered(results))
    for sentence in unanswered:
        print_error(f"{experiment.name}: {sentence}")
    return NOT_CONCLUDED if unanswered else 0


def _figures_line(drawn: Sequence[Path], experiment: AnyExperiment, path: Path) -> str:
    """How many figures there are, and how to choose others."""
    from harness.screen.console import escape_markup

    many = "1 figure" if len(drawn) == 1 else f"{len(drawn)} figures"
    chosen = ""
    if experiment.figures_are_suggested:
        chosen = ", chosen since the config has no key figures (`figures: []` draws none)"
        named = [figure.options.get("methods") for figure in experiment.figures]
        if few := next((len(each) for each in named if each), 0):
            chosen += f"; some show the first {few} methods only"
    others = f"others: `python -m harness plot {path} --kind KIND`"
    return escape_markup(f"{many} in {path / 'figures'}{chosen}; {others}")


def progress_of(name: str, quiet: bool) -> AbstractContextManager[Progress]:
    """Show progress on standard error unless ``quiet``: a bar, or lines if it is no terminal."""
    from harness.runner.parallel import Progress
    from harness.screen.console import ProgressLines, progress_bar

    otherwise = Progress() if quiet else ProgressLines(name, print_error)
    return shown(partial(progress_bar, name=name), quiet, otherwise=otherwise)
