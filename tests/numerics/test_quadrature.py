"""Quadrature against a Beta weight, held against exact moments."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from harness.numerics.quadrature import beta_rule
from tests.oracles import balls, beta
from tests.oracles.accuracy_grid import HALF_ULP

# Sums of a few hundred positive terms, each good to a few units in the last place.
EXACT = 1e-13
# The scale of a binomial probability of 100 trials.
SCALE = 0.05


def partial_moment(power, low, high, s, t):
    """Integral of p^power over [low, high] under the Beta(s, t) density."""
    with ctx.workprec(256):
        shape = arb(s) + power
        whole = shape.gamma() * arb(t).gamma() / (shape + arb(t)).gamma()
        scale = whole * (arb(s) + arb(t)).gamma() / (arb(s).gamma() * arb(t).gamma())
        inside = beta.cdf(shape, t, balls.exact(high)) - beta.cdf(shape, t, balls.exact(low))
        return float(scale * inside)


shapes = st.one_of(st.floats(0.05, 40), st.sampled_from([0.1, 0.5, 1.0, 2.0, 8.0, 30.0]))
breaks = st.lists(st.floats(1e-12, 0.999), max_size=6)


@given(shapes, shapes, breaks, st.integers(0, 6))
def test_moments_of_a_beta_distribution_are_exact_whatever_the_breaks(s, t, points, power):
    nodes, weights = beta_rule(np.unique([0.0, *points, 1.0]), s, t, SCALE)
    expected = partial_moment(power, 0.0, 1.0, s, t)
    assert nodes**power @ weights == pytest.approx(expected, rel=0, abs=EXACT)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6, unique=True), st.integers(0, 6))
def test_moments_of_a_uniform_distribution_are_exact_over_any_range(points, power):
    edges = np.sort(points)
    nodes, weights = beta_rule(edges, 1.0, 1.0, SCALE)
    expected = partial_moment(power, float(edges[0]), float(edges[-1]), 1, 1)
    assert nodes**power @ weights == pytest.approx(expected, rel=0, abs=EXACT)


@pytest.mark.parametrize(("s", "t"), [(1, 1), (0.1, 0.1), (0.5, 3), (2, 8), (30, 0.7)])
def test_a_step_at_a_break_is_integrated_exactly(s, t):
    for step in (1e-9, 0.2, 0.5, 0.99, 1 - 1e-9):
        nodes, weights = beta_rule(np.array([0.0, step, 1.0]), s, t, SCALE)
        # A node beside 1 is a double: its distance from 1 is off by up to 2^-53.
        slack = EXACT + (HALF_ULP / (1 - step) if t < 8 and t != 1 else 0)
        below = float(beta.cdf(s, t, balls.exact(step)))
        assert weights[nodes < step].sum() == pytest.approx(below, rel=0, abs=slack)
        assert weights.sum() == pytest.approx(1, abs=slack)


@given(shapes, shapes)
def test_nodes_ascend_inside_the_range_and_weights_are_not_negative(s, t):
    nodes, weights = beta_rule(np.array([0.0, 0.3, 1.0]), s, t, SCALE)
    assert (np.diff(nodes) >= 0).all()
    assert nodes[0] >= 0
    assert nodes[-1] <= 1
    assert (weights >= 0).all()


def test_a_binomial_probability_of_the_stated_scale_is_integrated_exactly():
    # Beta-binomial probabilities with a flat truth are all 1/(n + 1).
    n = 400
    nodes, weights = beta_rule(np.array([0.0, 1.0]), 1.0, 1.0, 0.5 / np.sqrt(n))
    for x in (0, 1, 20, 200, 399, 400):
        with np.errstate(divide="ignore"):
            log_kernel = x * np.log(nodes) + (n - x) * np.log1p(-nodes)
        coefficient = float(balls.log_binomial(x, n - x, balls.exact(0.5))) + n * np.log(2)
        found = np.exp(log_kernel + coefficient) @ weights
        assert found == pytest.approx(1 / (n + 1), rel=1e-12)
