"""Running an experiment: from its config to the tables and figures in a folder."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.arguments import validate_path
from harness.base.errors import ConfigError
from harness.base.frames import MOST_ROWS, html_table
from harness.config.experiment import AnyExperiment, Calibration
from harness.config.load import document_of, load_experiment
from harness.config.models.figures import figures_of_config
from harness.config.simulation import Simulation
from harness.config.validate import validate_figure
from harness.figures.kind import FigureSpec
from harness.study.calibrate import compute_calibration
from harness.study.estimate import estimate, refuse_too_large
from harness.study.journal.database import LARGEST_JOURNAL, Journal, opened
from harness.study.machine import memory_for
from harness.study.parallel import NoProgress, Progress
from harness.study.parts import PartFile, copy_parts, experiment_of, refuse_unmergeable
from harness.study.replay import drawn_again
from harness.study.run import compute
from harness.study.run_folder import FRESH_REPLACES, open_run_folder, refuse_other_experiment
from harness.study.simulate import compute_simulation
from harness.study.write_results import write_figures_asked_for, write_results
from harness.tables import results as stored
from harness.tables.results import Results, SimulationResults
from harness.tables.sheet import readable_sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(
    config: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = "results",
    overrides: Sequence[str] = (),
    fresh: bool = False,
    take_over: bool = False,
) -> Results:
    """Run the experiment of a config and write its results to ``out/<name>``.

    Finished trials and exact values are recorded in ``journal.sqlite`` of that folder. A later run
    computes only what is not recorded there.

    A user method may fail at some outcomes. The tables then count its failures, and
    ``manifest["failures"]`` has the reason.

    Args:
        config: the path of a YAML file, or a mapping with the same keys.
        out: the folder to write under; None keeps the results in memory only.
        overrides: ``key=value`` as with ``--set`` on the command line.
        fresh: whether to compute everything again, and begin a new journal; it also replaces
            results of another family, which are refused otherwise.
        take_over: whether to write to a folder that a process of another host has locked, which
            has ended without removing its lock.

    Returns:
        The data frames ``summary`` and ``cells``, the ``manifest`` and the ``path`` of the folder
        that they were written to; ``figures`` has the figures of the config by their names, and
        ``plot`` draws others.

    Raises:
        ConfigError: the config has errors; the message names all of them.
        InputError: the run does not fit into memory or takes more than a day, a user function
            cannot be loaded, the folder holds the results of another family, another
            process writes to the folder, or the results or the figures cannot be written.
        FigureError: a figure could not be drawn; the tables are written, and ``load`` reads them.

    Example:
        >>> config = {
        ...     "name": "wald_at_ten",
        ...     "family": "proportion",
        ...     "n": 10,
        ...     "methods": ["wald"],
        ...     "truth": {"values": [0.5]},
        ...     "engines": ["enumeration"],
        ... }
        >>> results = run(config, out=None)
        >>> round(results.summary["actual_alpha"][0], 6)
        0.109375
    """
    folder = None if out is None else validate_path("out", out, "the path of a folder, or None")
    experiment = load_experiment(config, overrides)
    refuse_too_large(experiment)
    estimate(experiment, measure_small=False)
    views = _Views(experiment.figures, experiment.figures_are_suggested)
    if folder is None:
        return replace(run_experiment(experiment, None, NoProgress()), views=views)
    # A user function may change the working folder; the results still go to where they were sent.
    given, place = folder / experiment.name, folder.absolute()
    results = run_experiment(experiment, place, NoProgress(), fresh=fresh, take_over=take_over)
    path = given if given.absolute() == results.path else results.path
    if path is not None:
        write_figures_asked_for(results, experiment, path)
    return replace(with_redraw(results), path=path, views=views)


def load(path: str | Path) -> Results:
    """Read the results of a run from its folder.

    Args:
        path: the folder that ``run`` wrote, ``results/<name>``.

    Returns:
        The results as they were when they were written.

    Raises:
        InputError: the folder or one of its files is missing, cannot be read, or was changed
            after the run.

    Example:
        >>> import tempfile, harness
        >>> config = {
        ...     "name": "wald_at_ten",
        ...     "family": "proportion",
        ...     "n": 10,
        ...     "methods": ["wald"],
        ...     "truth": {"values": [0.5]},
        ...     "engines": ["enumeration"],
        ... }
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     written = harness.run(config, out=folder)
        ...     read = harness.load(written.path)
        >>> read.summary.equals(written.summary)
        True
    """
    results = with_redraw(stored.load(path))
    asked = figures_of_config(results.manifest["experiment"])
    return replace(results, views=_Views(asked))


@dataclass(frozen=True)
class _Views:
    """What shows results: their figures, and their summary as people read it."""

    asked: Sequence[FigureSpec]
    """The figures of the config."""
    suggested: bool = False
    """Whether the config named none, so that those without data are left out."""

    def draw(
        self, results: Results, kind: str | None, options: Mapping[str, Any]
    ) -> dict[str, Figure]:
        from harness.figures.draw import drawings

        specs = self.asked
        if kind is not None:
            plain = document_of(options)
            if plain.issues:
                raise ConfigError(plain.issues)
            specs = [validate_figure(results.manifest["experiment"], kind, plain.data)]
        found = drawings(results, specs, skip_undrawable=self.suggested and kind is None)
        return {drawing.stem: drawing.figure for drawing in found}

    def html(self, results: Results) -> str:
        sheet = readable_sheet(results)
        return html_table(sheet.caption, sheet.names, sheet.is_number, sheet.rows, MOST_ROWS)


def with_redraw(results: Results) -> Results:
    """The results, those of a simulation study with what draws its trials again."""
    if isinstance(results, SimulationResults):
        return replace(results, redraw=drawn_again)
    return results


def _warn(sentence: str) -> None:
    # Of the caller of ``run``: past run_experiment and run.
    warnings.warn(sentence, stacklevel=4)


def run_experiment(
    experiment: AnyExperiment,
    out: Path | None,
    progress: Progress,
    *,
    fresh: bool = False,
    take_over: bool = False,
    say: Callable[[str], None] = _warn,
) -> Results:
    """Run a loaded experiment and write its tables, not its figures.

    Args:
        experiment: the experiment.
        out: as in ``run``.
        progress: is told of the trials to do and done.
        fresh, take_over: as in ``run``.
        say: is told, in a sentence, where the folder cannot be locked.
    """
    if out is None:
        return _compute(experiment, progress, None)
    start = time.perf_counter()
    with open_run_folder(experiment, out, take_over) as folder:
        if not fresh:
            refuse_other_experiment(experiment, folder.path, FRESH_REPLACES)
        if folder.note is not None:
            say(folder.note)
        with opened(folder.journal, fresh=fresh) as journal:
            results = _compute(experiment, progress, journal)
        with memory_for("the files"):
            return write_results(results, experiment, folder, time.perf_counter() - start)


def merge_parts(
    parts: Sequence[PartFile],
    out: Path,
    progress: Progress,
    *,
    take_over: bool = False,
    say: Callable[[str], None] = _warn,
) -> tuple[AnyExperiment, Results]:
    """Make the tables of a run out of all of its parts, and write them without figures.

    Args:
        parts: the files of the parts of one run.
        out: the folder for all experiments.
        progress: is told of the trials to do and done.
        take_over: as in ``run``.
        say: is told, in a sentence, where the folder cannot be locked.

    Returns:
        The experiment and its results.

    Raises:
        InputError: a part is missing, double, unfinished, damaged, of another experiment or of a
            machine of another kind; or the results cannot be written.
    """
    start = time.perf_counter()
    refuse_unmergeable(parts)
    experiment = experiment_of(parts)
    assert not isinstance(experiment, Calibration)
    with open_run_folder(experiment, out, take_over) as folder:
        refuse_other_experiment(experiment, folder.path, "")
        if folder.note is not None:
            say(folder.note)
        with opened(folder.journal, fresh=True, largest=None) as journal:
            copy_parts(parts, journal)
            if isinstance(experiment, Simulation):
                results: Results = compute_simulation(experiment, progress, journal)
            else:
                results = compute(experiment, progress, journal, complete=True)
        if folder.journal.stat().st_size > LARGEST_JOURNAL:
            # The parts have it all.
            folder.journal.unlink()
        with memory_for("the files"):
            seconds = time.perf_counter() - start
            return experiment, write_results(results, experiment, folder, seconds)


def _compute(experiment: AnyExperiment, progress: Progress, journal: Journal | None) -> Results:
    if isinstance(experiment, Simulation):
        return compute_simulation(experiment, progress, journal)
    if isinstance(experiment, Calibration):
        return compute_calibration(experiment, progress, journal)
    return compute(experiment, progress, journal)
