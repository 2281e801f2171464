"""A binomial proportion: x successes of n."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.errors import InputError
from harness.families.data import LARGEST_COUNT, broadcast_columns, validate_values, whole_numbers
from harness.numerics.arrays import Floats, Integers
from harness.numerics.deviance import log_binomial
from harness.numerics.points import UnitPoints
from harness.posteriors.beta import Beta
from harness.posteriors.truncated import Truncated
from harness.sampling import binomial
from harness.truths import BetaTruth, ContinuousTruth

NAME = "proportion"
COUNT, SIZE = "x", "n"
COUNTED = "successes"
PARAMETER = "p"
QUANTITY, UNIT = "proportion ", ""
SIZE_IS_COUNT = True
SUPPORT = (0.0, 1.0)
FLAT_PRIOR = (1.0, 1.0)
PRIOR = "Beta"
PRIOR_RANGE = "two numbers above 0"
LARGEST_SIZE = LARGEST_COUNT
SAMPLING = binomial


def validate_data(
    x: npt.ArrayLike, n: npt.ArrayLike, names: tuple[str, str] = (COUNT, SIZE)
) -> tuple[Floats, Floats]:
    """x and n as float arrays of one shape.

    Raises:
        InputError: a value is not a whole number, n is outside 1 … 10^9, x is outside 0 … n, or
            the shapes do not broadcast.
    """
    of, out_of = names
    counts, sizes = broadcast_columns(names, (whole_numbers(of, x), whole_numbers(out_of, n)))
    outside = (sizes < 1) | (sizes > LARGEST_SIZE)
    validate_values(sizes, outside, out_of, "a whole number from 1 to 10^9")
    validate_values(counts, counts < 0, of, f"a whole number from 0 to {out_of}")
    above = counts > sizes
    if above.any():
        raise InputError(
            f"{of} = {counts[above][0]:.0f} is larger than {out_of} = {sizes[above][0]:.0f}"
        )
    return counts, sizes


def is_valid_prior(prior: tuple[float, float]) -> bool:
    """Whether Beta(a, b) is a prior: a, b > 0."""
    return prior[0] > 0 and prior[1] > 0


def estimate(x: Floats, n: Floats) -> Floats:
    """x / n."""
    return x / n


def posterior(x: Floats, n: Floats, prior: tuple[float, float]) -> Beta:
    """Beta(x + a, n − x + b) for each outcome, under a Beta(a, b) prior."""
    return Beta.given(x, n, prior)


def truth_posterior(truth: ContinuousTruth, x: Integers, n: float) -> Beta | Truncated:
    """What the truth's own distribution implies for p given each outcome x of n."""
    counts, sizes = x.astype(np.float64), np.full(x.size, float(n))
    if isinstance(truth, BetaTruth):
        return Beta.given(counts, sizes, (truth.s, truth.t))
    whole = Beta.given(counts, sizes, FLAT_PRIOR)
    if truth.support == SUPPORT:
        return whole
    return Truncated(whole, *truth.support)


def evidence(n: float) -> float:
    """Pr(X = x) integrated over all p: 1/(n + 1) for every x."""
    return 1.0 / (n + 1.0)


def outcome_weights(truth: ContinuousTruth, x: Integers, n: float) -> Floats:
    """Pr(X = x) with p drawn from the truth: a mean of binomial probabilities, shape (m,).

    Uniform on [a, b]: Pr(a < Beta(x+1, n−x+1) < b) / ((n + 1)(b − a)). Beta(s, t): the
    beta-binomial probability, as b(x; n, p) f(p; s, t) / f(p; s + x, t + n − x) at the posterior
    mean p, since the quotient is the same at every p and no log-gamma difference is taken there.
    """
    if isinstance(truth, BetaTruth):
        counts, sizes = x.astype(np.float64), np.full(x.size, float(n))
        prior = Beta(np.full(x.size, truth.s), np.full(x.size, truth.t))
        after = Beta.given(counts, sizes, (truth.s, truth.t))
        total = after.a + after.b
        mean = UnitPoints(after.a / total, after.b / total)
        log_pmf = log_binomial(counts, sizes - counts, mean.p, mean.q)
        return np.exp(log_pmf + prior.logpdf(mean) - after.logpdf(mean))
    implied = truth_posterior(truth, x, n)
    if isinstance(implied, Beta):
        return np.full(x.size, 1.0 / (n + 1))
    low, high = truth.support
    return implied.mass() / ((n + 1) * (high - low))
