"""The comparison of posterior and enumeration for one sample.

With the truth drawn from a distribution, the mean over θ of the exact miss probability equals the
mean over x of the posterior mass outside the limits, under that same distribution and weighted by
the probabilities of the outcomes; per side, likewise for the length, and given each outcome. The
first mean integrates sums of probabilities of outcomes, the second one sums integrals of a
posterior: no error in one alone survives.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.engines import posterior
from harness.designs.engines.listed import blocks_of_truths, probability_rows
from harness.designs.engines.posterior import Integrated
from harness.designs.engines.solver import Solver
from harness.designs.engines.verification import (
    SECOND,
    Comparison,
    Published,
    Rows,
    cells_apart,
    common,
    compare_cells,
    compare_listed,
    compare_posterior_mean,
    compare_worst_cases,
    means_apart,
    weights_apart,
    weights_of,
)
from harness.designs.limits import Limits
from harness.designs.one_sample.exact import is_integrated
from harness.designs.one_sample.quadrature import Mixing, integrate, outcome_probabilities
from harness.designs.results import Exact
from harness.distributions.truths import as_distribution
from harness.families.family import ENUMERATION, POSTERIOR

LARGEST_WEIGHTED = 1 << 22
"""The most outcomes for which the sum of all outcome probabilities is checked."""

# The outcomes that are compared one by one: all up to this number, beyond it _CHOSEN at each end of
# their range and around the mean of the truths.
_ALL_UP_TO, _CHOSEN = 2048, 32


def verify(solver: Solver, limits: Limits, published: Published) -> list[Comparison]:
    """Compare all that the exact engines publish of a scenario with a second computation.

    Args:
        solver: that of one sample, with size and truth.
        limits: those that the engines used.
        published: what they computed.
    """
    comparisons, scenario = [], solver.scenario
    if scenario.truth.is_discrete:
        rows = rows_of_one_sample(scenario, limits, np.array(scenario.truth.values))
        comparisons += compare_listed(scenario, rows, limits, published)
    else:
        comparisons += _under_truth(solver, limits, published)
        if solver.possible_count() <= LARGEST_WEIGHTED:
            # The probabilities of all outcomes sum to 1.
            truth, outcomes = as_distribution(scenario.truth), solver.possible_outcomes()
            total = scenario.model.outcome_weights(truth, outcomes, scenario.size).sum()
            apart = weights_apart(np.array([total]), np.ones(1), limits.lower.shape[0])
            comparisons.append(Comparison(POSTERIOR, SECOND, "weights", apart))
    comparisons += compare_worst_cases(published)
    comparisons += _under_prior(scenario, limits, published)
    comparisons += _posterior_mean(solver, limits, published)
    return comparisons


def outcomes_to_verify(solver: Solver) -> Integers:
    """Return the outcomes that the comparison needs limits of, ascending."""
    scenario = solver.scenario
    if scenario.truth.is_discrete:
        return np.empty(0, np.int64)
    if is_integrated(scenario):
        return solver.possible_outcomes()
    low, high = scenario.truth.effective_support
    window = scenario.model.SAMPLING.window(low, high, scenario.size)
    return _chosen(scenario, window)


def _under_truth(solver: Solver, limits: Limits, published: Published) -> list[Comparison]:
    """Compare both engines under the truth's distribution, the published numbers where there are.

    Enumeration integrates over all truths up to the size of ``is_integrated``. Beyond it what it
    publishes comes from the posterior, and chosen outcomes are integrated here.
    """
    scenario = solver.scenario
    enumerated, integrated = published.enumerated, published.under_truth(scenario)
    if enumerated is None and integrated is None:
        return []
    part = limits.at(np.intersect1d(limits.outcomes, outcomes_to_verify(solver)))
    mixing, rounding = Mixing.of_truth(scenario), partial(_rounding, scenario)
    if not is_integrated(scenario):
        cells = _integrated_runs(mixing, part)
        weighted = integrated is None or integrated.mean is not None
        if enumerated is None:
            assert integrated is not None
            closed = integrated.by_outcome
            return compare_cells((POSTERIOR, SECOND), closed, cells, rounding, weighted=weighted)
        closed = enumerated.by_outcome
        comparisons = compare_cells(
            (ENUMERATION, SECOND), closed, cells, rounding, weighted=weighted
        )
        if enumerated.mean is not None and integrated is not None and integrated.mean is not None:
            apart = means_apart(enumerated.mean, integrated.mean)
            comparisons.append(Comparison(ENUMERATION, POSTERIOR, "means", apart))
        return comparisons
    engines = (POSTERIOR, SECOND) if enumerated is None else (ENUMERATION, POSTERIOR)
    if integrated is None:
        closed = posterior.integrate_under_truth(scenario, part)
        integrated, engines = Integrated(closed, closed.mean(), None), (ENUMERATION, SECOND)
    if enumerated is None:
        integral = integrate(mixing, part)
        cells, mean = integral.by_outcome, integral.mean
    else:
        assert enumerated.mean is not None
        cells, mean = enumerated.by_outcome, enumerated.mean
    if integrated.mean is None:
        return compare_cells(engines, integrated.by_outcome, cells, rounding, weighted=False)
    means = Comparison(*engines, "means", means_apart(mean, integrated.mean))
    return [means, *compare_cells(engines, integrated.by_outcome, cells, rounding)]


def _under_prior(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the posterior mass under the reference prior with integrals of probabilities."""
    exact = published.under_prior
    own = published.integrated is not None and published.integrated.under_prior is None
    if exact is None or (own and posterior.is_own_prior(scenario, published.reference_prior)):
        return []
    shown = exact.conditions.astype(np.int64)
    chosen, largest = shown, scenario.size if scenario.model.IS_BOUNDED else float(shown[-1])
    if shown.size > _ALL_UP_TO or largest > _ALL_UP_TO:
        chosen = np.intersect1d(shown, _chosen(scenario, (int(shown[0]), int(shown[-1]))))
        chosen = shown[:: max(1, shown.size // _CHOSEN)] if chosen.size == 0 else chosen
    mixing = Mixing.of_prior(scenario, published.reference_prior, int(chosen[-1]))
    cells, closed = common(_integrated_runs(mixing, limits.at(chosen)), exact)
    share = cells.weight / cells.weight.sum()
    probability, rounding = np.maximum(share, 1.0 / chosen.size), _rounding(scenario, cells)
    apart = cells_apart(cells, closed, probability, rounding)
    return [Comparison(POSTERIOR, ENUMERATION, "outcomes", apart)]


def _posterior_mean(solver: Solver, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the mean of the posterior with one by other weights, and the weights themselves."""
    scenario, integrated = solver.scenario, published.integrated
    if integrated is None or integrated.mean is None:
        return []
    cells = integrated.by_outcome
    outcomes, again = cells.conditions.astype(np.int64), cells.weight
    if scenario.truth.is_discrete:
        rows = rows_of_one_sample(scenario, limits, np.array(scenario.truth.values))
        again = weights_of(rows, limits)[limits.positions(outcomes)]
    elif is_integrated(scenario):
        possible = solver.possible_outcomes()
        second = outcome_probabilities(Mixing.of_truth(scenario), possible)
        again = np.zeros(outcomes.size)
        kept = np.isin(possible, outcomes)
        again[np.searchsorted(outcomes, possible[kept])] = second[kept]
    return compare_posterior_mean(integrated, again)


def _integrated_runs(mixing: Mixing, limits: Limits) -> Exact:
    """Return the integrals given each outcome, over the truths at which each run can occur."""
    parts = [limits.at(limits.outcomes[run]) for run in limits.segments()]
    cells = [integrate(mixing.near(part.outcomes), part).by_outcome for part in parts]
    return Exact(
        np.concatenate([integral.conditions for integral in cells]),
        np.concatenate([integral.weight for integral in cells]),
        np.concatenate([integral.below for integral in cells], axis=1),
        np.concatenate([integral.above for integral in cells], axis=1),
        np.concatenate([integral.length for integral in cells], axis=1),
    )


def _rounding(scenario: Scenario, cells: Exact) -> Floats:
    """Return how far the integrals given each outcome move as truths are rounded to doubles.

    A probability z standard deviations off its maximum changes by the z-fold of the change of the
    truth in standard deviations, which is up to 2^−53·√x of them; here z = 10, and n in place of x,
    since the incomplete beta function loses about as much at any x. At 2000 it is 5e-14, at 10^9
    it is 4e-11.
    """
    largest = scenario.model.SAMPLING.largest_outcome(scenario.size)
    count = largest if np.isfinite(largest) else cells.conditions
    return np.full(cells.conditions.shape, 10.0 * 2.0**-53 * np.sqrt(count))


def _chosen(scenario: Scenario, window: tuple[int, int]) -> Integers:
    """Return some outcomes at both ends of a range and around the mean of the truths."""
    first, last = window
    middle = (first + last) // 2
    if not scenario.truth.is_discrete:
        mean = np.array(as_distribution(scenario.truth).mean)
        middle = int(np.clip(scenario.model.SAMPLING.mean(mean, scenario.size), first, last))
    starts = (first, middle - _CHOSEN // 2, last + 1 - _CHOSEN)
    runs = [np.arange(start, start + _CHOSEN, dtype=np.int64) for start in starts]
    return np.unique(np.clip(np.concatenate(runs), first, last))


def rows_of_one_sample(scenario: Scenario, limits: Limits, values: Floats) -> Iterator[Rows]:
    """Yield the probabilities of the possible outcomes at ascending truths, in blocks."""
    for block, first, last in blocks_of_truths(scenario.model.SAMPLING, values, scenario.size):
        part = np.arange(block.start, block.stop)
        rows = rows_of_counts(scenario, scenario.size, (first, last), values[part])
        yield part, limits.positions(np.arange(first, last + 1)), rows


def rows_of_counts(
    scenario: Scenario, size: float, window: tuple[int, int], theta: Floats
) -> Floats:
    """Return the probabilities of the counts of one sample in a window, shape (t, m).

    Args:
        scenario: says how counts arise.
        size: of the sample.
        window: the first and the last count.
        theta: ascending or alone, the boundaries of the parameter's range included.
    """
    sampling, (first, last), (bottom, top) = scenario.model.SAMPLING, window, scenario.model.SUPPORT
    likely = np.rint(sampling.mean(theta[theta.size // 2], size))
    outcomes = first, int(np.clip(likely, first, last)), last
    inside = (theta > bottom) & (theta < top)
    probability = np.empty((theta.size, last + 1 - first))
    probability[inside] = probability_rows(sampling, outcomes, theta[inside], size)
    if not inside.all():
        x = np.arange(first, last + 1)
        probability[~inside] = sampling.pmf(x, theta[~inside, np.newaxis], size)
    return probability
