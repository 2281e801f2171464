"""Clustered proportions held against R's ratesci and survey, statsmodels, and 40 digits."""

import itertools
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import betainc

from harness.distributions.sampling.laws.clusters import draw_clusters
from harness.methods.bootstrap import RESAMPLES
from harness.methods.catalogue import CATALOGUE
from harness.methods.clustered import _LARGEST_SIZE, ClusterRows, _law_of_sum
from harness.methods.method import LOWER, UPPER
from tests.methods.clustered.outcomes import DETERMINISTIC, limits, rows_of
from tests.oracles.frequencies import fits
from tests.oracles.laws import coverage, law_of_count, law_of_sums

METHODS = CATALOGUE["clustered_proportion"]

ROWS = json.loads((Path(__file__).parents[2] / "data" / "clustered_proportion.json").read_text())
EVALUATED = 1e-13
"""The equations take a dozen operations in double precision."""


def words(row):
    return f"{row['method']}-{'-'.join(map(str, row['inputs']['x']))}-{row['alpha']:g}"


@pytest.mark.parametrize("row", ROWS["rows"], ids=words)
def test_limits_are_those_of_ratesci_and_of_the_equation(row):
    found = limits(row["method"], tuple(row["inputs"].values()), alpha=row["alpha"])[:, 0]
    for expected, within in ((row, row["tolerance"]), (row["evaluated"], EVALUATED)):
        ends = [expected["lower"], expected["upper"]]
        np.testing.assert_allclose(found, ends, rtol=within, atol=within)


# Python 3.11, statsmodels 0.15.0. With use_correction its cluster-robust variance of a mean has the
# factor C/(C - 1) · (N - 1)/(N - 1), and with use_t the degrees of freedom are C - 1.
# >>> import numpy as np
# >>> from statsmodels.regression.linear_model import OLS
# >>> def fitted(x, n):
# ...     results = np.concatenate([np.repeat([1., 0.], [a, b - a]) for a, b in zip(x, n)])
# ...     kinds = {"groups": np.repeat(np.arange(len(n)), n), "use_correction": True}
# ...     model = OLS(results, np.ones_like(results))
# ...     return [model.fit(cov_type="cluster", cov_kwds=kinds, use_t=t) for t in (False, True)]
# >>> for x, n, alpha in DATA:
# ...     z, t = fitted(x, n)
# ...     p, v = z.params[0], z.cov_params()[0, 0]
# ...     print(z.conf_int(alpha)[0], t.conf_int(alpha)[0])
DATA = [
    ([3, 5, 2, 4, 6], [10, 10, 10, 10, 10], 0.05),
    ([1, 3, 2, 4, 0, 5], [5, 6, 8, 9, 4, 10], 0.1),
    ([33, 2, 15, 60], [100, 10, 55, 130], 0.01),
    ([9, 8, 10, 7, 9], [10, 9, 10, 8, 10], 0.05),
    ([0, 0, 1, 0, 0, 3], [1, 2, 3, 4, 5, 6], 0.5),
]
STATSMODELS = {
    "cluster_wald": [
        (0.2614096175650322, 0.5385903824349678),
        (0.2453880086212876, 0.46889770566442623),
        (0.23591054374804166, 0.5098521681163652),
        (0.870045126816619, 0.9597421072259346),
        (0.10946413688676307, 0.2714882440656178),
    ],
    "cluster_t": [
        (0.20367568385224424, 0.5963243161477558),
        (0.22023619138510772, 0.4940495229006061),
        (0.06228853406083701, 0.6834741778035699),
        (0.8513621582361021, 0.9784250758064515),
        (0.10319481442032392, 0.2777575665320569),
    ],
}
REGRESSION = 1e-12
"""statsmodels finds the mean by a pseudo-inverse, and a quantile of Student's t by iteration."""


@pytest.mark.parametrize("name", STATSMODELS)
def test_limits_are_those_of_statsmodels_cluster_robust_covariance(name):
    found = [limits(name, (x, n), alpha=alpha)[:, 0] for x, n, alpha in DATA]
    np.testing.assert_allclose(found, STATSMODELS[name], rtol=REGRESSION, atol=0)


@pytest.mark.parametrize(("row", "ends"), list(zip(DATA, STATSMODELS["cluster_t"], strict=True)))
def test_rao_scott_is_the_score_interval_of_statsmodels_half_width(row, ends):
    """All p with |p − p̂| ≤ δ√(pq/(p̂q̂)), δ the half-width of the interval at t."""
    x, n, alpha = row
    p, delta = sum(x) / sum(n), (ends[1] - ends[0]) / 2
    for limit in limits("rao_scott", (x, n), alpha=alpha)[:, 0]:
        within = delta * np.sqrt(limit * (1 - limit) / (p * (1 - p)))
        assert abs(limit - p) == pytest.approx(within, rel=REGRESSION)


SURVEY = json.loads((Path(__file__).parents[2] / "data" / "svyciprop.json").read_text())["rows"]
OF_SURVEY = {
    "korn_graubard": "beta",
    "cluster_logit": "xlogit",
    "cluster_t": "mean",
}
"""The names of methods in R's survey, whose limits at ``mean`` may lie outside of the range."""
SURVEYED = 1e-13


@pytest.mark.parametrize("row", SURVEY, ids=lambda row: f"{len(row['x'])}-{row['level']:g}")
def test_limits_are_those_of_r_survey(row):
    for name, theirs in OF_SURVEY.items():
        found = limits(name, (row["x"], row["n"]), alpha=1 - row["level"])[:, 0]
        np.testing.assert_allclose(found, np.clip(row[theirs], 0, 1), rtol=0, atol=SURVEYED)
    # "logit" fits a generalized linear model by an iteration.
    found = limits("cluster_logit", (row["x"], row["n"]), alpha=1 - row["level"])[:, 0]
    np.testing.assert_allclose(found, row["logit"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("row", SURVEY, ids=lambda row: f"{len(row['x'])}-{row['level']:g}")
def test_effective_wilson_is_wilson_of_the_effective_size_in_r_survey(row):
    """n* = p̂q̂ (t/δ)² with t of N − 1 degrees of freedom and half of the length of ``mean``, δ."""
    x, n, tail = sum(row["x"]), sum(row["n"]), (1 - row["level"]) / 2
    p, delta = x / n, (row["mean"][1] - row["mean"][0]) / 2
    size = p * (1 - p) * (stats.t.isf(tail, n - 1) / delta) ** 2
    data = np.array([size * p]), np.array([size])
    expected = np.ravel(CATALOGUE["proportion"]["wilson"].limits(data, 2 * tail))
    found = limits("effective_wilson", (row["x"], row["n"]), alpha=2 * tail)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=SURVEYED)


# Coverage of clustered proportions: exact where clusters are of one size, and of drawn counts.


# A right implementation fails a statistical test here with this probability; the seeds are fixed.
FALSE_ALARM = 1e-6
TRIALS = 20_000


def two_sided(name):
    return lambda x, n: METHODS[name].limits((x, n), 0.05)


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_the_oracle_is_the_sum_over_all_counts(name):
    p, rho, size, clusters = 0.7, 0.25, 3, 4
    one = law_of_count(p, rho, size)
    x = np.array(list(itertools.product(range(size + 1), repeat=clusters)), float)
    lower, upper = two_sided(name)(x, np.full(x.shape, float(size)))
    chances = one[x.astype(int)].prod(axis=1)
    expected = chances[(lower <= p) & (p <= upper)].sum()
    assert coverage(two_sided(name), p, rho, clusters, size) == pytest.approx(expected, abs=1e-14)


def test_the_probabilities_of_the_oracle_are_those_of_the_counts():
    probabilities, counts = law_of_sums(law_of_count(0.8, 0.2, 5), 6)
    assert probabilities.sum() == pytest.approx(1, abs=1e-14)
    assert probabilities @ counts.sum(axis=1) == pytest.approx(0.8 * 30, rel=1e-13)
    squares = (counts**2).sum(axis=1)
    assert probabilities @ squares == pytest.approx(6 * (4**2 + 5 * 0.16 * 1.8), rel=1e-13)
    pairs = np.stack((counts.sum(axis=1), squares))
    assert np.unique(pairs, axis=1).shape == pairs.shape


@pytest.mark.parametrize("rho", [0.0, 0.3])
@pytest.mark.parametrize("name", DETERMINISTIC)
def test_drawn_counts_are_covered_as_often_as_they_should_be(name, rho):
    p, clusters, size = 0.8, 12, 10
    exact = coverage(two_sided(name), p, rho, clusters, size)
    rng = np.random.default_rng(17)
    x, n = draw_clusters(np.full(TRIALS, p), np.full(TRIALS, rho), clusters, size, rng)
    lower, upper = two_sided(name)(x, n)
    covered = int(((lower <= p) & (p <= upper)).sum())
    assert stats.binomtest(covered, TRIALS, exact).pvalue >= FALSE_ALARM
    assert stats.binomtest(covered, TRIALS, exact - 0.02).pvalue < FALSE_ALARM


# The cluster bootstrap's limits are the order statistics that resampling clusters would give.


# A right implementation fails a statistical test here with this probability; the seeds are fixed.
OUTCOMES = {
    "one size": ((1, 4, 5, 2), (5, 5, 5, 5)),
    "one large size": ((0, 100, 257), (257, 257, 257)),
    "unequal sizes": ((1, 4, 2, 0), (3, 4, 7, 1)),
}
CASES = [(0.05, 25), (0.3, 150)]


def law_of_ratio(x, n):
    """The ratios of all resamples, ascending, with their probabilities."""
    found = Counter()
    for drawn in itertools.product(range(len(x)), repeat=len(x)):
        found[Fraction(sum(x[i] for i in drawn), sum(n[i] for i in drawn))] += 1
    ratios = sorted(found)
    return ratios, np.array([found[each] for each in ratios]) / len(x) ** len(x)


def chance_of_limit(chance, k):
    """Pr(p*₍ₖ₎ = r) for each ratio r: of B resamples at least k are r or less."""
    at_most = np.minimum(np.cumsum(chance), 1.0)
    return np.diff(betainc(k, RESAMPLES + 1 - k, np.append(0.0, at_most)))


def counted(found, ratios):
    """How often each of the ratios was found, by the nearest of them."""
    values = np.array([float(each) for each in ratios])
    nearest = np.argmin(np.abs(found[:, None] - values), axis=1)
    np.testing.assert_allclose(found, values[nearest], rtol=1e-15)
    return np.bincount(nearest, minlength=len(ratios))


@pytest.mark.parametrize("kind", OUTCOMES)
@pytest.mark.parametrize(("alpha", "k"), CASES)
def test_each_limit_is_distributed_as_an_order_statistic_of_the_resamples(kind, alpha, k):
    x, n = OUTCOMES[kind]
    ratios, chance = law_of_ratio(x, n)
    repeats = [(x, n)] * (20_000 if kind == "one size" else 1_500)
    lower, upper = limits("cluster_bootstrap", *repeats, alpha=alpha)
    assert fits(counted(lower, ratios), chance_of_limit(chance, k), FALSE_ALARM)
    assert fits(counted(upper, ratios), chance_of_limit(chance, RESAMPLES + 1 - k), FALSE_ALARM)
    other = chance_of_limit(chance, round(1.5 * k))
    assert not fits(counted(lower, ratios), other, FALSE_ALARM)


@pytest.mark.parametrize("kind", OUTCOMES)
def test_a_one_sided_limit_is_that_of_twice_the_alpha_two_sided(kind):
    x, n = OUTCOMES[kind]
    ratios, chance = law_of_ratio(x, n)
    repeats, alpha, k = [(x, n)] * 1_500, 0.15, 150
    lower, end = limits("cluster_bootstrap", *repeats, alpha=alpha, side=LOWER)
    assert (end == 1).all()
    assert fits(counted(lower, ratios), chance_of_limit(chance, k), FALSE_ALARM)
    start, upper = limits("cluster_bootstrap", *repeats, alpha=alpha, side=UPPER)
    assert (start == 0).all()
    assert fits(counted(upper, ratios), chance_of_limit(chance, RESAMPLES + 1 - k), FALSE_ALARM)


MANY = {
    "one size": (tuple(range(3, 23)), (25,) * 20),
    "unequal sizes": (tuple(range(3, 23)), tuple(range(23, 43))),
}
"""Outcomes with so many resamples that the limits hardly repeat."""


@pytest.mark.parametrize("kind", MANY)
def test_both_limits_come_from_the_same_resamples(kind):
    """At orders so close that the limits go together."""
    lower, upper = limits("cluster_bootstrap", *[MANY[kind]] * 400, alpha=0.9)
    assert np.corrcoef(lower, upper)[0, 1] > 0.6
    assert abs(np.corrcoef(lower, np.roll(upper, 1))[0, 1]) < 0.3


@pytest.mark.parametrize("count", [1, 2, 7, 13])
@pytest.mark.parametrize("size", [1, 10, _LARGEST_SIZE])
def test_the_law_of_a_resample_is_the_exact_convolution(count, size):
    rng = np.random.default_rng(count)
    x = rng.integers(0, size, count, endpoint=True)
    one = np.bincount(x, minlength=size + 1).astype(object)
    power = np.array([1], object)
    for _ in range(count):
        power = np.convolve(power, one)
    exact = [float(Fraction(each, count**count)) for each in power]
    found = _law_of_sum(ClusterRows(*rows_of((x, [size] * count))), count, size)[0]
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-15)


def test_outcomes_of_several_kinds_do_not_disturb_each_other():
    """Rows of clusters of one size, of unequal sizes and of another number, in any order."""
    kinds = [OUTCOMES["one size"], OUTCOMES["unequal sizes"], ((3, 3), (9, 9)), ((0, 5), (5, 5))]
    found = limits("cluster_bootstrap", *kinds * 500, alpha=0.3)
    for place, (x, n) in enumerate(kinds):
        ratios, chance = law_of_ratio(x, n)
        lower = counted(found[0, place :: len(kinds)], ratios)
        assert fits(lower, chance_of_limit(chance, 150), FALSE_ALARM)


def test_the_same_generator_state_gives_the_same_limits_and_another_others():
    for outcome in MANY.values():
        repeats = [outcome] * 20
        first, again, other = (
            limits("cluster_bootstrap", *repeats, alpha=0.9, seed=seed) for seed in (7, 7, 8)
        )
        np.testing.assert_array_equal(first, again)
        assert (first != other).any()


def test_padding_changes_nothing():
    for x, n in OUTCOMES.values():
        alone = limits("cluster_bootstrap", *[(x, n)] * 20)
        padded = limits("cluster_bootstrap", *[((0, *x, 0), (0, *n, 0))] * 20)
        np.testing.assert_array_equal(alone, padded)


def test_no_alpha_below_a_thousandth_makes_the_interval_wider():
    x, n = OUTCOMES["one size"]
    least, smaller = (limits("cluster_bootstrap", (x, n), alpha=alpha) for alpha in (0.002, 1e-9))
    np.testing.assert_array_equal(least, smaller)
