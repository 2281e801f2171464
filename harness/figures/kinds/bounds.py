"""Limits at chosen outcomes as bars: central intervals beside one-sided bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.families.combination import Span
from harness.families.family import Family
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, style
from harness.figures.look.axes import set_log_axis
from harness.figures.selection import Selection, Size, format_level

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from harness.tables.results import Results

NAME = "bounds"
ROW = 4.6
"""Height of a bar with its room, in mm."""
COLOURS = {"two-sided": style.SKY, "lower": style.ORANGE, "upper": style.PURPLE}
# Bars that look alike without colours differ by what fills them.
HATCHES = {"two-sided": None, "lower": "//////", "upper": "......"}
BAR_NAMES = {"two-sided": "interval", "lower": "lower bound", "upper": "upper bound"}

Outcome = tuple[int, ...]


class BoundsOptions(options.HorizontalOptions):
    """Options of `bounds`."""

    n: options.Size | None = options.SIZE
    x: options.Outcomes | None = Field(
        None,
        description="Outcomes to draw, each one number or two for two samples; left out, the "
        "middle one of the results.",
    )
    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA


@dataclass(frozen=True)
class LimitsBar:
    """The limits of one method at one outcome."""

    title: str
    side: str
    lower: float
    upper: float

    @property
    def exists(self) -> bool:
        """Whether the method has limits; a method that failed has none."""
        return not np.isnan(self.lower)

    @property
    def limits(self) -> list[float]:
        """The limits of the method; a one-sided interval has only one."""
        of_side = {"lower": [self.lower], "upper": [self.upper]}
        return of_side.get(self.side, [self.lower, self.upper])

    @property
    def text(self) -> str:
        """The limits as numbers."""
        if not self.exists:
            return "no interval"
        sign = {"lower": "≥ ", "upper": "≤ "}.get(self.side, "")
        return sign + " … ".join(labels.number_text(value) for value in self.limits)


@dataclass(frozen=True)
class OutcomeBars:
    """The bars of one outcome."""

    title: str
    estimate: float
    bars: tuple[LimitsBar, ...]


def draw(results: Results, asked: BoundsOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha."""
    import polars as pl

    # Every engine gives the limits; Monte Carlo only of the outcomes that were drawn.
    selected = Selection.conditioned(results, NAME, asked, "outcome")
    family, size = selected.family, selected.size
    # The colour of a bar says its side.
    titles = {label: selection.plain_title(selected.cells, label) for label in selected.methods}
    # A row has limits, or its method is known to have failed.
    has_answer = pl.col("lower").is_not_null()
    if "failed" in selected.cells.columns:
        has_answer |= pl.col("failed") == 1.0
    here = selected.at_size(size).filter(has_answer)
    outcomes = _outcomes(here, family, asked.x)
    for alpha, part in selected.alphas:
        cells = here.filter(alpha=alpha)
        groups = [_outcome_bars(cells, family, size, outcome, titles) for outcome in outcomes]
        title = f"limits at {labels.size_text(family, size)}, nominal α = {alpha:g}"
        height = sum(len(group.bars) + 1 for group in groups)
        figure = style.new_figure(style.COLUMN, 24 + ROW * height)
        axes = figure.add_subplot()
        reach = _set_reach(axes, groups, family, asked.xlim)
        axes.set_ylim(height - 0.4, -0.6)
        top, rows = 0, dict[int, LimitsBar]()
        for group in groups:
            _plot_group(axes, group, top, reach)
            rows |= dict(enumerate(group.bars, top + 1))
            top += len(group.bars) + 1
        # The methods stand on the left and their limits as numbers on the right.
        axes.set_yticks(list(rows), [style.shorten(bar.title) for bar in rows.values()])
        numbers = axes.secondary_yaxis("right")
        numbers.set_yticks(list(rows), [bar.text for bar in rows.values()])
        for axis in (axes, numbers):
            axis.tick_params(axis="y", length=0)
        numbers.spines["right"].set_visible(False)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(style.wrap(labels.parameter_label(family), 50))
        handles, names = axes.get_legend_handles_labels()
        shown = dict(zip(names, handles, strict=True))
        style.add_legend(figure, (shown.values(), shown), style.COLUMN, title)
        yield Drawing(file_stem(NAME, *labels.size_in_stem(family, size), *part), figure)


def _outcomes(
    cells: pl.DataFrame, family: Family, asked: Sequence[int | tuple[int, int]] | None
) -> list[Outcome]:
    """The outcomes asked for, or the middle one."""
    present: list[Outcome] = cells.select(family.counts).unique().sort(family.counts).rows()
    if not present:
        raise NothingToDrawError(f"{NAME}: the results hold no limits")
    if asked is None:
        return [present[len(present) // 2]]
    wanted: list[Outcome] = [
        outcome if isinstance(outcome, tuple) else (outcome,) for outcome in asked
    ]
    distinct = set(present)
    for outcome in wanted:
        if outcome not in distinct:
            ends = f"{format_level(present[0])} to {format_level(present[-1])}"
            raise InputError(
                f"{NAME}: the results hold no outcome {format_level(outcome)}, "
                f"only {len(present)} from {ends}"
            )
    return wanted


def _outcome_bars(
    cells: pl.DataFrame, family: Family, size: Size, outcome: Outcome, titles: Mapping[str, str]
) -> OutcomeBars:
    """The bars of the methods that have a row at an outcome."""
    rows = cells.filter(selection.at(family.counts, outcome)).unique(
        "method", keep="first", maintain_order=True
    )
    # A method that failed has null for limits.
    limits = {
        method: (side, np.nan if lower is None else lower, np.nan if upper is None else upper)
        for method, side, lower, upper in rows.select("method", "side", "lower", "upper").rows()
    }
    bars = tuple(LimitsBar(titles[label], *limits[label]) for label in titles if label in limits)
    pairs = zip(outcome, size, strict=True)
    data = tuple(np.array([float(value)]) for pair in pairs for value in pair)
    counts = zip(family.counts, outcome, strict=True)
    title = ", ".join(f"{name} = {x}" for name, x in counts)
    return OutcomeBars(title, float(family.estimate(data)[0]), bars)


def _set_reach(
    axes: Axes, groups: Sequence[OutcomeBars], family: Family, asked: Span | None
) -> Span:
    """Set and return the limits of the axis: those of all bars with some room, within the support.

    The axis of a ratio is logarithmic; bars with an end at 0 or infinity go on to its end.
    """
    logarithmic = family.is_ratio
    values = np.array(
        [v for group in groups for bar in group.bars for v in (*bar.limits, group.estimate)]
    )
    if asked is not None:
        low, high = asked
    elif logarithmic:
        positive = np.log(values[(values > 0) & (values < np.inf)])
        least, most = positive.min(initial=-1.0), positive.max(initial=1.0)
        room = 0.12 * (most - least)
        low, high = float(np.exp(least - room)), float(np.exp(most + room))
    else:
        finite = values[np.isfinite(values)]
        least, most = finite.min(), finite.max()
        room = 0.12 * (most - least) or 0.1
        low, high = max(least - room, family.support[0]), min(most + room, family.support[1])
    if not logarithmic:
        axes.set_xlim(low, high)
    elif low <= 0:
        raise InputError(f"{NAME}: xlim: expected numbers above 0 for a ratio, found {low:g}")
    else:
        # Names and numbers beside the bars leave a third of the width at least.
        set_log_axis(axes, "x", low, high, style.width_of(style.COLUMN) / 3)
    return low, high


def _plot_group(axes: Axes, group: OutcomeBars, top: int, reach: Span) -> None:
    """Draw a heading, and below it the bars with the estimate across them."""
    heading = f"{group.title}: estimate {labels.number_text(group.estimate)}"
    axes.text(reach[0], top, heading, va="center")
    for place, bar in enumerate(group.bars, top + 1):
        if not bar.exists:
            continue
        # A one-sided bound goes on to the boundary of the support, which may lie off the axis.
        low, high = max(bar.lower, reach[0]), min(bar.upper, reach[1])
        axes.barh(
            place,
            high - low,
            left=low,
            height=0.5,
            facecolor="white" if HATCHES[bar.side] else COLOURS[bar.side],
            hatch=HATCHES[bar.side],
            edgecolor=COLOURS[bar.side],
            linewidth=0.6,
            label=BAR_NAMES[bar.side],
            gid="bar",
        )
    if not reach[0] <= group.estimate <= reach[1]:
        return
    axes.vlines(
        group.estimate,
        top + 0.6,
        top + len(group.bars) + 0.4,
        style.BLACK,
        linewidth=0.8,
        zorder=4,
        label="estimate",
        gid="estimate",
    )


KIND = FigureKind(
    name=NAME,
    title="Limits of several methods at chosen outcomes, as bars",
    options=BoundsOptions,
    drawn_for=attrgetter("has_counts_of_samples"),
    requires=("counts_of_samples",),
    draw=draw,
)
