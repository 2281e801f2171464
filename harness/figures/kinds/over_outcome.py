"""Alpha error, and length over that of a reference, over the outcome on a log axis.

They are Figs. 8 and 11 of Ross (2003).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.families.family import POSTERIOR
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import set_log_outcomes, with_places
from harness.figures.selection import Selection, percent_longer

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

ALPHA = "alpha_over_outcome"
INVISIBLE = 1e-6
"""Errors smaller than this lie on the line of zero; the legend says what they are below."""


MOST_MARKED = 100
"""Up to this many outcomes are marked on their line, so that one alone between two gaps shows."""


@dataclass(frozen=True)
class Lines:
    """Values of several methods at the same outcomes."""

    places: Floats
    """The outcomes or the middles of their groups, ascending, shape (m,)."""
    values: Mapping[str, Floats]
    """The values by the label of the method; NaN, which breaks the line, if one is unknown."""

    @property
    def shown(self) -> Lines:
        """The lines without the outcome 0, which a log axis cannot show."""
        positive = self.places > 0
        return Lines(self.places[positive], {name: v[positive] for name, v in self.values.items()})

    @property
    def ends(self) -> dict[str, list[float]]:
        """The values of each line that is drawn, from left to right."""
        return {method: values.tolist() for method, values in self.shown.values.items()}

    def scaled(self, factor: float) -> Lines:
        """The lines with all values times a factor."""
        return replace(self, values={name: factor * v for name, v in self.values.items()})

    def text_at_zero(
        self, titles: Mapping[str, str], text_of: Callable[[float], str] = labels.number_text
    ) -> str:
        """The values at the outcome 0, in words; empty if there is no such outcome."""
        if not (self.places == 0).any():
            return ""
        first = {
            # Less is only what rounding left.
            name: float(v[0]) if abs(v[0]) >= 1e-9 else 0.0
            for name, v in self.values.items()
            if np.isfinite(v[0])
        }
        if len(first) == len(self.values) > 2 and len(set(first.values())) == 1:
            return f"at x = 0: {text_of(next(iter(first.values())))} of every method"
        found = ", ".join(
            f"{style.shorten(titles[name])} {text_of(v)}" for name, v in first.items()
        )
        return f"at x = 0: {found}" if found else ""


def lines_of(cells: pl.DataFrame, column: str, methods: Sequence[str], kind: str) -> Lines:
    """A column of the cells of one size, alpha and engine, as a line for each method.

    Raises:
        InputError: there is no outcome above 0.
    """
    placed = with_places(cells)
    rows = placed.filter(placed["method"].is_in(list(methods)))
    every = rows.select("place").unique().sort("place")
    values = {
        method: every.join(
            rows.filter(method=method), on="place", how="left", maintain_order="left"
        )[column]
        .cast(float)
        .to_numpy()
        for method in methods
    }
    found = Lines(every["place"].to_numpy(), values)
    if found.shown.places.size == 0:
        raise InputError(f"{kind}: the results hold no outcome above 0")
    return found


def plot_lines(axes: Axes, found: Lines, names: Sequence[str]) -> None:
    """Draw the lines under these names, and a thin one at zero."""
    shown = found.shown
    axes.axhline(0, color=style.BLACK, linewidth=0.4, zorder=1, gid="zero")
    methods = list(shown.values)
    for index, (name, method) in enumerate(zip(names, methods, strict=True)):
        look = style.style_of(method, methods)
        marked = look.marked_line
        if shown.places.size <= MOST_MARKED:
            marked["markevery"] = 1
        axes.plot(shown.places, shown.values[method], **marked, label=name, gid=f"line-{index}")
    set_log_outcomes(axes, float(shown.places[0]), float(shown.places[-1]))


class AlphaOverOutcomeOptions(options.AxesOptions):
    """Options of `alpha_over_outcome`."""

    n: options.Size | None = options.SIZE
    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = Field(
        None,
        description="Nominal alpha to draw, a probability; left out, one drawing per alpha, and "
        "where there are "
        "several one more in which they are compared as per cent of alpha.",
    )
    lowest: float = Field(
        -200.0,
        lt=0,
        description="Lower end of the axis, in per cent of alpha; a text says what lies below.",
    )


def _errors(found: Selection, alpha: float) -> Lines:
    """The alpha errors of all methods at a nominal alpha."""
    return lines_of(found.cells.filter(alpha=alpha), "alpha_error", found.methods, ALPHA)


def _names(titles: Mapping[str, str], found: Sequence[Lines]) -> list[str]:
    """The wrapped names of the methods, with a bound of errors too small to be seen."""
    bounds = [_bound(max(labels.largest(one.values[method]) for one in found)) for method in titles]
    named = zip(titles.values(), bounds, strict=True)
    return [style.wrap(title + bound, style.COLUMN - 10) for title, bound in named]


def _heading(found: Selection, of_alpha: str = "") -> str:
    """The title of a drawing, with the posterior if it is not that of the reference prior."""
    size = labels.size_text(found.family, found.size)
    of_truth = "prior_alpha" in found.cells.columns
    posterior = ", posterior of the experiment's truth" if of_truth else ""
    return style.wrap(f"α error at {size}{of_alpha}{posterior}", style.COLUMN)


def draw_alpha(results: Results, asked: AlphaOverOutcomeOptions) -> list[Drawing]:
    """One drawing per alpha, and one that compares them if there are several."""
    every = Selection.given(results, ALPHA, asked, "outcome", (POSTERIOR,))
    found = replace(every, cells=every.at_size(every.size))
    titles = {label: selection.method_title(found.cells, label) for label in found.methods}
    name = file_stem(ALPHA, *labels.size_in_stem(found.family, found.size))
    drawings = [
        Drawing("-".join([name, *part]), _alpha_figure(found, titles, alpha))
        for alpha, part in found.alphas
    ]
    if len(drawings) > 1:
        drawings.append(Drawing(f"{name}-percent", _compared(found, titles)))
    return drawings


def _alpha_figure(found: Selection, titles: Mapping[str, str], alpha: float) -> Figure:
    """The error itself."""
    errors = _errors(found, alpha)
    at_zero = style.wrap(errors.text_at_zero(titles), style.COLUMN)
    heading = "\n".join(filter(None, [_heading(found, f", nominal α = {alpha:g}"), at_zero]))
    figure, axes = _lines_figure(errors, _names(titles, [errors]), heading, found)
    axes.set_ylabel("α error (nominal − actual)")
    layout.label_ends(axes, errors.ends, titles.values(), errors.values)
    return figure


def _lines_figure(
    lines: Lines, names: Sequence[str], heading: str, found: Selection
) -> tuple[Figure, Axes]:
    """A figure of one panel with these lines."""
    figure, legend = style.curve_figure(names, heading, 56, heading.count("\n"))
    axes = figure.add_subplot()
    plot_lines(axes, lines, names)
    axes.set_xlabel(labels.outcome_label(found.family, found.size))
    layout.set_asked_limits([axes], found.asked)
    figure.legend(**legend)
    return figure, axes


def _compared(found: Selection, titles: Mapping[str, str]) -> Figure:
    """The error as per cent of alpha, a panel per alpha on one scale."""
    lowest, alphas = found.asked.lowest, [alpha for alpha, _ in found.alphas]
    every = [_errors(found, alpha) for alpha in alphas]
    names = _names(titles, every)
    figure = style.new_figure(style.COLUMN, 26 + 30 * len(alphas))
    panels = figure.subplots(len(alphas), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    lowest_found = 0.0
    for axes, alpha, errors in zip(panels, alphas, every, strict=True):
        percent = errors.scaled(100 / alpha)
        plot_lines(axes, percent, names)
        notes = [f"nominal α = {alpha:g}", *_hidden(percent, titles, lowest)]
        axes.set_title(style.wrap("; ".join(notes), 74), loc="left", pad=2)
        shown = [values for values in percent.shown.values.values() if np.isfinite(values).any()]
        lowest_found = min([lowest_found, *(float(np.nanmin(values)) for values in shown)])
    panels[0].set_ylim(bottom=max(lowest, 1.05 * lowest_found - 5), top=105)
    # A range that is asked for in units of the error is none of per cent of alpha.
    layout.set_asked_limits(list(panels), options.HorizontalOptions(xlim=found.asked.xlim))
    figure.supxlabel(labels.outcome_label(found.family, found.size))
    figure.supylabel("α error (% of nominal α)")
    handles, _ = panels[0].get_legend_handles_labels()
    style.add_legend(figure, (handles, names), style.COLUMN, _heading(found))
    return figure


def _hidden(percent: Lines, titles: Mapping[str, str], lowest: float) -> list[str]:
    """How far each line goes below the axis, in words."""
    notes = []
    for method, values in percent.shown.values.items():
        below = values[values < lowest]
        if below.size:
            reached = labels.percent_text(float(below.min()))
            notes.append(f"{style.shorten(titles[method])} down to {reached}")
    return notes


def _bound(largest: float) -> str:
    """A power of ten above errors that are too small to be seen, in words."""
    if largest == 0 or largest > INVISIBLE:
        return ""
    return f" (within {labels.power_text(math.ceil(math.log10(largest)))})"


ALPHA_KIND = FigureKind(
    name=ALPHA,
    title="Alpha error over the outcome on a log axis, a line per method",
    options=AlphaOverOutcomeOptions,
    needs=(POSTERIOR,),
    draw=draw_alpha,
)


LENGTH = "length_over_outcome"


class LengthOverOutcomeOptions(options.AxesOptions):
    """Options of `length_over_outcome`."""

    n: options.Size | None = options.SIZE
    methods: options.Labels | None = Field(
        None,
        description="Labels of the methods to draw, in this order; left out, all of the "
        "reference's side, the reference itself left out.",
    )
    alpha: options.Alpha | None = options.ALPHA
    reference: options.Label = options.REFERENCE


def draw_length(results: Results, asked: LengthOverOutcomeOptions) -> list[Drawing]:
    """One drawing per alpha."""
    found = Selection.with_lengths(results, LENGTH, asked)
    family, size, reference, methods = found.family, found.size, asked.reference, found.compared
    titles = {label: selection.method_title(found.cells, label) for label in [*methods, reference]}
    shown = [titles[label] for label in methods]
    names = [style.wrap(title, style.COLUMN - 10) for title in shown]
    drawings = []
    for alpha, part in found.alphas:
        lines = _longer_lines(found.at_size(size).filter(alpha=alpha), methods, reference)
        title = f"length at {labels.size_text(family, size)}, nominal α = {alpha:g}"
        sentences = filter(None, (title, lines.text_at_zero(titles, labels.percent_text)))
        heading = "\n".join(style.wrap(text, style.COLUMN) for text in sentences)
        figure, axes = _lines_figure(lines, names, heading, found)
        axes.set_ylabel(style.wrap(f"length (% over {style.shorten(titles[reference])})", 44))
        layout.label_ends(axes, lines.ends, shown, lines.values)
        parts = [LENGTH, "over", reference, *labels.size_in_stem(family, size), *part]
        drawings.append(Drawing(file_stem(*parts), figure))
    return drawings


def _longer_lines(cells: pl.DataFrame, methods: Sequence[str], reference: str) -> Lines:
    """By how many per cent each method is longer, at every outcome."""
    every = lines_of(cells, "length", list(dict.fromkeys([*methods, reference])), LENGTH)
    base = every.values[reference]
    percent = {method: percent_longer(every.values[method], base) for method in methods}
    if all(np.isnan(values).all() for values in percent.values()):
        raise NothingToDrawError(f"{LENGTH}: {reference} has no length anywhere to compare with")
    return Lines(every.places, percent)


LENGTH_KIND = FigureKind(
    name=LENGTH,
    title="Per cent longer than a reference method over the outcome on a log axis",
    options=LengthOverOutcomeOptions,
    requires=("lengths",),
    draw=draw_length,
)
