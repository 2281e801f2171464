"""By how much one interval is longer than another."""

from __future__ import annotations

import numpy as np

from harness.numerics.arrays import Floats


def percent_longer(lengths: Floats, reference: Floats) -> Floats:
    """100·(length − reference)/reference; NaN where the reference has no length or is unknown."""
    percent = np.full(lengths.shape, np.nan)
    known = np.isfinite(lengths) & np.isfinite(reference) & (reference > 0)
    percent[known] = 100 * (lengths[known] - reference[known]) / reference[known]
    return percent
