"""Coverage given the true value, where the model draws it: trials in bins of their truths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Bools, Floats
from harness.designs.precision import fraction_interval
from harness.figures import options
from harness.figures.kind import Drawing
from harness.figures.kinds.simulation.study import OfScenario, Study, study_kind
from harness.figures.look import style
from harness.figures.look.axes import nominal_text, set_few_ticks, write_in_percent

if TYPE_CHECKING:
    from harness.tables.results import Results

COVERAGE_BY_TRUTH = "coverage_by_truth"
_BINS: Any = Field(10, ge=2, le=100, description="Number of bins, with as many trials each.")
_HEIGHT = 55.0
"""The height of the panel with its axes, in mm."""


class CoverageByTruthOptions(OfScenario, options.HorizontalOptions):
    """Options of `coverage_by_truth`."""

    bins: int = _BINS
    ylim: options.Limits | None = Field(
        None, description="Both ends of the vertical axis, in increasing order."
    )


@dataclass(frozen=True)
class BinnedCoverage:
    """The coverage in bins of true values, with 95 % intervals; shape (bins,) each."""

    truth: Floats
    """The mean true value of the trials of a bin."""
    coverage: Floats
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, truths: Floats, covered: Bools, bins: int) -> BinnedCoverage:
        """Return the coverage of trials, the bins having as many of them but for one.

        Args:
            truths: true values, of which the same ones may be in two bins; shape (m,).
            covered: whether each is in its interval or set; shape (m,).
            bins: the number of bins.
        """
        order = np.argsort(truths, kind="stable")
        parts = [part for part in np.array_split(order, bins) if part.size]
        trials = np.array([part.size for part in parts])
        events = np.array([covered[part].sum() for part in parts])
        means = np.array([truths[part].mean() for part in parts])
        return cls(means, events / trials, *fraction_interval(events, trials))


def draw_coverage_by_truth(results: Results, asked: CoverageByTruthOptions) -> list[Drawing]:
    """One drawing, with a line per method."""
    from matplotlib.lines import Line2D

    study = Study(COVERAGE_BY_TRUTH, results, asked)
    if not study.is_drawn:
        raise InputError(
            f"{COVERAGE_BY_TRUTH}: the truth is the same in all trials of a scenario; expected a "
            "model that draws it"
        )
    cells, by_method = study.replicates(), {}
    for method, rows in cells.items():
        if rows["truth"].is_null().any():
            raise NothingToDrawError(f"{COVERAGE_BY_TRUTH}: truths are texts, or are missing")
        lower, upper, truth = (rows[name].to_numpy() for name in ("lower", "upper", "truth"))
        in_set = rows["covered"].fill_null(value=False).to_numpy().astype(bool)
        covered = (((lower <= truth) & (truth <= upper)) | in_set) & rows["answered"].to_numpy()
        by_method[method] = BinnedCoverage.of(truth, covered, asked.bins)
    trials = next(iter(cells.values())).height
    names = [style.shorten(method) for method in by_method]
    names += ["95 % interval of a bin", f"nominal {nominal_text(study.alpha)}"]
    count = next(iter(by_method.values())).truth.size
    words = f"{study.scenario_text}; {trials:,} trials in {count} bins of the truth"
    heading = style.wrap(words, style.COLUMN)
    figure, legend = style.curve_figure(names, heading, _HEIGHT, 1 + heading.count("\n"))
    axes = figure.add_subplot()
    handles: list[Any] = []
    for method, binned in by_method.items():
        look = study.look(method)
        line = look.line | look.points() | {"linewidth": 0.9}
        errors = np.array([binned.coverage - binned.lower, binned.upper - binned.coverage])
        bar = axes.errorbar(binned.truth, binned.coverage, errors, **line, elinewidth=0.6)
        bar[0].set_gid(f"coverage-{method}")
        handles.append(Line2D([], [], **line))
    bars: dict[str, Any] = {
        "color": style.BLACK,
        "marker": "|",
        "markersize": 7,
        "linestyle": "none",
    }
    handles += [Line2D([], [], **bars), Line2D([], [], **style.NOMINAL_LINE)]
    axes.axhline(1.0 - study.alpha, **style.NOMINAL_LINE, zorder=1, gid="nominal")
    of_estimand = "" if study.estimand == "truth" else f" of {study.estimand}"
    axes.set(xlabel=f"true value{of_estimand}", ylabel="coverage, %")
    if asked.xlim is not None:
        axes.set_xlim(asked.xlim)
    if asked.ylim is not None:
        axes.set_ylim(asked.ylim)
    set_few_ticks(axes)
    write_in_percent(axes, "y")
    figure.legend(handles, names, **legend)
    return [Drawing(study.stem(f"scenario{asked.scenario}"), figure)]


COVERAGE_BY_TRUTH_KIND = study_kind(
    COVERAGE_BY_TRUTH,
    "Coverage in bins of the true value, where the model of a study draws it",
    CoverageByTruthOptions,
    draw_coverage_by_truth,
    "trial",
)
