"""The axes that kinds of figure share: logarithmic ones, and those of coverage and of outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from harness.figures.look import labels, style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

LEAST_SPAN = 3.0
"""The factor over which an axis has two ticks or more; a shorter one is better linear."""
FEW = 3
"""With fewer ticks at 1, 2 and 5 than this, those at the digits between help."""
COVERAGE = "coverage, %"
"""The name of an axis of coverage."""
_BREAKS_DOWN = 4.0
"""An axis that reaches to more than so many alpha of misses is stretched."""
_STRETCHED_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 1.0)
"""Shares of misses that have ticks on a stretched axis."""
_ROOM = 1.08
"""The factor by which a log axis goes beyond its outcomes."""
_DIGIT = 0.636 * style.SMALL * style.POINT
"""The width of a digit of a tick label, in mm."""
_GAP = 0.5 * style.SMALL * style.POINT
"""The room between the labels of two ticks, in mm."""
_LINE = 1.4 * style.SMALL * style.POINT
"""The height of a tick label with the room below it, in mm."""


def set_log_axis(
    axes: Axes, name: Literal["x", "y"], low: float, high: float, length: float
) -> None:
    """Make an axis logarithmic from ``low`` to ``high``, with plain numbers at its ticks.

    Args:
        axes: the panel.
        name: its horizontal axis, whose labels stand beside each other, or its vertical one.
        low: where the axis begins, above 0.
        high: where it ends.
        length: its length in mm.
    """
    ticks = log_ticks(low, high, length, across=name == "x")
    _set_log_scale(axes, name, (low, high), ticks)


def _set_log_scale(
    axes: Axes, name: Literal["x", "y"], ends: tuple[float, float], ticks: Sequence[float]
) -> None:
    """Make an axis logarithmic, with these ticks and small ones at every digit."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis = axes.xaxis if name == "x" else axes.yaxis
    if name == "x":
        axes.set(xscale="log", xlim=ends)
    else:
        axes.set(yscale="log", ylim=ends)
    axis.set_ticks(ticks, labels=[tick_text(tick) for tick in ticks])
    axis.set_minor_locator(LogLocator(subs=range(2, 10)))
    axis.set_minor_formatter(NullFormatter())


def log_ticks(low: float, high: float, length: float, *, across: bool) -> list[float]:
    """Return the densest ticks whose labels do not touch: 1-2-5, 1-3, powers of ten, or fewer.

    Where 1-2-5 are few, the digits between are tried first.

    Args:
        low: where the axis begins, above 0.
        high: where it ends.
        length: its length in mm.
        across: whether the labels stand beside each other.
    """
    factor = style.font_factor()
    digits: list[tuple[int, ...]] = [(1, 2, 5), (1, 3)]
    if len(_within(low, high, digits[0])) < FEW:
        digits = [(1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 5), *digits]
    strides = range(1, len(_powers(low, high)))
    # From the densest ticks to the sparsest.
    candidates = [_within(low, high, choice) for choice in digits]
    candidates += [_within(low, high, (1,), stride) for stride in strides]
    for ticks in candidates:
        places = [length * math.log(tick / low) / math.log(high / low) for tick in ticks]
        rooms = [
            factor * (_DIGIT * len(tick_text(tick)) + _GAP if across else _LINE) for tick in ticks
        ]
        if all(
            places[i + 1] - places[i] >= (rooms[i] + rooms[i + 1]) / 2
            for i in range(len(ticks) - 1)
        ):
            return ticks
    return []


def _powers(low: float, high: float) -> range:
    """The exponents of the powers of ten around a range."""
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


def _within(low: float, high: float, steps: tuple[int, ...], stride: int = 1) -> list[float]:
    """The multiples of the powers of ten, or of some of them, that lie in a range."""
    powers = _powers(low, high)[::stride]
    multiples = [float(f"{step}e{power}") for power in powers for step in steps]
    return [tick for tick in multiples if low <= tick <= high]


def tick_text(value: float) -> str:
    """A number at a tick: a whole number, a decimal, or a power of ten where those are long."""
    if value >= 1:
        return labels.integer_text(round(value))
    digit, power = f"{value:.0e}".split("e")
    if int(power) >= -3:
        return f"{value:g}"
    return ("" if digit == "1" else f"{digit}×") + labels.power_text(int(power))


def lowest_coverage(cells: pl.DataFrame, alpha: float, worst: float = 0.0) -> float:
    """The lowest coverage that is drawn, and a little less; at least 0, at most 1 − 1.1·alpha.

    Args:
        cells: the cells that are drawn.
        alpha: their nominal alpha.
        worst: the largest actual alpha between the cells.
    """
    import polars as pl

    listed = float(cells.select(pl.max_horizontal("actual_alpha", "ci_upper").max()).item())
    return max(0.0, 1 - 1.1 * max(listed, worst, alpha))


def set_coverage(axes: Axes, alpha: float, lowest: float, stretched: bool) -> str:
    """Set the vertical axis of coverage from ``lowest`` to 100 %, and return its name."""
    if not stretched:
        # There is room for a line along the top, and one along the bottom at zero.
        room = 0.02 * (1 - lowest)
        axes.set_ylim(lowest - (room if lowest == 0 else 0), 1 + room)
        write_in_percent(axes, "y")
        return COVERAGE
    stretch(axes, "y", alpha, 1 - lowest, coverage=True)
    return f"{COVERAGE},\nstretched near 100"


def breaks_down(lowest: float, alpha: float) -> bool:
    """Whether an even axis down to this coverage would flatten the curves near the nominal one."""
    return lowest < 1 - _BREAKS_DOWN * alpha


def stretch(
    axes: Axes, name: Literal["x", "y"], alpha: float, most: float, *, coverage: bool
) -> None:
    """Draw a share of misses a, or a coverage of 1 − a, at log(a + alpha/2).

    Methods that nearly always miss and small differences near the nominal value are then seen
    together; a = 0 has its place as well.

    Args:
        axes: the panel.
        name: the axis.
        alpha: the nominal share of misses.
        most: the share of misses at one end of the axis; the other end is at 0.
        coverage: whether the axis has the coverage, in per cent.
    """
    small = 0.5 * alpha

    def place(value: Any) -> Any:
        share = np.maximum(1 - value if coverage else value, -0.9 * small)
        return sign * np.log(share + small)

    def back(at: Any) -> Any:
        share = np.exp(sign * at) - small
        return 1 - share if coverage else share

    sign = -1 if coverage else 1
    # Ticks that are closer than this to that of alpha would touch it.
    shown = [t for t in _STRETCHED_TICKS if small <= t <= most and abs(np.log(t / alpha)) > 0.5]
    ticks = np.array([0.0, alpha, *shown])
    ends = np.array([-0.1 * small, most * (1.02 if most == 1 else 1.0)])
    getattr(axes, f"set_{name}scale")("function", functions=(place, back))
    axis = axes.xaxis if name == "x" else axes.yaxis
    axis.set_ticks(1 - ticks if coverage else ticks)
    axes.set(**{f"{name}lim": sorted(1 - ends if coverage else ends)})
    axis.set_major_formatter(lambda value, _: f"{(100 if coverage else 1) * value:.8g}")


def set_few_ticks(axes: Axes, *, integer: bool = False) -> None:
    """Give the x axis of a narrow panel at most six ticks, whose labels do not touch."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=integer, steps=[1, 2, 5, 10]))


def write_in_percent(axes: Axes, name: Literal["x", "y"]) -> None:
    """Write the fractions at the ticks of an axis in per cent."""
    axis = axes.xaxis if name == "x" else axes.yaxis
    axis.set_major_formatter(lambda value, _: f"{100 * value:.8g}")


def nominal_style(alpha: float) -> dict[str, Any]:
    """The look and the name of the line at the nominal coverage."""
    return style.NOMINAL_LINE | {"label": f"nominal {nominal_text(alpha)}"}


def nominal_text(alpha: float) -> str:
    """The nominal coverage in per cent."""
    return f"{100 * (1 - alpha):.8g} %"


def with_places(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells with the column `place`: the outcome of each row, or the middle of its group.

    A group whose `x_last` is null has no end; it is drawn as wide as the others.
    """
    import polars as pl

    first = pl.col("x").cast(pl.Float64)
    if "x_last" not in cells.columns:
        return cells.with_columns(place=first)
    width = pl.col("x_last") - pl.col("x")
    return cells.with_columns(place=first + width.fill_null(width.max()).fill_null(0) / 2)


def label_open_group(axes: Axes, cells: pl.DataFrame) -> None:
    """Write "≥ x" under the group that has no end, and leave out ticks that it would touch."""
    from matplotlib.ticker import MaxNLocator

    if "x_last" not in cells.columns or cells["x_last"].null_count() == 0:
        return
    last = cells.filter(cells["x_last"].is_null()).row(0, named=True)
    low, high = axes.get_xlim()
    ticks = [
        tick
        for tick in MaxNLocator(nbins=7, integer=True).tick_values(low, last["place"])
        if low <= tick < last["place"] - 0.09 * (high - low)
    ]
    names = [*(f"{tick:.0f}" for tick in ticks), f"≥ {last['x']}"]
    axes.set_xticks([*ticks, last["place"]], names)


def set_log_outcomes(axes: Axes, low: float, high: float) -> None:
    """Make the x axis logarithmic, with plain numbers at its ticks.

    Ticks stand at the powers of ten, and at 2 and 5 times them if there are few.
    """
    steps = (1,) if math.log10(high / low) >= 2 else (1, 2, 5)
    _set_log_scale(axes, "x", (low / _ROOM, high * _ROOM), _within(low, high, steps))
