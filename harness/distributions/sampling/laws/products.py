"""Probabilities as products of the ratios of neighbours, from near the mean outward.

A ratio Pr(X = x + 1)/Pr(X = x) is right to its last bits, so that a product of k ratios is off by
about √k units in the last place. A difference of log-gammas loses as many digits
as the log-gammas have before the point.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.base.numerics.arrays import Floats, Integers

NEGLIGIBLE = 1e-17
"""The largest part of the probability beyond either end of a window."""
BLOCK = 2**18
"""The number of probabilities computed at once."""
FIRST = 256.0
"""The number of steps taken at first in search of the end of a window."""

Ratio = Callable[[Floats, Floats], Floats]
"""Ratios at parameters, shape (t, 1), and outcomes, shape (t, k) or (k,); broadcast."""
Steps = Callable[[Floats], Floats]
"""A number for each number of steps away from the mean, shape (k,)."""


def probabilities(
    parameter: Floats,
    near_mean: Integers,
    up: Ratio,
    down: Ratio,
    window: tuple[int, int],
    first: int,
    last: int,
) -> Floats:
    """Return Pr(X = x) at each parameter for x = first, …, last.

    Args:
        parameter: shape (t,).
        near_mean: a possible outcome near the mean at each parameter, shape (t,).
        up: Pr(X = x + 1)/Pr(X = x) for x from ``near_mean`` on; elsewhere anything.
        down: Pr(X = x − 1)/Pr(X = x) for x down from ``near_mean``; elsewhere anything.
        window: the first and the last outcome that count, at any of the parameters.
        first: the first outcome asked for.
        last: the last one.

    Returns:
        Probabilities, shape (t, last − first + 1). They are right to about 1e-16·√k for outcomes k
        steps from the mean, down to where they underflow to 0.
    """
    start = min(first, window[0], int(near_mean.min()))
    end = max(last, window[1], int(near_mean.max()))
    x = np.arange(start, end + 1, dtype=np.float64)
    masses = np.empty((parameter.size, last - first + 1))
    rows = max(1, BLOCK // x.size)
    for row in range(0, parameter.size, rows):
        part = slice(row, row + rows)
        at, center = parameter[part, np.newaxis], near_mean[part, np.newaxis]
        relative = np.ones((at.size, x.size))
        below = np.ones((at.size, x.size))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            np.copyto(relative[:, 1:], up(at, x[:-1]), where=x[:-1] >= center)
            np.copyto(below[:, :-1], down(at, x[1:]), where=x[1:] <= center)
        np.cumprod(relative, axis=1, out=relative)
        relative *= np.cumprod(below[:, ::-1], axis=1)[:, ::-1]
        total = relative.sum(axis=1, keepdims=True)
        masses[part] = relative[:, first - start : last - start + 1] / total
    return masses


def reach(ratio: Steps, bound: Steps, most: float) -> int:
    """The number of steps from an outcome beyond which the probability is negligible.

    The probability beyond k steps is at most Pr(k)·B/(1 − B), where B < 1 is a bound of all ratios
    from k on. Where no bound is below 1, as where the law has a mode at its end, all outcomes
    count.

    Args:
        ratio: the probability k + 1 steps away over that k steps away.
        bound: a bound of the ratio at k and at all numbers above, for k below ``most``.
        most: the number of steps to the last outcome; inf where a bound is below 1 at last.

    Returns:
        The number of steps; the total probability further away is below 1e-17.
    """
    done, mass, last = 0.0, 1.0, 1.0
    if 0.0 < most < np.inf and bound(np.array([most - 1.0]))[0] >= 1.0:
        return int(most)
    while done < most:
        steps = np.arange(done + 1.0, min(2.0 * done + FIRST, done + BLOCK, most) + 1.0)
        relative = last * np.cumprod(ratio(steps - 1.0))
        masses = mass + np.cumsum(relative)
        bounds = bound(steps[steps < most])
        bounded, limit = relative[: bounds.size], NEGLIGIBLE * masses[: bounds.size]
        # Pr(k)·B/(1 − B) ≤ limit, without a division by 0 where B = 1.
        negligible = np.flatnonzero(bounded * bounds <= limit * (1.0 - bounds))
        if negligible.size:
            return int(steps[negligible[0]])
        done, mass, last = float(steps[-1]), float(masses[-1]), float(relative[-1])
    return int(most)
