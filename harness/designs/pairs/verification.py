"""A second computation of what the exact engines publish of pairs.

The engine multiplies conditional binomial probabilities in saddle-point form. Here a table is seen
as independent Poisson counts of each cell, given that their sum is n, with probabilities from a
recurrence. Masses of the posterior are integrated over one cell, and not over the discordance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import betainc, betaincc, roots_legendre

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.engines import posterior
from harness.designs.engines.listed import probability_rows
from harness.designs.engines.verification import (
    Comparison,
    Published,
    Rows,
    cells_apart,
    common,
    compare_cells,
    compare_listed,
    compare_worst_cases,
    means_apart,
)
from harness.designs.limits import Limits
from harness.designs.pairs.tables import outcomes_within, windows_of
from harness.designs.results import Exact
from harness.distributions.paired_truths import Cells, DirichletTruth
from harness.distributions.sampling import binomial, multinomial, poisson
from harness.distributions.truths import Prior
from harness.families.family import ENUMERATION, POSTERIOR

LARGEST_INTEGRATED = 500
"""The largest n of which posterior masses are integrated a second time."""
_ALL_UP_TO = 256
# Up to so many outcomes a block has many truths: about so many numbers.
_FEW_OUTCOMES, _CELLS = 1 << 12, 1 << 18
# The tails of the posterior are integrals with an absolute error of about 1e-14: smaller ones than
# this are compared with an absolute error of this times the tolerance.
_SMALL = 1e-2


def verify(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare all that the exact engines publish of a scenario with a second computation.

    Args:
        scenario: size and truth.
        limits: those that the engines used.
        published: what they computed.
    """
    comparisons = []
    if scenario.truth.is_discrete:
        comparisons += compare_listed(
            scenario, rows_of_pairs(scenario, limits, scenario.truth.values), limits, published
        )
    comparisons += verify_posterior(scenario, limits, published, integrated_cells)
    return comparisons + compare_worst_cases(published)


Integrate = Callable[[Scenario, Prior, Limits], Exact]
"""Returns the posterior masses outside limits under whole shapes of a Dirichlet distribution."""


def verify_posterior(
    scenario: Scenario, limits: Limits, published: Published, integrated: Integrate
) -> list[Comparison]:
    """Compare the masses of a posterior with integrals; those of other arguments as ``verify``."""
    if POSTERIOR not in scenario.family.engines or scenario.size > LARGEST_INTEGRATED:
        return []
    comparisons = _under_distribution(scenario, limits, published, integrated)
    exact, prior = published.under_prior, published.reference_prior
    if exact is not None and _are_whole(prior) and exact.conditions.size > 0:
        outcomes = _some(exact.conditions.astype(np.int64))
        cells = integrated(scenario, prior, limits.at(outcomes))
        apart = cells_apart(exact.at(outcomes), cells, np.ones(outcomes.size), 0.0, _SMALL)
        comparisons.append(Comparison(POSTERIOR, ENUMERATION, "outcomes", apart))
    return comparisons


def _under_distribution(
    scenario: Scenario, limits: Limits, published: Published, integrated: Integrate
) -> list[Comparison]:
    """Compare the masses of the posterior under the truth's distribution with integrals.

    Under shapes that are no whole numbers those of the flat distribution are compared.
    """
    truth, enumerated = scenario.truth, published.enumerated
    if truth.is_discrete or enumerated is None:
        return []
    part = limits.at(_some(limits.outcomes))
    smooth = _are_whole(truth.shapes)
    if smooth and np.isin(part.outcomes, enumerated.by_outcome.conditions).all():
        closed = enumerated.by_outcome
    else:
        shapes = truth.shapes if smooth else (1.0, 1.0, 1.0, 1.0)
        scenario = replace(scenario, truth=DirichletTruth(shapes))
        closed = posterior.integrate_under_truth(scenario, part)
    assert isinstance(scenario.truth, DirichletTruth)
    cells = integrated(scenario, scenario.truth.shapes, part)
    comparisons = compare_cells((POSTERIOR, ENUMERATION), closed, cells, least=_SMALL)
    if smooth and enumerated.mean is not None and part.outcomes.size == limits.outcomes.size:
        _, cells = common(closed, cells)
        apart = means_apart(enumerated.mean, cells.mean(), _SMALL)
        comparisons.append(Comparison(ENUMERATION, POSTERIOR, "means", apart))
    return comparisons


def _are_whole(shapes: Prior) -> bool:
    return all(shape == round(shape) for shape in shapes)


def _some(outcomes: Integers) -> Integers:
    """Return all of a few outcomes, or as many from the first to the last one."""
    if outcomes.size <= _ALL_UP_TO:
        return outcomes
    return outcomes[np.linspace(0, outcomes.size - 1, _ALL_UP_TO).astype(np.int64)]


def integrated_cells(scenario: Scenario, shapes: Prior, limits: Limits) -> Exact:
    """Return the posterior masses outside the limits, integrated over p₀₁.

    With u, v and r the shapes of p₁₀, p₀₁ and the concordant cells given the counts,

        Pr(p₁₀ − p₀₁ < L) = ∫ f(y; v, u + r) I((L + y)/(1 − y); u, r) dy

    with the density f of a Beta and the incomplete beta function I. For whole shapes the integrand
    is a polynomial of degree u + v + r − 2 in y up to (1 − L)/2, which Gauss's rule integrates.

    Args:
        scenario: of a family whose parameter is p₁₀ − p₀₁.
        shapes: of both, first_only, second_only and neither, whole numbers.
        limits: of the outcomes.
    """
    _, first, second, _ = scenario.counts(limits.outcomes)
    a11, a10, a01, a00 = shapes
    rest = scenario.size - first - second
    u, v, r = (
        counts.astype(np.float64) + shape
        for counts, shape in ((first, a10), (second, a01), (rest, a11 + a00))
    )
    below = np.array([_mass_below(u, v, r, lower) for lower in limits.lower])
    # Above U, first and second in each other's place.
    above = np.array([_mass_below(v, u, r, -upper) for upper in limits.upper])
    weight = weights_again(scenario, shapes, limits.outcomes)
    return Exact(limits.outcomes, weight, below, above, limits.length)


def weights_again(scenario: Scenario, shapes: Prior, outcomes: Integers) -> Floats:
    """Return the probabilities of outcomes under a Dirichlet, from its cells in another order."""
    both, first, second, neither = scenario.counts(outcomes)
    a11, a10, a01, a00 = shapes
    weight = multinomial.mean_discordant((a11, a01, a10, a00), second, first, scenario.size)
    if scenario.with_both:
        reverse: Cells = (a00, a01, a10, a11)
        weight = weight * multinomial.mean_both(reverse, neither, both + neither)
    return weight


def _mass_below(u: Floats, v: Floats, r: Floats, limit: Floats) -> Floats:
    """Return Pr(p₁₀ − p₀₁ < limit) with (p₁₀, p₀₁, rest) ~ Dirichlet(u, v, r), shape (m,)."""
    degree = float((u + v + r).max()) - 2.0
    node, weight = roots_legendre(int(degree // 2) + 2)
    start, stop = np.clip(-limit, 0.0, 1.0), np.clip(0.5 * (1.0 - limit), 0.0, 1.0)
    half = 0.5 * (stop - start)
    y = start[:, np.newaxis] + half[:, np.newaxis] * (1.0 + node)
    a, b, c = (shape[:, np.newaxis] for shape in (v, u, r))
    density = (a + b + c - 1.0) * binomial.pmf(a - 1.0, y, a + b + c - 2.0)
    # Where the range of y is empty it is at 1.
    share = (limit[:, np.newaxis] + y) / np.maximum(1.0 - y, 1e-300)
    inner = betainc(b, c, np.clip(share, 0.0, 1.0))
    tail = betaincc(v, u + r, stop)
    return np.asarray(half * (weight * density * inner).sum(axis=1) + tail)


def rows_of_pairs(scenario: Scenario, limits: Limits, cells: Sequence[Floats]) -> Iterator[Rows]:
    """Yield Pr(outcome) as ∏ Poisson(count; n p) / Poisson(n; n), in blocks of truths.

    Args:
        scenario: of pairs.
        limits: of all outcomes that can occur.
        cells: the probability of each cell, shape (t,) each.
    """
    both, first, second, neither = cells
    if not scenario.with_both:  # an outcome says nothing of both, but of the concordant pairs
        both, neither = np.zeros_like(both), both + neither
    table, count = np.array((both, first, second, neither)), limits.outcomes.size
    step = 1 if count > _FEW_OUTCOMES else _CELLS // count
    for start in range(0, table.shape[1], step):
        part = np.arange(start, min(start + step, table.shape[1]))
        some = table[:, part]
        spans = zip(some.min(axis=1).tolist(), some.max(axis=1).tolist(), strict=True)
        outcomes = outcomes_within(scenario, windows_of(scenario, list(spans)))
        yield part, limits.positions(outcomes), poisson_probabilities(scenario, some, outcomes)


def poisson_probabilities(scenario: Scenario, cells: Floats, outcomes: Integers) -> Floats:
    """Return the probabilities of outcomes at tables of shape (4, t), shape (t, m)."""
    n, counts = scenario.size, scenario.counts(outcomes)
    parts = list(zip(counts, cells, strict=True))
    if not scenario.with_both:
        (both, p), first, second, (neither, q) = parts
        parts = [first, second, (both + neither, p + q)]
    probability = np.full(
        (cells.shape[1], outcomes.size), 1.0 / float(poisson.pmf(n, float(n), 1.0))
    )
    for count, p in parts:
        low, high = int(count.min()), int(count.max())
        rows, inside = np.zeros((p.size, high + 1 - low)), p > 0.0
        rows[~inside] = np.arange(low, high + 1) == 0
        likely = int(np.clip(np.rint(n * p[p.size // 2]), low, high))
        rows[inside] = probability_rows(poisson, (low, likely, high), n * p[inside], 1.0)
        probability *= rows[:, count - low]
    return probability
