"""The cells per truth from which curves over the true value are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.combination import Span
from harness.families.family import ENUMERATION, Family
from harness.figures import options, selection
from harness.figures.kind import file_stem
from harness.figures.look import labels

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results


NEXT_TO_END = 0.06
"""An axis that begins this share of its length from the end of the support begins there."""


class CoverageCurveOptions(options.PanelOptions):
    """Options of `coverage_curve`."""

    n: options.Sizes | None = options.SIZES
    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA
    second: options.Truth | None = options.SECOND_TRUTH
    lowest: float | None = options.LOWEST_COVERAGE
    together: bool = Field(
        False,
        description="Draw all methods in one panel, a line each without Monte Carlo points, which "
        "suits curves without saw-teeth.",
    )
    fixed: bool = Field(
        False,
        description="Where trials end by a stopping rule: draw the coverage at the fixed n as "
        "well, of methods of the catalogue.",
    )
    points: int = Field(
        40,
        ge=1,
        description="About how many Monte Carlo points to draw of each method, evenly spread; "
        "the exact line has both values at each of its jumps.",
    )


class LengthCurveOptions(options.AxesOptions):
    """Options of `length_curve`."""

    n: options.Sizes | None = options.SIZES
    methods: options.Labels | None = options.METHODS
    reference: options.Label | None = Field(
        None,
        description="Label of the method that lengths are compared with; left out, "
        "minimal_length, or the first one that is drawn.",
    )
    absolute: bool = Field(
        False, description="Draw the lengths themselves, and not those relative to a reference."
    )
    alpha: options.Alpha | None = options.ALPHA
    second: options.Truth | None = options.SECOND_TRUTH


CurveOptions = CoverageCurveOptions | LengthCurveOptions


@dataclass(frozen=True)
class TruthCurves:
    """What one drawing over the true value shows."""

    stem: str
    """File name of the drawing."""
    family: Family
    setting: str
    """The size, the true value of the second sample if there are two, and the sampling where it is
    not the family's own, in words."""
    alpha: float
    methods: tuple[str, ...]
    size: selection.Size
    axis: str
    """The column of the true values that the curve goes over."""
    symbol: str
    """Their symbol."""
    held: tuple[float, ...]
    """The true values that are held, of the samples after the first; none where they move."""
    xlim: Span | None
    """The range that is asked for."""
    cells: pl.DataFrame
    """The cells of this setting and alpha, sorted by the true value."""

    def rows(self, method: str, engine: str) -> pl.DataFrame:
        """The rows of one method by one engine; there may be none."""
        return self.cells.filter(method=method, engine=engine)

    def lengths(self, method: str) -> Floats:
        """The expected lengths of a method by enumeration, shape (m,)."""
        return self.rows(method, ENUMERATION)["length"].to_numpy()

    def truths(self, rows: pl.DataFrame) -> Floats:
        """The true values of rows, of the first sample if there are two, shape (m,)."""
        return rows[self.axis].to_numpy()

    def within(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows at true values in the range that is asked for."""
        if self.xlim is None:
            return rows
        return rows.filter(rows[self.axis].is_between(*self.xlim))

    @property
    def drawn(self) -> pl.DataFrame:
        """The cells of the methods and the true values that are drawn."""
        return self.within(self.cells.filter(self.cells["method"].is_in(list(self.methods))))

    @property
    def over(self) -> Span:
        """The range of the curves: what is asked for, or the hull of the true values."""
        values = self.truths(self.cells)
        low, high = (float(values.min()), float(values.max())) if self.xlim is None else self.xlim
        if not self.family.truth_is_of_sample:
            return low, high
        least, most = self.family.model.SUPPORT
        return max(low, least), min(high, most)

    @property
    def range(self) -> Span:
        """The limits of the axis: the range of the curves, and an end of the support close to it.

        Grids of true values often leave out 0 and 1.
        """
        low, high = self.over
        if self.xlim is not None:
            return self.xlim
        if low == high:
            return (0.0, 2.0 * high or 1.0)
        near = NEXT_TO_END * (high - low)
        least, most = self.family.ends_of_truths
        return (least if low - least <= near else low), (most if most - high <= near else high)


@dataclass(frozen=True)
class SizeColumns:
    """What one drawing shows of each size, a column of panels each."""

    columns: tuple[TruthCurves, ...]

    @property
    def first(self) -> TruthCurves:
        """The column on the left."""
        return self.columns[0]

    @property
    def stem(self) -> str:
        """File name of the drawing, with all sizes."""
        names = [
            "-".join(labels.size_in_stem(curves.family, curves.size)) for curves in self.columns
        ]
        return self.first.stem.replace(names[0], "-".join(names), 1)

    @property
    def heads(self) -> list[str]:
        """The size of each column in words; empty where there is only one."""
        if len(self.columns) == 1:
            return [""]
        return [labels.size_text(curves.family, curves.size) for curves in self.columns]

    @property
    def setting(self) -> str:
        """What all columns share, as the end of a heading: `` at n = 50`` where there is one."""
        if len(self.columns) == 1:
            return f" at {self.first.setting}"
        return self.first.setting.removeprefix(self.heads[0])

    @property
    def range(self) -> Span:
        """The limits of the axis."""
        ranges = [curves.range for curves in self.columns]
        return min(low for low, _ in ranges), max(high for _, high in ranges)


def size_columns(
    results: Results, kind: str, asked: CurveOptions, engines: Sequence[str]
) -> list[SizeColumns]:
    """What the drawings show: one per alpha, with all methods and the sizes that are asked for."""
    selected = selection.Selection.conditioned(results, kind, asked, "truth", engines)
    family = selected.family
    by_size = []
    for size in selected.sizes:
        setting, parts = labels.size_text(family, size), labels.size_in_stem(family, size)
        here = selected.at_size(size)
        # Curves go over the truth of the first sample; those of the others are held.
        (axis, symbol), *others = family.curve_truths
        held: list[float] = []
        for column, other in others:
            several = here[column].n_unique() > 1
            apart = (here[axis] - here[column]).round(9).unique()
            if several and apart.len() == 1:
                # With one difference of both, the curve goes over the second.
                setting += f", {symbol}\xa0−\xa0{other} = {apart[0]:.9g}"
                axis, symbol = column, other
                continue
            seconds, choices = selection.true_values(here[column], asked.second)
            if len(seconds) != 1:
                wanted = "say which true value of the second sample, one of"
                if not seconds:
                    wanted = f"the results hold no second true value {asked.second:g}, only"
                raise InputError(f"{kind}: {wanted} {choices}")
            (second,) = seconds
            here = here.filter(here[column] == second)
            held.append(second)
            setting += f", {other} = {second:.12g}"
            parts += [f"second{second:.12g}"] if several else []
        setting += selected.sampling
        of_one = here.filter(
            method=here["method"][0], engine=here["engine"][0], alpha=here["alpha"][0]
        )
        if of_one[axis].is_duplicated().any():
            raise InputError(f"{kind}: the results hold several tables with the same {axis}")
        curves = [
            TruthCurves(
                stem=file_stem(kind, *parts, *part),
                family=family,
                setting=setting,
                alpha=alpha,
                methods=tuple(selected.methods),
                size=size,
                axis=axis,
                symbol=symbol,
                held=tuple(held),
                xlim=asked.xlim,
                cells=here.filter(alpha=alpha).sort(axis),
            )
            for alpha, part in selected.alphas
        ]
        by_size.append(curves)
    return [SizeColumns(columns) for columns in zip(*by_size, strict=True)]
