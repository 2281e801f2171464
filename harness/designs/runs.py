"""Exact coverage and length of intervals for the mean of runs, where the values are normal."""

from __future__ import annotations

import math

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.base.numerics.special import mean_of_sd, upper_tail
from harness.designs.design import Scenario
from harness.designs.stochastic import StochasticColumn
from harness.methods.method import LOWER, TWO_SIDED, UPPER, StandardErrors


def closed_form(
    standard_errors: StandardErrors, k: float, alpha: float, side: str, sd: float
) -> tuple[float, float, float]:
    """Return the miss probabilities and the mean length of mean ± f(k, tail)·sd/√k.

    (mean − μ)/(sd/√k) of k normal values has Student's distribution T with k − 1 degrees of
    freedom, so that each limit misses with the probability Pr(T > f). The mean length is
    2 f σ c₄(k)/√k, with c₄(k) = E[sd]/σ.

    Student (1908), Biometrika 6, 1–25.

    Args:
        standard_errors: f.
        k: the number of values, 2 or more.
        alpha: of both tails together, or of the one tail of a one-sided interval.
        side: the side of the interval.
        sd: the standard deviation σ of a value.

    Returns:
        The probability that the true mean lies below the lower limit, that it lies above the
        upper one, and the mean length, which is infinite of a one-sided interval.

    Example:
        >>> from harness.methods.mean import z_population
        >>> below, above, length = closed_form(z_population, 5, 0.05, "two-sided", 1.0)
        >>> round(1 - below - above, 4)
        0.8455
    """
    tail = alpha / 2 if side == TWO_SIDED else alpha
    factor = float(standard_errors(np.array([float(k)]), tail)[0])
    miss = float(upper_tail(k - 1.0, factor))
    length = 2.0 * factor * sd * float(mean_of_sd(k)) / math.sqrt(k)
    return (
        0.0 if side == UPPER else miss,
        0.0 if side == LOWER else miss,
        length if side == TWO_SIDED else math.inf,
    )


ASSUMES = "normal values of runs"


def at_truths(scenario: Scenario, column: StochasticColumn) -> tuple[Floats, Floats, Floats] | None:
    """Return the probabilities of a miss below and above, and the expected length, shape (1,) each.

    Args:
        scenario: k runs with values of one law.
        column: a method at one alpha.

    Returns:
        None where the law is not normal, or the limits are not so many standard errors sd/√k from
        the mean.
    """
    law, known = scenario.truth.law, column.source.standard_errors
    if known is None or not law.is_normal:
        return None
    alpha, side = column.column.alpha, column.column.side
    below, above, length = closed_form(known, scenario.sizes[0], alpha, side, law.sd)
    return np.array([below]), np.array([above]), np.array([length])
