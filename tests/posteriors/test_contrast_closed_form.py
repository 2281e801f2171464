"""Differences of two rates at 0, where the tails are incomplete Beta functions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc

from harness.posteriors.difference.rates import difference_of_rates
from harness.posteriors.gamma import Gamma

# Of the integral; betainc itself is good to some 1e-14.
ABSOLUTE, RELATIVE = 1e-12, 1e-11


@pytest.mark.parametrize("prior", [(1.0, 0.0), (0.5, 0.0)])
def test_tails_at_no_difference_are_incomplete_beta_functions_small_or_large(prior):
    """Pr(r2 < r1) = I_w(x2 + a, x1 + a) with w = E2/(E1 + E2), as r1·E1 and r2·E2 are Gamma."""
    rng = np.random.default_rng(2003)
    x1, x2 = rng.integers(0, 500, 4000), rng.integers(0, 8, 4000)
    first, second = 10.0 ** rng.uniform(-2, 2, (2, 4000))
    posterior = difference_of_rates(
        Gamma.given(x1.astype(float), first, prior), Gamma.given(x2.astype(float), second, prior)
    )
    zero = np.zeros(4000)
    above = betainc(x2 + prior[0], x1 + prior[0], second / (first + second))
    below = betainc(x1 + prior[0], x2 + prior[0], first / (first + second))
    assert above.max() > 1 - 1e-6
    assert above.min() < 1e-6
    np.testing.assert_allclose(posterior.sf(zero), above, rtol=RELATIVE, atol=ABSOLUTE * 1e-8)
    np.testing.assert_allclose(posterior.cdf(zero), below, rtol=RELATIVE, atol=ABSOLUTE * 1e-8)
