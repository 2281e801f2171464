"""A Poisson rate: x events in an exposure, which may be an area, a time or any other amount."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.families.data import (
    LARGEST_COUNT,
    broadcast_columns,
    positive_numbers,
    validate_values,
    whole_numbers,
)
from harness.numerics.arrays import Floats, Integers
from harness.numerics.deviance import log_poisson
from harness.posteriors.gamma import Gamma
from harness.posteriors.truncated import Truncated
from harness.sampling import poisson
from harness.truths import ContinuousTruth, GammaTruth

NAME = "rate"
COUNT, SIZE = "x", "exposure"
COUNTED = "events"
PARAMETER = "rate"
QUANTITY, UNIT = "", "events per unit of exposure"
SIZE_IS_COUNT = False
SUPPORT = (0.0, np.inf)
FLAT_PRIOR = (1.0, 0.0)
PRIOR = "Gamma"
PRIOR_RANGE = "two numbers [a, b] with a above 0 and b at least 0"
EXPOSURES = (1e-100, 1e100)
SAMPLING = poisson


def validate_data(
    x: npt.ArrayLike, exposure: npt.ArrayLike, names: tuple[str, str] = (COUNT, SIZE)
) -> tuple[Floats, Floats]:
    """x and exposure as float arrays of one shape.

    Raises:
        InputError: x is not a whole number from 0 to 10^9, exposure is not from 1e-100 to 1e100,
            or the shapes do not broadcast.
    """
    of, during = names
    counts, sizes = broadcast_columns(
        names, (whole_numbers(of, x), positive_numbers(during, exposure))
    )
    low, high = EXPOSURES
    outside = (sizes < low) | (sizes > high)
    validate_values(sizes, outside, during, f"a number from {low:g} to {high:g}")
    outside = (counts < 0) | (counts > LARGEST_COUNT)
    validate_values(counts, outside, of, "a whole number from 0 to 10^9")
    return counts, sizes


def is_valid_prior(prior: tuple[float, float]) -> bool:
    """Whether Gamma(a, b) is a prior, improper ones included: a > 0, b ≥ 0."""
    return prior[0] > 0 and prior[1] >= 0


def estimate(x: Floats, exposure: Floats) -> Floats:
    """x / exposure."""
    return x / exposure


def posterior(x: Floats, exposure: Floats, prior: tuple[float, float]) -> Gamma:
    """Gamma(x + a, exposure + b) for each outcome, under a Gamma(a, b) prior.

    Ross (2003), section 3.2, with the flat prior (1, 0).
    """
    return Gamma.given(x, exposure, prior)


def truth_posterior(truth: ContinuousTruth, x: Integers, exposure: float) -> Gamma | Truncated:
    """What the truth's own distribution implies for the rate given each outcome x."""
    counts, sizes = x.astype(np.float64), np.full(x.size, float(exposure))
    if isinstance(truth, GammaTruth):
        return Gamma.given(counts, sizes, (truth.s, truth.t))
    return Truncated(Gamma.given(counts, sizes, FLAT_PRIOR), *truth.support)


def evidence(exposure: float) -> float:
    """Pr(X = x) integrated over all rates: 1/exposure for every x."""
    return 1.0 / exposure


def outcome_weights(truth: ContinuousTruth, x: Integers, exposure: float) -> Floats:
    """Pr(X = x) with the rate drawn from the truth, shape (m,).

    Uniform on [a, b]: Pr(a < Gamma(x + 1, exposure) < b) / (exposure (b − a)). Gamma(s, t): the
    negative binomial probability, as Pr(X = x | r) f(r; s, t) / f(r; s + x, t + exposure) at the
    posterior mean r, since the quotient is the same at every r.
    """
    if isinstance(truth, GammaTruth):
        counts, sizes = x.astype(np.float64), np.full(x.size, float(exposure))
        prior = Gamma(np.full(x.size, truth.s), np.full(x.size, truth.t))
        after = Gamma.given(counts, sizes, (truth.s, truth.t))
        mean = after.a / after.b
        log_pmf = log_poisson(counts, mean * sizes)
        return np.exp(log_pmf + prior.logpdf(mean) - after.logpdf(mean))
    implied = truth_posterior(truth, x, exposure)
    assert isinstance(implied, Truncated)
    low, high = truth.support
    return implied.mass() / (exposure * (high - low))
