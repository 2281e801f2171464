"""Intervals of all trials of a scenario, ordered by how far they are from the truth.

The zip plot of Morris, White & Crowther (2019), Statistics in Medicine 38:2074-2102, Fig. 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats
from harness.figures import options, selection
from harness.figures.kind import Drawing, file_stem
from harness.figures.kinds.simulation.study import SCENARIO, Study, range_of, study_kind
from harness.figures.look import layout, style
from harness.figures.look.axes import nominal_text

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

NAME = "zip_plot"
MOST_INTERVALS = 400
"""The most intervals of a panel, so that each has a line that can be seen."""
HEIGHT, NARROWEST = 66.0, 27.0
"""The height of a panel, and its least width with what stands beside it, in mm."""
_HELD: dict[str, Any] = {"color": style.SKY, "linewidth": 0.8}
_MISSED: dict[str, Any] = {"color": style.VERMILION, "linewidth": 1.6}
_TRUTH: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.7}
_NOMINAL: dict[str, Any] = {"color": style.BLACK, "linestyle": (0, (1, 1.5)), "linewidth": 0.8}


class ZipPlot(options.PanelOptions):
    """Options of `zip_plot`."""

    scenario: int = SCENARIO
    methods: options.Labels | None = options.METHODS


@dataclass(frozen=True)
class Intervals:
    """The intervals of a method in all trials of a scenario, each of shape (trials,)."""

    truth: float
    estimate: Floats
    se: Floats
    lower: Floats
    upper: Floats
    """NaN where a trial has no interval, as are the others where they are not known."""

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


def _intervals(cells: pl.DataFrame) -> Intervals:
    """The intervals of the trials of one method; those without an answer have none."""
    answered = cells["answered"].to_numpy()
    names = ("estimate", "se", "lower", "upper")
    known = (np.where(answered, cells[name].to_numpy(), np.nan) for name in names)
    return Intervals(float(cells["truth"][0]), *known)


def draw(results: Results, asked: ZipPlot) -> list[Drawing]:
    """One drawing, a panel per method."""
    study = Study(NAME, results, asked)
    found = {method: _intervals(cells) for method, cells in study.replicates().items()}
    for method, each in found.items():
        if not each.present.any():
            raise InputError(f"{NAME}: {method} has no intervals in scenario {asked.scenario}")
    most = options.MOST_PANELS
    if len(found) > most:
        raise InputError(f"{NAME}: name at most {most} methods, found {len(found)}")
    return [Drawing(file_stem(NAME, f"scenario{asked.scenario}"), _figure(study, found))]


def _figure(study: Study, found: dict[str, Intervals]) -> Figure:
    from matplotlib.lines import Line2D

    first = next(iter(found.values()))
    width = style.COLUMN if len(found) < 3 else style.PAGE
    room = int(style.width_of(width) / (NARROWEST * style.font_factor()))
    columns = layout.panel_columns(len(found), study.asked.columns, min(4, max(1, room)))
    by_errors = all(each.has_errors for each in found.values())
    looks = {
        "holds the truth": _HELD,
        "misses it": _MISSED,
        f"truth {first.truth:.6g}": _TRUTH,
        "95 % interval of the coverage": style.NOMINAL_LINE,
        f"nominal {nominal_text(study.alpha)}": _NOMINAL,
    }
    coverage = study.measured("coverage").filter(scenario=study.asked.scenario)
    covered = {row["method"]: row for row in coverage.iter_rows(named=True)}
    titles = [
        _title(method, each, covered[method], (width - 10) / columns - 1)
        for method, each in found.items()
    ]
    heading = style.wrap(_heading(study, first.lower.size, by_errors), width)
    above = style.line_height() * (1 + max(title.count("\n") for title in titles))
    height = 12 + (HEIGHT + above) * math.ceil(len(found) / columns)
    lines = 1 + heading.count("\n")
    figure, legend = style.curve_figure(list(looks), heading, height, lines, width)
    places = layout.panels(figure, len(found), columns)
    drawn = [np.array([first.truth])]
    for axes, (method, each), title in zip(places, found.items(), titles, strict=True):
        axes.set_title(title, loc="left", pad=2)
        drawn += _plot(axes, each, each.centiles(by_errors), study.asked.ylim or (0, 100))
        for end in ("low", "high"):
            axes.axhline(100 * covered[method][end], **style.NOMINAL_LINE, zorder=5, gid=end)
        axes.axhline(100 * (1 - study.alpha), **_NOMINAL, zorder=5, gid="nominal")
    places[0].set(xlim=range_of(np.concatenate(drawn)), ylim=(0, 100))
    layout.set_asked_limits(places, study.asked, columns)
    figure.supxlabel(f"{nominal_text(study.alpha)} intervals of {study.estimand}")
    figure.supylabel("fractional centile of the distance from the truth, %")
    figure.legend([Line2D([], [], **look) for look in looks.values()], list(looks), **legend)
    return figure


def _heading(study: Study, trials: int, by_errors: bool) -> str:
    """The scenario, how many of its trials are drawn, and how they are ordered."""
    drawn = "all drawn"
    if trials > MOST_INTERVALS:
        drawn = f"{MOST_INTERVALS} drawn, evenly spread over the centiles"
    ordered = "SE" if by_errors else "its distance to the limit on that side"
    difference = "|estimate − truth|".replace(" ", "\N{NO-BREAK SPACE}")
    return f"{study.scenario_text}; {trials:,} trials, {drawn}; ordered by {difference} / {ordered}"


def _title(method: str, found: Intervals, row: dict[str, Any], width: float) -> str:
    value, low, high = (100 * row[name] for name in ("estimate", "low", "high"))
    lost = int((~found.present).sum())
    lines = [method, f"covers {value:.1f} % ({low:.1f}–{high:.1f})"]
    lines += [f"{lost:,} without an interval"] if lost else []
    return "\n".join(style.wrap(line, width) for line in lines)


def _plot(
    axes: Axes, found: Intervals, centiles: Floats, ends: tuple[float, float]
) -> list[Floats]:
    """Draw intervals from one centile to another, or some, evenly spread; return their limits."""
    order = np.argsort(centiles)
    inside = order[(centiles[order] >= ends[0]) & (centiles[order] <= ends[1])]
    spread = np.array(selection.spread(inside.tolist(), MOST_INTERVALS), np.intp)
    shown = spread[found.present[spread]]
    # matplotlib draws no line to infinity.
    far = np.finfo(np.float32).max / 4
    limits = [np.clip(each, -far, far) for each in (found.lower, found.upper)]
    thickness = min(1.0, max(0.25, 0.4 * HEIGHT / style.POINT / max(1, shown.size)))
    for missed, look, gid in ((False, _HELD, "holds"), (True, _MISSED, "misses")):
        here = shown[found.missed[shown] == missed]
        look = look | {"linewidth": thickness + 0.55 * missed, "zorder": 2 + missed}
        axes.hlines(centiles[here], *(each[here] for each in limits), **look, gid=gid)
    axes.axvline(found.truth, **_TRUTH, zorder=4, gid="truth")
    return [found.lower[shown], found.upper[shown]]


TITLE = "Intervals of all trials of a scenario, ordered by their distance from the truth"
KIND = study_kind(NAME, TITLE, ZipPlot, draw, "trial")
