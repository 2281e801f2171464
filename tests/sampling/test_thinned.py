"""Draws from tables: the law that they imply against exact sums, and the draws against that law."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from scipy import stats

from harness.catalogue import scenario_for
from harness.distributions.sampling import binomial, poisson
from harness.distributions.sampling.thinned_draws import (
    LARGEST_SIZE,
    InversionTables,
    binomial_remainder,
    poisson_remainder,
)
from harness.distributions.truths import BetaTruth, UniformTruth
from harness.families.catalogue import family_of

SEED = 2003
BITS = 256
"""Bits after the point of exact sums."""
CLOSE = 2.0**-50
"""The largest total variation between the law of the draws and the exact one."""

EDGE = 1234 / 4096
PROPORTIONS = (
    *(5e-324, 1e-300, 1e-17, 2.0**-53, 1e-3),
    *(np.nextafter(EDGE, 0.0), EDGE, np.nextafter(EDGE, 1.0), EDGE + 2.0**-13),
    *(0.1, 0.3, np.nextafter(0.5, 0.0), 0.5, np.nextafter(0.5, 1.0), 2 / 3),
    *(1.0 - EDGE, np.nextafter(1.0 - EDGE, 1.0), 0.999, 1.0 - 2.0**-12, 1.0 - 2.0**-53),
)


def row_law(tables: InversionTables, row: int) -> dict[int, int]:
    """The probability of each outcome of a row that a random number of 64 bits gives, · 2^64."""
    ends = [int(each) + 1 for each in tables.thresholds[row]]
    parts = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return {int(tables.first[row]) + i: part for i, part in enumerate(parts) if part}


def tails(counted, size):
    """Pr(K ≥ k) for k = 1, 2, …: up to which uniform number each count is at least k."""
    k, found = 0, []
    while True:
        k += 1
        low, high = np.zeros(size, np.int64), np.full(size, np.float64(1.0).view(np.int64))
        while (high - low > 1).any():
            middle = (low + high) // 2
            enough = counted(middle.view(np.float64)) >= k
            low, high = np.where(enough, middle, low), np.where(enough, high, middle)
        tail = np.where(high > 1, high.view(np.float64), 0.0)
        if not (tail > 2.0**-80).any():
            return found
        found.append([int(fmpq(*each.as_integer_ratio()) * 2**BITS) for each in tail.tolist()])


def law_of_sums(start, counted):
    """The law of X₀ + K, times 2^(64 + BITS), from that of X₀ and the remainder K."""
    law: Counter[int] = Counter()
    remainders = [[2**BITS] * len(start), *tails(counted, len(start)), [0] * len(start)]
    for i, (x, weight) in enumerate(start.items()):
        for k in range(len(remainders) - 1):
            law[x + k] += weight * (remainders[k][i] - remainders[k + 1][i])
    return law


def total_variation(law, exact):
    """Half the sum of the differences; ``exact`` is times 2^BITS."""
    whole = sum(abs(law[x] - (exact[x] << 64)) for x in set(law) | set(exact))
    return float(fmpq(whole, 2 ** (65 + BITS)))


def exact_binomial(n, p):
    a, whole = (int(each) for each in p.as_integer_ratio())
    shift, b = n * (whole.bit_length() - 1), whole - a
    return Counter({x: ((comb(n, x) * a**x * b ** (n - x)) << BITS) >> shift for x in range(n + 1)})


@pytest.mark.parametrize("n", [1, 2, 10, 100, LARGEST_SIZE])
def test_binomial_tables_imply_the_binomial_law(n):
    for p in map(float, PROPORTIONS if n <= 100 else PROPORTIONS[4::3]):
        thinned = binomial.thinned(n, 0.0, 1.0)
        bins, share = thinned.place(np.array([min(p, 1.0 - p)]))
        start = row_law(thinned.tables, int(bins[0]) - thinned.first)
        left = n - np.array(list(start), np.int16)
        chance = np.full(left.size, share[0] / (thinned.bins - bins[0]))
        law = law_of_sums(
            start, lambda u, left=left, chance=chance: binomial_remainder(left, chance, u)
        )
        if p >= 0.5:
            law = Counter({n - x: weight for x, weight in law.items()})
        assert total_variation(law, exact_binomial(n, p)) < CLOSE, p


@pytest.mark.parametrize("exposure", [0.1, 1.0, 10.0])
def test_poisson_tables_imply_the_poisson_law(exposure):
    ctx.prec = 2 * BITS
    thinned = poisson.thinned(exposure, 0.0, 10.0)
    inside = thinned.edges[[1, 60, -1]]
    for mean in (0.0, 1e-300, 1e-9, 0.3, *inside, *np.nextafter(inside, 0.0), 10.0 * exposure):
        row = int(np.searchsorted(thinned.edges, mean, side="right")) - 1
        start = row_law(thinned.tables, row)
        excess = np.full(len(start), mean - thinned.edges[row])
        law = law_of_sums(start, lambda u, excess=excess: poisson_remainder(excess, u))
        rate, term, exact = arb(float(mean)), arb(-float(mean)).exp(), Counter()
        for x in range(max(law) + 50):
            exact[x] = int((term * 2**BITS).mid().floor().unique_fmpz())
            term = term * rate / (x + 1)
        assert total_variation(law, exact) < CLOSE, mean


class Planted:
    """A generator whose whole numbers are given; those that replace used ones are 0."""

    def __init__(self, values):
        self.values = values

    def integers(self, low, high, size, dtype):
        values, self.values = self.values, np.zeros(0, np.uint64)
        return values if values.size else np.zeros(size, dtype)


def test_the_guide_finds_the_outcome_of_every_random_number_near_a_threshold():
    tables = binomial.thinned(100, 0.0, 1.0).tables
    top = 2**64 - 1
    cells = [cell << (64 - tables.guide_bits) for cell in range(1 << tables.guide_bits)]
    for row in (0, 1, 700, 2047):
        bounds = [int(each) for each in tables.thresholds[row]]
        near = {min(max(each + step, 0), top) for each in bounds + cells for step in (-1, 0, 1)}
        raw = np.array(sorted(near), np.uint64)
        found, _ = tables.draw(np.full(raw.size, row, np.int32), Planted(raw.copy()))
        expected = tables.first[row] + np.searchsorted(tables.thresholds[row], raw)
        np.testing.assert_array_equal(found, expected)


TRUTHS = [UniformTruth(0.0, 1.0), UniformTruth(0.2, 0.7), UniformTruth(0.999, 1.0)]


@pytest.mark.parametrize("truth", [*TRUTHS, BetaTruth(2.0, 8.0), BetaTruth(0.1, 0.1)], ids=str)
@pytest.mark.parametrize("n", [1, 10, 100, 500])
def test_outcomes_of_tables_have_the_mean_and_variance_of_the_binomial(truth, n):
    """False alarm: 2e-6 a case, by the normal law of both statistics; the seed is fixed."""
    scenario = scenario_for(family_of("proportion"), n, truth, draws="thinned")
    draws = scenario.draw(200_000, np.random.default_rng(SEED))
    p, x = draws.parameter, draws.codes
    assert (np.diff(p) >= 0).all()
    assert ((x >= 0) & (x <= n)).all()
    variance = n * p * (1.0 - p)
    off = (x - n * p).sum() / np.sqrt(variance.sum())
    spread = variance * (1.0 + (2.0 - 6.0 / n) * variance)
    wide = ((x - n * p) ** 2 - variance).sum() / np.sqrt(spread.sum())
    assert abs(off) < 5.0
    assert abs(wide) < 5.0 or variance.sum() < 1000


@pytest.mark.parametrize("n", [10, 100, 500])
def test_outcomes_under_a_uniform_truth_are_equally_likely(n):
    """False alarm: 1e-4 a case, by chi-squared; the seed is fixed."""
    scenario = scenario_for(family_of("proportion"), n, UniformTruth(0.0, 1.0), draws="thinned")
    x = scenario.draw(1 << 20, np.random.default_rng(SEED)).codes
    assert stats.chisquare(np.bincount(x, minlength=n + 1)).pvalue > 1e-4


@pytest.mark.parametrize("mean", [1.0, 5.0, 100.0])
def test_outcomes_of_rates_follow_the_poisson_law(mean):
    """False alarm: 1e-4 a case, by the uniform law of a randomized tail; the seed is fixed."""
    scenario = scenario_for(
        family_of("rate"), 2.5, UniformTruth(0.9 * mean / 2.5, mean / 2.5), draws="thinned"
    )
    rng = np.random.default_rng(SEED)
    draws = scenario.draw(100_000, rng)
    law = stats.poisson(2.5 * draws.parameter)
    tail = law.cdf(draws.codes) - rng.random(100_000) * law.pmf(draws.codes)
    assert stats.kstest(tail, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("ends", [(0.25, 0.75), (0.5, 0.75), (0.25, 0.5), (0.25, 0.375)])
def test_truths_that_round_across_the_end_of_their_range_have_a_table(ends):
    for lower, upper in (ends, (np.nextafter(ends[0], 1.0), np.nextafter(ends[1], 0.0))):
        near = [
            p for end in (lower, upper) for p in (np.nextafter(end, 0), end, np.nextafter(end, 1))
        ]
        p = np.repeat(np.sort(near), 2000)
        x = binomial.thinned(100, lower, upper).draw(p, np.random.default_rng(SEED))
        assert abs(x - 100 * p).max() < 35
        assert abs((x - 100 * p).mean()) < 0.25


def test_large_sizes_are_drawn_by_numpy_from_a_stream_of_their_own():
    assert binomial.thinned(LARGEST_SIZE + 1, 0.0, 1.0) is None
    assert poisson.thinned(1.0, 0.0, 100.1) is None
    assert poisson.thinned(1.0, 0.0, 0.9) is None
    plain = scenario_for(family_of("proportion"), 10**6, UniformTruth(0.0, 1.0))
    thinned = scenario_for(family_of("proportion"), 10**6, UniformTruth(0.0, 1.0), draws="thinned")
    same = [each.draw(9, np.random.default_rng(1)).codes.tolist() for each in (plain, thinned)]
    assert same[0] == same[1]
    own = [each.stream(1, 0).random() for each in (plain, thinned)]
    assert own[0] != own[1]


def test_numpy_draws_are_keyed_as_ever():
    plain = scenario_for(family_of("proportion"), 5, UniformTruth(0.0, 1.0))
    assert plain.content() == {"family": "proportion", "size": 5, "truth": {"uniform": [0.0, 1.0]}}
