"""The probability of a binomial at or below an outcome, for several true proportions.

It shows how an exact upper limit is found: the true value is raised until the tail is alpha.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Self

import numpy as np
from pydantic import Field, model_validator

from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling import binomial
from harness.figures import options
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from harness.tables.results import Results

NAME = "outcome_tails"
REACH = 4.5
"""How far each distribution is shown on either side of its mean, in standard deviations."""
# More outcomes than a figure has points across are drawn by some of them.
_MOST_SHOWN = 8192


class OutcomeTailsOptions(options.HorizontalOptions):
    """Options of `outcome_tails`; they name no levels of the experiment."""

    n: int = Field(100, ge=1, le=10**9, description="Number of trials of the binomial.")
    x: int = Field(80, ge=0, description="Outcome up to which the probability is shaded.")
    truths: options.Probabilities = Field(
        (0.8, 0.83, 0.863),
        description="True proportions in increasing order, each a column of panels; at most five.",
    )

    @model_validator(mode="after")
    def _check_outcome(self) -> Self:
        if self.x > self.n:
            raise ValueError(f"expected an x of at most n = {self.n}")
        return self


@dataclass(frozen=True)
class Tail:
    """A binomial distribution at some outcomes, and its probability of x or less."""

    truth: float
    outcomes: Integers
    probability: Floats
    cumulative: Floats
    tail: float

    @classmethod
    def of(cls, truth: float, outcomes: Integers, n: int, x: int) -> Tail:
        """The binomial of a true proportion at these outcomes."""
        p = np.array([truth])
        below = outcomes[outcomes < n]
        cumulative = np.ones(outcomes.size)
        cumulative[: below.size] = binomial.cdf(below, p, n)
        tail = float(binomial.cdf(np.array([x]), p, n)[0]) if x < n else 1.0
        return cls(truth, outcomes, binomial.pmf(outcomes, p, n), cumulative, tail)


def draw(results: Results, asked: OutcomeTailsOptions) -> list[Drawing]:
    """One drawing, from the options alone: a column of two panels for each true proportion."""
    n, x, count = asked.n, asked.x, len(asked.truths)
    outcomes = _shown_outcomes(n, x, asked.truths)
    width = style.COLUMN if count < 3 else style.PAGE
    room = style.width_of(width / count) / style.font_factor()
    figure = style.new_figure(width, 80)
    grid = figure.subplots(2, count, sharex=True, sharey="row", squeeze=False)
    for (upper, lower), truth in zip(grid.T, asked.truths, strict=True):
        tail = Tail.of(truth, outcomes, n, x)
        within = tail.outcomes <= x
        for part, colour, name, gid in (
            (within, style.VERMILION, f"outcomes up to the observed x = {x}", "tail"),
            (~within, style.PALE_BLUE, "outcomes above it", "rest"),
        ):
            edges = np.repeat(tail.outcomes[part], 2) + np.tile([-0.5, 0.5], int(part.sum()))
            heights = np.repeat(tail.probability[part], 2)
            upper.fill_between(edges, heights, color=colour, linewidth=0, label=name, gid=gid)
        _plot_expected(upper, tail, n)
        lower.step(tail.outcomes, tail.cumulative, where="post", color=style.BLUE, gid="cumulative")
        lower.plot(
            [float(tail.outcomes[0]) - 0.5, x, x],
            [tail.tail, tail.tail, 0],
            **style.NOMINAL_LINE | {"color": style.VERMILION, "linewidth": 0.7},
        )
        lower.plot([x], [tail.tail], "o", color=style.VERMILION, markersize=3, gid="observed")
        _plot_expected(lower, tail, n)
        # A long text takes one more line.
        apart = "\n" if n > 9999 or room < 30 else " "
        title = f"p = {truth:g}\nPr(X ≤ {x}){apart}= {labels.number_text(tail.tail)}"
        upper.set_title(title, loc="left", linespacing=1.3)
    grid[0, 0].set_xlim(float(outcomes[0]) - 0.5, float(outcomes[-1]) + 0.5)
    grid[0, 0].set_ylim(bottom=0)
    grid[1, 0].set_ylim(0, 1.02)
    layout.set_asked_limits(list(grid.flat), asked, count)
    grid[0, 0].locator_params(axis="x", integer=True, nbins=max(1, min(5, int(room / 9))))
    grid[0, 0].set_ylabel("Pr(X = k)")
    grid[1, 0].set_ylabel("Pr(X ≤ k)")
    figure.supxlabel(f"outcome k (successes of n = {n})")
    style.add_legend(figure, grid[0, 0].get_legend_handles_labels(), width)
    return [Drawing(file_stem(NAME, f"n{n}", f"x{x}"), figure)]


def _shown_outcomes(n: int, x: int, truths: tuple[float, ...]) -> Integers:
    """The outcomes within reach of the mean under any truth, and x; of very many so many as show.

    Those within reach of each truth are then spread evenly, and so are those between.
    """
    near = [(x - 1.0, x + 1.0)]
    for p in truths:
        reach = REACH * (n * p * (1 - p)) ** 0.5 + 1
        near.append((n * p - reach, n * p + reach))
    spans = [(max(0, int(low)), min(n, int(high) + 1)) for low, high in near]
    first, last = min(low for low, _ in spans), max(high for _, high in spans)
    if last - first < _MOST_SHOWN:
        return np.arange(first, last + 1)
    spread = [np.linspace(low, high, _MOST_SHOWN // 4) for low, high in (*spans, (first, last))]
    return np.unique(np.rint(np.concatenate(spread)).astype(np.int64))


def _plot_expected(axes: Axes, tail: Tail, n: int) -> None:
    axes.axvline(
        n * tail.truth,
        color=style.BLACK,
        linestyle=(0, (1, 1)),
        linewidth=0.8,
        label="expected outcome n·p",
        gid="expected",
    )


KIND = FigureKind(
    name=NAME,
    title="Probabilities of a binomial and how much of it lies at or below an outcome",
    options=OutcomeTailsOptions,
    over="nothing",
    needs=(),
    drawn_for=attrgetter("has_finitely_many"),
    draw=draw,
)
