"""Running an experiment from Python: from its config to the tables and figures in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.arguments import validate_path
from harness.base.errors import ConfigError
from harness.base.frames import MOST_ROWS, html_table
from harness.config.load import document_of
from harness.figures.catalogue import figures_of_config
from harness.figures.kind import FigureSpec
from harness.kinds.load import load_experiment, validate_figure
from harness.kinds.run import run_experiment, workload_of
from harness.kinds.stored import load as load_results
from harness.runner.workload import Progress
from harness.runner.write import write_figures_asked_for
from harness.tables.results import Results
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
        InputError: the run does not fit into memory or would take days, a user function
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
    workload_of(experiment)
    views = _Views(experiment.figures, experiment.figures_are_suggested)
    if folder is None:
        return replace(run_experiment(experiment, None, Progress()), views=views)
    # A user function may change the working folder; the results still go to where they were sent.
    given, place = folder / experiment.name, folder.absolute()
    results = run_experiment(experiment, place, Progress(), fresh=fresh, take_over=take_over)
    path = given if given.absolute() == results.path else results.path
    if path is not None:
        write_figures_asked_for(results, experiment, path)
    return replace(results, path=path, views=views)


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
    results = load_results(path)
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
        drawn = drawings(results, specs, skip_undrawable=self.suggested and kind is None)
        return {drawing.stem: drawing.figure for drawing in drawn}

    def html(self, results: Results) -> str:
        sheet = readable_sheet(results)
        return html_table(sheet.caption, sheet.names, sheet.is_number, sheet.rows, MOST_ROWS)
