"""Exact probabilities of a miss at one truth, from limits that are computed once for a size.

They are there of confusion tables and of few small strata, where limits of all outcomes are listed,
and of the mean of normal runs, where methods have a closed form. Probabilities of outcomes are good
to about 1e-12, and sums of them are those of ``designs.engines.listed`` to that error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from harness.base.numerics.arrays import Floats, Positions
from harness.callers.source import Observed
from harness.designs.design import Scenario
from harness.designs.engines.monte_carlo import StochasticColumn
from harness.designs.engines.solver import solver_of
from harness.designs.lists import enumerate_lists
from harness.distributions.list_truths import StratumTruth
from harness.distributions.sampling import binomial
from harness.families.family import CLOSED_FORM
from harness.kinds.coverage.columns import RunColumns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.limits import compute_limits

MOST_TABLES = 2**18
"""The most tables of strata whose limits are listed."""
_BLOCK = 2**15
_SMALLEST = 1e-20
# The logarithm of a probability of 0, a finite number, so that 0 times it is 0.
_LOG_ZERO = -1e6

Alphas = Callable[[Scenario], Floats]
"""The actual alpha of each column at the one truth of a scenario, shape (k,)."""


@dataclass(frozen=True)
class _Listed:
    """The limits of k columns at m outcomes, with the probabilities of these at a truth."""

    lower: Floats
    """Shape (k, m)."""
    upper: Floats
    probabilities: Callable[[Scenario], tuple[Positions, Floats]]
    """The places of the outcomes that may occur at the one truth of a scenario, shape (o,), and
    their probabilities there. The others have one below 1e-20."""

    def __call__(self, scenario: Scenario) -> Floats:
        places, probability = self.probabilities(scenario)
        theta = float(scenario.listed_truths()[1][0])
        bounds = zip(self.lower, self.upper, strict=True)
        covered = ((low[places] <= theta) & (theta <= high[places]) for low, high in bounds)
        return np.array([probability[~row].sum() for row in covered])


def exact_alphas(
    experiment: Experiment, scenario: Scenario, columns: RunColumns
) -> tuple[Alphas | None, Sequence[int]]:
    """Return the exact values of columns in the scenarios of one size.

    Args:
        experiment: of lists or of confusion tables, with the methods.
        scenario: a scenario of the size, with any one truth.
        columns: those of the experiment.

    Returns:
        The function of a scenario, and the positions of the columns that it is of; None and no
        position where no column has exact values.
    """
    if columns.deterministic:
        alphas: Alphas = _of_confusion(experiment, scenario, columns)
        return alphas, [column.position for column in columns.deterministic]
    drawn = columns.stochastic
    if CLOSED_FORM in experiment.family.engines:
        enumerated = enumerate_lists(scenario, drawn)
        if enumerated is None or enumerated.by_truth is None:
            return None, []
        rows = np.flatnonzero(~np.isnan(enumerated.by_truth.missed[:, 0]))
        closed = [drawn[row] for row in rows]

        def in_closed_form(at: Scenario) -> Floats:
            enumerated = enumerate_lists(at, closed)
            assert enumerated is not None
            assert enumerated.by_truth is not None
            return enumerated.by_truth.missed[:, 0]

        return in_closed_form, [drawn_column.column.position for drawn_column in closed]
    if scenario.design.listed_truth is StratumTruth:
        settled = [drawn_column for drawn_column in drawn if drawn_column.source.deterministic]
        first, second = scenario.size
        if math.prod(int(n) + 1 for n in (*first, *second)) <= MOST_TABLES and settled:
            return _of_strata(scenario, settled), [
                drawn_column.column.position for drawn_column in settled
            ]
    return None, []


def _of_confusion(experiment: Experiment, scenario: Scenario, columns: RunColumns) -> _Listed:
    """The limits at all tables of n cases.

    Pr(x) = exp(log n! + Σ (xᵢ log pᵢ − log xᵢ!)) over the four cells.
    """
    solver = solver_of(scenario)
    outcomes = solver.range_outcomes(solver.whole_range())
    (limits,) = compute_limits(experiment, [scenario], [outcomes], columns)
    counts = np.array(scenario.counts(outcomes), np.float64)
    coefficient = gammaln(float(scenario.size) + 1.0) - gammaln(counts + 1.0).sum(axis=0)

    def probabilities(at: Scenario) -> tuple[Positions, Floats]:
        cells = np.array(at.truth.rows[0])
        logs = np.full(cells.size, _LOG_ZERO)
        np.log(cells, out=logs, where=cells > 0)
        exponents = coefficient + logs @ counts
        places = np.flatnonzero(exponents > math.log(_SMALLEST))
        return places, np.exp(exponents[places])

    return _Listed(limits.limits.lower, limits.limits.upper, probabilities)


def _of_strata(scenario: Scenario, columns: Sequence[StochasticColumn]) -> _Listed:
    """The limits at all tables of counts in the strata of both samples.

    The probability of a table is the product of the binomial ones of its counts.
    """
    sizes = np.array([*scenario.size[0], *scenario.size[1]], np.float64)
    strata, shape = sizes.size // 2, tuple(int(n) + 1 for n in sizes)
    count = math.prod(shape)
    lower, upper = np.empty((2, len(columns), count))
    for start in range(0, count, _BLOCK):
        block = slice(start, min(start + _BLOCK, count))
        places = np.unravel_index(np.arange(block.start, block.stop), shape)
        x = np.stack(places, axis=1).astype(np.float64)
        n = np.broadcast_to(sizes, x.shape)
        data = x[:, :strata], n[:, :strata], x[:, strata:], n[:, strata:]
        observed = Observed(scenario.family, scenario.sizes, data)
        for row, drawn in enumerate(columns):
            asked = observed, drawn.column.alpha, drawn.column.side
            answers = drawn.source.limits(*asked).intervals(*asked)
            lower[row, block], upper[row, block] = answers.lower, answers.upper

    def probabilities(at: Scenario) -> tuple[Positions, Floats]:
        product = np.ones(1)
        for p, n in zip((*at.truth.tables[0][0], *at.truth.tables[0][1]), sizes, strict=True):
            of_count = binomial.pmf(np.arange(int(n) + 1), np.array(p), n)
            product = np.multiply.outer(product, of_count).ravel()
        places = np.flatnonzero(product > _SMALLEST)
        return places, product[places]

    return _Listed(lower, upper, probabilities)
