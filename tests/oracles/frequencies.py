"""Counts held against the chances that they should have, by a chi-squared test."""

import numpy as np
from scipy import stats

EXPECTED_AT_LEAST = 5.0
"""Cells of a chi-squared test that expect fewer are counted together."""


def fits(counts, chance, false_alarm):
    """Whether counts may come from these chances, the small ones together.

    It is False of right counts with about the probability ``false_alarm``.
    """
    expected = counts.sum() * chance
    rare = expected < EXPECTED_AT_LEAST
    seen = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    used = wanted > 0
    assert seen[~used].sum() == 0
    if wanted[-1] < EXPECTED_AT_LEAST and used[-1]:
        # Too few even together: they are held against Markov's bound.
        if seen[-1] > wanted[-1] / false_alarm:
            return False
        used[-1] = False
    statistic = ((seen - wanted)[used] ** 2 / wanted[used]).sum()
    return stats.chi2.sf(statistic, max(used.sum() - 1, 1)) >= false_alarm
