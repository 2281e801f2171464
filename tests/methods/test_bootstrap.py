"""The bootstrap's limits are the order statistics that resampling the sample would give."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betainc

import harness
from harness.base.errors import InputError
from harness.methods.bootstrap import RESAMPLES, _quantile
from harness.methods.catalogue import PROPORTION
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.oracles import frequencies

BOOTSTRAP = PROPORTION["bootstrap_percentile"]

# A right implementation fails a statistical test here with this probability; the seeds are fixed.
FALSE_ALARM = 1e-6


def limits(x, n, alpha, side=TWO_SIDED, seed=1):
    x, n = np.broadcast_arrays(np.asarray(x, float), np.asarray(n, float))
    return BOOTSTRAP.limits((x, n), alpha, side, None, np.random.default_rng(seed))


def chance_of_limit(x, n, k):
    """Pr(x*₍ₖ₎ = y) for y = 0 … n: of B resamples at least k are y or less."""
    at_most = stats.binom.cdf(np.arange(n + 1), n, x / n)
    return np.diff(betainc(k, RESAMPLES + 1 - k, np.append(0.0, np.minimum(at_most, 1.0))))


def fits(counts, chance):
    """Whether counts may come from these chances."""
    return frequencies.fits(counts, chance, FALSE_ALARM)


def counted(limit, n):
    return np.bincount(np.rint(limit * n).astype(int), minlength=n + 1)


CASES = [(3, 10, 0.05, 25), (1, 10, 0.3, 150), (19, 20, 0.01, 5), (30, 60, 0.5, 250)]


@pytest.mark.parametrize(("x", "n", "alpha", "k"), CASES)
def test_each_limit_is_distributed_as_an_order_statistic_of_the_resamples(x, n, alpha, k):
    lower, upper = limits(np.full(100_000, x), n, alpha)
    assert fits(counted(lower, n), chance_of_limit(x, n, k))
    assert fits(counted(upper, n), chance_of_limit(x, n, RESAMPLES + 1 - k))


@pytest.mark.parametrize(("x", "n", "alpha", "k"), CASES)
def test_a_one_sided_limit_is_that_of_twice_the_alpha_two_sided(x, n, alpha, k):
    lower, end = limits(np.full(50_000, x), n, alpha / 2, LOWER)
    assert (end == 1).all()
    assert fits(counted(lower, n), chance_of_limit(x, n, k))
    start, upper = limits(np.full(50_000, x), n, alpha / 2, UPPER)
    assert (start == 0).all()
    assert fits(counted(upper, n), chance_of_limit(x, n, RESAMPLES + 1 - k))


@pytest.mark.parametrize(("x", "n", "alpha", "k"), [CASES[0], *CASES[2:]])
def test_another_order_statistic_is_told_apart(x, n, alpha, k):
    lower, _ = limits(np.full(100_000, x), n, alpha)
    assert not fits(counted(lower, n), chance_of_limit(x, n, round(1.2 * k)))


def test_scipys_resampling_has_the_same_distribution():
    """scipy.stats.bootstrap resamples the 0s and 1s themselves; the order statistics are ours."""
    x, n, k, repeats = 30, 60, 25, 400
    sample, rng = np.repeat([1.0, 0.0], [x, n - x]), np.random.default_rng(5)
    drawn = [
        stats.bootstrap((sample,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=rng)
        for _ in range(repeats)
    ]
    resampled = np.sort([each.bootstrap_distribution for each in drawn], axis=-1)
    lower, upper = resampled[:, k - 1], resampled[:, RESAMPLES - k]
    assert fits(counted(lower, n), chance_of_limit(x, n, k))
    assert fits(counted(upper, n), chance_of_limit(x, n, RESAMPLES + 1 - k))


def together(lower, upper):
    """One number for each pair of counts."""
    return np.rint(lower).astype(int) * 10_000 + np.rint(upper).astype(int)


def differ(ours, theirs):
    """The p-value of two samples of pairs having one distribution, the rare pairs left out."""
    _, back = np.unique(np.concatenate((ours, theirs)), return_inverse=True)
    parts = np.split(back, [ours.size])
    table = np.array([np.bincount(part, minlength=back.max() + 1) for part in parts])
    often = table[:, table.sum(axis=0) >= 2 * frequencies.EXPECTED_AT_LEAST]
    assert often.sum() > 0.8 * back.size
    return stats.chi2_contingency(often).pvalue


def test_both_limits_come_from_the_same_resamples():
    """Against 999 binomial draws sorted, at orders so close that the limits go together."""
    x, n, alpha, k, repeats = 2000, 5000, 0.9, 450, 6_000
    rng = np.random.default_rng(11)
    drawn = np.sort(rng.binomial(n, x / n, (repeats, RESAMPLES)), axis=1)
    theirs = together(drawn[:, k - 1], drawn[:, RESAMPLES - k])
    lower, upper = limits(np.full(repeats, x), n, alpha)
    assert differ(together(lower * n, upper * n), theirs) >= FALSE_ALARM
    # Limits of different resamples are told apart.
    assert differ(together(lower * n, np.roll(upper, 1) * n), theirs) < FALSE_ALARM


class Recorder:
    """A generator that says which Beta distributions it was asked for."""

    def __init__(self):
        self.asked = []

    def beta(self, a, b, size):
        self.asked.append((a, b))
        return np.full(size, a / (a + b))


@pytest.mark.parametrize(
    ("alpha", "side", "k"),
    [
        (0.05, TWO_SIDED, 25),
        (0.29, TWO_SIDED, 145),
        (0.0501, TWO_SIDED, 25),
        (0.002, TWO_SIDED, 1),
        (1e-10, TWO_SIDED, 1),
        (1 - 2**-53, TWO_SIDED, 499),
        (0.05, LOWER, 50),
        (0.57, LOWER, 570),
        (0.9, UPPER, 900),
        (1e-10, UPPER, 1),
        (1 - 2**-53, LOWER, 999),
    ],
)
def test_the_order_is_the_whole_part_of_1000_tails_and_at_least_1(alpha, side, k):
    rng = Recorder()
    BOOTSTRAP.limits((np.array([3.0]), np.array([10.0])), alpha, side, None, rng)
    expected = [(k, 1000 - k)]
    if side == TWO_SIDED:
        expected.append((k, 1000 - 2 * k))
    assert rng.asked == expected


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 10**5])
def test_quantiles_are_the_smallest_counts_that_reach_the_level(n):
    rng = np.random.default_rng(3)
    x = np.unique(rng.integers(0, n, 40, endpoint=True)).astype(float)
    for level in (1e-12, 1e-6, 0.001, 0.025, 0.5, 0.9, 0.999, 1 - 1e-9):
        found = _quantile(np.full(x.size, level), x, np.full(x.size, float(n)))
        here, before = (stats.binom.cdf(y, n, x / n) for y in (found, found - 1))
        # The two evaluations of a tail differ in the last digits only.
        assert (here >= level * (1 - 1e-12)).all()
        assert (before < level * (1 + 1e-12)).all()


@given(
    st.integers(1, 10**9),
    st.floats(1e-10, 0.99),
    st.sampled_from([TWO_SIDED, LOWER, UPPER]),
    st.integers(0, 2**32),
    st.data(),
)
def test_limits_are_ordered_and_in_range_and_of_no_width_only_at_the_ends(
    n, alpha, side, seed, data
):
    x = np.array(data.draw(st.lists(st.integers(0, n), min_size=1, max_size=6)), float)
    lower, upper = limits(x, n, alpha, side, seed)
    assert np.isfinite([lower, upper]).all()
    assert (lower >= 0).all()
    assert (lower <= upper).all()
    assert (upper <= 1).all()
    assert not np.signbit([lower, upper]).any()
    if side != UPPER:
        np.testing.assert_array_equal(lower[x == 0], 0)
        np.testing.assert_array_equal(lower[x == n], 1)
    if side != LOWER:
        np.testing.assert_array_equal(upper[x == 0], 0)
        np.testing.assert_array_equal(upper[x == n], 1)


@pytest.mark.parametrize("part", ["rises with x", "mirrors", "holds the estimate"])
def test_what_fails_by_chance_is_declared(part):
    assert part in BOOTSTRAP.exceptions
    n = 10**6
    x = n / 2 + np.arange(40.0)
    lower, upper = limits(x, n, 0.99)
    mirrored = limits(n - x, n, 0.99, seed=2)
    kept = {
        "rises with x": (np.diff(lower) >= 0).all() and (np.diff(upper) >= 0).all(),
        "mirrors": np.allclose((lower, upper), 1 - np.array(mirrored[::-1]), rtol=0, atol=1e-9),
        "holds the estimate": ((lower <= x / n) & (x / n <= upper)).all(),
    }
    assert not kept[part]


def test_no_alpha_below_a_thousandth_makes_the_interval_wider():
    np.testing.assert_array_equal(limits(np.arange(21), 20, 0.002), limits(np.arange(21), 20, 1e-9))


def test_the_same_generator_state_gives_the_same_limits_and_another_others():
    x = np.arange(101)
    first, again, other = (limits(x, 100, 0.05, seed=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert (np.asarray(first) != other).any()


def test_the_catalogue_says_that_it_draws():
    assert not BOOTSTRAP.deterministic
    assert [name for name, method in PROPORTION.items() if not method.deterministic] == [
        "bootstrap_percentile"
    ]
    sent = pickle.loads(pickle.dumps(BOOTSTRAP))
    assert sent.description == BOOTSTRAP.description
    assert "Binomial(n, x/n)" in sent.description


def test_without_a_generator_or_a_seed_it_says_so():
    with pytest.raises(InputError, match=r"bootstrap_percentile draws .* needs a generator"):
        BOOTSTRAP.limits((np.array([3.0]), np.array([10.0])), 0.05)
    with pytest.raises(InputError, match=r"bootstrap_percentile draws .* needs a seed"):
        harness.interval("proportion", "bootstrap_percentile", x=3, n=10)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7"])
def test_a_seed_is_a_whole_number_from_0_on(seed):
    with pytest.raises(InputError, match="seed should be a whole number from 0 on"):
        harness.interval("proportion", "bootstrap_percentile", x=3, n=10, seed=seed)


def test_one_interval_comes_from_its_seed_and_leaves_numpys_own_state_alone():
    def ask(seed, **data):
        return harness.interval("proportion", "bootstrap_percentile", seed=seed, **data)

    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one = ask(2003, x=90, n=100)
    assert one == ask(np.int64(2003), x=90, n=100)
    assert (one.lower, one.upper) == tuple(float(v[0]) for v in limits([90], 100, 0.05, seed=2003))
    assert 0.8 < one.lower < 0.9 < one.upper < 1
    many = ask(1, x=[[3], [4]], n=[10, 20, 30], alpha=0.1)
    assert many.lower.shape == many.upper.shape == (2, 3)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002
