"""Probabilities, moments and windows of the laws, against exact rational arithmetic."""

import math

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.distributions.sampling import binomial, poisson
from harness.distributions.sampling.laws.clusters import SMALLEST, Clusters
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.sampling.laws.mixtures import BetaBinomial, GammaPoisson
from tests.oracles import laws as exact
from tests.oracles.laws import largest_relative_error

CLOSE = 1e-13
"""The relative tolerance of every probability down to 1e-290, far out in the tails included."""
UNDERFLOW = 1e-290
OUTSIDE = fmpq(1, 10**16)
PROPORTIONS = (1e-9, 0.01, 0.3, 0.5, 0.9, 1.0 - 2.0**-53)


def row(law, parameter, size, first, last):
    """The probabilities at one parameter."""
    return law.probabilities(np.array([parameter]), size, first, last)[0]


def lies_inside(window, probabilities):
    first, last = window
    return sum(probabilities[:first] + probabilities[last + 1 :], fmpq(0)) < OUTSIDE


@pytest.mark.parametrize("n", [1, 2, 7, 60])
@pytest.mark.parametrize("rho", [1e-30, 1e-12, 0.01, 0.5, 0.9, 1.0 - 2.0**-53])
def test_beta_binomial_probabilities_are_exact(n, rho):
    law = BetaBinomial(rho)
    for p in PROPORTIONS:
        true = exact.beta_binomial(n, p, rho)
        assert largest_relative_error(row(law, p, n, 0, n), true, UNDERFLOW) < CLOSE
        assert lies_inside(law.window(p, p, n), true)


@pytest.mark.parametrize(("n", "size"), [(6, 2), (30, 10), (50, 5), (39, 3), (20, 20)])
@pytest.mark.parametrize("rho", [2.0**-40, 0.125, 0.5, 1.0 - 2.0**-10])
def test_probabilities_of_clusters_are_exact(n, size, rho):
    law = Clusters(size, rho)
    for p in (2.0**-10, 0.375, 0.5, 1.0 - 2.0**-7):
        true = exact.clusters(n, size, p, rho)
        assert largest_relative_error(row(law, p, n, 0, n), true, SMALLEST) < CLOSE
        assert lies_inside(law.window(p, p, n), true)


@pytest.mark.parametrize("population", [1, 2, 7, 60, 500])
def test_hypergeometric_probabilities_are_exact(population):
    law = Hypergeometric(population)
    some = {0, 1, population // 3, population // 2, population - 1, population}
    for n in some - {0}:
        for m in some:
            true, p = exact.hypergeometric(n, m, population), m / population
            assert largest_relative_error(row(law, p, n, 0, n), true, UNDERFLOW) < CLOSE
            assert lies_inside(law.window(p, p, n), true)


@pytest.mark.parametrize("population", [10**10, 10**15])
def test_a_large_population_loses_no_digits(population):
    for m in (population // 10**6, 3 * population // 10, population - 1):
        true = exact.hypergeometric(60, m, population)
        found = row(Hypergeometric(population), m / population, 60, 0, 60)
        assert largest_relative_error(found, true, UNDERFLOW) < CLOSE


@pytest.mark.parametrize("failures", [0, 1])
@pytest.mark.parametrize("n", [7, 2 * 10**6])
def test_outcomes_of_a_large_population_with_hardly_a_failure_are_drawn(n, failures):
    population = 3 * 10**6
    p = np.full(100, (population - failures) / population)
    drawn = Hypergeometric(population).draw(p, n, np.random.default_rng(1))
    assert set(n - drawn) <= set(range(failures + 1))
    if n > failures > 0:
        # The failure is among the n drawn with a probability of 2/3, or of nearly 0.
        assert (drawn < n).mean() == pytest.approx(n / population, abs=0.2)


@pytest.mark.parametrize("dispersion", [1.0 + 2.0**-52, 1.0 + 2.0**-40, 1.5, 10.0])
@pytest.mark.parametrize("mean", [2.0**-30, 0.5, 3.0, 40.0])
def test_gamma_poisson_probabilities_are_exact(mean, dispersion):
    law, exposure = GammaPoisson(dispersion), 4.0
    most = law.window(mean / exposure, mean / exposure, exposure)[1] + 40
    relative = exact.negative_binomial(most, mean, dispersion)
    # Pr(X = 0) is (1/d)^(μ/(d − 1)), which is no rational number.
    ctx.prec = 200
    d = arb(dispersion)
    none = float((-(arb(mean) / (d - 1)) * d.log()).exp())
    true = [each * exact.rational(none) for each in relative]
    found = row(law, mean / exposure, exposure, 0, most)
    assert largest_relative_error(found, true, UNDERFLOW) < CLOSE
    assert lies_inside(law.window(mean / exposure, mean / exposure, exposure), true)


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_without_dependence_the_laws_are_the_binomial_and_the_poisson(size):
    p = np.array([0.0, 0.1, 0.9, 1.0])
    same = binomial.pmf(np.arange(size + 1), p[:, np.newaxis], size)
    for law in (BetaBinomial(0.0), Clusters(size, 0.0), Clusters(1, 0.5)):
        assert (law.probabilities(p, size, 0, size) == same).all()
        assert law.window(0.1, 0.2, size) == binomial.window(0.1, 0.2, size)
        assert (
            law.draw(p, size, np.random.default_rng(1))
            == binomial.draw(p, size, np.random.default_rng(1))
        ).all()
    rates, law = np.array([0.0, 0.5, 3.0]), GammaPoisson(1.0)
    same = poisson.pmf(np.arange(50), rates[:, np.newaxis], 2.0)
    assert (law.probabilities(rates, 2.0, 0, 49) == same).all()
    assert law.window(0.5, 3.0, 2.0) == poisson.window(0.5, 3.0, 2.0)
    assert (
        law.draw(rates, 2.0, np.random.default_rng(1))
        == poisson.draw(rates, 2.0, np.random.default_rng(1))
    ).all()


@pytest.mark.parametrize("n", [10, 100])
@pytest.mark.parametrize(
    "law",
    [
        BetaBinomial(1e-14),
        BetaBinomial(1e-17),
        Clusters(1, 0.3),
        Clusters(10, 1e-14),
        Hypergeometric(10**14),
        Hypergeometric(10**15),
    ],
    ids=lambda law: law.title,
)
def test_little_dependence_gives_the_binomial_numbers(law, n):
    """Every probability to 1e-12; and to 1e-12 of itself, up to what the laws themselves differ.

    The logarithm of a beta-binomial probability over the binomial one is ρ/2 times x(x − 1)/p +
    (n − x)(n − x − 1)/q − n(n − 1), to first order in ρ; of a population −1/N stands for ρ.
    """
    p = np.array([0.01, 0.3, 0.5, 0.99])[:, np.newaxis]
    x = np.arange(n + 1.0)
    found, same = law.probabilities(p.ravel(), n, 0, n), binomial.pmf(x, p, n)
    np.testing.assert_allclose(found, same, rtol=0.0, atol=1e-12)
    terms = x * (x - 1) / p + (n - x) * (n - x - 1) / (1 - p) + n * (n - 1)
    counts = same > 10 * SMALLEST
    assert (np.abs(found / same - 1) <= 1e-12 + 0.5e-14 * terms)[counts].all()


def test_little_dispersion_gives_the_poisson_numbers():
    rates, x = np.array([0.0, 0.5, 3.0, 20.0]), np.arange(100)
    same = poisson.pmf(x, rates[:, np.newaxis], 1.0)
    found = GammaPoisson(1.0 + 1e-14).probabilities(rates, 1.0, 0, 99)
    np.testing.assert_allclose(found, same, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(found[same > 1e-10], same[same > 1e-10], rtol=2e-12, atol=0.0)


def test_a_product_of_many_ratios_keeps_its_digits():
    n, p, rho, ctx.prec = 20_000, 0.3, 0.1, 128
    theta = arb(rho) / (1 - arb(rho))
    above, below = arb(p), 1 - arb(p) + (n - 1) * theta
    relative = [arb(1)]
    for x in range(n):
        relative.append(relative[-1] * (n - x) * above / ((x + 1) * below))
        above, below = above + theta, below - theta
    total, found = sum(relative, arb(0)), row(BetaBinomial(rho), p, n, 0, n)
    true = np.array([float(each / total) for each in relative[::50]])
    np.testing.assert_allclose(found[::50], true, rtol=2e-14, atol=0.0)


def test_a_small_correlation_keeps_the_digits_that_log_gammas_lose():
    n, p, rho = 100, 0.3, 1e-12
    true = exact.beta_binomial(n, p, rho)
    assert largest_relative_error(row(BetaBinomial(rho), p, n, 0, n), true) < CLOSE
    assert 1e-12 < largest_relative_error(row(BetaBinomial(0.0), p, n, 0, n), true) < 1e-7


LAWS_AND_SIZES = st.one_of(
    st.tuples(st.builds(BetaBinomial, st.floats(1e-18, 0.999)), st.integers(1, 300)),
    st.builds(
        lambda m, rho, count: (Clusters(m, rho), m * count),
        st.integers(1, 20),
        st.floats(1e-18, 0.999),
        st.integers(1, 15),
    ),
    st.builds(
        lambda n, more: (Hypergeometric(n + more), n),
        st.integers(1, 300),
        st.one_of(st.integers(0, 300), st.integers(0, 10**15 - 300)),
    ),
)


@given(LAWS_AND_SIZES, st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5))
@settings(max_examples=40)
def test_probabilities_add_up_and_have_the_mean_and_variance_that_are_said(drawn, proportions):
    law, n = drawn
    p = np.sort(np.array(proportions))
    found, x = law.probabilities(p, n, 0, n), np.arange(n + 1.0)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0.0, atol=1e-14)
    mean, variance = law.mean(p, n), law.variance(p, n)
    np.testing.assert_allclose(found @ x, mean, rtol=1e-12, atol=1e-90)
    spread = (found * (x - mean[:, np.newaxis]) ** 2).sum(axis=1)
    np.testing.assert_allclose(spread, variance, rtol=1e-10, atol=1e-26 * n * n)
    first, last = law.window(p[0], p[-1], n)
    assert 0 <= first <= last <= n == law.largest_outcome(n)
    inside = law.probabilities(p, n, first, last)
    np.testing.assert_allclose(inside, found[:, first : last + 1], rtol=CLOSE, atol=1e-100)
    assert (found[:, :first].sum(axis=1) + found[:, last + 1 :].sum(axis=1) < 1e-16).all()


@given(LAWS_AND_SIZES, st.integers(0, 2**20))
@settings(max_examples=30)
def test_probabilities_mirror_when_successes_and_failures_swap(drawn, numerator):
    law, n = drawn
    total = law.lattice or 2**20
    p = (numerator * total // 2**20) / total
    mirrored = row(law, (total - numerator * total // 2**20) / total, n, 0, n)[::-1]
    np.testing.assert_allclose(row(law, p, n, 0, n), mirrored, rtol=1e-12, atol=1e-90)


@given(st.floats(1.0 + 1e-15, 50.0), st.floats(0.0, 30.0), st.floats(0.1, 10.0))
@settings(max_examples=40)
def test_gamma_poisson_has_the_mean_and_variance_that_are_said(dispersion, rate, exposure):
    law, at = GammaPoisson(dispersion), np.array([rate])
    first, last = law.window(rate, rate, exposure)
    found, x = law.probabilities(at, exposure, first, last)[0], np.arange(first, last + 1.0)
    mean, variance = law.mean(at, exposure)[0], law.variance(at, exposure)[0]
    # What the window leaves out is far from the mean: its share is below 1e-16 · (x/σ)².
    assert math.isclose(found.sum(), 1.0, abs_tol=1e-14)
    assert math.isclose(found @ x, mean, rel_tol=1e-12, abs_tol=1e-13)
    assert math.isclose(found @ (x - mean) ** 2, variance, rel_tol=1e-9, abs_tol=1e-11)


@pytest.mark.parametrize(
    ("law", "n"),
    [
        (BetaBinomial(0.3), 50),
        (BetaBinomial(0.999), 50),
        (Clusters(10, 0.2), 50),
        (Hypergeometric(80), 50),
    ],
    ids=lambda value: str(value),
)
def test_no_dependence_changes_a_certain_outcome(law, n):
    assert row(law, 0.0, n, 0, n).tolist() == [1.0] + [0.0] * n
    assert row(law, 1.0, n, 0, n).tolist() == [0.0] * n + [1.0]
    rng = np.random.default_rng(1)
    assert law.draw([0.0, 1.0], n, rng).tolist() == [0, n]
    assert law.draw(1.0, n, rng, 3).tolist() == [n] * 3


def test_one_trial_is_a_bernoulli_trial_under_every_law():
    p = np.array([0.25, 0.5])
    for law in (BetaBinomial(0.4), Clusters(1, 0.4), Hypergeometric(4), Hypergeometric(10**15)):
        found = law.probabilities(p, 1, 0, 1)
        np.testing.assert_allclose(found, [[0.75, 0.25], [0.5, 0.5]], rtol=1e-15)


def test_one_cluster_is_a_beta_binomial_and_a_drawn_out_population_is_certain():
    p = np.array([0.2, 0.7])
    of_all, of_one = BetaBinomial(0.3), Clusters(10, 0.3)
    assert (of_all.probabilities(p, 10, 2, 9) == of_one.probabilities(p, 10, 2, 9)).all()
    whole = Hypergeometric(10)
    assert whole.probabilities(p, 10, 0, 10).nonzero()[1].tolist() == [2, 7]
    assert whole.window(0.2, 0.7, 10) == (2, 7)
    assert whole.variance(p, 10).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("law", "size", "low", "high"),
    [
        (BetaBinomial(1e-7), 10**6, 0.3, 0.3),
        (BetaBinomial(0.05), 10**5, 0.6, 0.61),
        (Clusters(10, 0.1), 10**5, 0.3, 0.3),
        (Clusters(100, 0.9), 10**4, 0.01, 0.02),
        (Hypergeometric(10**9), 10**6, 0.3, 0.4),
        (GammaPoisson(3.0), 1e5, 1.0, 1.1),
    ],
    ids=lambda value: str(value),
)
def test_large_sizes_have_windows_and_moments(law, size, low, high):
    parameters = np.array([low, high])
    first, last = law.window(low, high, size)
    found, x = law.probabilities(parameters, size, first, last), np.arange(first, last + 1.0)
    centered = x - law.mean(parameters, size)[:, np.newaxis]
    deviation = np.sqrt(law.variance(parameters, size))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose((found * centered).sum(axis=1) / deviation, 0.0, atol=1e-11)
    spread = (found * centered**2).sum(axis=1)
    np.testing.assert_allclose(np.sqrt(spread) / deviation, 1.0, rtol=1e-11)


@pytest.mark.parametrize(
    ("sampling", "size", "top"),
    [
        (binomial, 1, 1.0),
        (binomial, 997, 1.0),
        (binomial, 10**7, 1.0),
        (poisson, 0.3, 40.0),
        (poisson, 1e6, 40.0),
        (BetaBinomial(0.1), 60, 1.0),
    ],
)
def test_windows_of_many_parameters_are_those_of_each(sampling, size, top):
    rng = np.random.default_rng(20)
    parameters = top * np.concatenate((rng.random(400), rng.random(100) ** 8, [0.0, 1.0]))
    ends = sampling.windows(parameters, size)
    each = [sampling.window(value, value, size) for value in parameters.tolist()]
    assert list(zip(*(side.tolist() for side in ends), strict=True)) == each
