"""Normal limits over strata, and what they are where a variance is 0 or would be negative."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from harness.methods.proportion.score import wilson
from tests.methods.stratified.outcomes import limits


def test_satos_variance_of_equal_samples_is_that_of_mantel_and_haenszel():
    # Of one stratum with n₁ = n₂ both are Σ x(n − x)/(4n).
    data = [7], [20], [3], [20]
    expected = limits("mantel_haenszel", data, 0.025)
    assert limits("sato", data, 0.025) == pytest.approx(expected, rel=1e-14)


def test_satos_interval_has_no_width_only_where_each_stratum_has_all_or_none():
    without = ([4, 0], [4, 9], [6, 0], [6, 2]), ([4, 2], [4, 2], [0, 0], [6, 2])
    for data in without:
        lower, upper = limits("sato", data, 0.025)
        assert lower == upper
    # Strata in which D ΣP and ΣQ cancel the more, the more their sizes differ.
    lower, upper = limits("sato", ([1, 0], [1, 10**6], [0, 0], [10**6, 1]), 0.025)
    assert 0 < upper - lower < 0.01


def test_limits_end_where_the_range_does():
    data = [9, 8], [10, 8], [1, 0], [10, 9]
    for name in ("sato", "mantel_haenszel"):
        lower, upper = limits(name, data, 1e-9)
        assert -1 < lower < upper == 1


def test_newcombes_limits_without_a_success_have_the_quantile_of_equal_proportions():
    n1, n2 = np.array([5.0, 20.0]), np.array([8.0, 9.0])
    share = n1 * n2 / (n1 + n2) / (n1 * n2 / (n1 + n2)).sum()
    z = -float(ndtri(0.025))
    # U₁ is the mean of the Wilson limits z²/(n + z²).
    quantile = z * np.sqrt((share**2 / n1).sum()) / (share / np.sqrt(n1)).sum()
    mean = (share * quantile**2 / (n1 + quantile**2)).sum()
    spread = (share**2 / n1).sum() * mean * (1 - mean)
    _, upper = limits("newcombe", ([0, 0], n1, [0, 0], n2), 0.025)
    assert upper == pytest.approx(z * np.sqrt(spread), rel=1e-13)
    equal = limits("newcombe", ([1e-9, 4e-9], n1, [1e-9, 1e-9], n2), 0.025)
    assert upper == pytest.approx(equal[1], abs=1e-4)


def test_newcombes_limits_of_one_stratum_lie_where_those_of_wilson_do():
    one = np.array([0.0]), np.array([12.0])
    _, far = wilson(one, 0.025)
    lower, upper = limits("newcombe", ([0], [12], [0], [10**9]), 0.025)
    assert upper == pytest.approx(float(far[0]), abs=1e-7)
    assert lower == pytest.approx(0, abs=1e-7)
