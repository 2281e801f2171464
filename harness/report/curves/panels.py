"""What stands in a picture of curves: the values of all methods at one size, alpha and held truth.

Curves go over the true value, over the outcome or, where the true values are fewer than the sizes,
over the size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats, Integers
from harness.catalogue import family_in
from harness.designs.miss_curve import MissCurve
from harness.families.family import (
    ENUMERATION,
    EXACT_ENGINES,
    MONTE_CARLO,
    POSTERIOR,
    Family,
)
from harness.figures.look.axes import with_places
from harness.figures.method_limits import exact_curve, limits_in_reach, scenario_with
from harness.figures.requirements import MOST_LISTED
from harness.figures.selection import Size, at, spread
from harness.tables.columns import OUTCOME, TRUTH
from harness.tables.results import Results
from harness.tables.wording import with_estimand

MOST_HELD = 12
"""The most true values of the second sample; of more, so many are shown, evenly spread."""
MOST_CURVES = 400
"""The most exact curves of one sample; those of more take long and many bytes."""
MOST_CURVES_OF_TWO = 60
"""The most exact curves of two samples, each of which takes longer."""
MOST_SIMULATED = 120
"""About how many estimates of Monte Carlo a method has in one picture."""
READ_AT = 200
"""The number of steps of the true value where none are listed."""


@dataclass(frozen=True)
class Simulated:
    """Estimates of actual alpha, with their 95 % intervals, of all methods."""

    at: Integers
    """The places of x that have estimates, shape (s,)."""
    alpha: Floats
    """Shape (k, s)."""
    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class CurvePanel:
    """The values of all methods over x."""

    size: Size | None
    """The size of all curves; None where they go over the size."""
    alpha: float
    held: tuple[float, ...]
    """The true values that are held; all of them where the curves go over the size."""
    x: Floats
    """Ascending, shape (m,)."""
    missed: Floats
    """Exact actual alpha, shape (k, m); not a number where it is not known."""
    length: Floats
    """Expected length, or the length at the outcome."""
    estimated_length: Sequence[bool] = ()
    """Whether the lengths of each method are means of Monte Carlo; empty where none is."""
    curves: Sequence[MissCurve | None] = ()
    """The actual alpha of each method with all its jumps; empty where there are none."""
    simulated: Simulated | None = None
    names: Sequence[str] | None = None
    """What each x is called, where it is no number."""


@dataclass(frozen=True)
class Panels:
    """The panels of a run that share an axis."""

    over: str
    """``truth``, ``outcome`` or ``size``."""
    family: Family
    methods: Sequence[str]
    """Labels."""
    sides: Sequence[str]
    """The side of each method."""
    panels: Sequence[CurvePanel]
    """All alphas of all held truths of the first size, then of the next one."""
    held_in_all: int = 0
    """The number of held true values in the tables, where not all are shown."""


@dataclass(frozen=True)
class _Cells:
    """Cells over an axis, with their levels in the order in which they come."""

    table: pl.DataFrame
    axis: str
    """The column of the positions."""
    exact: Sequence[str] = EXACT_ENGINES
    """The engines whose values are exact."""

    @cached_property
    def family(self) -> Family:
        return family_in(self.table)

    @cached_property
    def methods(self) -> list[str]:
        """Labels."""
        return self.table["method"].unique(maintain_order=True).to_list()

    @cached_property
    def alphas(self) -> list[float]:
        return self.table["alpha"].unique(maintain_order=True).to_list()

    @cached_property
    def sizes(self) -> list[Size]:
        return self.table.select(self.family.sizes).unique(maintain_order=True).rows()

    def panels(self, over: str, panels: Sequence[CurvePanel], held_in_all: int = 0) -> Panels:
        """Panels of all methods over this axis."""
        side_of = dict(self.table.select("method", "side").unique().rows())
        sides = [str(side_of[method]) for method in self.methods]
        return Panels(over, self.family, self.methods, sides, panels, held_in_all)

    def panel(
        self,
        rows: pl.DataFrame,
        size: Size | None,
        alpha: float,
        held: tuple[float, ...] = (),
        names: Sequence[str] | None = None,
    ) -> CurvePanel:
        """The panel of those of some rows that have an alpha."""
        rows = rows.filter(alpha=alpha)
        x = rows[self.axis].cast(pl.Float64).unique().sort().to_numpy()
        exact_rows = rows.filter(pl.col("engine").is_in(list(self.exact)))
        estimates = rows.filter(engine=MONTE_CARLO)
        missed, length = (
            self._by_method(exact_rows, x, column) for column in ("actual_alpha", "length")
        )
        of_trials = self._by_method(estimates, x, "length")
        unknown = ~np.isfinite(length).any(axis=1)
        length[unknown] = of_trials[unknown]
        return CurvePanel(
            size,
            alpha,
            tuple(held),
            x,
            missed,
            length,
            np.asarray(unknown & np.isfinite(length).any(axis=1)).tolist(),
            simulated=self._simulated(estimates, x),
            names=names,
        )

    def _by_method(self, rows: pl.DataFrame, x: Floats, column: str) -> Floats:
        """A column as an array of shape (k, m); not a number where there is no row."""
        values = np.full((len(self.methods), x.size), np.nan)
        numbers = {method: number for number, method in enumerate(self.methods)}
        row = np.array([numbers[method] for method in rows["method"].to_list()], np.intp)
        place = np.searchsorted(x, rows[self.axis].cast(pl.Float64).to_numpy())
        values[row, place] = rows[column].cast(pl.Float64).fill_null(math.nan).to_numpy()
        return values

    def _simulated(self, rows: pl.DataFrame, x: Floats) -> Simulated | None:
        """The estimates at about as many places as can be told apart; None without any."""
        columns = ("actual_alpha", "ci_lower", "ci_upper")
        alpha, lower, upper = (self._by_method(rows, x, column) for column in columns)
        simulated = np.flatnonzero(np.isfinite(alpha).any(axis=0))
        if not simulated.size:
            return None
        stride = max(round(simulated.size / MOST_SIMULATED), 1)
        place = simulated[(stride - 1) // 2 :: stride].astype(np.int64)
        return Simulated(place, alpha[:, place], lower[:, place], upper[:, place])


def truth_panels(results: Results) -> Panels | None:
    """The panels over the true value; None where the results have no such values."""
    cells = results.cells
    if cells.is_empty() or "given" not in cells.columns:
        return None
    if not (cells["given"] == TRUTH).any():
        return _implied_panels(results)
    panels = _listed(results, cells.filter(given=TRUTH))
    if panels is None:
        return None
    return replace(panels, family=with_estimand(panels.family, results.manifest))


def outcome_panels(results: Results) -> Panels | None:
    """The panels over the outcome of one sample; None where no posterior is integrated."""
    cells = results.cells
    if cells.is_empty() or "given" not in cells.columns:
        return None
    family = family_in(cells)
    cells = cells.filter(given=OUTCOME)
    if not family.has_single_count or not (cells["engine"] == POSTERIOR).any():
        return None
    axis = _Cells(with_places(cells), "place", (POSTERIOR,))
    panels = []
    for size in axis.sizes:
        rows, names = axis.table.filter(at(family.sizes, size)), None
        if "x_last" in rows.columns:
            groups = rows.unique("place").sort("place").select("x", "x_last").rows()
            names = [f"≥ {low}" if high is None else f"{low} … {high}" for low, high in groups]
        panels += [axis.panel(rows, size, alpha, names=names) for alpha in axis.alphas]
    return axis.panels("outcome", panels)


def _listed(results: Results, cells: pl.DataFrame) -> Panels | None:
    """The panels over listed true values, or over the size where these are few."""
    family = family_in(cells)
    (name, _), *others = family.curve_truths
    held_names = [held_name for held_name, _ in others]
    axis = _Cells(cells, name)
    methods, sizes, alphas = axis.methods, axis.sizes, axis.alphas
    few = cells[name].n_unique() <= min(MOST_LISTED, len(sizes) - 1)
    if few and cells[family.sizes[0]].n_unique() == len(sizes):
        by_size, truths = _Cells(cells, family.sizes[0]), [name, *held_names]
        panels = []
        for values in by_size.table.select(truths).unique(maintain_order=True).rows():
            pairs = zip(truths, values, strict=True)
            equal = [pl.col(truth).eq_missing(value) for truth, value in pairs]
            of_truth = by_size.table.filter(*equal)
            panels += [by_size.panel(of_truth, None, alpha, values) for alpha in by_size.alphas]
        return by_size.panels("size", panels)
    every = cells.select(held_names).unique().sort(held_names).rows() if held_names else [()]
    held = spread(every, MOST_HELD)
    most = MOST_CURVES if family.has_single_count else MOST_CURVES_OF_TWO
    has_curves = len(sizes) * len(held) * len(alphas) * len(methods) <= most
    panels = []
    for size, values, alpha in product(sizes, held, alphas):
        here = at([*family.sizes, *held_names], (*size, *values))
        rows = cells.filter(here, alpha=alpha).sort(name)
        of_one = rows.filter(method=rows["method"][0], engine=rows["engine"][0])
        if of_one[name].is_duplicated().any():
            return None
        panel = axis.panel(rows, size, alpha, values)
        if has_curves and np.isfinite(panel.missed).any():
            over = float(panel.x[0]), float(panel.x[-1])
            exact = [
                exact_curve(results, method, alpha, family, size, over, values)
                for method in methods
            ]
            if any(curve is not None for curve in exact):
                panel = replace(panel, curves=exact)
        panels.append(panel)
    return axis.panels("truth", panels, len(every) if len(held) < len(every) else 0)


def _implied_panels(results: Results) -> Panels | None:
    """The panels over the true value where the truth is a distribution, from the limits."""
    family = family_in(results.cells)
    rows = results.cells.filter(engine=ENUMERATION)
    ends = results.summary.filter(engine=ENUMERATION).select("worst_from", "worst_to").drop_nulls()
    if rows.is_empty() or ends.is_empty() or not (family.has_single_count or family.stops):
        return None
    if "sampling" in rows.columns and not family.stops:
        return None
    low, high = ends.row(0)
    axis = _Cells(rows, "")
    if not low < high or len(axis.sizes) * len(axis.alphas) * len(axis.methods) > MOST_CURVES:
        return None
    panels = []
    for size, alpha in product(axis.sizes, axis.alphas):
        # Exact values at evenly spread true values, and the curves, from all limits.
        x = np.linspace(low, high, READ_AT + 1)
        scenario = scenario_with(results, family, size, tuple(x.tolist()), ())
        if scenario is None:
            return None
        missed, length = np.empty((2, len(axis.methods), x.size))
        curves = []
        for row, method in enumerate(axis.methods):
            in_reach = limits_in_reach(results, scenario, method, alpha)
            if in_reach is None:
                return None
            solver, limits = in_reach
            exact = solver.at_truths(limits)
            missed[row], length[row] = exact.missed[0], exact.length[0]
            curves.append(exact_curve(results, method, alpha, family, size, (low, high)))
        panels.append(CurvePanel(size, alpha, (), x, missed, length, curves=curves))
    return axis.panels("truth", panels)
