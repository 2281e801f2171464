"""The sizes, outcomes and priors at which accuracy is measured, and the accuracy promised there."""

from collections.abc import Iterator

import numpy as np
from flint import arb

from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from tests.oracles.balls import point_of_pair

SIZES = (1, 2, 5, 10, 60, 100, 1000, 10**5, 10**6, 10**8)
PRIORS = ((1.0, 1.0), (0.5, 0.5), (2.0, 5.0), (0.1, 0.1))
ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.5, 0.9)
# The criteria with alpha as their only option.
CRITERIA = {
    "one_sided lower": lambda posterior, alpha: criteria.one_sided(posterior, alpha, "lower"),
    "one_sided upper": lambda posterior, alpha: criteria.one_sided(posterior, alpha, "upper"),
    "minimal_length": criteria.minimal_length,
    "balanced_width": criteria.balanced_width,
    "balanced_tail": criteria.balanced_tail,
}
# Half a unit in the last place, relative to the number.
HALF_ULP = 2.0**-53


def outcomes(n: int) -> list[int]:
    """0, 1, n/2, n - 1 and n, each once."""
    return sorted({0, 1, n // 2, n - 1, n})


def cases(sizes: tuple[int, ...] = SIZES) -> Iterator[tuple[int, int, float, float]]:
    """n, x and the two parameters of the prior."""
    for n in sizes:
        for x in outcomes(n):
            for prior in PRIORS:
                yield n, x, *prior


def promised(n: int) -> float:
    """The promised relative accuracy of a tail probability at size n."""
    if n <= 10**5:
        return 1e-12
    return 3e-12 if n <= 10**6 else 3e-11


def posterior_at(n):
    """The posterior of every outcome and prior of the grid at n."""
    x, s, t = (np.array(column) for column in zip(*(row[1:] for row in cases((n,))), strict=True))
    return Beta.given(x.astype(float), np.full(x.shape, float(n)), (s, t))


def each_outcome(posterior, limits):
    """Yield (a, b, lower, upper) of each outcome; the limits are exact points."""
    lower, upper = limits
    columns = (posterior.a, posterior.b, lower.p, lower.q, upper.p, upper.q)
    for a, b, *carried in zip(*(column.tolist() for column in columns), strict=True):
        yield a, b, point_of_pair(*carried[:2]), point_of_pair(*carried[2:])


def relative_error(found, true):
    """|found / true − 1|."""
    return abs(float(arb(found) / arb(true) - 1))
