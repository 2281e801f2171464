"""Counts of clusters are drawn from the beta-binomial law, one independent of the other."""

from __future__ import annotations

import numpy as np
import pytest

from harness.distributions.sampling.laws.clusters import draw_clusters
from tests.oracles.clusters import law_of_count
from tests.oracles.frequencies import fits

# A right implementation fails a statistical test here with this probability; the seeds are fixed.
FALSE_ALARM = 1e-6


def drawn(p, rho, t=400, clusters=100, sizes=10, seed=1):
    return draw_clusters(
        np.full(t, p), np.full(t, rho), clusters, sizes, np.random.default_rng(seed)
    )


@pytest.mark.parametrize("rho", [0.0, 1e-12, 0.05, 0.5, 0.98])
@pytest.mark.parametrize("p", [0.8, 0.02])
def test_counts_of_clusters_of_one_size_are_law_of_count(p, rho):
    x, n = drawn(p, rho)
    assert x.shape == n.shape == (400, 100)
    assert (n == 10).all()
    counts = np.bincount(x.ravel().astype(int), minlength=11)
    assert fits(counts, law_of_count(p, rho, 10), FALSE_ALARM)


def test_another_correlation_is_told_apart():
    x, _ = drawn(0.8, 0.05)
    counts = np.bincount(x.ravel().astype(int), minlength=11)
    assert not fits(counts, law_of_count(0.8, 0.06, 10), FALSE_ALARM)


def test_sizes_are_uniform_and_counts_beta_binomial_given_the_size():
    x, n = drawn(0.7, 0.2, sizes=(3, 6))
    sizes = np.bincount(n.ravel().astype(int), minlength=7)
    assert fits(sizes, np.repeat([0.0, 0.25], [3, 4]), FALSE_ALARM)
    for size in (3, 6):
        counts = np.bincount(x[n == size].astype(int), minlength=size + 1)
        assert fits(counts, law_of_count(0.7, 0.2, size), FALSE_ALARM)


def test_each_data_set_has_the_law_of_its_own_proportion_and_correlation():
    p, rho = np.tile([0.3, 0.9, 0.5], 200), np.tile([0.0, 0.4, 0.1], 200)
    x, _ = draw_clusters(p, rho, 60, 5, np.random.default_rng(3))
    for place in range(3):
        counts = np.bincount(x[place::3].ravel().astype(int), minlength=6)
        assert fits(counts, law_of_count(p[place], rho[place], 5), FALSE_ALARM)


def test_clusters_are_independent():
    """The sum of two clusters has the convolution of their laws."""
    x, _ = drawn(0.6, 0.5, sizes=4)
    sums = np.bincount((x[:, ::2] + x[:, 1::2]).ravel().astype(int), minlength=9)
    one = law_of_count(0.6, 0.5, 4)
    assert fits(sums, np.convolve(one, one), FALSE_ALARM)


@pytest.mark.parametrize("rho", [0.0, 5e-324, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_sure_result_is_drawn_in_every_cluster(p, rho):
    x, n = drawn(p, rho, t=3, clusters=4)
    np.testing.assert_array_equal(x, p * n)


def test_next_to_one_the_cases_of_a_cluster_are_all_alike():
    x, n = drawn(0.5, 1 - 2**-53)
    assert ((x == 0) | (x == n)).all()
    assert fits(np.array([(x == 0).sum(), (x > 0).sum()]), np.array([0.5, 0.5]), FALSE_ALARM)


def test_the_same_generator_state_gives_the_same_counts():
    first, again, other = (drawn(0.8, 0.1, sizes=(1, 9), seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first[0] != other[0]).any()
