"""The search for the worst pair of truths against dense grids, with limits of any kind."""

import itertools

import numpy as np
import pytest
from scipy import stats

from harness.catalogue import scenario_for
from harness.checks.plans import scenario_of
from harness.designs.design import data_of
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.two_samples.table import outcome_probabilities
from harness.designs.two_samples.worst_case import search_worst_case
from harness.distributions.sampling import binomial, poisson
from harness.distributions.truths import GammaTruth, PairTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE

# The best of the grid may be as good as the search's, but for rounding.
ROUNDING = 1e-11
# Of the worst case as the other search knows it, printed to 14 decimals.
OTHERS = 1e-10
# Digits that cancel in the logarithms of 300 trials or events.
QUICK = 2e-12
# How near to a limit the parameter is taken to see what is missed beside it.
BESIDE = 1e-12
FLAT = PairTruth(UniformTruth(0.0, 1.0), UniformTruth(0.0, 1.0))
RANGE = {"proportion_difference": (-1.0, 1.0), "balanced_accuracy": (0.0, 1.0)}
POINTS = np.sin(np.linspace(0, np.pi / 2, 101)) ** 2


def flat(family, n1, n2):
    return scenario_for(family_of(family), (n1, n2), FLAT)


def searched(scenario, lower, upper):
    outcomes = np.arange(lower.size)
    limits = Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    (case,) = search_worst_case(scenario, limits, solver_of(scenario).hull())
    return case


def missed_in(scenario, missed, theta):
    """The miss probability along a line, for one missing set."""
    (n1, n2), weights = scenario.sizes, scenario.family.combination.weights
    a, b = sorted((theta - weights[1] * end) / weights[0] for end in (0.0, 1.0))
    low = min(max(a, 0.0), 1.0)
    first = low + (max(min(b, 1.0), low) - low) * POINTS
    second = np.clip((theta - weights[0] * first) / weights[1], 0.0, 1.0)
    one = stats.binom.pmf(np.arange(n1 + 1), n1, first[:, np.newaxis])
    other = stats.binom.pmf(np.arange(n2 + 1), n2, second[:, np.newaxis])
    return ((one @ missed) * other).sum(axis=1).max()


def best_of_grid(scenario, lower, upper):
    """The largest miss probability on lines at both ends of each gap, and inside it."""
    (n1, n2), (low, high) = scenario.sizes, RANGE[scenario.family.name]
    every = np.unique(np.clip(np.concatenate(([low, high], lower, upper)), low, high))
    best = 0.0
    for left, right in itertools.pairwise(every):
        inside = 0.5 * (left + right)
        missed = ((lower > inside) | (upper < inside)).reshape(n1 + 1, n2 + 1)
        for share in (0.0, 0.3, 0.7, 1.0):
            theta = left + share * (right - left)
            best = max(best, missed_in(scenario, missed, theta))
    return best


def missed_beside(scenario, lower, upper, case):
    """What is missed at the truths found, with the parameter moved to the side named."""
    weights, (n1, n2) = scenario.family.combination.weights, scenario.sizes
    theta = weights[0] * case.truths[0] + weights[1] * case.truths[1]
    theta += {"above": BESIDE, "below": -BESIDE, "at": 0.0}[case.side]
    x, y = np.divmod(np.arange(lower.size), n2 + 1)
    chance = stats.binom.pmf(x, n1, case.truths[0]) * stats.binom.pmf(y, n2, case.truths[1])
    return chance[(lower > theta) | (upper < theta)].sum()


def made_up(family, number):
    """Sizes and limits: anywhere; around the estimate; or of few values, often without width."""
    rng = np.random.default_rng([2003, number])
    n1, n2 = rng.integers(1, 6, 2)
    m, (low, high), kind = (n1 + 1) * (n2 + 1), RANGE[family], number % 3
    if kind == 0:
        lower, upper = low + (high - low) * np.sort(rng.random((2, m)), axis=0)
    elif kind == 1:
        x, y = np.divmod(np.arange(m), n2 + 1)
        weights = family_of(family).combination.weights
        centre = weights[0] * x / n1 + weights[1] * y / n2
        lower = np.maximum(centre - 0.8 * rng.random(m), low)
        upper = np.minimum(centre + 0.8 * rng.random(m), high)
    else:
        lower, upper = low + (high - low) * np.sort(rng.integers(0, 5, (2, m)) / 4, axis=0)
        upper = np.where(rng.random(m) < 0.4, high, upper)
        lower = np.where(rng.random(m) < 0.4, low, lower)
    return flat(family, int(n1), int(n2)), lower, upper


@pytest.mark.parametrize("family", list(RANGE))
@pytest.mark.parametrize("number", range(9))
def test_the_search_finds_what_a_dense_grid_finds_for_limits_of_any_kind(family, number):
    scenario, lower, upper = made_up(family, number)
    case = searched(scenario, lower, upper)
    assert case.alpha >= best_of_grid(scenario, lower, upper) - ROUNDING
    assert case.alpha == pytest.approx(missed_beside(scenario, lower, upper, case), abs=ROUNDING)


@pytest.mark.parametrize("alpha", [1e-4, 0.05, 0.5])
@pytest.mark.parametrize("name", ["agresti_caffo", "newcombe", "mee"])
def test_the_search_finds_what_a_dense_grid_finds_for_methods(name, alpha):
    scenario = flat("proportion_difference", 6, 4)
    method = CATALOGUE["proportion_difference"][name]
    lower, upper = method.limits(data_of(scenario, np.arange(35)), alpha)
    case = searched(scenario, lower, upper)
    assert case.alpha >= best_of_grid(scenario, lower, upper) - ROUNDING
    assert case.alpha == pytest.approx(missed_beside(scenario, lower, upper, case), abs=ROUNDING)


# By another search, of all lines: for each limit value the miss probability just above it (upper)
# or just below it (lower), and for each wide gap between limits that on lines within it, at points
# 0.2 standard deviations of either count apart along the line, and from every local maximum within
# 5 % of the largest by repeated tenfold zooms. Truths: proportions of (0, 1), rates of (0, 5) or
# (1, 5). A climb from the peaks of a grid alone may end up to 5 % lower.
OTHER_SEARCH = [
    ("rate_difference", "score", (1.0, 1.0), 0.01, None, 0.00778068280258),
    ("rate_difference", "wald", (1.0, 1.0), 0.05, ((1.0, 5.0), (1.0, 5.0)), 0.14936764892908),
    ("rate_difference", "balanced_width", (0.5, 3.0), 0.05, None, 0.01879073661397),
    ("balanced_accuracy", "exact_union", (25.0, 25.0), 0.01, None, 0.00250056925052),
    ("balanced_accuracy", "mover_clopper_pearson", (25.0, 25.0), 0.1, None, 0.08861550258978),
    ("balanced_accuracy", "exact_union", (40.0, 30.0), 0.01, None, 0.00250561155284),
    ("proportion_difference", "fagan", (60.0, 60.0), 0.05, None, 0.04203801414349),
]


@pytest.mark.parametrize(("family", "name", "sizes", "alpha", "over", "expected"), OTHER_SEARCH)
def test_no_peak_among_many_is_overlooked(family, name, sizes, alpha, over, expected):
    scenario = scenario_of(family_of(family), sizes)
    solver = solver_of(scenario)
    outcomes = solver.possible_outcomes()
    lower, upper = CATALOGUE[family][name].limits(data_of(scenario, outcomes), alpha)
    limits = Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    (case,) = search_worst_case(scenario, limits, over or solver.hull())
    assert case.alpha == pytest.approx(expected, rel=OTHERS)


@pytest.mark.parametrize("size", [1.0, 7.0, 300.0])
@pytest.mark.parametrize("sampling", [binomial, poisson])
def test_quick_probabilities_are_those_of_the_sampling(sampling, size):
    last = int(size) if sampling is binomial else int(3 * size)
    truths = np.concatenate(([0.0, 1e-12, 1.0 - 1e-9, 1.0], np.linspace(0.01, 0.99, 23)))
    quick = outcome_probabilities(sampling, 0, last + 1, size).at(truths)
    exact = sampling.pmf(np.arange(last + 1), truths[:, np.newaxis], size)
    np.testing.assert_allclose(quick, exact, rtol=QUICK, atol=1e-300)


@pytest.mark.parametrize(("n1", "n2"), [(5, 5), (40, 30)])
def test_wald_is_always_wrong_beside_a_corner(n1, n2):
    scenario = flat("proportion_difference", n1, n2)
    data = data_of(scenario, np.arange((n1 + 1) * (n2 + 1)))
    lower, upper = CATALOGUE["proportion_difference"]["wald"].limits(data, 0.05)
    case = searched(scenario, lower, upper)
    assert case.alpha == 1.0
    assert set(case.truths) <= {0.0, 1.0}
    assert case.witness == case.truths


def test_a_largest_value_away_from_all_limits_is_found():
    """All but (1, 0) of (2, 1) cover everything: worst at p1 = 1/2, p2 = 0, and no limit there."""
    lower, upper = np.full(6, -1.0), np.full(6, 1.0)
    upper[2] = -1.0
    case = searched(flat("proportion_difference", 2, 1), lower, upper)
    assert case.alpha == pytest.approx(0.5, abs=1e-9)
    assert case.truths == pytest.approx((0.5, 0.0), abs=1e-4)
    assert case.side == "at"


def test_nothing_is_missed_where_all_is_covered():
    lower, upper = np.full(12, -1.0), np.full(12, 1.0)
    assert searched(flat("proportion_difference", 2, 3), lower, upper).alpha == 0.0


def test_each_column_is_searched_by_itself():
    scenario, lower, upper = made_up("balanced_accuracy", 1)
    other = upper - 0.3 * (upper - lower)
    outcomes = np.arange(lower.size)
    both = search_worst_case(
        scenario,
        Limits(outcomes, np.array([lower, lower]), np.array([upper, other])),
        solver_of(scenario).hull(),
    )
    assert both == [searched(scenario, lower, upper), searched(scenario, lower, other)]
    assert both[1].alpha > both[0].alpha
    assert both[0] is not None


def rates(first, second):
    scenario = scenario_for(family_of("rate_difference"), (1.0, 2.0), PairTruth(first, second))
    windows = [
        poisson.window(*truth.effective_support, size)
        for truth, size in zip((first, second), scenario.sizes, strict=True)
    ]
    x, y = (np.arange(low, high + 1) for low, high in windows)
    outcomes = scenario.outcomes(x[:, np.newaxis], y[np.newaxis, :]).ravel()
    x, y = scenario.counts(outcomes)
    centre, spread = x / 1.0 - y / 2.0, 1.5 * np.sqrt((x + 1) / 1.0 + (y + 1) / 4.0)
    return scenario, Limits(outcomes, (centre - spread)[np.newaxis], (centre + spread)[np.newaxis])


def test_rates_are_searched_as_far_as_their_truths_reach():
    first, second = UniformTruth(0.5, 4.0), UniformTruth(0.0, 3.0)
    scenario, limits = rates(first, second)
    (case,) = search_worst_case(scenario, limits, solver_of(scenario).hull())
    x, y = scenario.counts(limits.outcomes)
    largest = 0.0
    for r in np.linspace(0.5, 4.0, 36):
        for s in np.linspace(0.0, 3.0, 31):
            chance = stats.poisson.pmf(x, r) * stats.poisson.pmf(y, 2 * s)
            missed = (limits.lower[0] > r - s) | (limits.upper[0] < r - s)
            largest = max(largest, chance[missed].sum())
    assert largest < case.alpha < 1.2 * largest
    assert 0.5 <= case.truths[0] <= 4.0
    assert 0.0 <= case.truths[1] <= 3.0


def test_nothing_is_known_without_the_limits_of_every_pair():
    scenario, limits = rates(UniformTruth(0.5, 4.0), UniformTruth(0.0, 3.0))
    fewer = limits.at(limits.outcomes[1:])
    assert search_worst_case(scenario, fewer, solver_of(scenario).hull()) is None
    gamma = GammaTruth(2.0, 0.1)
    scenario = scenario_for(family_of("rate_difference"), (1.0, 2.0), PairTruth(gamma, gamma))
    assert search_worst_case(scenario, limits, solver_of(scenario).hull()) is None
