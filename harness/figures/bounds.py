"""Limits at chosen outcomes as bars: central intervals beside one-sided bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from harness.errors import InputError, NothingToDrawError
from harness.figures import selection, style
from harness.figures.bars import Bar, Group, label_bars, plot_group, reach_of
from harness.figures.data_names import DataNames, Size, as_written, data_names
from harness.figures.drawing import Drawing, stem
from harness.figures.options import Bounds

KIND = "bounds"
ENGINES = ("posterior", "enumeration", "monte_carlo")
"""Any of them knows the limits; Monte Carlo only of the outcomes that came up."""
ENDS = ("lower", "upper")
ROW = 4.6
"""Height of a bar with its room, in mm."""

Outcome = tuple[int, ...]


def draw(results: selection.Tables, options: Bounds) -> list[Drawing]:
    """One drawing per alpha."""
    cells = selection.given(results, "outcome", ENGINES, KIND)
    several_alphas = cells["alpha"].n_unique() > 1
    names = data_names(cells)
    size = selection.size(cells, options.n, KIND)
    labels = selection.methods(cells, options.methods, KIND)
    here = cells.filter(selection.at(names.sizes, size) & _is_known(cells))
    outcomes = _outcomes(here, names, options.x)
    drawings = []
    for alpha in selection.alphas(cells, options.alpha, KIND):
        of_alpha = here.filter(pl.col("alpha") == alpha)
        groups = [_group(of_alpha, names, size, outcome, labels) for outcome in outcomes]
        parts = [KIND, *names.size_in_stem(size)] + ([f"alpha{alpha:g}"] if several_alphas else [])
        title = f"limits at {names.sized(size)}, nominal α = {alpha:g}"
        drawings.append(Drawing(stem(*parts), _figure(groups, names, title)))
    return drawings


def _is_known(cells: pl.DataFrame) -> pl.Expr:
    """Where there are limits, or where it is known that there are none."""
    there = pl.col("lower").is_not_null()
    return there | (pl.col("failed") == 1.0) if "failed" in cells.columns else there


def _outcomes(
    cells: pl.DataFrame, names: DataNames, asked: Sequence[int | tuple[int, int]] | None
) -> list[Outcome]:
    """The outcomes asked for, or the middle one."""
    present: list[Outcome] = cells.select(names.counts).unique().sort(names.counts).rows()
    if not present:
        raise NothingToDrawError(f"{KIND}: the results hold no limits")
    if asked is None:
        return [present[len(present) // 2]]
    wanted = [tuple(one) if isinstance(one, Sequence) else (one,) for one in asked]
    known = set(present)
    for outcome in wanted:
        if outcome not in known:
            ends = f"{as_written(present[0])} to {as_written(present[-1])}"
            raise InputError(
                f"{KIND}: the results hold no outcome {as_written(outcome)}, "
                f"only {len(present)} from {ends}"
            )
    return wanted


def _group(
    cells: pl.DataFrame, names: DataNames, size: Size, outcome: Outcome, labels: Sequence[str]
) -> Group:
    rows = cells.filter(selection.at(names.counts, outcome)).unique(
        "method", keep="first", maintain_order=True
    )
    limits = {
        row["method"]: (row["side"], *(np.nan if row[k] is None else row[k] for k in ENDS))
        for row in rows.iter_rows(named=True)
    }
    bars = tuple(Bar(label, *limits[label]) for label in labels if label in limits)
    pairs = zip(outcome, size, strict=True)
    data = tuple(np.array([float(value)]) for pair in pairs for value in pair)
    written = zip(names.counts, outcome, strict=True)
    title = ", ".join(f"{name} = {x}" for name, x in written)
    return Group(title, float(names.family.estimate(data)[0]), bars)


def _figure(groups: Sequence[Group], names: DataNames, title: str) -> Figure:
    rows = sum(len(group.bars) + 1 for group in groups)
    figure = style.new_figure(style.COLUMN, 24 + ROW * rows)
    axes = figure.add_subplot()
    reach = reach_of(groups, names.family.support)
    axes.set_xlim(*reach)
    axes.set_ylim(rows - 0.4, -0.6)
    top = 0
    for group in groups:
        plot_group(axes, group, top, reach)
        top += len(group.bars) + 1
    label_bars(axes, groups)
    axes.set_xlabel(style.wrapped(names.parameter(), 50))
    handles, kinds = axes.get_legend_handles_labels()
    shown = dict(zip(kinds, handles, strict=True))
    figure.legend(
        list(shown.values()),
        list(shown),
        loc="outside upper left",
        ncols=style.legend_columns(list(shown), style.COLUMN),
        title=style.wrapped(title, style.COLUMN),
        alignment="left",
    )
    return figure
