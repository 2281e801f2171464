"""Quadrature against a Beta or a Gamma weight, held against exact moments."""

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammainc, gammaln

from harness.base.numerics.quadrature import beta_rule, gamma_rule
from tests.oracles import balls, beta

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
    assert nodes.value**power @ weights == pytest.approx(expected, rel=0, abs=EXACT)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6, unique=True), st.integers(0, 6))
def test_moments_of_a_uniform_distribution_are_exact_over_any_range(points, power):
    edges = np.sort(points)
    nodes, weights = beta_rule(edges, 1.0, 1.0, SCALE)
    expected = partial_moment(power, float(edges[0]), float(edges[-1]), 1, 1)
    assert nodes.value**power @ weights == pytest.approx(expected, rel=0, abs=EXACT)


@pytest.mark.parametrize(("s", "t"), [(1, 1), (0.1, 0.1), (0.5, 3), (2, 8), (30, 0.7)])
def test_a_step_at_a_break_is_integrated_exactly(s, t):
    for step in (1e-9, 0.2, 0.5, 0.99, 1 - 1e-9):
        edges = np.array([0.0, step, 1.0])
        nodes, weights = beta_rule(edges, s, t, SCALE)
        below = float(beta.cdf(s, t, balls.exact(step)))
        assert weights[nodes.positions(edges) == 1].sum() == pytest.approx(below, rel=0, abs=EXACT)
        # The tail beyond a step beside 1 keeps its digits as well.
        above = float(1 - beta.cdf(s, t, balls.exact(step)))
        assert weights[nodes.positions(edges) == 2].sum() == pytest.approx(above, rel=EXACT)
        assert weights.sum() == pytest.approx(1, abs=EXACT)


@given(shapes, shapes)
def test_nodes_ascend_inside_the_range_and_weights_are_not_negative(s, t):
    nodes, weights = beta_rule(np.array([0.0, 0.3, 1.0]), s, t, SCALE)
    assert (np.diff(nodes.p) >= 0).all()
    assert (np.diff(nodes.q) <= 0).all()
    assert nodes.p[0] >= 0
    assert nodes.q[-1] >= 0
    assert nodes.p[-1] <= 1
    assert (weights >= 0).all()


def test_a_binomial_probability_of_the_stated_scale_is_integrated_exactly():
    # Beta-binomial probabilities with a flat truth are all 1/(n + 1).
    n = 400
    nodes, weights = beta_rule(np.array([0.0, 1.0]), 1.0, 1.0, 0.5 / np.sqrt(n))
    for x in (0, 1, 20, 200, 399, 400):
        with np.errstate(divide="ignore"):
            log_kernel = x * np.log(nodes.p) + (n - x) * np.log(nodes.q)
        coefficient = float(balls.log_binomial(x, n - x, balls.exact(0.5))) + n * np.log(2)
        found = np.exp(log_kernel + coefficient) @ weights
        assert found == pytest.approx(1 / (n + 1), rel=1e-12)


@pytest.mark.parametrize(
    ("s", "t"), [(1.0, 1.0), (0.05, 0.2), (0.5, 40.0), (2.0, 0.5), (30.0, 3.0)]
)
def test_moments_of_a_gamma_distribution_are_exact(s, t):
    """Up to where the mass beyond is 1e-18, against the incomplete gamma function."""
    end = float(stats.gamma(s, scale=1 / t).isf(1e-18))
    nodes, weights = gamma_rule(np.array([0.0, 0.1 * end, end]), s, t, 0.5 / np.sqrt(4.0 + t))
    for power in range(4):
        with ctx.workprec(256):
            moment = float((arb(s) + power).gamma() / (arb(s).gamma() * arb(t) ** power))
        inside = float(gammainc(s + power, t * end))
        assert nodes.value**power @ weights == pytest.approx(moment * inside, rel=1e-12)


@pytest.mark.parametrize("s", [1.0, 0.5, 0.05, 0.01, 1e-3, 1e-9, 1e-20, 2.0, 3.7])
@pytest.mark.parametrize("end", [1e-6, 3.0, 400.0])
def test_without_a_rate_the_weight_is_a_power(s, end):
    """The integral of r^{s - 1 + k} from 0 to b is b^{s + k}/(s + k)."""
    edges = np.array([0.0, 0.37 * end, end])
    nodes, weights = gamma_rule(edges, s, 0.0, 0.25)
    for power in range(5):
        whole = end ** (s + power) / (s + power)
        assert nodes.value**power @ weights == pytest.approx(whole, rel=EXACT)
    first = weights[nodes.positions(edges) == 1].sum()
    assert first == pytest.approx((0.37 * end) ** s / s, rel=EXACT)


def test_without_a_rate_a_poisson_probability_is_integrated_exactly():
    """Under the weight r^{s - 1} of exposure e it is Gamma(x + s)/(x! e^s)."""
    exposure, end = 7.0, 40.0
    for s in (1.0, 0.5):
        nodes, weights = gamma_rule(np.array([0.0, end]), s, 0.0, 0.5 / np.sqrt(exposure))
        for x in (0, 1, 5, 60):
            found = stats.poisson(exposure * nodes.value).pmf(x) @ weights
            expected = np.exp(gammaln(x + s) - gammaln(x + 1.0)) / exposure**s
            assert found == pytest.approx(expected, rel=1e-12)


def test_a_weight_that_would_overflow_is_divided_by_a_constant():
    """The mean of r under r^{s - 1} from 0 to b is b·s/(s + 1), whatever the constant."""
    for s, end in ((200.0, 400.0), (1000.0, 1e90)):
        nodes, weights = gamma_rule(np.array([0.0, end]), s, 0.0, 0.01 * np.sqrt(end))
        assert np.isfinite(weights).all()
        mean = (nodes.value / end) @ weights / weights.sum()
        assert mean == pytest.approx(s / (s + 1.0), rel=1e-11)
