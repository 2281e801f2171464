"""Ratios of two parameters: tails, quantiles and criteria on the logarithm."""

from __future__ import annotations

import numpy as np
import pytest

from harness import criteria
from harness.posteriors.beta import Beta
from harness.posteriors.gamma import Gamma
from harness.posteriors.ratio.proportions import odds_ratio_of_proportions, ratio_of_proportions
from harness.posteriors.ratio.rates import ratio_of_rates


def column(*values):
    return np.array(values, dtype=np.float64)


def test_minimal_length_on_the_logarithm_inverts_when_the_samples_swap():
    first, second = Beta(column(8), column(4)), Beta(column(5), column(7))
    lower, upper = criteria.minimal_length(ratio_of_proportions(first, second), 0.05)
    assert lower.value[0] == pytest.approx(0.74, abs=0.005)
    assert upper.value[0] == pytest.approx(3.98, abs=0.005)
    low, high = criteria.minimal_length(ratio_of_proportions(second, first), 0.05)
    np.testing.assert_allclose(low.value, 1.0 / upper.value, rtol=1e-12)
    np.testing.assert_allclose(high.value, 1.0 / lower.value, rtol=1e-12)


@pytest.mark.parametrize("criterion", [criteria.balanced_tail, criteria.minimal_length])
def test_every_criterion_leaves_alpha_outside(criterion):
    counts = column(0, 7, 10)
    first, second = (v.ravel() for v in np.meshgrid(counts, counts))
    ten = np.full(9, 10.0)
    for prior in ((1.0, 1.0), (0.5, 0.5)):
        betas = Beta.given(first, ten, prior), Beta.given(second, ten, prior)
        gammas = (Gamma.given(x, ten, (prior[0], 0.0)) for x in (first, second))
        for posterior in (
            ratio_of_proportions(*betas),
            odds_ratio_of_proportions(*betas),
            ratio_of_rates(*gammas),
        ):
            lower, upper = criterion(posterior, 0.05)
            outside = posterior.cdf(lower) + posterior.sf(upper)
            np.testing.assert_allclose(outside, 0.05, rtol=1e-12)
