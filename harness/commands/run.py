"""``run``: run the experiments of configs and write their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.commands.exit_codes import print_error
from harness.commands.signals import cleaning_up, on_terminal
from harness.errors import FigureError, HarnessError, MethodError, WriteError

if TYPE_CHECKING:
    from harness.config.experiment import AnyExperiment
    from harness.study.estimate import Estimate
    from harness.study.parallel import Progress
    from harness.tables.results import Results


def run(
    configs: Annotated[list[Path], typer.Argument(help="YAML files, or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder to write results under.")] = Path("results"),
    jobs: Annotated[
        int | None, typer.Option(help="Number of parallel tasks; -1 for one per core.")
    ] = None,
    backend: Annotated[str | None, typer.Option(help="threading, loky or dask.")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Override a key.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for each call of a user method.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute everything again; forget former runs.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    take_over: Annotated[
        bool,
        typer.Option("--take-over", help="Take over the lock of a dead run of another host."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what the runs will cost; run nothing.")
    ] = False,
) -> int:
    """Run experiments and write results/<name>/.

    All configs are checked before the first one starts. What does not fit into memory or takes
    more than a day is refused.
    """
    changes = [*(overrides or [])]
    if jobs is not None:
        changes.append(f"execution.jobs={jobs}")
    if backend is not None:
        changes.append(f"execution.backend={backend}")
    if timeout is not None:
        changes.append(f"execution.timeout={timeout}")
    # Imported before signals raise exceptions, which an import may swallow.
    import harness.api  # noqa: F401

    with cleaning_up():
        return _run_all(configs, changes, out, quiet, fresh, take_over, dry_run)


def _run_all(
    configs: Sequence[Path],
    changes: Sequence[str],
    out: Path,
    quiet: bool,
    fresh: bool,
    take_over: bool,
    dry_run: bool,
) -> int:
    """Run the experiments one after the other; return the exit code."""
    from harness.commands.output import say
    from harness.screen.estimate import estimate_line, estimate_lines
    from harness.study.estimate import WORTH_SAYING

    experiments = _load_checked(configs, changes, out, take_over)
    estimates = _estimates(experiments, dry_run)
    if dry_run:
        for experiment, found in zip(experiments, estimates, strict=True):
            say(estimate_lines(experiment.name, found))
        return 0
    for experiment, found in zip(experiments, estimates, strict=True):
        if found.seconds > WORTH_SAYING and not quiet:
            say(estimate_line(experiment.name, found), err=True)
    # A user function may change the working folder between one experiment and the next.
    place = out.absolute()
    codes = [
        _run_one(experiment, out, place, quiet, fresh, take_over) for experiment in experiments
    ]
    # A disagreement of the engines, or a figure that failed, weighs more than a failed method and
    # has the smaller code.
    return min((code for code in codes if code), default=0)


def _load_checked(
    configs: Sequence[Path], changes: Sequence[str], out: Path, take_over: bool
) -> list[AnyExperiment]:
    """Load the experiments, and check that each can be planned and written."""
    from harness.config.experiment import Experiment
    from harness.config.load import load_all
    from harness.study.columns import catalogue_sources, refuse_undrawn
    from harness.study.estimate import refuse_too_large
    from harness.study.run_folder import open_run_folder

    experiments = load_all(configs, changes)
    for experiment in experiments:
        if isinstance(experiment, Experiment):
            refuse_undrawn(experiment, catalogue_sources(experiment))
        refuse_too_large(experiment)
        with open_run_folder(experiment, out, take_over):
            # A folder that cannot be opened is refused before the first run starts.
            pass
    return experiments


def _estimates(experiments: Sequence[AnyExperiment], in_full: bool) -> list[Estimate]:
    """What each run is expected to cost; without the time of small runs, unless in full."""
    from harness.study.estimate import estimate

    return [estimate(experiment, measure_small=in_full) for experiment in experiments]


def _run_one(
    experiment: AnyExperiment, out: Path, place: Path, quiet: bool, fresh: bool, take_over: bool
) -> int:
    """Run one experiment, write it to the absolute ``place``, and return its exit code."""
    from harness.api import run_experiment
    from harness.commands.output import show_uncut
    from harness.config.experiment import Experiment
    from harness.screen.calibration_summary import calibration_screen
    from harness.screen.results import results_screen
    from harness.tables.manifest import (
        agrees,
        failed_methods,
        remarked_methods,
        unsteady_methods,
    )

    with _progress(experiment.name, quiet) as progress:
        written = run_experiment(
            experiment, place, progress, fresh=fresh, take_over=take_over, say=print_error
        )
        figure_fault = _draw(written, experiment)
    results = replace(written, path=out / experiment.name)
    screen = results_screen if isinstance(experiment, Experiment) else calibration_screen
    if not quiet:
        show_uncut(*screen(results))
    if figure_fault is not None:
        print_error(f"{experiment.name}: {figure_fault}")
    if not quiet:
        for sentence in remarked_methods(results.manifest):
            print_error(f"{experiment.name}: {sentence}")
    failed = [*failed_methods(results.manifest), *unsteady_methods(results.manifest)]
    for sentence in failed:
        print_error(f"{experiment.name}: {sentence}")
    if not agrees(results.manifest):
        print_error(f"{experiment.name}: the engines disagree")
        return HarnessError.exit_code
    if figure_fault is not None:
        return figure_fault.exit_code
    return MethodError.exit_code if failed else 0


def _draw(results: Results, experiment: AnyExperiment) -> FigureError | WriteError | None:
    """Draw the figures of a run; return what went wrong, for the tables are good without them."""
    from harness.study.write_results import write_figures_asked_for

    try:
        if results.path is not None:
            write_figures_asked_for(results, experiment, results.path)
    except (FigureError, WriteError) as fault:
        return fault
    return None


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[Progress]:
    """Show a progress bar on standard error if it is a terminal, unless ``quiet``."""
    from harness.commands.output import console
    from harness.study.parallel import NoProgress

    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield NoProgress()
        return
    from harness.screen.progress import progress_bar

    with on_terminal(progress_bar(screen, name)) as progress:
        yield progress
