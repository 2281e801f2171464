"""All trials of a scenario: their estimates, their intervals, and coverage by the true value.

Intervals are ordered by how far they miss the truth, in the zip plot of Morris, White & Crowther
(2019), Statistics in Medicine 38:2074-2102, Fig. 5. Coverage is that of bins of the truth, where
the model draws it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Bools, Floats
from harness.designs.precision import fraction_interval
from harness.figures import options, selection
from harness.figures.kind import Drawing
from harness.figures.kinds.simulation.study import (
    NORMAL_975,
    OfScenario,
    Study,
    range_of,
    study_kind,
)
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import nominal_text, set_few_ticks, write_in_percent

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

ESTIMATES = "estimates"
MOST_POINTS = 1000
"""The most points of a strip, so that its middle is not solid."""
GOLDEN = (math.sqrt(5) - 1) / 2
"""Multiples of it, modulo 1, are spread evenly however many there are."""
STRIP = 15.0
"""The height of the strip of a method, in mm."""
_MEAN: dict[str, Any] = {"marker": "D", "markersize": 3.6, "markerfacecolor": "white"}
_MEAN |= {"markeredgewidth": 0.8, "color": style.BLACK}
_TRUTH: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.7}


class EstimatesOptions(OfScenario, options.HorizontalOptions):
    """Options of `estimates`."""


def draw_estimates(results: Results, asked: EstimatesOptions) -> list[Drawing]:
    """One drawing, a strip per method."""
    from matplotlib.lines import Line2D

    study = Study(ESTIMATES, results, asked)
    cells = study.errors()
    estimates = {}
    for method, rows in cells.items():
        values = rows.filter("answered")["estimate"].to_numpy()
        estimates[method] = np.sort(values[np.isfinite(values)])
    if not any(values.size for values in estimates.values()):
        raise NothingToDrawError(
            f"{ESTIMATES}: no method has an estimate in scenario {asked.scenario}"
        )
    first = next(iter(cells.values()))
    trials, truth = first.height, float(first["truth"][0])
    drawn = f", {MOST_POINTS:,} estimates drawn" if trials > MOST_POINTS else ""
    heading = style.wrap(f"{study.scenario_text}; {trials:,} trials{drawn}", style.COLUMN)
    names = ["mean with its 95 % Monte Carlo interval", study.truth_text(truth)]
    height = 12 + STRIP * len(estimates)
    figure, legend = style.curve_figure(names, heading, height, 1 + heading.count("\n"))
    axes = figure.add_subplot()
    shown = np.append(np.concatenate(list(estimates.values())), truth)
    ends = asked.xlim or range_of(shown)
    texts = []
    for place, (method, values) in enumerate(estimates.items()):
        mean = _plot_estimates(axes, values, place, study.look(method)) if values.size else ""
        beyond = int(((values < ends[0]) | (values > ends[1])).sum())
        counts = {"beyond the axis": beyond, "without an estimate": trials - values.size}
        notes = [f"{count:,} {what}" for what, count in counts.items() if count]
        texts.append("\n".join(filter(None, [style.shorten(method), mean, *notes])))
    axes.axvline(truth, **_TRUTH, zorder=2, gid="truth")
    xlabel = f"estimate of {study.estimand}{study.less_truth}"
    axes.set(xlim=ends, ylim=(len(estimates) - 0.5, -0.5), xlabel=xlabel)
    set_few_ticks(axes)
    axes.set_yticks(range(len(estimates)), texts)
    axes.tick_params(left=False)
    handles = [Line2D([], [], **_MEAN, linewidth=1.2), Line2D([], [], **_TRUTH)]
    figure.legend(handles, names, **legend)
    return [Drawing(study.stem(f"scenario{asked.scenario}"), figure)]


def _plot_estimates(axes: Axes, values: Floats, place: int, look: style.Look) -> str:
    """Draw estimates, shifted up and down by rank, and their mean; return the mean in words."""
    shown = np.array(selection.spread(values.tolist(), MOST_POINTS))
    heights = place + 0.6 * ((np.arange(shown.size) * GOLDEN) % 1 - 0.5)
    points: dict[str, Any] = look.points() | {"markersize": 1.4, "linestyle": "none", "alpha": 0.5}
    axes.plot(shown, heights, **points, zorder=1, gid=f"estimates-{place}")
    mean = float(values.mean())
    margin = NORMAL_975 * float(values.std(ddof=values.size > 1)) / math.sqrt(values.size)
    bar = axes.errorbar([mean], [place], xerr=margin, **_MEAN, elinewidth=1.2, zorder=4)
    bar[0].set_gid(f"mean-{place}")
    # Two digits of the margin are written, and the mean to the same decimal.
    decimals = 1 - math.floor(math.log10(margin)) if margin > 0 else -1
    if not 0 <= decimals <= 6:
        return f"mean {labels.number_text(mean)} ± {labels.number_text(margin)}"
    return f"mean {mean:.{decimals}f} ± {margin:.{decimals}f}".replace("-", labels.MINUS)


ESTIMATES_KIND = study_kind(
    ESTIMATES,
    "Estimates of all trials of a scenario by method, with their mean and the truth",
    EstimatesOptions,
    draw_estimates,
    "trial",
)


ZIP_PLOT = "zip_plot"
MOST_INTERVALS = 400
"""The most intervals of a panel, so that each has a line that can be seen."""
HEIGHT, NARROWEST = 66.0, 27.0
"""The height of a panel, and its least width with what stands beside it, in mm."""
_HELD: dict[str, Any] = {"color": style.SKY, "linewidth": 0.8}
_MISSED: dict[str, Any] = {"color": style.VERMILION, "linewidth": 1.6}
_NOMINAL: dict[str, Any] = {"color": style.BLACK, "linestyle": (0, (1, 1.5)), "linewidth": 0.8}


class ZipPlotOptions(OfScenario, options.PanelOptions):
    """Options of `zip_plot`."""


@dataclass(frozen=True)
class Intervals:
    """The intervals of a method in all trials of a scenario, each of shape (trials,)."""

    truth: float
    estimate: Floats
    se: Floats
    lower: Floats
    upper: Floats
    """NaN where a trial has no interval, as are the others where they are not known."""

    @classmethod
    def of(cls, cells: pl.DataFrame) -> Intervals:
        """The intervals of the trials of one method; those without an answer have none."""
        answered = cells["answered"].to_numpy()
        names = ("estimate", "se", "lower", "upper")
        columns = (np.where(answered, cells[name].to_numpy(), np.nan) for name in names)
        return cls(float(cells["truth"][0]), *columns)

    @property
    def present(self) -> Bools:
        """Whether the trial has an interval."""
        return ~(np.isnan(self.lower) | np.isnan(self.upper))

    @property
    def missed(self) -> Bools:
        """Whether the interval does not hold the truth; a trial without one counts as a miss."""
        return ~((self.lower <= self.truth) & (self.truth <= self.upper))

    @property
    def has_errors(self) -> bool:
        """Whether each interval has an estimate with a standard error above 0."""
        return bool(((self.se > 0) & np.isfinite(self.estimate))[self.present].all())

    def centiles(self, by_errors: bool) -> Floats:
        """The fractional centile of each trial, in per cent, the farthest from the truth last.

        The distance is that from the estimate to the truth, in standard errors; or else, by_errors
        being false, as a part of the distance from the estimate to the limit on that side, which
        is above 1 where the interval misses. An estimate outside its interval, or none, counts as
        its nearer limit, or its middle. Trials without an interval come last.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            middle = (self.lower + self.upper) / 2
            centre = np.where(np.isnan(self.estimate), middle, self.estimate)
            unit = self.se
            if not by_errors:
                centre = np.clip(centre, self.lower, self.upper)
                unit = abs(np.where(self.truth > centre, self.upper, self.lower) - centre)
            distance = abs(self.truth - centre) / unit
        # An interval without length at the truth gives 0/0.
        distance[np.isnan(distance)] = 0
        order = np.lexsort((distance, ~self.present))
        centile = np.empty(order.size)
        centile[order] = 100 * (np.arange(order.size) + 0.5) / order.size
        return centile


def draw_zip_plot(results: Results, asked: ZipPlotOptions) -> list[Drawing]:
    """One drawing, a panel per method."""
    study = Study(ZIP_PLOT, results, asked)
    by_method = {method: Intervals.of(cells) for method, cells in study.errors().items()}
    for method, intervals in by_method.items():
        if not intervals.present.any():
            raise InputError(f"{ZIP_PLOT}: {method} has no intervals in scenario {asked.scenario}")
    most = options.MOST_PANELS
    if len(by_method) > most:
        raise InputError(f"{ZIP_PLOT}: name at most {most} methods, found {len(by_method)}")
    stem = study.stem(f"scenario{asked.scenario}")
    return [Drawing(stem, _zip_figure(study, by_method))]


def _zip_figure(study: Study, by_method: dict[str, Intervals]) -> Figure:
    from matplotlib.lines import Line2D

    count, asked = len(by_method), study.asked
    first = next(iter(by_method.values()))
    width = style.COLUMN if count < 3 else style.PAGE
    room = int(style.width_of(width) / (NARROWEST * style.font_factor()))
    columns = layout.panel_columns(count, asked.columns, min(4, max(1, room)))
    by_errors = all(intervals.has_errors for intervals in by_method.values())
    looks = {
        "holds the truth": _HELD,
        "misses it": _MISSED,
        study.truth_text(first.truth): _TRUTH,
        "95 % interval of the coverage": style.NOMINAL_LINE,
        f"nominal {nominal_text(study.alpha)}": _NOMINAL,
    }
    coverage = study.measured("coverage").filter(scenario=asked.scenario)
    covered = {row["method"]: row for row in coverage.iter_rows(named=True)}
    titles = []
    for method, intervals in by_method.items():
        value, low, high = (100 * covered[method][name] for name in ("estimate", "low", "high"))
        lost = int((~intervals.present).sum())
        lines = [method, f"covers {value:.1f} % ({low:.1f}–{high:.1f})"]
        lines += [f"{lost:,} without an interval"] if lost else []
        titles.append("\n".join(style.wrap(line, (width - 10) / columns - 1) for line in lines))
    trials = first.lower.size
    drawn = "all drawn"
    if trials > MOST_INTERVALS:
        drawn = f"{MOST_INTERVALS} drawn, evenly spread over the centiles"
    unit = "SE" if by_errors else "its distance to the limit on that side"
    difference = "|estimate − truth|".replace(" ", "\N{NO-BREAK SPACE}")
    order = f"ordered by {difference} / {unit}"
    heading = style.wrap(f"{study.scenario_text}; {trials:,} trials, {drawn}; {order}", width)
    above = style.line_height() * (1 + max(title.count("\n") for title in titles))
    height = 12 + (HEIGHT + above) * math.ceil(count / columns)
    figure, legend = style.curve_figure(
        list(looks), heading, height, 1 + heading.count("\n"), width
    )
    places = layout.panels(figure, count, columns)
    limits = [np.array([first.truth])]
    for axes, (method, intervals), title in zip(places, by_method.items(), titles, strict=True):
        axes.set_title(title, loc="left", pad=2)
        centiles = intervals.centiles(by_errors)
        limits += _plot_intervals(axes, intervals, centiles, asked.ylim or (0, 100))
        for end in ("low", "high"):
            axes.axhline(100 * covered[method][end], **style.NOMINAL_LINE, zorder=5, gid=end)
        axes.axhline(100 * (1 - study.alpha), **_NOMINAL, zorder=5, gid="nominal")
    places[0].set(xlim=range_of(np.concatenate(limits)), ylim=(0, 100))
    layout.set_asked_limits(places, asked, columns)
    figure.supxlabel(f"{nominal_text(study.alpha)} intervals of {study.estimand}{study.less_truth}")
    figure.supylabel("fractional centile of the distance from the truth, %")
    figure.legend([Line2D([], [], **look) for look in looks.values()], list(looks), **legend)
    return figure


def _plot_intervals(
    axes: Axes, intervals: Intervals, centiles: Floats, ends: tuple[float, float]
) -> list[Floats]:
    """Draw intervals from one centile to another, or some, evenly spread; return their limits."""
    order = np.argsort(centiles)
    inside = order[(centiles[order] >= ends[0]) & (centiles[order] <= ends[1])]
    spread = np.array(selection.spread(inside.tolist(), MOST_INTERVALS), np.intp)
    shown = spread[intervals.present[spread]]
    # matplotlib draws no line to infinity.
    far = np.finfo(np.float32).max / 4
    limits = [np.clip(limit, -far, far) for limit in (intervals.lower, intervals.upper)]
    thickness = min(1.0, max(0.25, 0.4 * HEIGHT / style.POINT / max(1, shown.size)))
    for missed, look, gid in ((False, _HELD, "holds"), (True, _MISSED, "misses")):
        here = shown[intervals.missed[shown] == missed]
        look = look | {"linewidth": thickness + 0.55 * missed, "zorder": 2 + missed}
        axes.hlines(centiles[here], limits[0][here], limits[1][here], **look, gid=gid)
    axes.axvline(intervals.truth, **_TRUTH, zorder=4, gid="truth")
    return [intervals.lower[shown], intervals.upper[shown]]


ZIP_PLOT_KIND = study_kind(
    ZIP_PLOT,
    "Intervals of all trials of a scenario, ordered by their distance from the truth",
    ZipPlotOptions,
    draw_zip_plot,
    "trial",
)


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
