"""Probabilities of consecutive outcomes by recurrence, against exact ones and SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

from harness.designs.listed import consecutive_probabilities, probability_rows
from harness.distributions.sampling import binomial, poisson


def exact_binomial(x, n, p):
    with ctx.workprec(400):
        p = arb(float(p))
        log = (
            arb(n + 1).lgamma()
            - arb(x + 1).lgamma()
            - arb(n - x + 1).lgamma()
            + x * p.log()
            + (n - x) * (1 - p).log()
        )
        return float(log.exp())


def exact_poisson(x, mean):
    with ctx.workprec(400):
        mean = arb(float(mean))
        return float((x * mean.log() - mean - arb(x + 1).lgamma()).exp())


@pytest.mark.parametrize("n", [1, 2, 17, 300])
@pytest.mark.parametrize("start", [0.0, 0.4, 1.0])
def test_rows_are_binomial_probabilities_wherever_they_start(n, start):
    p = np.array([1e-12, 0.003, 0.2, 0.5, 0.77, 1 - 2**-40])
    found = probability_rows(binomial, (0, round(start * n), n), p, n)
    expected = stats.binom(n, p[:, np.newaxis]).pmf(np.arange(n + 1))
    assert found.shape == (6, n + 1)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-290)


@pytest.mark.parametrize(("first", "start", "last"), [(0, 0, 4), (0, 4, 4), (3, 5, 9), (7, 7, 7)])
def test_rows_of_a_part_of_the_outcomes(first, start, last):
    p = np.array([0.1, 0.6])
    found = probability_rows(binomial, (first, start, last), p, 12)
    expected = stats.binom(12, p[:, np.newaxis]).pmf(np.arange(first, last + 1))
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize(("n", "p"), [(2000, 0.3), (10**6, 0.01), (10**6, 0.5), (10**9, 1e-6)])
def test_far_tails_of_large_samples_are_exact(n, p):
    mean, spread = n * p, np.sqrt(n * p * (1 - p))
    first, last = max(0, int(mean - 11 * spread)), int(mean + 11 * spread)
    rows = probability_rows(binomial, (first, round(mean), last), np.array([p]), n)[0]
    for x in {first, round(mean - 5 * spread), round(mean), round(mean + 8 * spread), last}:
        assert rows[x - first] == pytest.approx(
            exact_binomial(x, n, p), rel=1e-10 if n > 2000 else 1e-12
        )


def test_a_start_without_a_probability_is_no_harm():
    """The outcome 0 of 3000 has the probability 1e-903 at one half: no double."""
    p = np.array([1e-6, 0.5])
    found = probability_rows(binomial, (0, 0, 3000), p, 3000)
    expected = stats.binom(3000, p[:, np.newaxis]).pmf(np.arange(3001))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-290)


@pytest.mark.parametrize("exposure", [1e-3, 1.0, 250.0])
def test_rows_are_poisson_probabilities(exposure):
    rate = np.array([1e-9, 0.1, 2.0, 30.0]) / exposure
    found = probability_rows(poisson, (0, 3, 90), rate, exposure)
    for row, each in enumerate(rate):
        for x in (0, 1, 3, 10, 50, 90):
            expected = exact_poisson(x, each * exposure)
            assert found[row, x] == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    ("sampling", "size", "truths", "last"),
    [
        (binomial, 1, np.linspace(0.001, 0.999, 500), 1),
        (binomial, 40, np.linspace(0.001, 0.999, 500), 40),
        (binomial, 2000, np.linspace(1e-6, 1 - 1e-6, 300), 2000),
        (poisson, 3.0, np.linspace(1e-9, 40.0, 400), 300),
    ],
)
def test_blocks_cover_every_pair_with_a_probability_once(sampling, size, truths, last):
    first = last // 5
    found, times = np.zeros((2, truths.size, last + 1 - first))
    for rows, columns, probability in consecutive_probabilities(
        sampling, first, last, truths, size
    ):
        assert probability.shape == found[rows, columns].shape
        found[rows, columns] += probability
        times[rows, columns] += 1
    x = np.arange(first, last + 1)
    known = (
        stats.binom(size, truths[:, np.newaxis])
        if sampling is binomial
        else stats.poisson(truths[:, np.newaxis] * size)
    )
    expected = known.pmf(x)
    assert times.max() == 1
    assert expected[times == 0].max(initial=0.0) < 1e-38
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-38)


def test_outcomes_that_no_truth_can_bring_yield_nothing():
    truths = np.array([0.001, 0.002])
    assert list(consecutive_probabilities(binomial, 9000, 9100, truths, 10**4)) == []


@pytest.mark.parametrize(
    ("sampling", "size", "theta"),
    [
        (binomial, 9, np.array([1e-9, 0.3, 1 - 2**-45])),
        (poisson, 2.5, np.array([1e-9, 0.3, 80.0])),
    ],
)
def test_ratio_is_that_of_two_neighbours(sampling, size, theta):
    x = np.arange(8)
    pmf = sampling.pmf(np.arange(9), theta[:, np.newaxis], size)
    found = sampling.ratio(x, theta[:, np.newaxis], size)
    np.testing.assert_allclose(found, pmf[:, 1:] / pmf[:, :-1], rtol=1e-12)


@pytest.mark.parametrize("nats", [5.0, 39.2, 92.0])
def test_a_window_leaves_out_no_more_than_it_says(nats):
    for n, p in ((50, 0.1), (10**4, 0.5), (10**6, 1e-5)):
        first, last = binomial.window(p, p, n, nats)
        left_out = stats.binom(n, p).cdf(first - 1) + stats.binom(n, p).sf(last)
        assert left_out <= 2 * np.exp(-nats)
    for mean in (0.0, 0.3, 50.0, 1e5):
        first, last = poisson.window(mean / 7, mean / 7, 7.0, nats)
        left_out = stats.poisson(mean).cdf(first - 1) + stats.poisson(mean).sf(last)
        assert left_out <= 2 * np.exp(-nats)
    assert (
        binomial.window(0.2, 0.6, 1000, nats)[0]
        <= 200
        < 600
        <= binomial.window(0.2, 0.6, 1000, nats)[1]
    )
