"""Ranks of true values among draws: bands and p-values by their exact law.

Random numbers have fixed seeds; bounds of statistical tests are named with their false-alarm rates.
"""

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, norm

from harness.distributions.ranks import (
    CountBand,
    covered_counts,
    rank_bounds,
    uniformity,
)
from tests.sample import sampled

BAYESPLOT = [
    (50, 20, 0.9, 0.0169803354156156),
    (50, 20, 0.95, 0.00733622693866869),
    (50, 20, 0.99, 0.00153248850483101),
    (100, 100, 0.9, 0.00849579787731089),
    (100, 100, 0.95, 0.00404870243290342),
    (100, 100, 0.99, 0.000715812370403286),
    (250, 50, 0.9, 0.00940559438327835),
    (250, 50, 0.95, 0.00422172284870008),
    (250, 50, 0.99, 0.000745903385971152),
    (1000, 100, 0.9, 0.00590256735971071),
    (1000, 100, 0.95, 0.00266983110242927),
    (1000, 100, 0.99, 0.000429801802807479),
]
"""N, the number of intervals, the level, and twice the tail that R 4.2.2 has with bayesplot 1.10.0,
``bayesplot:::adjust_gamma(N, L = 1, K, prob, interpolate_adj = FALSE)``, of the band's authors.
"""


def exact_chance(n, cells, lower, upper):
    """The probability of all paths of a multinomial count within, in fractions."""
    total = Fraction(0)
    for counts in itertools.product(range(n + 1), repeat=len(cells) - 1):
        last = n - sum(counts)
        path = np.cumsum(counts)
        if last < 0 or (path < lower).any() or (path > upper).any():
            continue
        chance, left = Fraction(1), n
        for count, cell in zip((*counts, last), cells, strict=True):
            chance *= comb(left, count) * cell**count
            left -= count
        total += chance
    return total


@pytest.mark.parametrize("cells", [(3, 3, 3), (1, 5, 3), (2, 2, 4, 1)])
def test_the_chance_of_a_band_is_that_of_all_paths(cells):
    fractions = [Fraction(cell, sum(cells)) for cell in cells]
    points = np.cumsum([float(cell) for cell in fractions])[:-1]
    band = CountBand.of_tail(9, points, 0.08)
    exact = exact_chance(9, fractions, band.lower, band.upper)
    assert band.probability() == pytest.approx(float(exact), rel=1e-13)


def test_the_chance_under_another_law_is_that_of_its_paths():
    law = [Fraction(1, 10), Fraction(6, 10), Fraction(3, 10)]
    band = CountBand.of_tail(9, np.array([1 / 3, 2 / 3]), 0.05)
    exact = exact_chance(9, law, band.lower, band.upper)
    assert band.probability(np.array([0.1, 0.7])) == pytest.approx(float(exact), rel=1e-13)


def test_a_tail_has_the_counts_that_are_not_less_probable():
    points = np.array([0.01, 0.3, 0.5, 0.99])
    band = CountBand.of_tail(40, points, 0.03)
    counts = np.arange(41)[:, None]
    holds = (binom.cdf(counts, 40, points) > 0.03) & (binom.sf(counts - 1, 40, points) > 0.03)
    assert np.array_equal(band.lower, holds.argmax(axis=0))
    assert np.array_equal(band.upper, 40 - holds[::-1].argmax(axis=0))


@pytest.mark.parametrize(
    ("n", "parts", "level", "gamma"),
    sampled((pytest.param(*row) for row in BAYESPLOT), one_in=4),
)
def test_the_band_holds_its_level_and_is_as_narrow_as_that_of_its_authors(n, parts, level, gamma):
    points = np.arange(1, parts) / parts
    band = CountBand.simultaneous(n, points, level)
    assert level <= band.probability() < level + 0.002
    theirs = CountBand(n, points, *binom.ppf([[gamma / 2], [1 - gamma / 2]], n, points).astype(int))
    # Theirs has the nearest probability, on either side of the level: limits differ by 1 at most.
    assert abs(theirs.probability() - level) < 0.01
    assert abs(band.lower - theirs.lower).max() <= 1
    assert abs(band.upper - theirs.upper).max() <= 1
    assert np.array_equal(band.lower, n - band.upper[::-1])


def test_p_values_of_uniform_ranks_are_no_less_than_uniform():
    # Exact: all outcomes of 4 ranks among 3 draws, each of probability 4^-4.
    p = np.array([uniformity(np.array(r), 3) for r in itertools.product(range(4), repeat=4)])
    for value in np.unique(p):
        assert np.mean(p <= value) == pytest.approx(value, abs=1e-12)


def test_the_p_value_leaves_a_band_where_it_is_at_most_one_minus_its_level():
    rng = np.random.default_rng(3)
    points = rank_bounds(19) / 20
    band = CountBand.simultaneous(200, points)
    level = band.probability()
    for skew in np.linspace(0.7, 1.3, 60):
        ranks = (20 * rng.random(200) ** skew).astype(int)
        counts = (ranks[:, None] < rank_bounds(19)).sum(axis=0)
        inside = ((counts >= band.lower) & (counts <= band.upper)).all()
        assert inside == (uniformity(ranks, 19) > 1 - level + 1e-12)


@pytest.mark.parametrize(("draws", "stated"), [(99, 0.7128), (999, 0.7502)])
def test_an_overconfident_posterior_is_found_with_its_exact_power(draws, stated):
    # Of a true value t in standard deviations, the rank among draws of a posterior with 0.8 of its
    # standard deviation is binomial (L, Φ(t/0.8)): integrated over a normal t by Gauss's rule. In
    # 400 studies the share found is within 0.1 of the power but with a probability below 1e-4.
    n, bounds = 150, rank_bounds(draws)
    nodes, weights = np.polynomial.legendre.leggauss(2000)
    weights = 9 * weights * norm.pdf(9 * nodes)
    law = np.array([weights @ binom.cdf(b - 1, draws, norm.cdf(9 * nodes / 0.8)) for b in bounds])
    power = 1 - CountBand.simultaneous(n, bounds / (draws + 1)).probability(law)
    assert power == pytest.approx(stated, abs=1e-4)
    rng = np.random.default_rng(11)
    ranks = rng.binomial(draws, norm.cdf(rng.standard_normal((400, n)) / 0.8))
    found = np.mean([uniformity(row, draws) <= 0.05 for row in ranks])
    assert abs(found - power) < 0.1


def test_ranks_are_counted_below_all_draws_or_a_hundred():
    assert rank_bounds(4).tolist() == [1, 2, 3, 4]
    assert rank_bounds(999).tolist() == [*range(10, 1000, 10)]
    assert rank_bounds(1000).size == 99


def test_intervals_between_draws_hold_true_values_by_their_ranks():
    draws = np.arange(1.0, 10.0)
    truths = np.array([0.5, 1.5, 4.5, 8.5, 9.5, 5.5])
    ranks = (draws < truths[:, None]).sum(axis=1)
    levels, counts = covered_counts(ranks, draws.size)
    assert levels.tolist() == [0.2, 0.4, 0.6, 0.8]
    for level, count in zip(levels, counts, strict=True):
        k = round((10 - 10 * level) / 2)
        held = (draws[k - 1] < truths) & (truths < draws[-k])
        assert count == held.sum()
