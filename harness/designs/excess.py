"""The mean excess of one-sided limits: how far a bound lies beyond the truth on average.

Of an upper limit U it is E[(g(U) − g(θ))⁺], of a lower one L it is E[(g(θ) − g(L))⁺], over the
truth's distribution and all outcomes. The scale g is the parameter itself, or of a ratio r/(1 + r),
on which an infinite limit is 1. At listed truths the mean is a sum over truths and outcomes. Where
the posterior that the truth implies is a Beta or a Gamma, or a part of one, the mean given an
outcome has a closed form. Other distributions are replaced by a list of weighted truths, the
product of Gauss's nodes in the quantiles of independent parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import betaincinv, gammaincinv, roots_legendre

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.designs.confusion import as_pairs
from harness.designs.design import Scenario
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.one_sample.design import OneSampleSolver
from harness.designs.one_sample.exact import (
    SinglePosterior,
    mean_above,
    mean_below,
    probability_blocks,
)
from harness.designs.pairs.tables import log_multiplicity, parameter_of
from harness.distributions.paired_truths import DirichletTruth
from harness.distributions.truths import BetaTruth, ContinuousTruth, PairTruth, UniformTruth
from harness.families.family import POSTERIOR, Family
from harness.methods.method import TWO_SIDED, UPPER

NODES_OF_TWO, NODES_OF_THREE = 40, 16
"""The nodes in each of two or three independent parts of a truth; the relative error of the mean
excess is below 1e-4 up to a size of 200."""
_CELLS = 1 << 19
_SMALLEST = 1e-300
# Counts and nodes with a smaller probability than this are left out.
_NEGLIGIBLE, _LOG_NEGLIGIBLE = 1e-12, -32.0

_Block = tuple[slice, Positions, Floats]
"""The positions of some outcomes and of some nodes, and the probability of each outcome at each
node times the weight of the node, shape (m, t)."""


def mean_excess(scenario: Scenario, limits: Limits, side: str) -> Floats:
    """Return the mean excess of each column of limits, shape (k,).

    It is exact at listed truths, of one sample and of the rates of a confusion table; elsewhere the
    relative error is below 1e-4.

    Args:
        scenario: size and truth.
        limits: of k columns at least at the outcomes that can occur under the truth.
        side: ``upper`` for the excess of the upper limits, ``lower`` for that of the lower ones.

    Returns:
        The means, in the unit of the parameter, or of a ratio from 0 to 1; not a number where a
        column has no limit at an outcome that can occur.

    Raises:
        HarnessError: the side is two-sided; the limits lack an outcome that can occur; the data are
            lists; or there is no excess under this truth, as of a law under a distribution.
    """
    if side == TWO_SIDED:
        raise HarnessError("the excess is of one-sided limits")
    if not scenario.has_outcomes:
        raise HarnessError(f"no outcomes of {scenario.family.name} are numbered")
    outcomes = solver_of(scenario).possible_outcomes()
    table = limits.at(outcomes)
    bounds = _on_bounded_scale(scenario.family, table.upper if side == UPPER else table.lower)
    sign = 1.0 if side == UPPER else -1.0
    if scenario.truth.is_discrete:
        total, count = np.zeros(len(bounds)), 0
        for theta, index, probability in _listed(scenario, outcomes):
            truth = _on_bounded_scale(scenario.family, np.array(theta))
            total += (np.maximum(sign * (bounds[:, index] - truth), 0.0) * probability).sum(axis=1)
            count += 1
        return total / count
    if scenario.law is not None:
        raise HarnessError(f"no excess of {scenario.law.title} under a distribution of truths")
    if POSTERIOR in scenario.family.engines:
        first = scenario.distributed.posterior(scenario, outcomes[:1])
        if isinstance(first, SinglePosterior):
            # The mean excess beyond a limit has a closed form.
            weight = scenario.distribution_weights(outcomes)
            possible = weight > 0
            posterior = scenario.distributed.posterior(scenario, outcomes[possible])
            mean = mean_below if sign > 0 else mean_above
            rows = (mean(posterior, row) for row in bounds[:, possible])
            return np.array([(row * weight[possible]).sum() for row in rows])
    nodes = _nodes(scenario)
    order = np.argsort(nodes.parameter, kind="stable")
    parameter, excess = nodes.parameter[order], np.zeros(len(bounds))
    for part, kept, probabilities in nodes.probabilities(outcomes, order):
        excess += _beyond_sorted(parameter[kept], probabilities, bounds[:, part], sign)
    return excess


def mean_scaled_length(scenario: Scenario, limits: Limits) -> Floats:
    """Return the mean of g(U) − g(L) of each column of intervals, shape (k,); see ``mean_excess``.

    Args:
        scenario: size and truth.
        limits: of k columns at least at the outcomes that can occur under the truth.
    """
    solver = solver_of(scenario)
    outcomes = solver.possible_outcomes()
    table = limits.at(outcomes)
    lower, upper = (
        _on_bounded_scale(scenario.family, bounds) for bounds in (table.lower, table.upper)
    )
    return np.asarray(((upper - lower) * solver.outcome_weights(outcomes)).sum(axis=1))


def excess_beyond(family: Family, bounds: Floats, parameter: Floats | float, side: str) -> Floats:
    """Return (g(U) − g(θ))⁺ of upper bounds, or (g(θ) − g(L))⁺ of lower ones, broadcast.

    Args:
        family: of the parameter; of a ratio r the scale g is r/(1 + r).
        bounds: U or L.
        parameter: θ.
        side: ``upper`` or ``lower``.
    """
    scaled, truth = (
        _on_bounded_scale(family, np.asarray(values)) for values in (bounds, parameter)
    )
    return np.maximum(scaled - truth if side == UPPER else truth - scaled, 0.0)


def _on_bounded_scale(family: Family, parameter: Floats) -> Floats:
    """Return r/(1 + r) of a ratio r, and other parameters as they are; NaN stays NaN."""
    return np.where(np.isnan(parameter), np.nan, family.scale.in_order(parameter))


def _listed(
    scenario: Scenario, outcomes: Integers
) -> Iterator[tuple[float, Integers | slice, Floats]]:
    """Yield each listed truth, the positions of outcomes, and the probabilities of these there."""
    solver = solver_of(scenario)
    if isinstance(solver, OneSampleSolver):
        values = np.array(scenario.truth.values)
        for values_at, outcomes_at, rows in probability_blocks(scenario, values, outcomes):
            for theta, row in zip(values[values_at].tolist(), rows, strict=True):
                yield theta, outcomes_at, row
        return
    for theta, possible, probability in solver.listed():
        yield theta, np.searchsorted(outcomes, possible), probability


# Distributions of truths as lists of weighted truths.


@dataclass(frozen=True)
class _TruthPairs:
    """Weighted pairs of the truths of two samples."""

    scenario: Scenario
    truths: tuple[Floats, Floats]
    weights: tuple[Floats, Floats]
    """The weights of the nodes of each sample; that of a pair is their product."""

    @property
    def parameter(self) -> Floats:
        """The parameter at each pair on the bounded scale."""
        first, second = (truths.ravel() for truths in np.meshgrid(*self.truths, indexing="ij"))
        family = self.scenario.family
        return _on_bounded_scale(family, family.parameter_at((first, second)))

    def probabilities(self, outcomes: Integers, order: Positions) -> Iterator[_Block]:
        """Yield the probabilities of blocks of outcomes at nodes.

        Args:
            outcomes: of all pairs of counts of both samples, ascending.
            order: of the nodes.
        """
        nodes = np.unravel_index(order, (self.truths[0].size, self.truths[1].size))
        tables = []
        counts = [np.unique(count) for count in self.scenario.counts(outcomes)]
        for x, at, truths, weights, size in zip(
            counts, nodes, self.truths, self.weights, self.scenario.sizes, strict=True
        ):
            rows = self.scenario.model.SAMPLING.pmf(x[:, np.newaxis], truths, size) * weights
            tables.append(rows[:, at])
        first, second = tables
        likely = np.flatnonzero(second.sum(axis=1) > _NEGLIGIBLE)
        low, high = int(likely[0]), int(likely[-1]) + 1
        for row, by_first in enumerate(first):
            kept = np.flatnonzero(by_first > _NEGLIGIBLE)
            if kept.size:
                start = row * len(second)
                block = second[low:high, kept] * by_first[kept]
                yield slice(start + low, start + high), kept, block


@dataclass(frozen=True)
class _Tables:
    """Weighted tables of pairs."""

    scenario: Scenario
    """A scenario of pairs."""
    cells: tuple[Floats, ...]
    """The probabilities of both, first_only, second_only and neither at each node."""
    weight: Floats

    @property
    def parameter(self) -> Floats:
        """The parameter at each table on the bounded scale."""
        return _on_bounded_scale(self.scenario.family, parameter_of(self.scenario).at(self.cells))

    def probabilities(self, outcomes: Integers, order: Positions) -> Iterator[_Block]:
        """Yield blocks as ``_TruthPairs`` does."""
        scenario = self.scenario
        both, first, second, neither = (cell[order] for cell in self.cells)
        counts, cells = list(scenario.counts(outcomes)), [both, first, second, neither]
        if not scenario.with_both:
            # An outcome says the sum of the concordant counts alone.
            counts = [counts[0] + counts[3], *counts[1:3]]
            cells = [both + neither, first, second]
        table = np.array(counts, np.float64).T
        logarithms, weight = np.log(np.maximum(cells, _SMALLEST)), self.weight[order]
        multiplicity = log_multiplicity(scenario, outcomes)[:, np.newaxis]
        step = max(1, _CELLS // order.size)
        for start in range(0, outcomes.size, step):
            part = slice(start, start + step)
            rows = table[part] @ logarithms
            rows += multiplicity[part]
            kept = np.flatnonzero(rows.max(axis=0) > _LOG_NEGLIGIBLE)
            yield part, kept, np.exp(rows[:, kept]) * weight[kept]


def _nodes(scenario: Scenario) -> _TruthPairs | _Tables:
    """Return the nodes of a distribution of truths.

    A Dirichlet distribution has three independent parts with Beta distributions: the probability of
    a discordant pair, the share of first_only in it, and that of both in a concordant one.
    """
    truth = scenario.truth
    if isinstance(truth, PairTruth):
        parts = [_rule(sample.truth, NODES_OF_TWO) for sample in scenario.samples()]
        (first, of_first), (second, of_second) = parts
        return _TruthPairs(scenario, (first, second), (of_first, of_second))
    if not isinstance(truth, DirichletTruth):
        raise HarnessError(f"no excess of {scenario.family.name} under this distribution of truths")
    pairs = scenario if scenario.family.as_pairs is None else as_pairs(scenario)
    both, first, second, neither = pairs.truth.shapes
    shapes = [(first + second, both + neither), (first, second), (both, neither)]
    count = NODES_OF_THREE
    if not pairs.with_both and not parameter_of(pairs).uses_both:
        # Neither the outcome nor the parameter depends on the third part.
        shapes, count = shapes[:2], NODES_OF_TWO
    rules = [_rule(BetaTruth(*shape), count) for shape in shapes]
    parts_at = [nodes.ravel() for nodes in np.meshgrid(*(at for at, _ in rules), indexing="ij")]
    weight = np.array(1.0)
    for _, weights in rules:
        weight = np.multiply.outer(weight, weights)
    discordant, share = parts_at[:2]
    of_both = parts_at[2] if len(parts_at) > 2 else np.full_like(share, 0.5)
    cells = (
        (1.0 - discordant) * of_both,
        discordant * share,
        discordant * (1.0 - share),
        (1.0 - discordant) * (1.0 - of_both),
    )
    return _Tables(pairs, cells, weight.ravel())


@cache
def _rule(truth: ContinuousTruth, count: int) -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss's rule in v, with the quantiles u = v²(3 − 2v).

    A quantile function may rise from 0 as a root of u; the factor du/dv is 0 there.
    """
    nodes, weights = (np.asarray(values) for values in roots_legendre(count))
    v = 0.5 * (1.0 + nodes)
    quantiles = v * v * (3.0 - 2.0 * v)
    if isinstance(truth, UniformTruth):
        truths = truth.lower + quantiles * (truth.upper - truth.lower)
    elif isinstance(truth, BetaTruth):
        # A ratio of two truths that round to 0 or 1 is not a number.
        truths = np.clip(betaincinv(truth.s, truth.t, quantiles), _SMALLEST, np.nextafter(1.0, 0.0))
    else:
        truths = np.asarray(gammaincinv(truth.s, quantiles) / truth.t, np.float64)
    return truths, 3.0 * v * (1.0 - v) * weights


def _beyond_sorted(parameter: Floats, rows: Floats, bounds: Floats, sign: float) -> Floats:
    """Return the sums of probability times excess of each column, shape (k,).

    With the sums C₀ of the probabilities and C₁ of these times the parameter over the nodes below a
    bound, the excess of an upper bound U is U C₀ − C₁; of a lower one the nodes lie above.

    Args:
        parameter: at each node, ascending, shape (t,).
        rows: the probability of each outcome and node, shape (m, t).
        bounds: of each column at the outcomes, shape (k, m).
        sign: 1 of upper bounds, −1 of lower ones.
    """
    number = np.searchsorted(parameter, bounds)
    sums, moments = (_sums(terms, sign) for terms in (rows, rows * parameter))
    at = np.arange(len(rows))
    mass = sums[at, number]
    with np.errstate(invalid="ignore"):
        excess = np.where(mass > 0, sign * (bounds * mass - moments[at, number]), 0.0)
    return np.where(np.isnan(bounds).any(axis=1), np.nan, np.maximum(excess, 0.0).sum(axis=1))


def _sums(rows: Floats, sign: float) -> Floats:
    """Return the sums of the first nodes of each row, or of the others; shape (m, t + 1)."""
    sums = np.zeros((rows.shape[0], rows.shape[1] + 1))
    if sign > 0:
        np.cumsum(rows, axis=1, out=sums[:, 1:])
    else:
        np.cumsum(rows[:, ::-1], axis=1, out=sums[:, -2::-1])
    return sums
