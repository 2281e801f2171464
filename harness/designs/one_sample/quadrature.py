"""Enumeration over a distribution of the truth of one sample, by Gauss quadrature.

At each node θ the probabilities of the outcomes whose interval misses θ are summed, and the sums
are integrated over θ. Between two neighbouring limits the set of these outcomes is fixed, and the
sum is smooth: the nodes lie gap by gap. No posterior and no tail function takes part, so that the
integral is independent of what the engine ``posterior`` computes from the same limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.points import RealPoints, UnitPoints
from harness.designs.design import Scenario
from harness.designs.engines.listed import consecutive_probabilities
from harness.designs.limits import Limits
from harness.designs.results import Exact, Mean, NodeMisses, weighted
from harness.distributions.truths import Prior, as_distribution
from harness.families.combination import Span
from harness.families.model import Model

_NEGLIGIBLE_TAIL = 1e-18
# Outcomes farther than this from the ends of their range do not arise next to a singular end.
_WELL_INSIDE = 50
_IMPOSSIBLE = 1e-25


@dataclass(frozen=True)
class Mixing:
    """A distribution of the parameter of one sample, or a prior that is no distribution."""

    model: Model
    size: float
    prior: Prior
    """The parameters of the density's shape."""
    span: Span
    """The range of the parameter: all of it, a part, or as far as matters."""
    factor: float = 1.0
    """The constant that makes the integral over the range 1, if the prior's own does not."""

    @classmethod
    def of_truth(cls, scenario: Scenario) -> Mixing:
        """Return the truth's distribution."""
        truth, model = as_distribution(scenario.truth), scenario.model
        if truth.conjugate_prior is not None:
            prior, span = truth.conjugate_prior, truth.effective_support
            return cls(model, scenario.size, prior, span)
        low, high = truth.support
        return cls(model, scenario.size, model.FLAT_PRIOR, (low, high), 1.0 / (high - low))

    @classmethod
    def of_prior(cls, scenario: Scenario, prior: Prior, largest: int) -> Mixing:
        """Return a prior, over the range in which an outcome up to ``largest`` can arise."""
        model, size = scenario.model, scenario.size
        if model.IS_BOUNDED:
            return cls(model, size, prior, model.SUPPORT)
        posterior = model.posterior(np.array([float(largest)]), np.array([float(size)]), prior)
        end = float(posterior.isf(np.array([_NEGLIGIBLE_TAIL])).value[0])
        return cls(model, size, prior, (model.SUPPORT[0], end))

    def near(self, outcomes: Integers) -> Mixing:
        """Return the part of the distribution at which one of the outcomes can arise.

        The posteriors of the first and the last outcome have a mass of 1e-18 beyond it. It includes
        an end of the range next to which an outcome lies, where the density may be singular.
        """
        ends = outcomes[[0, -1]].astype(np.float64)
        posterior = self.model.posterior(ends, np.full(2, float(self.size)), self.prior)
        tail = np.full(2, _NEGLIGIBLE_TAIL)
        from_first = float(posterior.ppf(tail).value[0])
        to_last = float(posterior.isf(tail).value[1])
        # Where the range ends short of them, the part at its end falls off faster than they do.
        width, (low, high) = to_last - from_first, self.span
        if ends[0] > _WELL_INSIDE:
            low = max(low, min(from_first, high - width))
        if self.model.SAMPLING.largest_outcome(self.size) - ends[1] > _WELL_INSIDE:
            high = min(high, max(to_last, low + width))
        return replace(self, span=(low, high))

    def rule(self, edges: Floats) -> tuple[RealPoints | UnitPoints, Floats]:
        """Return ascending nodes and weights for an integrand that is smooth between the edges."""
        nodes, weights = self.model.prior_rule(edges, self.prior, self.size)
        return nodes, weights * self.factor


@dataclass(frozen=True)
class Integral:
    """The integrals of k columns over a distribution of truths."""

    by_outcome: Exact
    """Given each outcome; its weight is the outcome's probability."""
    mean: Mean
    """Over all truths and outcomes."""
    nodes: tuple[NodeMisses, ...]
    """The miss probabilities of each column at the nodes."""


def integrate(mixing: Mixing, limits: Limits) -> Integral:
    """Return the integrals of the summed probabilities, for consecutive outcomes.

    With the nodes θ_i and their weights w_i, between the limits of one column, the mean of the
    misses below is Σ_i w_i Σ_x [θ_i < L(x)] Pr(X = x | θ_i), and that given an outcome
    Σ_i w_i [θ_i < L(x)] Pr(X = x | θ_i) / Σ_i w_i Pr(X = x | θ_i), which is 1 to the last bit where
    the outcome misses at all nodes. The weights Pr(X = x) are integrals with nodes of their own.

    Args:
        mixing: the distribution of the truth.
        limits: of the outcomes first, first + 1, …; outcomes without limits count as impossible.

    Returns:
        The means, and the integrals given each outcome with a probability above 1e-25.
    """
    weight = outcome_probabilities(mixing, limits.outcomes)
    nodes, misses = [], []
    for lower, upper in zip(limits.lower, limits.upper, strict=True):
        at_nodes, given = _misses(mixing, limits.outcomes, lower, upper)
        nodes.append(at_nodes)
        misses.append(given)
    possible = weight > _IMPOSSIBLE
    below, above, covered = np.array(misses).swapaxes(0, 1)[..., possible]
    whole, lengths = below + above + covered, limits.length
    by_outcome = Exact(
        limits.outcomes[possible],
        weight[possible],
        below / whole,
        above / whole,
        lengths[:, possible],
    )
    mean = Mean(
        np.array([(column.weight * column.below).sum() for column in nodes]),
        np.array([(column.weight * column.above).sum() for column in nodes]),
        np.array([weighted(length, weight).sum() for length in lengths]),
    )
    return Integral(by_outcome, mean, tuple(nodes))


def outcome_probabilities(mixing: Mixing, outcomes: Integers) -> Floats:
    """Return Pr(X = x) of consecutive outcomes as a quadrature over the truths, shape (m,)."""
    nodes, weights = mixing.rule(np.array(mixing.span))
    total = np.zeros(outcomes.size)
    for truths_at, outcomes_at, probability in _blocks(mixing, outcomes, nodes):
        total[outcomes_at] += np.einsum("i,ij->j", weights[truths_at], probability)
    return total


def _blocks(
    mixing: Mixing, outcomes: Integers, nodes: RealPoints | UnitPoints
) -> Iterator[tuple[slice, slice, Floats]]:
    """Yield the probabilities of the outcomes at the nodes, as ``consecutive_probabilities``.

    A node beside the upper end of a bounded range is a number near 1 that has lost its distance to
    1, which the probability of a failure needs: there failures are counted instead of successes.
    """
    sampling, size, truths = mixing.model.SAMPLING, mixing.size, nodes.value
    first, last = int(outcomes[0]), int(outcomes[-1])
    if isinstance(nodes, RealPoints):
        yield from consecutive_probabilities(sampling, first, last, truths, size)
        return
    start = int(np.searchsorted(truths, 0.5))
    yield from consecutive_probabilities(sampling, first, last, truths[:start], size)
    failures = int(size) - last, int(size) - first
    rows, columns = truths.size, outcomes.size
    for part, at, probability in consecutive_probabilities(
        sampling, *failures, nodes.q[start:][::-1], size
    ):
        yield (
            slice(rows - part.stop, rows - part.start),
            slice(columns - at.stop, columns - at.start),
            probability[::-1, ::-1],
        )


def _misses(
    mixing: Mixing, outcomes: Integers, lower: Floats, upper: Floats
) -> tuple[NodeMisses, Floats]:
    """Return the misses at the nodes, and integrals of the probability of each outcome, (3, m).

    The integrals are over the nodes that are missed below, over those missed above and over those
    covered.

    A node lies in the gap between two limits, and is compared with a limit by the number of the
    gap: beside 1 the distance of a node to 1 is exact, and the node as a double is not.
    """
    low, high = mixing.span
    limits = np.concatenate((lower, upper))
    # The ends of the range, and the limits inside it.
    edges = np.union1d(limits[(limits > low) & (limits < high)], mixing.span)
    nodes, weights = mixing.rule(edges)
    gap = nodes.positions(edges)
    # A node in gap g is below the edge g, and above the edge g − 1.
    first_not_below, first_above = np.searchsorted(edges, lower), np.searchsorted(edges, upper)
    at_nodes = np.zeros((2, nodes.value.size))
    with_outcome = np.zeros((3, outcomes.size))
    for part, outcomes_at, probability in _blocks(mixing, outcomes, nodes):
        covered = probability.copy()
        low, high, row = gap[part.start], gap[part.stop - 1], gap[part, np.newaxis]
        for side, (limit, can_miss) in enumerate(
            (
                (first_not_below[outcomes_at], first_not_below[outcomes_at] >= low),
                (first_above[outcomes_at], first_above[outcomes_at] < high),
            )
        ):
            near = np.flatnonzero(can_miss)
            if near.size == 0:
                continue
            columns = slice(int(near[0]), int(near[-1]) + 1)
            missed = row <= limit[columns] if side == 0 else row > limit[columns]
            chance = probability[:, columns] * missed
            at_nodes[side, part] = chance.sum(axis=1)
            with_outcome[side, outcomes_at][columns] += np.einsum("i,ij->j", weights[part], chance)
            covered[:, columns] -= chance
        with_outcome[2, outcomes_at] += np.einsum("i,ij->j", weights[part], covered)
    return NodeMisses(weights, at_nodes[0], at_nodes[1]), with_outcome
