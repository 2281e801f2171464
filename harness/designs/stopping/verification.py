"""The second computation of what is exact after trials that may end early.

The engine multiplies shares of sequences, which are counted once, with binomial probabilities. Here
the probability of going on moves from trial to trial at each true value, and the rule is asked once
more where it takes some of it out. Under a distribution of truths the weights of outcomes are sums
over the nodes of a quadrature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import roots_jacobi, roots_legendre

from harness.base.numerics.arrays import Floats
from harness.designs.design import Scenario
from harness.designs.engines.posterior import Integrated
from harness.designs.engines.solver import Solver
from harness.designs.engines.verification import (
    SECOND,
    Comparison,
    Published,
    Rows,
    cells_apart,
    compare_listed,
    compare_posterior_mean,
    compare_worst_cases,
    sums_over,
    weights_apart,
)
from harness.designs.limits import Limits
from harness.designs.stopping.family import rule_of
from harness.designs.stopping.paths import StoppedTrials
from harness.distributions.truths import as_distribution
from harness.families.family import ENUMERATION

_STEPS = 1 << 28
"""About how many probabilities are computed: fewer truths are compared where trials are many."""
_TRUTHS_AT_ONCE = 128


def probabilities_again(stopped: StoppedTrials, truths: Floats) -> Floats:
    """Return Pr(t, x | p) of every outcome by recursion over the trials, shape (t, m).

    Pr(go on to t with x) = p Pr(go on to t − 1 with x − 1) + (1 − p) Pr(go on to t − 1 with x).

    Args:
        stopped: the outcomes with their rule.
        truths: in [0, 1], shape (t,).
    """
    rule, most = stopped.rule, stopped.rule.most
    probabilities = np.zeros((truths.size, stopped.outcomes.trials.size))
    p, q = truths[:, np.newaxis], 1.0 - truths[:, np.newaxis]
    going, looks = np.zeros((truths.size, most + 1)), set(rule.looks)
    going[:, 0] = 1.0
    for t in range(1, most + 1):
        going[:, 1 : t + 1] = p * going[:, :t] + q * going[:, 1 : t + 1]
        going[:, 0] *= q[:, 0]
        if t in looks:
            x = np.flatnonzero(rule.stops(np.full(t + 1, t), np.arange(t + 1)))
            place = stopped.find(t, x)
            is_end = place >= 0
            probabilities[:, place[is_end]] = going[:, x[is_end]]
            going[:, x] = 0.0
    return probabilities


def verify(solver: Solver, limits: Limits, published: Published) -> list[Comparison]:
    """Compare what the exact engines publish with a second computation.

    Args:
        solver: of a scenario with a stopping rule.
        limits: those that the engines used.
        published: what they computed.
    """
    of_truth = _listed if solver.scenario.truth.is_discrete else _distributed
    return [*of_truth(solver.scenario, limits, published), *compare_worst_cases(published)]


def rows_of_stopped(scenario: Scenario, truths: Floats) -> Iterator[Rows]:
    """Yield the probabilities of all outcomes at true values, in blocks."""
    stopped = rule_of(scenario.family).outcomes(int(scenario.size))
    for some in np.array_split(np.arange(truths.size), truths.size // _TRUTHS_AT_ONCE + 1):
        again = probabilities_again(stopped, truths[some])
        yield some, np.arange(again.shape[1]), again


def _listed(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the misses at the listed truths, or at some of them where trials are many."""
    (values,) = scenario.design.values(scenario)
    count = min(most_truths(scenario), values.size)
    chosen = values[np.unique(np.linspace(0, values.size - 1, count).astype(np.int64))]
    if count == values.size:
        return compare_listed(scenario, rows_of_stopped(scenario, values), limits, published)
    if published.enumerated is None or published.enumerated.by_truth is None:
        return []
    own = published.enumerated.by_truth.at(chosen)
    again = replace(
        sums_over(rows_of_stopped(scenario, chosen), chosen, limits).by_truth, conditions=chosen
    )
    apart = cells_apart(own, again, np.ones(chosen.size))
    return [Comparison(ENUMERATION, SECOND, "truths", apart)]


def _distributed(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare the weights of the outcomes, and the means by them; of many trials their sum."""
    outcomes, columns = limits.outcomes, limits.lower.shape[0]
    own = scenario.distribution_weights(outcomes)
    # A polynomial of the degree of the most trials needs half as many nodes, and one more.
    count = int(scenario.size) // 2 + 1
    if count > most_truths(scenario):
        total = weights_apart(own.sum(keepdims=True), np.ones(1), columns)
        return [Comparison(ENUMERATION, SECOND, "weights", total)]
    distribution = as_distribution(scenario.truth)
    prior, (low, high) = distribution.conjugate_prior, distribution.support
    if prior is not None:
        nodes, weight = roots_jacobi(count, prior[1] - 1.0, prior[0] - 1.0)
    else:
        nodes, weight = roots_legendre(count)
    nodes, weight = low + (high - low) * 0.5 * (nodes + 1.0), weight / weight.sum()
    again = np.zeros(int(scenario.outcome_count))
    for part, _, rows in rows_of_stopped(scenario, nodes):
        again += weight[part] @ rows
    apart = weights_apart(own, again[outcomes], columns)
    comparisons = [Comparison(ENUMERATION, SECOND, "weights", apart)]
    for table in (published.enumerated, published.integrated):
        if table is None or table.mean is None:
            continue
        if table.by_outcome.conditions.size == outcomes.size:
            weighted = Integrated(table.by_outcome, table.mean, None)
            comparisons += compare_posterior_mean(weighted, again[outcomes])
    return comparisons


def most_truths(scenario: Scenario) -> int:
    """Return at how many truths the recursion is computed."""
    return max(2, _STEPS // (int(scenario.size) ** 2 + 1))
