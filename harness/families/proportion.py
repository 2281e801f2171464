"""A binomial proportion: x successes of n."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.points import UnitPoints
from harness.base.numerics.quadrature import beta_rule
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.truncated import Truncated
from harness.distributions.sampling import binomial, multinomial
from harness.distributions.truths import ContinuousTruth, Prior
from harness.families.data import LARGEST_COUNT, broadcast_columns, validate_values, whole_numbers

NAME = "proportion"
COUNT, SIZE = "x", "n"
COUNTED = "successes"
PARAMETER = "p"
QUANTITY, UNIT = "proportion ", ""
SIZE_IS_COUNT = True
IS_BOUNDED = True
HAS_MIRROR = True
SUPPORT = (0.0, 1.0)
FLAT_PRIOR: Prior = (1.0, 1.0)
PRIOR = "Beta"
PRIOR_SYMBOLS: tuple[str, ...] = ("a", "b")
PRIOR_RANGE = "two numbers [a, b] above 0"
LARGEST_SIZE = LARGEST_COUNT
SAMPLING = binomial


def validate_data(
    x: npt.ArrayLike, n: npt.ArrayLike, names: tuple[str, str] = (COUNT, SIZE)
) -> tuple[Floats, Floats]:
    """Return x and n as float arrays of one shape.

    Raises:
        InputError: a value is not a whole number, n is outside 1 … 10^9, x is outside 0 … n, or
            the shapes do not broadcast.
    """
    count, size = names
    counts, sizes = broadcast_columns(names, (whole_numbers(count, x), whole_numbers(size, n)))
    outside = (sizes < 1) | (sizes > LARGEST_SIZE)
    validate_values(sizes, outside, size, "a whole number from 1 to 10^9")
    validate_values(counts, counts < 0, count, f"a whole number from 0 to {size}")
    above = counts > sizes
    if above.any():
        raise InputError(
            f"{count} = {counts[above][0]:.0f} is larger than {size} = {sizes[above][0]:.0f}"
        )
    return counts, sizes


def is_valid_prior(prior: Prior) -> bool:
    """Whether Beta(a, b) is a prior: a, b > 0."""
    return prior[0] > 0 and prior[1] > 0


def estimate(x: Floats, n: Floats) -> Floats:
    """Return x / n."""
    return x / n


def counts_of(x: Floats, n: float | Floats) -> tuple[Floats, ...]:
    """Return the successes and the failures."""
    return x, n - x


def score(x: Floats, n: float, p: Floats) -> Floats:
    """Return x/p − (n − x)/(1 − p)."""
    return x / p - (n - x) / (1.0 - p)


def count_variance(mean: Floats, p: Floats) -> Floats:
    """Return n p (1 − p), from the mean n p."""
    return mean * (1.0 - p)


def posterior(x: Floats, n: Floats, prior: Prior) -> Beta:
    """Return Beta(x + a, n − x + b) for each outcome, under a Beta(a, b) prior."""
    return Beta.given(x, n, prior)


def outcome_weights(truth: ContinuousTruth, x: Integers, n: float) -> Floats:
    """Return Pr(X = x) with p drawn from the truth: a mean of binomial probabilities, shape (m,).

    Uniform on [a, b]: Pr(a < Beta(x+1, n−x+1) < b) / ((n + 1)(b − a)). Beta(s, t): the
    beta-binomial probability.
    """
    counts, sizes = x.astype(np.float64), np.full(x.size, float(n))
    prior = truth.conjugate_prior
    if prior is not None:
        return multinomial.beta_binomial(x, sizes, *prior)
    low, high = truth.support
    if truth.support == SUPPORT:
        return np.full(x.size, 1.0 / (n + 1))
    mass = Truncated(Beta.given(counts, sizes, FLAT_PRIOR), low, high).mass()
    return mass / ((n + 1) * (high - low))


def effective_size(n: float, prior: Prior) -> float:
    """Return n + a + b: the size with the prior's own.

    Pr(X = x | p) times a Beta(a, b) density is smooth on the variance-stabilized scale of a
    sample of this size.
    """
    return n + prior[0] + prior[1]


def prior_density(prior: Prior, p: Floats) -> Floats:
    """Return the density of Beta(a, b) as (a + b − 1)·b(a − 1; a + b − 2, p)."""
    total = prior[0] + prior[1]
    return (total - 1.0) * binomial.pmf(prior[0] - 1.0, p, total - 2.0)


def prior_rule(breaks: Floats, prior: Prior, n: float) -> tuple[UnitPoints, Floats]:
    """Return nodes and weights of Beta(a, b) between the breaks.

    In arcsin √p a binomial probability varies on the scale 1/(2√n), and times the density of a
    Beta(a, b) on 1/(2√(n + a + b)).
    """
    return beta_rule(breaks, prior[0], prior[1], 0.5 / np.sqrt(effective_size(n, prior)))
