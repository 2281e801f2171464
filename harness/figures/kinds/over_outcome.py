"""Alpha error, and length over that of a reference, over the outcome on a log axis.

They are Figs. 8 and 11 of Ross (2003).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
class OutcomeLines:
    """Values of several methods at the same outcomes."""

    places: Floats
    """The outcomes or the middles of their groups, ascending, shape (m,)."""
    values: Mapping[str, Floats]
    """The values by the label of the method; NaN, which breaks the line, if one is unknown."""

    @property
    def shown(self) -> OutcomeLines:
        """The lines without the outcome 0, which a log axis cannot show."""
        positive = self.places > 0
        values = {method: line[positive] for method, line in self.values.items()}
        return OutcomeLines(self.places[positive], values)

    @property
    def ends(self) -> dict[str, list[float]]:
        """The values of each line that is drawn, from left to right."""
        return {method: values.tolist() for method, values in self.shown.values.items()}

    def scaled(self, factor: float) -> OutcomeLines:
        """The lines with all values times a factor."""
        values = {method: factor * line for method, line in self.values.items()}
        return replace(self, values=values)

    def text_at_zero(
        self, titles: Mapping[str, str], text_of: Callable[[float], str] = labels.number_text
    ) -> str:
        """The values at the outcome 0, in words; empty if there is no such outcome."""
        if not (self.places == 0).any():
            return ""
        first = {
            # Less is only what rounding left.
            method: float(line[0]) if abs(line[0]) >= 1e-9 else 0.0
            for method, line in self.values.items()
            if np.isfinite(line[0])
        }
        if len(first) == len(self.values) > 2 and len(set(first.values())) == 1:
            return f"at x = 0: {text_of(next(iter(first.values())))} of every method"
        texts = [
            f"{style.shorten(titles[method])} {text_of(value)}" for method, value in first.items()
        ]
        return f"at x = 0: {', '.join(texts)}" if texts else ""


def lines_of(cells: pl.DataFrame, column: str, methods: Sequence[str], kind: str) -> OutcomeLines:
    """A column of the cells of one size, alpha and engine, as a line for each method.

    Raises:
        InputError: there is no outcome above 0.
    """
    placed = with_places(cells)
    rows = placed.filter(placed["method"].is_in(list(methods)))
    places = rows.select("place").unique().sort("place")
    values = {}
    for method in methods:
        own = rows.filter(method=method)
        joined = places.join(own, on="place", how="left", maintain_order="left")
        values[method] = joined[column].cast(float).to_numpy()
    lines = OutcomeLines(places["place"].to_numpy(), values)
    if lines.shown.places.size == 0:
        raise InputError(f"{kind}: the results hold no outcome above 0")
    return lines


def plot_lines(axes: Axes, lines: OutcomeLines, names: Sequence[str]) -> None:
    """Draw the lines under these names, and a thin one at zero."""
    shown = lines.shown
    axes.axhline(0, color=style.BLACK, linewidth=0.4, zorder=1, gid="zero")
    methods = list(shown.values)
    for index, (name, method) in enumerate(zip(names, methods, strict=True)):
        look = style.style_of(method, methods)
        marked = look.marked_line
        if shown.places.size <= MOST_MARKED:
            marked["markevery"] = 1
        axes.plot(shown.places, shown.values[method], **marked, label=name, gid=f"line-{index}")
    set_log_outcomes(axes, float(shown.places[0]), float(shown.places[-1]))


def _lines_figure(
    lines: OutcomeLines, names: Sequence[str], heading: str, selected: Selection
) -> tuple[Figure, Axes]:
    """A figure of one panel with these lines."""
    figure, legend = style.curve_figure(names, heading, 56, heading.count("\n"))
    axes = figure.add_subplot()
    plot_lines(axes, lines, names)
    axes.set_xlabel(labels.outcome_label(selected.family, selected.size))
    layout.set_asked_limits([axes], selected.asked)
    figure.legend(**legend)
    return figure, axes


class AlphaOverOutcomeOptions(options.OfOneSize, options.AxesOptions):
    """Options of `alpha_over_outcome`."""

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


def draw_alpha(results: Results, asked: AlphaOverOutcomeOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha, and one that compares them if there are several."""
    selected = Selection.conditioned(results, ALPHA, asked, "outcome", (POSTERIOR,))
    selected = replace(selected, cells=selected.at_size(selected.size))
    cells, methods = selected.cells, selected.methods
    titles = {method: selection.method_title(cells, method) for method in methods}
    stem = file_stem(ALPHA, *labels.size_in_stem(selected.family, selected.size))
    errors = {}
    for alpha, part in selected.alphas:
        lines = lines_of(cells.filter(alpha=alpha), "alpha_error", methods, ALPHA)
        at_zero = style.wrap(lines.text_at_zero(titles), style.COLUMN)
        heading = filter(None, [_heading(selected, f", nominal α = {alpha:g}"), at_zero])
        names = _names(titles, [lines])
        figure, axes = _lines_figure(lines, names, "\n".join(heading), selected)
        axes.set_ylabel("α error (nominal − actual)")
        layout.label_ends(axes, lines.ends, titles.values(), lines.values)
        yield Drawing("-".join([stem, *part]), figure)
        errors[alpha] = lines
    if len(errors) > 1:
        yield Drawing(f"{stem}-percent", _percent_figure(selected, titles, errors))


def _names(titles: Mapping[str, str], lines: Sequence[OutcomeLines]) -> list[str]:
    """The wrapped names of the methods, with a power of ten above errors too small to be seen."""
    names = []
    for method, title in titles.items():
        largest = max(labels.largest(line.values[method]) for line in lines)
        if 0 < largest <= INVISIBLE:
            title += f" (within {labels.power_text(math.ceil(math.log10(largest)))})"
        names.append(style.wrap(title, style.COLUMN - 10))
    return names


def _heading(selected: Selection, of_alpha: str = "") -> str:
    """The title of a drawing, with the posterior if it is not that of the reference prior."""
    size = labels.size_text(selected.family, selected.size)
    of_truth = "prior_alpha" in selected.cells.columns
    posterior = ", posterior of the experiment's truth" if of_truth else ""
    return style.wrap(f"α error at {size}{of_alpha}{posterior}", style.COLUMN)


def _percent_figure(
    selected: Selection, titles: Mapping[str, str], errors: Mapping[float, OutcomeLines]
) -> Figure:
    """The errors as per cent of alpha, a panel per alpha on one scale."""
    lowest = selected.asked.lowest
    names = _names(titles, list(errors.values()))
    figure = style.new_figure(style.COLUMN, 26 + 30 * len(errors))
    panels = figure.subplots(len(errors), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    bottom = 0.0
    for axes, (alpha, lines) in zip(panels, errors.items(), strict=True):
        percent = lines.scaled(100 / alpha)
        plot_lines(axes, percent, names)
        notes = [f"nominal α = {alpha:g}"]
        for method, values in percent.shown.values.items():
            least = float(np.nanmin(values, initial=0.0))
            bottom = min(bottom, least)
            if least < lowest:
                name = style.shorten(titles[method])
                notes.append(f"{name} down to {labels.percent_text(least)}")
        axes.set_title(style.wrap("; ".join(notes), 74), loc="left", pad=2)
    panels[0].set_ylim(bottom=max(lowest, 1.05 * bottom - 5), top=105)
    # A range that is asked for in units of the error is none of per cent of alpha.
    layout.set_asked_limits(list(panels), options.HorizontalOptions(xlim=selected.asked.xlim))
    figure.supxlabel(labels.outcome_label(selected.family, selected.size))
    figure.supylabel("α error (% of nominal α)")
    handles, _ = panels[0].get_legend_handles_labels()
    style.add_legend(figure, (handles, names), style.COLUMN, _heading(selected))
    return figure


ALPHA_KIND = FigureKind(
    name=ALPHA,
    title="Alpha error over the outcome on a log axis, a line per method",
    options=AlphaOverOutcomeOptions,
    needs=(POSTERIOR,),
    draw=draw_alpha,
)


LENGTH = "length_over_outcome"


class LengthOverOutcomeOptions(options.OfOneSize, options.AxesOptions):
    """Options of `length_over_outcome`."""

    methods: options.Labels | None = Field(
        None,
        description="Labels of the methods to draw, in this order; left out, all of the "
        "reference's side, the reference itself left out.",
    )
    reference: options.Label = options.REFERENCE


def draw_length(results: Results, asked: LengthOverOutcomeOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha."""
    selected = Selection.with_lengths(results, LENGTH, asked)
    family, size, cells = selected.family, selected.size, selected.cells
    reference, methods = asked.reference, selected.compared
    titles = {label: selection.method_title(cells, label) for label in [*methods, reference]}
    shown = [titles[label] for label in methods]
    names = [style.wrap(title, style.COLUMN - 10) for title in shown]
    for alpha, part in selected.alphas:
        here = selected.at_size(size).filter(alpha=alpha)
        lengths = lines_of(here, "length", list(titles), LENGTH)
        base = lengths.values[reference]
        percent = {method: percent_longer(lengths.values[method], base) for method in methods}
        if all(np.isnan(values).all() for values in percent.values()):
            raise NothingToDrawError(
                f"{LENGTH}: {reference} has no length anywhere to compare with"
            )
        lines = OutcomeLines(lengths.places, percent)
        title = f"length at {labels.size_text(family, size)}, nominal α = {alpha:g}"
        sentences = filter(None, (title, lines.text_at_zero(titles, labels.percent_text)))
        heading = "\n".join(style.wrap(text, style.COLUMN) for text in sentences)
        figure, axes = _lines_figure(lines, names, heading, selected)
        axes.set_ylabel(style.wrap(f"length (% over {style.shorten(titles[reference])})", 44))
        layout.label_ends(axes, lines.ends, shown, lines.values)
        parts = [LENGTH, "over", reference, *labels.size_in_stem(family, size), *part]
        yield Drawing(file_stem(*parts), figure)


LENGTH_KIND = FigureKind(
    name=LENGTH,
    title="Per cent longer than a reference method over the outcome on a log axis",
    options=LengthOverOutcomeOptions,
    requires=("lengths",),
    draw=draw_length,
)
