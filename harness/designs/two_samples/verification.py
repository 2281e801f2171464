"""The comparison of posterior and enumeration for two samples.

With the truths drawn from their distributions, the mean over truths of the miss probability
equals the mean over pairs of counts of the posterior mass outside the limits, weighted by the
probabilities of the counts; per side, likewise for the length, and given each pair. So it can be
compared for any block of pairs of counts alone.

Integrals over pairs of truths go first over those of one sample and then over those of the other.
Given the second truth t₂, the parameter is below a limit L where the first truth is below h(L, t₂).
So the misses below given a pair of counts are ∫ p(x₂, t₂) P(x₁, h(L, t₂)) dt₂ over the probability
of the pair, with p the probability of a count times the density of its truth, and P the integral of
p over the first truths up to a point. No posterior takes part, and any parameter will do that rises
or falls with each truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.special import roots_legendre

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.quadrature import gauss_panels
from harness.designs.design import Scenario, crossed_outcomes
from harness.designs.engines import posterior
from harness.designs.engines.posterior import Integrated
from harness.designs.engines.solver import Solver
from harness.designs.engines.verification import (
    SECOND,
    Comparison,
    Published,
    Rows,
    compare_cells,
    compare_listed,
    compare_posterior_mean,
    compare_worst_cases,
    means_apart,
    weights_of,
)
from harness.designs.limits import Limits
from harness.designs.one_sample.exact import is_integrated as is_small
from harness.designs.one_sample.quadrature import Mixing, outcome_probabilities
from harness.designs.one_sample.verification import rows_of_counts
from harness.designs.results import Exact
from harness.designs.two_samples.quadrature import (
    Block,
    Sample,
    blocks,
    has_smooth_density,
    integrate_pairs,
    is_integrated,
)
from harness.distributions.truths import (
    BetaTruth,
    ContinuousTruth,
    GammaTruth,
    PairTruth,
    Prior,
    UniformTruth,
)
from harness.families.combination import Combination
from harness.families.family import ENUMERATION, POSTERIOR

_NEGLIGIBLE_TAIL = 1e-18
# Up to so many pairs of counts a block has many truths: about so many numbers.
_FEW_PAIRS, _CELLS = 1 << 12, 1 << 18
# The tails of a weighted sum of two posteriors are integrals with an absolute error of about 1e-14:
# smaller ones than this are compared with an absolute error of this times the tolerance.
_SMALL = 1e-2


def verify(solver: Solver, limits: Limits, published: Published) -> list[Comparison]:
    """Compare all that the exact engines publish of a scenario with a second computation.

    Args:
        solver: of two samples, with sizes and truths.
        limits: those that the engines used.
        published: what they computed.
    """
    comparisons, scenario = [], solver.scenario
    if scenario.truth.is_discrete:
        rows = rows_of_two_samples(scenario, limits, scenario.truth.values)
        comparisons += compare_listed(scenario, rows, limits, published)
    else:
        comparisons += _under_truth(scenario, limits, published)
    comparisons += compare_worst_cases(published)
    comparisons += _under_prior(scenario, limits, published)
    comparisons += _weights_and_mean(scenario, limits, published)
    return comparisons


def outcomes_to_verify(scenario: Scenario, prior: Prior | None) -> Integers:
    """Return the outcomes that the comparison needs limits of, ascending.

    Args:
        scenario: sizes and truths.
        prior: the reference prior; None where no engine uses one.
    """
    checked = [_smooth(scenario)]
    if prior is not None and _prior_scenario(scenario, prior) is not None:
        checked.append(scenario)
    outcomes = [np.empty(0, np.int64)]
    for checked_scenario in checked:
        if checked_scenario is not None:
            outcomes += [
                crossed_outcomes(checked_scenario, block) for block in blocks(checked_scenario)
            ]
    return np.unique(np.concatenate(outcomes))


def _integrated(scenario: Scenario, block: Block, limits: Limits) -> Exact:
    """Return the integrals over all truths given each pair of counts of a block."""
    is_sum = not scenario.family.is_ratio
    return (integrate_pairs if is_sum else integrate_block)(scenario, block, limits)


def _smooth(scenario: Scenario) -> Scenario | None:
    """Return the scenario under its truths, or flat ones where their densities are not smooth."""
    if POSTERIOR not in scenario.family.engines or scenario.truth.is_discrete:
        return None
    truths = []
    for sample in scenario.samples():
        truth = sample.truth
        if not has_smooth_density(sample) and sample.model.IS_BOUNDED:
            truth = UniformTruth(*sample.model.SUPPORT)
        elif not has_smooth_density(sample):
            # As far as the truth goes.
            truth = UniformTruth(0.0, max(truth.effective_support[1], 1.0 / sample.size))
        truths.append(truth)
    first, second = truths
    return replace(scenario, truth=PairTruth(first, second))


def _prior_scenario(scenario: Scenario, prior: Prior) -> Scenario | None:
    """Return the scenario with the prior as the distribution of both truths.

    A flat prior of an unbounded parameter ends where counts that can occur have no posterior mass.
    None where the prior's density is not smooth.
    """
    if POSTERIOR not in scenario.family.engines:
        return None
    truths: list[ContinuousTruth] = []
    for sample in scenario.samples():
        model = sample.model
        if model.IS_BOUNDED and prior == model.FLAT_PRIOR:
            truths.append(UniformTruth(*model.SUPPORT))
        elif model.IS_BOUNDED:
            truths.append(BetaTruth(*prior))
        elif prior[1] > 0:
            truths.append(GammaTruth(*prior))
        elif prior != model.FLAT_PRIOR:
            return None
        else:
            low, high = sample.truth.effective_support
            last = model.SAMPLING.window(low, high, sample.size)[1]
            size = np.array([float(sample.size)])
            largest = model.posterior(np.array([float(last)]), size, prior)
            end = float(largest.isf(np.array([_NEGLIGIBLE_TAIL])).value[0])
            truths.append(UniformTruth(model.SUPPORT[0], end))
    first, second = truths
    by_prior = replace(scenario, truth=PairTruth(first, second))
    smooth = all(has_smooth_density(sample) for sample in by_prior.samples())
    return by_prior if smooth else None


def _under_truth(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare both engines under the truths' distributions, the published numbers where there are.

    Enumeration integrates over all truths where ``is_integrated``. Elsewhere what it publishes
    comes from the posterior, and blocks of pairs of counts are integrated here.
    """
    smooth, enumerated = _smooth(scenario), published.enumerated
    if smooth is None or (enumerated is None and published.integrated is None):
        return []
    integrated, rounding = published.under_truth(scenario), partial(_rounding, scenario)
    if is_integrated(scenario) and enumerated is not None:
        cells, engines = enumerated.by_outcome, (ENUMERATION, POSTERIOR)
        if integrated is None:
            part = limits.at(cells.conditions.astype(np.int64))
            closed = posterior.integrate_under_truth(scenario, part)
            integrated, engines = Integrated(closed, closed.mean(), None), (ENUMERATION, SECOND)
        closed, mean = integrated.by_outcome, integrated.mean
        comparisons = compare_cells(
            engines, cells, closed, rounding, _SMALL, weighted=mean is not None
        )
        if mean is not None and closed.conditions.size == cells.conditions.size:
            assert enumerated.mean is not None
            apart = means_apart(enumerated.mean, mean, _SMALL)
            comparisons.append(Comparison(*engines, "means", apart))
        return comparisons
    comparisons = []
    if enumerated and enumerated.mean and integrated and integrated.mean:
        apart = means_apart(enumerated.mean, integrated.mean, _SMALL)
        comparisons.append(Comparison(ENUMERATION, POSTERIOR, "means", apart))
    shown, weighted = None, True
    if smooth.truth == scenario.truth and enumerated is not None:
        shown = enumerated.by_outcome
    elif smooth.truth == scenario.truth and integrated is not None:
        shown, weighted = integrated.by_outcome, integrated.mean is not None
    for block in blocks(smooth):
        part = limits.at(crossed_outcomes(smooth, block))
        cells, engines = _integrated(smooth, block, part), (POSTERIOR, ENUMERATION)
        if shown is not None and np.isin(part.outcomes, shown.conditions).all():
            comparisons += compare_cells(engines, shown, cells, rounding, _SMALL, weighted)
        else:
            closed = posterior.integrate_under_truth(smooth, part)
            comparisons += compare_cells(engines, closed, cells, rounding, _SMALL)
    return comparisons


def _rounding(scenario: Scenario, cells: Exact) -> Floats:
    """Return how far the posterior of each pair of counts is known in doubles.

    The digits that a truth's logit and the incomplete beta function lose next to the boundary grow
    with the ratio of a size and the root of its count: at n = 10^6 and x = 0 they are 2e-10, at the
    middle 3e-13.
    """
    counts = scenario.counts(cells.conditions.astype(np.int64))
    ratios = [n / np.sqrt(x + 1.0) for x, n in zip(counts, scenario.sizes, strict=True)]
    return np.asarray(2.0**-52 * np.maximum(*ratios))


def _under_prior(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the posterior mass under the reference prior with integrals of probabilities."""
    exact = published.under_prior
    by_prior = None if exact is None else _prior_scenario(scenario, published.reference_prior)
    if exact is None or by_prior is None:
        return []
    if by_prior.truth == scenario.truth and is_integrated(scenario) and published.enumerated:
        return []
    comparisons = []
    for block in blocks(scenario):
        outcomes = crossed_outcomes(scenario, block)
        if np.isin(outcomes, limits.outcomes).all():
            cells = _integrated(by_prior, block, limits.at(outcomes))
            rounding = partial(_rounding, scenario)
            comparisons += compare_cells(
                (POSTERIOR, ENUMERATION), exact, cells, rounding, _SMALL, weighted=False
            )
    return comparisons


def _weights_and_mean(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the probabilities of counts with quadratures, and the mean of the posterior."""
    integrated = published.integrated
    if integrated is None or integrated.mean is None:
        return []
    cells = integrated.by_outcome
    again = cells.weight
    if scenario.truth.is_discrete:
        outcomes = cells.conditions.astype(np.int64)
        rows = rows_of_two_samples(scenario, limits, scenario.truth.values)
        again = weights_of(rows, limits)[limits.positions(outcomes)]
    elif all(is_small(one_sample) for one_sample in scenario.samples()):
        again = np.ones(cells.weight.size)
        counts = scenario.counts(cells.conditions.astype(np.int64))
        for sample, x in zip(scenario.samples(), counts, strict=True):
            span = np.arange(x.min(), x.max() + 1)
            again = again * outcome_probabilities(Mixing.of_truth(sample), span)[x - x.min()]
    return compare_posterior_mean(integrated, again, _SMALL)


def rows_of_two_samples(
    scenario: Scenario, limits: Limits, values: Sequence[Floats]
) -> Iterator[Rows]:
    """Yield the probabilities of the possible pairs of counts at pairs of truths.

    Many pairs of truths stand in one block where pairs of counts are few.

    Args:
        scenario: with two samples.
        limits: of all pairs of counts that can occur.
        values: the truths of each sample, shape (t,) each.
    """
    sampling, count = scenario.model.SAMPLING, values[0].size
    cells = limits.outcomes.size
    step = 1 if cells > _FEW_PAIRS else _CELLS // cells
    for start in range(0, count, step):
        part, counts, rows = np.arange(start, min(start + step, count)), [], []
        for truths, size in zip(values, scenario.sizes, strict=True):
            theta = truths[part]
            window = sampling.window(theta.min(), theta.max(), size)
            counts.append(np.arange(window[0], window[1] + 1))
            rows.append(rows_of_counts(scenario, size, window, theta))
        pairs = crossed_outcomes(scenario, counts)
        joint = rows[0][:, :, np.newaxis] * rows[1][:, np.newaxis, :]
        yield part, limits.positions(pairs), joint.reshape(part.size, -1)


_NODES, _PANEL = 16, 2.0
_NODE, _WEIGHT = roots_legendre(_NODES)
_LIMITS_AT_ONCE = 64


def integrate_block(scenario: Scenario, block: Block, limits: Limits) -> Exact:
    """Return the integrals given each pair of counts of a block.

    Args:
        scenario: its truths are distributions with smooth densities.
        block: the counts.
        limits: of the pairs of counts of the block.
    """
    first, second = (
        _Cumulative(Sample(sample, counts))
        for sample, counts in zip(scenario.samples(), block, strict=True)
    )
    pairs = _TwoSamples(first, second, scenario.family.combination)
    weight = pairs.weight.ravel()
    index = np.indices((block[0].size, block[1].size)).reshape(2, -1)
    below = np.array([pairs.missed(index, lower, side=0) for lower in limits.lower])
    above = np.array([pairs.missed(index, upper, side=1) for upper in limits.upper])
    below, above = np.minimum(below / weight, 1.0), np.minimum(above / weight, 1.0)
    return Exact(limits.outcomes, weight, below, above, limits.length, infinite=limits.infinite)


@dataclass(frozen=True)
class _Cumulative:
    """Integrals of probability times density of one sample, up to a truth and from it on."""

    sample: Sample

    @cached_property
    def edges(self) -> Floats:
        """The edges of panels that are short on the scale of the integrand, ascending."""
        return self.sample.edges(_PANEL)

    @cached_property
    def _by_panel(self) -> tuple[Floats, Floats]:
        """The integrals over all panels before each edge, and over all from it on; (e, m)."""
        truths, weights = gauss_panels(self.edges, _NODES)
        panels = np.einsum("ij,ijm->im", weights, self.sample.probabilities(truths))
        nothing = np.zeros((1, panels.shape[1]))
        before = np.concatenate((nothing, np.cumsum(panels, axis=0)))
        after = np.concatenate((np.cumsum(panels[::-1], axis=0)[::-1], nothing))
        return before, after

    def beyond(self, truths: Floats, count: Integers, upwards: bool) -> Floats:
        """Return the integral over the truths below, or above, each truth.

        Args:
            truths: shape (q, t).
            count: the index of the count of each row, shape (q,).
            upwards: whether the integral is over the truths above.
        """
        truths = np.clip(truths, *self.sample.span)
        panel = np.clip(np.searchsorted(self.edges, truths) - 1, 0, self.edges.size - 2)
        edge = self.edges[panel + upwards]
        half = 0.5 * (truths - edge)
        nodes = (edge + half)[..., np.newaxis] + half[..., np.newaxis] * _NODE
        scenario = self.sample.scenario
        counts = self.sample.counts[count][:, np.newaxis, np.newaxis]
        probability = scenario.model.SAMPLING.pmf(counts, nodes, scenario.size)
        probability = probability * self.sample.density(nodes)
        partial = (probability * _WEIGHT).sum(axis=-1) * np.abs(half)
        whole = self._by_panel[upwards][panel + upwards, count[:, np.newaxis]]
        return np.asarray(whole + partial)


@dataclass(frozen=True)
class _TwoSamples:
    """Two samples, and the parameter of both."""

    first: _Cumulative
    second: _Cumulative
    combination: Combination

    def missed(self, index: Integers, limits: Floats, side: int) -> Floats:
        """Return the probability of each pair of counts with a parameter beyond its limit, (m,).

        Args:
            index: of both counts of each pair, shape (2, m).
            limits: shape (m,).
            side: 0 for parameters below the limits, 1 for those above.
        """
        scaled = self.combination.scale.of(limits)
        total = np.zeros(limits.size)
        everything = np.isinf(scaled) & ((scaled > 0) == (side == 0))
        total[everything] = self.weight[tuple(index[:, everything])]
        finite = np.flatnonzero(np.isfinite(scaled))
        for start in range(0, finite.size, _LIMITS_AT_ONCE):
            part = finite[start : start + _LIMITS_AT_ONCE]
            total[part] = self._integrated(index[:, part], scaled[part, np.newaxis], side)
        return total

    @cached_property
    def weight(self) -> Floats:
        """The probability of each pair of counts, shape (m1, m2)."""
        return np.outer(
            *(integrals.sample.total_probabilities() for integrals in (self.first, self.second))
        )

    def _integrated(self, index: Integers, scaled: Floats, side: int) -> Floats:
        """The same for finite limits on the scale of the combination, shape (q, 1)."""
        second = self.second.sample
        scenario = second.scenario
        # The inner integral is smooth between the truths at which h meets an edge of its panels.
        meeting = self._partner(1, scaled, self.first.edges)
        own = np.tile(self.second.edges, (scaled.size, 1))
        edges = np.sort(np.clip(np.concatenate((own, meeting), axis=1), *second.span), axis=1)
        truths, weight = (part.reshape(scaled.size, -1) for part in gauss_panels(edges, _NODES))
        counts = second.counts[index[1]][:, np.newaxis]
        outer = scenario.model.SAMPLING.pmf(counts, truths, scenario.size)
        outer = outer * second.density(truths)
        rises = self.combination.directions[0] > 0
        inner = self.first.beyond(
            self._partner(0, scaled, truths), index[0], upwards=(side == 1) == rises
        )
        return np.asarray((outer * inner * weight).sum(axis=1))

    def _partner(self, sample: int, scaled: Floats, other: Floats) -> Floats:
        """The truths of a sample at the limit and the other sample's truth."""
        with np.errstate(divide="ignore", over="ignore"):
            return self.combination.on_other(sample, scaled, other)
