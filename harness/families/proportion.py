"""A binomial proportion: x successes of n."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.errors import InputError
from harness.numerics.arrays import Bools, Floats, Integers
from harness.numerics.deviance import log_binomial
from harness.numerics.split import Split
from harness.posteriors.beta import Beta
from harness.posteriors.truncated import Truncated
from harness.truths import BetaTruth, ContinuousTruth

NAME = "proportion"
DATA = ("x", "n")
FLAT_PRIOR = (1.0, 1.0)
LARGEST_SIZE = 10**9


def checked(x: npt.ArrayLike, n: npt.ArrayLike) -> tuple[Floats, Floats]:
    """x and n as float arrays of one shape.

    Raises:
        InputError: a value is not a whole number, n is outside 1 … 10^9, x is outside 0 … n, or
            the shapes do not broadcast.
    """
    counts, sizes = _whole_numbers("x", x), _whole_numbers("n", n)
    try:
        counts, sizes = np.broadcast_arrays(counts, sizes)
    except ValueError:
        raise InputError(
            f"x of shape {counts.shape} and n of shape {sizes.shape} do not fit together"
        ) from None
    _refuse(sizes, (sizes < 1) | (sizes > LARGEST_SIZE), "n", "a whole number from 1 to 10^9")
    _refuse(counts, counts < 0, "x", "a whole number from 0 to n")
    above = counts > sizes
    if above.any():
        raise InputError(f"x = {counts[above][0]:.0f} is larger than n = {sizes[above][0]:.0f}")
    return counts, sizes


def _whole_numbers(name: str, given: npt.ArrayLike) -> Floats:
    try:
        raw = np.asarray(given)
    except ValueError:
        raise InputError(
            f"{name} should be a number or a regular array, found a ragged one"
        ) from None
    if raw.dtype.kind not in "iuf":
        raise InputError(f"{name} should be a whole number or an array of them, found {given!r}")
    values = raw.astype(np.float64)
    with np.errstate(invalid="ignore"):
        _refuse(values, ~(np.floor(values) == values), name, "a whole number")
        _refuse(values, ~np.isfinite(values), name, "a whole number")
    return values


def _refuse(values: Floats, bad: Bools, name: str, expected: str) -> None:
    if bad.any():
        raise InputError(f"{name} should be {expected}, found {values[bad][0]:.15g}")


def posterior(x: Floats, n: Floats, prior: tuple[float, float]) -> Beta:
    """Beta(x + a, n − x + b) for each outcome, under a Beta(a, b) prior."""
    return Beta.given(x, n, prior)


def truth_posterior(truth: ContinuousTruth, x: Integers, n: int) -> Beta | Truncated:
    """What the truth's own distribution implies for p given each outcome x of n."""
    counts, sizes = x.astype(np.float64), np.full(x.size, float(n))
    if isinstance(truth, BetaTruth):
        return Beta.given(counts, sizes, (truth.s, truth.t))
    whole = Beta.given(counts, sizes, FLAT_PRIOR)
    if truth.support == (0.0, 1.0):
        return whole
    return Truncated(whole, truth.lower, truth.upper)


def outcome_weights(truth: ContinuousTruth, x: Integers, n: int) -> Floats:
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
        mean = Split(after.a / total, after.b / total)
        log_pmf = log_binomial(counts, sizes - counts, mean.p, mean.q)
        return np.exp(log_pmf + prior.logpdf(mean) - after.logpdf(mean))
    implied = truth_posterior(truth, x, n)
    if isinstance(implied, Beta):
        return np.full(x.size, 1.0 / (n + 1))
    return implied.mass() / ((n + 1) * (truth.upper - truth.lower))
