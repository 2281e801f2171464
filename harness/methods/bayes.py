"""Intervals of a posterior: one of the four criteria over the family's posterior."""

from __future__ import annotations

import numpy as np

from harness import criteria
from harness.families import proportion
from harness.methods.method import TWO_SIDED, Formula, Limits
from harness.numerics.arrays import Floats
from harness.numerics.split import Split


def of_proportion(criterion: criteria.Criterion[Split]) -> Formula:
    """The criterion over Beta(x + a, n − x + b)."""

    def limits(
        data: tuple[Floats, ...], alpha: float, side: str, prior: tuple[float, float]
    ) -> Limits:
        x, n = data
        if side != TWO_SIDED or prior[0] != prior[1]:
            lower, upper = criterion(proportion.posterior(x, n, prior), alpha, side)
            return lower.value, upper.value
        # x and n − x are one problem under a symmetric prior: solve it once and mirror.
        few = np.minimum(x, n - x)
        pairs, back = np.unique(np.stack((few, n)), axis=1, return_inverse=True)
        lower, upper = criterion(proportion.posterior(pairs[0], pairs[1], prior), alpha, side)
        lower, upper = lower.at(back), upper.at(back)
        many = x > few
        return np.where(many, upper.q, lower.p), np.where(many, lower.q, upper.p)

    limits.__doc__ = criterion.__doc__
    return limits


def jeffreys(
    data: tuple[Floats, ...], alpha: float, side: str, prior: tuple[float, float]
) -> Limits:
    """Balanced tails of Beta(x + ½, n − x + ½), with no change at x = 0 and x = n.

    Its mean coverage under the Beta(½, ½) prior is nominal. At x = 0 and x = n the interval does
    not hold x/n; the modified form, which moves those limits to the end, is another method.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 3.
    """
    return of_proportion(criteria.balanced_tail)(data, alpha, side, (0.5, 0.5))
