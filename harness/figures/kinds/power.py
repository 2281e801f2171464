"""The power of each method over the size, or over the difference that is to be seen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.families.family import ENUMERATION, Family
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import axes as percent_axis
from harness.figures.look import labels, layout, style
from harness.figures.method_limits import known_limits, scenario_with
from harness.figures.selection import Selection
from harness.figures.size_panels import following

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results

POWER = "power_curve"
CROWD = 40
"""With more points than this, a line has no marks."""


class PowerCurveOptions(options.AxesOptions):
    """Options of `power_curve`."""

    over: Literal["size", "truth"] = Field(
        "size",
        description="What the curves go over: `size`, or `truth`, the value of the parameter as "
        "the true value of the first sample moves.",
    )
    above: float | None = Field(
        None,
        description="Value that the lower limit is to be above; left out, 0 of a difference and 1 "
        "of a ratio, unless `below` is there.",
    )
    below: float | None = Field(None, description="Value that the upper limit is to be below.")
    power: float = Field(0.8, gt=0, lt=1, description="Power to mark, a probability.")
    size: options.Size | None = Field(
        None,
        description="Over the truth: the size to draw; may be left out when there is only one.",
    )
    truth: options.Truth | None = Field(
        None,
        description="Over the size: the true value of the first sample; may be left out when "
        "there is only one.",
    )
    second: options.Truth | None = options.SECOND_TRUTH
    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA


def draw(results: Results, asked: PowerCurveOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha: the exact power of each method, and the power to mark."""
    selected = Selection.conditioned(results, POWER, asked, "truth", (ENUMERATION,))
    family, cells = selected.family, selected.cells
    is_above, value = _value(family, asked)
    held = []
    for place, (column, symbol) in enumerate(family.curve_truths):
        if place > 0 or asked.over == "size":
            fitting, choices = selection.true_values(
                cells[column], asked.second if place else asked.truth
            )
            if len(fitting) != 1:
                raise InputError(f"{POWER}: say which {symbol} to draw, one of {choices}")
            (at,) = fitting
            cells = cells.filter(cells[column] == at)
            held.append(f"{symbol} = {at:.9g}")
    if asked.over == "truth":
        sizes = sorted(cells.select(family.sizes).unique().rows())
        wanted = (
            asked.size if asked.size is None or isinstance(asked.size, tuple) else (asked.size,)
        )
        if wanted is None and len(sizes) > 1:
            choices = ", ".join(selection.format_level(size) for size in sizes)
            raise InputError(f"{POWER}: say which size to draw, one of {choices}")
        (size,) = selection.levels_of(
            POWER, "size", None if wanted is None else [wanted], sizes, selection.format_level
        )
        cells = cells.filter(selection.at(family.sizes, size))
        setting = [labels.size_text(family, size), *held]
    else:
        further = following(family.sizes, sorted(cells.select(family.sizes).unique().rows()))
        setting = [", ".join(held) + further]
    goal = f"power: {'lower limit above' if is_above else 'upper limit below'} {value:.9g}"
    for alpha, part in selected.alphas:
        level = "nominal" if "two-sided" in cells["side"] else "one-sided"
        heading = f"{'; '.join([goal, *setting])}; {level} α = {alpha:g}, exact"
        names, drawn = [], []
        for method in selected.methods:
            rows = cells.filter(method=method, alpha=alpha)
            if rows["side"][0] == ("upper" if is_above else "lower"):
                raise InputError(f"{POWER}: {method} has no limit that can be beyond {value:.9g}")
            x, power = _curve(results, rows, family, asked.over, is_above, value)
            drawn.append((method, x, power))
            names.append(style.wrap(selection.method_title(cells, method), style.COLUMN - 10))
        names.append(f"power {100 * asked.power:.8g} %")
        heading = style.wrap(heading, style.COLUMN)
        figure, legend = style.curve_figure(names, heading, 58, heading.count("\n"))
        axes = figure.add_subplot()
        for index, (method, x, power) in enumerate(drawn):
            look = style.style_of(method, selected.methods)
            marks = look.marked_line | {"markevery": math.ceil(x.size / CROWD)}
            axes.plot(x, power, **marks, gid=f"power-{index}")
        axes.axhline(asked.power, **style.NOMINAL_LINE, gid="goal")
        axes.set_ylim(0, 1.02)
        percent_axis.write_in_percent(axes, "y")
        axes.set_ylabel("power, %")
        over_size = asked.over == "size"
        axes.set_xlabel(
            labels.size_label(family) if over_size else f"true {labels.parameter_label(family)}"
        )
        percent_axis.set_few_ticks(axes)
        layout.set_asked_limits([axes], asked)
        figure.legend(axes.get_lines(), names, **legend)
        yield Drawing(file_stem(POWER, f"over_{asked.over}", *part), figure)


def _value(family: Family, asked: PowerCurveOptions) -> tuple[bool, float]:
    """Whether it is a lower limit that is to be above a value, and the value.

    Raises:
        InputError: there are two values, or none and the parameter is no comparison.
    """
    if asked.above is not None and asked.below is not None:
        raise InputError(f"{POWER}: expected one of above and below, found both")
    if asked.below is not None:
        return False, asked.below
    if asked.above is None and family.samples == 1:
        raise InputError(f"{POWER}: expected above or below, a value of the parameter")
    return True, family.scale.equality if asked.above is None else asked.above


def _curve(
    results: Results, rows: pl.DataFrame, family: Family, over: str, is_above: bool, value: float
) -> tuple[Floats, Floats]:
    """The sizes or the parameters of the rows of a method, ascending, and the power at each.

    Σ Pr(x | θ) over the outcomes x whose limit is beyond the value.
    """
    from harness.designs.engines.solver import solver_of

    method, alpha = rows["method"][0], rows["alpha"][0]
    (axis, _), *others = family.curve_truths
    x, power = [], []
    for _, part in rows.sort(*family.sizes, axis).group_by(family.sizes, maintain_order=True):
        size = part.select(family.sizes).row(0)
        held = part.select([column for column, _ in others]).row(0) if others else ()
        scenario = scenario_with(results, family, size, tuple(part[axis].to_list()), held)
        if scenario is None:
            raise NothingToDrawError(f"{POWER}: how outcomes arise is not known")
        solver = solver_of(scenario)
        possible = solver.possible_outcomes()
        limits = known_limits(results, scenario, method, alpha, possible)
        if limits is None:
            raise NothingToDrawError(f"{POWER}: the limits of {method} are not known")
        beyond = limits.lower[0] > value if is_above else limits.upper[0] < value
        for theta, outcomes, probability in solver.listed():
            x.append(float(size[0]) if over == "size" else theta)
            power.append(float(probability[beyond[np.searchsorted(possible, outcomes)]].sum()))
    order = np.argsort(x)
    return np.array(x)[order], np.array(power)[order]


KIND = FigureKind(
    name=POWER,
    title="Power, the probability that a limit is beyond a value, over the size or the difference",
    options=PowerCurveOptions,
    over="truth",
    needs=(ENUMERATION,),
    drawn_for=attrgetter("has_counts_of_samples"),
    draw=draw,
)
