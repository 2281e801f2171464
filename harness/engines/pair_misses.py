"""Which pairs of counts miss a parameter, and with what probability."""

from __future__ import annotations

import numpy as np

from harness.numerics.arrays import Floats


def missed_chances(
    parameter: Floats | float, chance: Floats, lower: Floats, upper: Floats
) -> tuple[Floats, Floats]:
    """The probabilities of the outcomes whose limits lie above the parameter, and below it.

    The others are 0: intervals are closed, a parameter equal to a limit is covered. Broadcast.
    """
    below = np.where(parameter < lower, chance, 0.0)
    above = np.where(parameter > upper, chance, 0.0)
    return below, above
