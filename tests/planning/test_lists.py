"""How many runs and clusters suffice."""

import math

import numpy as np
import pytest
from scipy.special import gammaln, stdtrit

import harness


def expected_half_width(k, sd):
    """t · sd · c₄(k)/√k, with c₄ by log-gammas."""
    c4 = math.sqrt(2 / (k - 1)) * math.exp(gammaln(k / 2) - gammaln((k - 1) / 2))
    return stdtrit(k - 1, 0.975) * sd * c4 / math.sqrt(k)


def test_runs_of_an_expected_half_width():
    found = harness.size("mean", "student_t", sd=2.0, half_width=1.0)
    assert found.k == 18
    assert found.reached == pytest.approx(expected_half_width(18, 2.0), rel=1e-12)
    assert expected_half_width(17, 2.0) > 1.0
    assert found.std_error is None


def test_a_length_is_twice_a_half_width_of_runs():
    assert harness.size("mean", "student_t", sd=2.0, length=2.0).k == 18


def test_clusters_of_an_expected_half_width():
    asked = {"p": 0.8, "size": 10, "half_width": 0.05}
    alone = harness.size("clustered_proportion", "saha_wilson", rho=0.0, **asked)
    alike = harness.size("clustered_proportion", "saha_wilson", rho=0.1, **asked)
    # Independent cases need 246 by Wald, and clusters of 10 with rho = 0.1 1.9 times as many.
    assert alone.clusters == pytest.approx(24.6, abs=1.5)
    assert alike.clusters == pytest.approx(1.9 * 24.6, abs=3)
    assert 0 < alike.std_error < 2e-4
    assert alike.reached <= 0.05


def test_the_curve_falls_through_the_answer():
    found = harness.size("mean", "z_sample", sd=1.0, half_width=0.5)
    numbers, reached = found.curve()
    assert (np.diff(reached) < 0).all()
    assert ((reached <= 0.5) == (numbers >= found.k)).all()
