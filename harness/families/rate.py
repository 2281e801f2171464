"""A Poisson rate: x events in an exposure, which may be an area, a time or any other amount."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.points import RealPoints
from harness.base.numerics.quadrature import gamma_rule
from harness.base.numerics.special import log_poisson
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated
from harness.distributions.sampling import poisson
from harness.distributions.truths import ContinuousTruth, Prior
from harness.families.data import (
    broadcast_columns,
    numbers,
    validate_counts,
    validate_values,
    whole_numbers,
)

NAME = "rate"
COUNT, SIZE = "x", "exposure"
COUNTED = "events"
PARAMETER = "rate"
QUANTITY, UNIT = "", "events per unit of exposure"
SIZE_IS_COUNT = False
IS_BOUNDED = False
HAS_MIRROR = False
SUPPORT = (0.0, np.inf)
FLAT_PRIOR: Prior = (1.0, 0.0)
PRIOR = "Gamma"
PRIOR_SYMBOLS: tuple[str, ...] = ("a", "b")
PRIOR_RANGE = "two numbers [a, b] with a above 0 and b at least 0"
EXPOSURES = (1e-100, 1e100)
SAMPLING = poisson


def validate_data(
    x: npt.ArrayLike, exposure: npt.ArrayLike, names: tuple[str, str] = (COUNT, SIZE)
) -> tuple[Floats, Floats]:
    """Return x and exposure as float arrays of one shape.

    Raises:
        InputError: x is not a whole number from 0 to 10^9, exposure is not from 1e-100 to 1e100,
            or the shapes do not broadcast.
    """
    count, size = names
    counts, sizes = whole_numbers(count, x), numbers(size, exposure, "a number")
    infinite_or_0 = ~((sizes > 0) & np.isfinite(sizes))
    validate_values(sizes, infinite_or_0, size, "a number above 0")
    counts, sizes = broadcast_columns(names, (counts, sizes))
    low, high = EXPOSURES
    outside = (sizes < low) | (sizes > high)
    validate_values(sizes, outside, size, f"a number from {low:g} to {high:g}")
    validate_counts(counts, count)
    return counts, sizes


def is_valid_prior(prior: Prior) -> bool:
    """Whether Gamma(a, b) is a prior, improper ones included: a > 0, b ≥ 0."""
    return prior[0] > 0 and prior[1] >= 0


def estimate(x: Floats, exposure: Floats) -> Floats:
    """Return x / exposure."""
    return x / exposure


def counts_of(x: Floats, exposure: float | Floats) -> tuple[Floats, ...]:
    """Return the events."""
    return (x,)


def score(x: Floats, exposure: float, rate: Floats) -> Floats:
    """Return x/rate − exposure."""
    return x / rate - exposure


def count_variance(mean: Floats, rate: Floats) -> Floats:
    """Return the mean."""
    return mean


def posterior(x: Floats, exposure: Floats, prior: Prior) -> Gamma:
    """Return Gamma(x + a, exposure + b) for each outcome, under a Gamma(a, b) prior.

    Ross (2003), section 3.2, with the flat prior (1, 0).
    """
    return Gamma.given(x, exposure, prior)


def outcome_weights(truth: ContinuousTruth, x: Integers, exposure: float) -> Floats:
    """Return Pr(X = x) with the rate drawn from the truth, shape (m,).

    Uniform on [a, b]: Pr(a < Gamma(x + 1, exposure) < b) / (exposure (b − a)). Gamma(s, t): the
    negative binomial probability, as Pr(X = x | r) f(r; s, t) / f(r; s + x, t + exposure) at the
    posterior mean r, since the quotient is the same at every r.
    """
    counts, sizes = x.astype(np.float64), np.full(x.size, float(exposure))
    prior = truth.conjugate_prior
    if prior is not None:
        before = Gamma(np.full(x.size, prior[0]), np.full(x.size, prior[1]))
        after = Gamma.given(counts, sizes, prior)
        mean = after.a / after.b
        log_pmf = log_poisson(counts, mean * sizes)
        return np.exp(log_pmf + before.logpdf(mean) - after.logpdf(mean))
    low, high = truth.support
    mass = Truncated(Gamma.given(counts, sizes, FLAT_PRIOR), low, high).mass()
    return mass / (exposure * (high - low))


def effective_size(exposure: float, prior: Prior) -> float:
    """Return exposure + b: the exposure with the prior's own.

    Pr(X = x | r) times a Gamma(a, b) density is smooth on the variance-stabilized scale of a
    sample of this exposure.
    """
    return exposure + prior[1]


def prior_density(prior: Prior, rate: Floats) -> Floats:
    """Return the density of Gamma(a, b) as b·Pr(X = a − 1) of a Poisson count with mean b·rate."""
    return prior[1] * poisson.pmf(prior[0] - 1.0, rate, prior[1])


def prior_rule(breaks: Floats, prior: Prior, exposure: float) -> tuple[RealPoints, Floats]:
    """Return nodes and weights of Gamma(a, b) between the breaks.

    In √r a Poisson probability varies on the scale 1/(2√exposure), and times the density of a
    Gamma(a, b) on 1/(2√(exposure + b)).
    """
    scale = 0.5 / np.sqrt(effective_size(exposure, prior))
    return gamma_rule(breaks, prior[0], prior[1], scale)
