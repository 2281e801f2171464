"""The posterior of the F score: tails, quantiles, density and the four criteria on it."""

import numpy as np
import pytest

from harness.base.numerics.points import UnitPoints
from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.f_score import f_score_posterior
from tests.oracles import f_score

# What tails, quantiles and limits promise, relatively.
ACCURACY = 1e-12
TWO_SIDED = (criteria.balanced_tail, criteria.balanced_width, criteria.minimal_length)


def column(*values):
    return np.array(values, dtype=np.float64)


def tables(n):
    """Every (tp, fp, fn, tn) of n cases that has an F score."""
    tp, fp, fn = (v.ravel().astype(np.float64) for v in np.mgrid[: n + 1, : n + 1, : n + 1])
    kept = (tp + fp + fn <= n) & (tp + fp + fn > 0)
    return tp[kept], fp[kept], fn[kept], (n - tp - fp - fn)[kept]


@pytest.mark.parametrize("beta", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("cells", [(0, 3, 5), (4, 0, 0), (8, 2, 3), (300, 0, 40), (3, 200, 1)])
def test_tails_and_quantiles_are_integrals_over_the_jaccard_index(cells, beta):
    posterior = f_score_posterior(tuple(map(column, (*cells, 7))), (0.5, 1.0, 0.5, 1.0), beta)
    shapes = (cells[0] + 0.5, cells[1] + 1.0, cells[2] + 0.5)
    for prob in (1e-9, 0.025, 0.6, 0.975):
        for points in (posterior.ppf(prob), posterior.isf(prob)):
            exact = f_score.below(shapes, beta, float(points.p[0]))
            assert posterior.cdf(points.p)[0] == pytest.approx(float(exact), rel=ACCURACY)
            assert posterior.sf(points.p)[0] == pytest.approx(float(1 - exact), rel=ACCURACY)
        assert posterior.cdf(posterior.ppf(prob))[0] == pytest.approx(prob, rel=ACCURACY)
        assert posterior.sf(posterior.isf(prob))[0] == pytest.approx(prob, rel=ACCURACY)


def test_limits_of_f1_are_those_of_the_jaccard_index_transformed():
    data = tables(9)
    tp, fp, fn, _ = data
    posterior = f_score_posterior(data, (0.5, 0.5, 1.0, 2.0), 1.0)
    jaccard = Beta(tp + 0.5, fp + fn + 1.5)
    for found, j in (
        (posterior.ppf(0.025).p, jaccard.ppf(0.025).p),
        (posterior.isf(0.05).p, jaccard.isf(0.05).p),
    ):
        np.testing.assert_allclose(found, 2.0 * j / (1.0 + j), rtol=1e-13)


@pytest.mark.parametrize("beta", [1.0, 0.4])
@pytest.mark.parametrize("cells", [(0, 1, 0, 1), (5, 2, 1, 0), (900, 40, 70, 9)])
def test_the_density_is_the_derivative_of_the_tail(cells, beta):
    posterior = f_score_posterior(tuple(map(column, cells)), (0.5,) * 4, beta)
    middle, step = posterior.ppf(0.3), column(1e-4)
    below, above = (posterior.shift(middle, s) for s in (-step, step))
    rise = (posterior.cdf(above) - posterior.cdf(below)) / (above.p - below.p)
    assert posterior.pdf(middle)[0] == pytest.approx(rise[0], rel=1e-5)
    by_logit = posterior.pdf(middle) * middle.p * middle.q
    assert posterior.coordinate_density(middle)[0] == pytest.approx(by_logit[0], rel=1e-11)
    slope = posterior.log_density_ratio(below, above) / (2.0 * step)
    assert posterior.log_density_slope(middle)[0] == pytest.approx(slope[0], rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("beta", [1.0, 0.5, 3.0])
@pytest.mark.parametrize("prior", [0.5, 1.0])
def test_shortest_intervals_have_their_mass_and_equal_densities(beta, prior):
    posterior = f_score_posterior(tables(6), (prior,) * 4, beta)
    lower, upper = criteria.minimal_length(posterior, 0.05)
    outside = posterior.cdf(lower) + posterior.sf(upper)
    np.testing.assert_allclose(outside, 0.05, rtol=ACCURACY)
    inner = (lower.p > 0) & (upper.q > 0)
    ratio = posterior.log_density_ratio(lower, upper)
    np.testing.assert_allclose(ratio[inner], 0.0, atol=ACCURACY)
    # Where a limit is at an end, the density there is not below that at the other limit.
    assert (ratio[lower.p == 0] <= 0).all()
    assert (ratio[upper.q == 0] >= 0).all()
    length = posterior.length(lower, upper)
    for share in (0.01, 0.5, 0.99):
        other = posterior.length(posterior.ppf(0.05 * share), posterior.isf(0.05 * (1 - share)))
        assert (length <= other * (1 + 1e-9)).all()


def test_the_mode_of_f1_is_where_no_neighbour_is_denser():
    posterior = f_score_posterior(tables(6), (1.0,) * 4, 1.0)
    mode = posterior.mode
    inner = (mode.p > 0) & (mode.q > 0)
    np.testing.assert_allclose(posterior.log_density_slope(mode)[inner], 0.0, atol=1e-14)
    assert (inner == (posterior.share.a > 1)).all()
    assert (mode.p[~inner] == 0).all()


@pytest.mark.parametrize("criterion", TWO_SIDED)
def test_a_balance_of_precision_and_recall_swaps_with_their_errors(criterion):
    tp, fp, fn, tn = tables(4)
    ours = criterion(f_score_posterior((tp, fp, fn, tn), (1.0, 0.5, 2.0, 1.0), 2.0), 0.1)
    other = criterion(f_score_posterior((tp, fn, fp, tn), (1.0, 2.0, 0.5, 1.0), 0.5), 0.1)
    for mine, its in zip(ours, other, strict=True):
        np.testing.assert_allclose(mine.p, its.p, rtol=1e-11)


@pytest.mark.parametrize("criterion", TWO_SIDED)
def test_no_interval_loses_its_mass_for_counts_from_0_to_10000(criterion):
    counts = [0.0, 1.0, 70.0, 1e4]
    tp, fp, fn = (v.ravel() for v in np.meshgrid(counts, counts, counts))
    kept = tp + fp + fn > 0
    data = tuple(v[kept] for v in (tp, fp, fn, tp))
    for beta in (1.0, 10.0):
        posterior = f_score_posterior(data, (0.5,) * 4, beta)
        lower, upper = criterion(posterior, 0.01)
        outside = posterior.cdf(lower) + posterior.sf(upper)
        np.testing.assert_allclose(outside, 0.01, rtol=1e-11)


def test_an_outcome_alone_has_the_limits_that_it_has_among_others():
    posterior = f_score_posterior(tables(3), (0.5,) * 4, 3.0)
    lower, upper = criteria.minimal_length(posterior, 0.05)
    for i in (0, 7, 12):
        alone = criteria.minimal_length(posterior.at(np.array([i])), 0.05)
        assert alone[0].p[0] == lower.p[i]
        assert alone[1].q[0] == upper.q[i]


def test_draws_of_the_cells_are_below_a_quantile_as_often_as_stated():
    # 9 binomial counts, each off by 4.5 standard deviations with probability 7e-6: in all 6e-5.
    prior, beta, draws = (0.5, 1.0, 2.0, 1.0), 1.7, 100_000
    cells = (6.0, 1.0, 4.0, 9.0)
    posterior = f_score_posterior(tuple(map(column, cells)), prior, beta)
    p = np.random.default_rng(27).dirichlet(np.add(cells, prior), draws)
    weight = 1.0 + beta**2
    f = weight * p[:, 0] / (weight * p[:, 0] + beta**2 * p[:, 2] + p[:, 1])
    for prob in np.arange(0.1, 0.95, 0.1):
        count = (f < posterior.ppf(prob).p[0]).sum()
        assert abs(count - draws * prob) < 4.5 * np.sqrt(draws * prob * (1 - prob))


def test_tails_next_to_1_are_given_by_the_distance_from_it():
    posterior = f_score_posterior(tuple(map(column, (4, 0, 0, 5))), (0.5,) * 4, 2.0)
    # B = 1: the tail is proportional to the distance.
    near, nearer = (posterior.sf(UnitPoints(column(1.0), column(q)))[0] for q in (1e-20, 1e-30))
    assert near / nearer == pytest.approx(1e10, rel=ACCURACY)
