"""Posterior draws against true values: the ranks of a scenario, and coverage at all levels.

The first is the difference plot of Säilynoja, Bürkner and Vehtari (2022), Statistics and Computing
32:32, section 2. Both have one simultaneous band for what a right posterior shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.ranks import (
    LEVEL,
    CountBand,
    covered_counts,
    rank_bounds,
    uniformity,
)
from harness.figures import options
from harness.figures.kind import Drawing
from harness.figures.kinds.simulation.study import OfScenario, Study, study_kind
from harness.figures.look import layout, style

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results

RANK_ECDF, COVERAGE_BY_LEVEL = "rank_ecdf", "coverage_by_level"
_HEIGHT, _NARROWEST = 48.0, 40.0
"""The height of a panel without its title, and its least width, in mm."""
_BAND: dict[str, Any] = {"color": style.SKY, "alpha": 0.35, "linewidth": 0}
_SHARE: dict[str, Any] = {"color": style.BLACK, "linewidth": 1.0}
_RIGHT: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.6, "linestyle": (0, (1, 1.5))}


class RankOptions(OfScenario, options.PanelOptions):
    """Options of `rank_ecdf` and `coverage_by_level`."""


@dataclass(frozen=True)
class RankPanel:
    """The shares of one method, less those of a right posterior, with the band."""

    title: str
    band: CountBand
    counts: Integers

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The band, as differences."""
        n, points = self.band.n, self.band.points
        return self.band.lower / n - points, self.band.upper / n - points

    @property
    def difference(self) -> Floats:
        """The share of each point, less the point."""
        return self.counts / self.band.n - self.band.points


def _ranks(kind: str, method: str, rows: pl.DataFrame) -> tuple[Integers, int]:
    """The ranks of the trials with draws, and the number of draws of each.

    Raises:
        InputError: there are none, or their numbers differ.
    """
    drawn = rows.filter("answered").drop_nulls("rank") if "rank" in rows.columns else rows.clear()
    if drawn.is_empty():
        raise InputError(f"{kind}: {method} has answered without draws in this scenario")
    draws = drawn["draws"].to_numpy().astype(np.int64)
    if draws.min() < draws.max():
        raise InputError(
            f"{kind}: {method} has from {draws.min()} to {draws.max()} draws; expected as many in "
            "all trials of a scenario"
        )
    return drawn["rank"].to_numpy().astype(np.int64), int(draws[0])


def draw_rank_ecdf(results: Results, asked: RankOptions) -> list[Drawing]:
    """One drawing, a panel per method."""
    study = Study(RANK_ECDF, results, asked)
    panels = []
    for method, rows in study.replicates().items():
        ranks, draws = _ranks(RANK_ECDF, method, rows)
        bounds = rank_bounds(draws)
        band = CountBand.simultaneous(ranks.size, bounds / (draws + 1))
        p = uniformity(ranks, draws)
        stated = "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"
        title = f"{method}: {stated}, {ranks.size:,} ranks among {draws:,} draws"
        panels.append(RankPanel(title, band, np.searchsorted(np.sort(ranks), bounds)))
    below = "share of ranks below it, less the fraction"
    return [_drawing(study, panels, "rank, as a fraction of the draws", below)]


def draw_coverage_by_level(results: Results, asked: RankOptions) -> list[Drawing]:
    """One drawing, a panel per method."""
    study = Study(COVERAGE_BY_LEVEL, results, asked)
    panels = []
    for method, rows in study.replicates().items():
        ranks, draws = _ranks(COVERAGE_BY_LEVEL, method, rows)
        if draws < 2:
            raise InputError(f"{COVERAGE_BY_LEVEL}: {method} has 1 draw; expected at least 2")
        levels, counts = covered_counts(ranks, draws)
        band = CountBand.simultaneous(ranks.size, levels)
        title = f"{method}: {ranks.size:,} trials with {draws:,} draws"
        panels.append(RankPanel(title, band, counts))
    return [_drawing(study, panels, "level of the central interval", "coverage, less the level")]


def _drawing(study: Study, panels: list[RankPanel], across: str, up: str) -> Drawing:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    count, asked = len(panels), study.asked
    if count > options.MOST_PANELS:
        raise InputError(f"{study.kind}: name at most {options.MOST_PANELS} methods, found {count}")
    width = style.COLUMN if count < 3 else style.PAGE
    room = int(style.width_of(width) / (_NARROWEST * style.font_factor()))
    columns = layout.panel_columns(count, asked.columns, min(3, max(1, room)))
    titles = [style.wrap(panel.title, (width - 10) / columns - 1) for panel in panels]
    names = [f"{100 * LEVEL:.0f} % band of all points together", "method", "right posterior"]
    of_estimand = f"{study.chosen}, " if study.chosen else ""
    heading = style.wrap(of_estimand + study.scenario_text, width)
    above = style.line_height() * (1 + max(title.count("\n") for title in titles))
    height = 12 + (_HEIGHT + above) * math.ceil(count / columns)
    figure, legend = style.curve_figure(names, heading, height, 1 + heading.count("\n"), width)
    places = layout.panels(figure, count, columns)
    for axes, panel, title in zip(places, panels, titles, strict=True):
        axes.set_title(title, loc="left", pad=2)
        low, high = panel.ends
        # All shares are 0 at 0 and 1 at 1, so that differences begin and end at 0.
        points = np.concatenate([[0.0], panel.band.points, [1.0]])
        axes.fill_between(points, np.pad(low, 1), np.pad(high, 1), **_BAND, gid="band")
        axes.plot(points, np.pad(panel.difference, 1), **_SHARE, zorder=3, gid="method")
        axes.axhline(0, **_RIGHT, zorder=2, gid="right")
    places[0].set_xlim(0, 1)
    if asked.xlim is None:
        places[0].set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    layout.set_asked_limits(places, asked, columns)
    figure.supxlabel(across)
    figure.supylabel(up)
    handles = [Patch(**_BAND), Line2D([], [], **_SHARE), Line2D([], [], **_RIGHT)]
    figure.legend(handles, names, **legend)
    return Drawing(study.stem(f"scenario{asked.scenario}"), figure)


RANK_ECDF_KIND = study_kind(
    RANK_ECDF,
    "Ranks of true values among posterior draws: their distribution less the uniform one",
    RankOptions,
    draw_rank_ecdf,
    "trial",
)
COVERAGE_BY_LEVEL_KIND = study_kind(
    COVERAGE_BY_LEVEL,
    "Coverage of central intervals of posterior draws at all levels, less the level",
    RankOptions,
    draw_coverage_by_level,
    "trial",
)
