"""The last of the whole numbers 1, 2, … for which something holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.numerics.arrays import Bools, Floats, Positions


def last_holding(
    holds: Callable[[Floats, Positions], Bools], start: Floats, largest: Floats
) -> Floats:
    """The largest k ≤ ``largest`` for which a condition holds that holds up to some k and no more.

    Doubling steps away from the start until the last k lies between two that were tried, then
    bisection.

    Args:
        holds: ``(k, index) -> bools`` at ``k`` of the conditions ``index``. It is known to hold
            at k = 1, and not asked there.
        start: first guesses, shape (m,), put into the range where outside.
        largest: the end of each range, ≥ 1, shape (m,); inf where there is none.
    """
    low, high = np.ones_like(start), largest + 1.0
    k = np.clip(np.round(start), 2.0, largest)
    active = np.flatnonzero(high - low > 1)
    step = 1.0
    while active.size:
        here = k[active]
        held = holds(here, active)
        low[active] = np.where(held, here, low[active])
        high[active] = np.where(held, high[active], here)
        proposed = np.where(held, here + step, here - step)
        step *= 2.0
        between = (proposed > low[active]) & (proposed < high[active])
        with np.errstate(invalid="ignore"):
            middle = np.floor(0.5 * (low[active] + high[active]))
        k[active] = np.where(between, proposed, middle)
        active = active[high[active] - low[active] > 1]
    return low
