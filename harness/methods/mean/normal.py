"""Intervals of the mean of k values: so many standard errors about their mean.

Each function is the number f(k, tail) of standard errors from the mean to a limit,

    mean ± f(k, tail) · sd/√k,

where sd has the divisor k − 1. Under normal values the coverage of such an interval follows from
f alone, since (mean − μ)/(sd/√k) has Student's distribution with k − 1 degrees of freedom.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.method import LimitPair, StandardErrors
from harness.numerics.arrays import Floats
from harness.numerics.student import upper_point


def about_the_mean(
    standard_errors: StandardErrors, data: tuple[Floats, ...], tail: float
) -> LimitPair:
    """Mean ± f(k, tail) · sd/√k.

    Args:
        standard_errors: f.
        data: mean, sd and k, of shape (m,) each, and the values, which are not used.
        tail: the probability beyond each limit.
    """
    mean, sd, k, _ = data
    delta = standard_errors(k, tail) * (sd / np.sqrt(k))
    return mean - delta, mean + delta


def z_population(k: Floats, tail: float) -> Floats:
    """Mean ± z · population sd/√k, with the divisor k in the population sd.

    z is the upper ``tail`` point of the standard normal. In standard errors sd/√k it is
    z √((k − 1)/k): the standard deviation of the runs at hand stands for that of all runs, and z
    for Student's quantile. Both make it too short; of normal values it covers 84.6 % at k = 5 and
    alpha = 0.05. Of no width where all values are equal.

    Laplace (1812), Théorie analytique des probabilités, for z.
    """
    return -float(ndtri(tail)) * np.sqrt((k - 1.0) / k)


def z_sample(k: Floats, tail: float) -> Floats:
    """Mean ± z · sd/√k, with the divisor k − 1 in sd.

    z is the upper ``tail`` point of the standard normal. Too short, as the error of sd is left
    out; of normal values it covers 87.8 % at k = 5 and alpha = 0.05. Of no width where all values
    are equal.

    Laplace (1812), Théorie analytique des probabilités, for z.
    """
    return np.full_like(k, -float(ndtri(tail)))


def student_t(k: Floats, tail: float) -> Floats:
    """Mean ± t · sd/√k, with the divisor k − 1 in sd.

    t is the upper ``tail`` point of Student's distribution with k − 1 degrees of freedom. Exact
    for normal values at each k ≥ 2; of skewed values a one-sided limit misses more on the side of
    the longer tail. Of no width where all values are equal.

    Student (1908), Biometrika 6, 1–25.
    """
    return upper_point(k - 1.0, tail)
