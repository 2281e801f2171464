"""How much of a binomial lies at or below an outcome, for one true proportion after another.

It shows how an exact upper bound is found: the true value is raised until the tail is alpha.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.figures import selection, style, units
from harness.figures.drawing import Drawing, stem
from harness.figures.options import OutcomeTails
from harness.numerics.arrays import Floats, Integers
from harness.sampling import binomial

KIND = "outcome_tails"
WIDTH = 4.5
"""What is shown of each distribution on either side of its mean, in standard deviations."""


@dataclass(frozen=True)
class Tail:
    """A binomial at some outcomes, and its probability of x or less."""

    truth: float
    outcomes: Integers
    probability: Floats
    cumulative: Floats
    tail: float


def draw(results: selection.Tables, options: OutcomeTails) -> list[Drawing]:
    """One drawing, from the options alone."""
    n, x = options.n, options.x
    outcomes = _shown(n, x, options.truths)
    tails = [tail_of(truth, outcomes, n, x) for truth in options.truths]
    return [Drawing(stem(KIND, f"n{n}", f"x{x}"), _figure(tails, n, x))]


def tail_of(truth: float, outcomes: Integers, n: int, x: int) -> Tail:
    """The binomial of a true proportion at these outcomes."""
    p = np.array([truth])
    below = outcomes[outcomes < n]
    cumulative = np.ones(outcomes.size)
    cumulative[: below.size] = binomial.cdf(below, p, n)
    tail = float(binomial.cdf(np.array([x]), p, n)[0]) if x < n else 1.0
    return Tail(truth, outcomes, binomial.pmf(outcomes, p, n), cumulative, tail)


def _shown(n: int, x: int, truths: tuple[float, ...]) -> Integers:
    """The outcomes that are seen to have a probability under any truth, and x."""
    ends = [x - 1.0, x + 1.0]
    for p in truths:
        reach = WIDTH * (n * p * (1 - p)) ** 0.5 + 1
        ends += [n * p - reach, n * p + reach]
    return np.arange(max(0, int(min(ends))), min(n, int(max(ends)) + 1) + 1)


def _figure(tails: list[Tail], n: int, x: int) -> Figure:
    width = style.COLUMN if len(tails) < 3 else style.PAGE
    figure = style.new_figure(width, 80)
    grid = figure.subplots(2, len(tails), sharex=True, sharey="row", squeeze=False)
    for column, tail in enumerate(tails):
        upper, lower = grid[:, column]
        _probabilities(upper, tail, n, x)
        _cumulative(lower, tail, n, x)
        upper.set_title(_title(tail, n, x), loc="left", linespacing=1.3)
    first, last = float(tails[0].outcomes[0]), float(tails[0].outcomes[-1])
    grid[0, 0].set_xlim(first - 0.5, last + 0.5)
    grid[0, 0].set_ylim(bottom=0)
    grid[1, 0].set_ylim(0, 1.02)
    grid[0, 0].locator_params(axis="x", integer=True, nbins=5)
    grid[0, 0].set_ylabel("Pr(X = k)")
    grid[1, 0].set_ylabel("Pr(X ≤ k)")
    figure.supxlabel(f"outcome k (successes of n = {n})", fontsize=style.TEXT)
    handles, names = grid[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, names, loc="outside upper left", ncols=style.legend_columns(names, width)
    )
    return figure


def _title(tail: Tail, n: int, x: int) -> str:
    """The tail in numbers; long ones take a line more."""
    apart = "\n" if n > 9999 else " "
    return f"p = {tail.truth:g}\nPr(X ≤ {x}){apart}= {units.in_text(tail.tail)}"


def _probabilities(axes: Axes, tail: Tail, n: int, x: int) -> None:
    k, probability = tail.outcomes, tail.probability
    within = k <= x
    for part, colour, name, gid in (
        (within, style.VERMILION, f"outcomes up to the observed x = {x}", "tail"),
        (~within, style.PALE_BLUE, "outcomes above it", "rest"),
    ):
        edges = np.repeat(k[part], 2) + np.tile([-0.5, 0.5], int(part.sum()))
        heights = np.repeat(probability[part], 2)
        axes.fill_between(edges, heights, color=colour, linewidth=0, label=name, gid=gid)
    _expected(axes, tail, n)


def _cumulative(axes: Axes, tail: Tail, n: int, x: int) -> None:
    axes.step(tail.outcomes, tail.cumulative, where="post", color=style.BLUE, gid="cumulative")
    left = float(tail.outcomes[0]) - 0.5
    axes.plot(
        [left, x, x],
        [tail.tail, tail.tail, 0],
        color=style.VERMILION,
        linestyle=(0, (4, 2)),
        linewidth=0.7,
    )
    axes.plot([x], [tail.tail], "o", color=style.VERMILION, markersize=3, gid="observed")
    _expected(axes, tail, n)


def _expected(axes: Axes, tail: Tail, n: int) -> None:
    axes.axvline(
        n * tail.truth,
        color=style.BLACK,
        linestyle=(0, (1, 1)),
        linewidth=0.8,
        label="expected outcome n·p",
        gid="expected",
    )
