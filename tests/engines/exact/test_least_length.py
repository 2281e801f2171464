"""The least mean length that intervals can have, against linear programmes and dense grids."""

import numpy as np
import pytest
from scipy import optimize, stats

from harness.catalogue import scenario_for
from harness.designs.design import data_of
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Column, Limits
from harness.designs.one_sample import least_length
from harness.designs.one_sample.design import OneSampleSolver
from harness.designs.one_sample.exact import outcome_weights
from harness.designs.one_sample.least_length import deterministic, guaranteed, on_average
from harness.distributions.truths import BetaTruth, DiscreteTruth, GammaTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import methods_of

ALPHA = np.array([0.05])
FLAT = UniformTruth(0.0, 1.0)
# Kinks of the integrand between nodes cost up to 3e-7 of the guaranteed length.
KINKS = 1e-6
# Values that are written with four to six digits.
PRINTED = {5: (0.556225, 0.62717, 0.5407), 20: (0.323766, 0.34482, 0.3168)}
PRINTED |= {100: (0.151977, 0.15658, 0.1497)}


def proportion(n, truth=FLAT):
    return scenario_for(family_of("proportion"), n, truth)


@pytest.mark.parametrize("n", PRINTED)
def test_least_lengths_under_the_uniform_truth_are_those_known(n):
    any_method, whole, average = PRINTED[n]
    assert guaranteed(proportion(n), ALPHA)[0] == pytest.approx(any_method, abs=6e-7)
    assert deterministic(proportion(n), ALPHA)[0] == pytest.approx(whole, abs=6e-6)
    assert on_average(proportion(n), ALPHA)[0] == pytest.approx(average, abs=6e-5)


TRUTHS = [FLAT, BetaTruth(2.0, 8.0), BetaTruth(0.5, 0.5), UniformTruth(0.1, 0.4)]
TRUTHS += [DiscreteTruth((0.1, 0.7))]


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
@pytest.mark.parametrize("p", [1e-6, 0.07, 0.31, 0.5, 0.99])
def test_the_least_cost_at_a_true_value_is_the_solution_of_a_linear_programme(truth, p):
    scenario, x = proportion(9, truth), np.arange(10)
    weight, chance = outcome_weights(scenario, x), stats.binom(9, p).pmf(x)
    found = least_length._least_cost(chance[np.newaxis], weight, np.array([0.01, 0.3]))[0]
    for alpha, cost in zip((0.01, 0.3), found, strict=True):
        solved = optimize.linprog(weight, A_ub=[-chance], b_ub=[alpha - 1], bounds=(0, 1))
        assert cost == pytest.approx(solved.fun, rel=1e-7, abs=1e-12)


def dense_greedy(n, truth, alpha, points=400_000):
    """The integral of the least cost and of the least number by the midpoint rule."""
    p, x = (np.arange(points) + 0.5) / points, np.arange(n + 1)
    weight = outcome_weights(proportion(n, truth), x)
    chance = stats.binom(n, p[:, np.newaxis]).pmf(x)
    order = np.argsort(-chance / weight, axis=1)
    sorted_chance = np.take_along_axis(chance, order, axis=1)
    reached, paid = sorted_chance.cumsum(axis=1), weight[order].cumsum(axis=1)
    last = (reached < 1 - alpha).sum(axis=1)
    rows = np.arange(points)
    excess = (reached[rows, last] - (1 - alpha)) / sorted_chance[rows, last]
    whole = paid[rows, last]
    return (whole - excess * weight[order[rows, last]]).mean(), whole.mean()


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
@pytest.mark.parametrize("alpha", [0.002, 0.05, 0.4])
def test_the_guaranteed_bound_is_the_integral_of_the_least_cost(truth, alpha):
    expected, _ = dense_greedy(7, truth, alpha)
    assert guaranteed(proportion(7, truth), np.array([alpha]))[0] == pytest.approx(
        expected, rel=KINKS
    )


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize("alpha", [0.002, 0.05, 0.4, 0.8])
def test_whole_outcomes_are_counted_between_the_jumps_of_their_number(n, alpha):
    _, expected = dense_greedy(n, FLAT, alpha)
    # Each jump of the number is off by half a step of the grid at most.
    tolerance = 2 * n / 400_000 / (n + 1)
    found = deterministic(proportion(n), np.array([alpha]))[0]
    assert found == pytest.approx(expected, abs=tolerance)


def test_whole_outcomes_of_several_alphas_are_those_of_each():
    alpha = np.array([0.3, 1e-9, 0.05, 0.05, np.nan])
    together = deterministic(proportion(40), alpha)
    assert np.isnan(together[-1])
    for one, value in zip(alpha[:-1], together, strict=False):
        assert value == pytest.approx(deterministic(proportion(40), np.array([one]))[0], rel=1e-13)


def test_more_nodes_leave_the_guaranteed_bound_where_it_is(monkeypatch):
    scenarios = [proportion(300, BetaTruth(2.0, 8.0)), proportion(300, DiscreteTruth((0.01,)))]
    scenarios += [scenario_for(family_of("rate"), 10.0, UniformTruth(1.0, 1.5))]
    alpha = np.array([0.01, 0.05, 0.3])
    before = [guaranteed(each, alpha) for each in scenarios]
    monkeypatch.setattr(least_length, "_NODES", 100_000)
    for each, value in zip(scenarios, before, strict=True):
        np.testing.assert_allclose(value, guaranteed(each, alpha), rtol=KINKS)


def dense_average(n, density, span, alpha, points=400_000):
    """The least mean length on average, from cells of equal length in descending density."""
    low, high = span
    p = low + (np.arange(points) + 0.5) * (high - low) / points
    joint = stats.binom(n, p).pmf(np.arange(n + 1)[:, np.newaxis]) * density(p)
    chance = joint * (high - low) / points
    weight = chance.sum(axis=1, keepdims=True)
    order = np.argsort(-(joint / weight).ravel())
    length = np.broadcast_to(weight * (high - low) / points, joint.shape).ravel()[order].cumsum()
    return np.interp(1 - alpha, chance.ravel()[order].cumsum(), length)


@pytest.mark.parametrize("alpha", [0.002, 0.05, 0.4, 0.9])
@pytest.mark.parametrize(
    ("truth", "density", "span"),
    [
        (FLAT, lambda p: 1.0, (0.0, 1.0)),
        (BetaTruth(2.0, 8.0), stats.beta(2, 8).pdf, (0.0, 1.0)),
        (UniformTruth(0.2, 0.25), lambda p: 20.0, (0.2, 0.25)),
    ],
    ids=["flat", "beta", "range"],
)
def test_the_bound_on_average_takes_the_truths_of_largest_density(truth, density, span, alpha):
    expected = dense_average(6, density, span, alpha)
    # The grid replaces densities by steps of 1/400,000 of the range.
    assert on_average(proportion(6, truth), np.array([alpha]))[0] == pytest.approx(
        expected, rel=1e-5
    )


def test_the_bound_on_average_of_one_outcome_is_a_formula():
    """n = 1, flat: the sets are [0, u] and [1 − u, 1] with (1 − u)² = alpha."""
    alpha = np.array([1e-6, 0.05, 0.9])
    np.testing.assert_allclose(on_average(proportion(1), alpha), 1 - np.sqrt(alpha), rtol=1e-9)


def test_over_a_very_short_range_of_truths_the_bound_on_average_is_a_share_of_it():
    found = on_average(proportion(20, UniformTruth(0.3, 0.3 + 1e-6)), np.array([0.01, 0.5]))
    np.testing.assert_allclose(found, [0.99e-6, 0.5e-6], rtol=1e-4)


def test_an_infinite_density_at_the_end_has_a_bound_on_average():
    """Beta(1/20, 1/20) and n = 1: the posteriors of both outcomes are mirror images."""
    posterior = stats.beta(0.05, 1.05)
    for alpha in (0.05, 0.3):
        found = on_average(proportion(1, BetaTruth(0.05, 0.05)), np.array([alpha]))[0]
        assert found == pytest.approx(posterior.isf(alpha), rel=1e-8)


@pytest.mark.parametrize(
    ("truth", "shorter"),
    [
        (UniformTruth(0.5, 4.0), UniformTruth(0.05, 0.4)),
        (GammaTruth(2.0, 1.5), GammaTruth(2.0, 15.0)),
        (DiscreteTruth((0.5, 3.0)), DiscreteTruth((0.05, 0.3))),
    ],
    ids=["uniform", "gamma", "listed"],
)
def test_ten_times_the_exposure_makes_the_lengths_of_rates_a_tenth(truth, shorter):
    one, ten = (
        scenario_for(family_of("rate"), 3.0, truth),
        scenario_for(family_of("rate"), 30.0, shorter),
    )
    alpha = np.array([0.01, 0.2])
    np.testing.assert_allclose(guaranteed(ten, alpha), guaranteed(one, alpha) / 10, rtol=1e-9)
    np.testing.assert_allclose(on_average(ten, alpha), on_average(one, alpha) / 10, rtol=1e-9)


def test_the_guarantee_of_a_rate_goes_beyond_the_truths_of_the_run():
    """The integral of the least cost by a midpoint rule over rates up to five times the largest."""
    scenario, alpha = scenario_for(family_of("rate"), 2.0, UniformTruth(0.5, 4.0)), 0.05
    rate, x = (np.arange(100_000) + 0.5) * 20.0 / 100_000, np.arange(100)
    weight = outcome_weights(scenario, x)
    chance = stats.poisson(2.0 * rate[:, np.newaxis]).pmf(x)
    expected = least_length._least_cost(chance, weight, np.array([alpha])).mean() * 20.0
    assert guaranteed(scenario, np.array([alpha]))[0] == pytest.approx(expected, rel=1e-6)
    inside = (rate > 0.5) & (rate < 4.0)
    part = least_length._least_cost(chance[inside], weight, np.array([alpha])).mean() * 3.5
    assert expected > 1.05 * part


def compared(scenario, alpha, names=None, side="two-sided"):
    """The mean lengths and the least lengths of methods of the catalogue."""
    family = methods_of(scenario.family)
    names = names or [
        name
        for name, each in family.items()
        if each.deterministic
        and side in each.sides
        and not (each.needs_population or each.needs_stopping)
    ]
    outcomes = solver_of(scenario).possible_outcomes()
    data = data_of(scenario, outcomes)
    rows = [family[name].limits(data, alpha, side) for name in names]
    limits = Limits(outcomes, *(np.array(each) for each in zip(*rows, strict=True)))
    enumerated = OneSampleSolver(scenario).enumerate(limits)
    columns = [Column(name, side, alpha) for name in names]
    return enumerated, least_length.of_columns(scenario, enumerated, columns)


@pytest.mark.parametrize("alpha", [0.05, 0.3])
@pytest.mark.parametrize(
    "scenario",
    [
        *(proportion(12, truth) for truth in TRUTHS),
        scenario_for(family_of("rate"), 2.0, UniformTruth(0.5, 4.0)),
        scenario_for(family_of("rate"), 2.0, GammaTruth(2.0, 1.5)),
    ],
    ids=lambda each: f"{each.family.name} {each.truth}",
)
def test_no_method_of_the_catalogue_is_shorter_than_possible(scenario, alpha):
    _, found = compared(scenario, alpha)
    least = (found.efficiency_guaranteed, found.efficiency_on_average)
    for efficiency in least:
        known = efficiency[~np.isnan(efficiency)]
        assert (known <= 1 + 1e-9).all()
        assert (known > 0).all()
    assert np.isnan(found.efficiency_on_average).all() == scenario.truth.is_discrete
    assert np.isfinite(found.efficiency_guaranteed).any() == (scenario.family.name == "proportion")
    assert np.isfinite(found.least_length_guaranteed).all()


@pytest.mark.parametrize(("n", "above"), [(5, 0.08), (20, 0.06), (100, 0.03)])
def test_blaker_is_as_short_as_methods_without_random_decisions_can_be(n, above):
    """And Clopper-Pearson is not."""
    enumerated, found = compared(proportion(n), 0.05, ["blaker", "clopper_pearson"])
    longer = enumerated.mean.length / found.least_length_deterministic - 1
    assert -1e-12 < longer[0] < 1e-3
    assert longer[1] == pytest.approx(above, abs=0.005)


def test_an_efficiency_is_of_the_bound_of_every_method_at_the_worst_alpha():
    enumerated, found = compared(proportion(20), 0.05, ["blaker"])
    worst = np.array([enumerated.worst_anywhere[0].alpha])
    (bound,) = guaranteed(proportion(20), worst)
    assert found.efficiency_guaranteed[0] == pytest.approx(bound / enumerated.mean.length[0])
    assert found.efficiency_guaranteed[0] == pytest.approx(0.94, abs=0.002)


def test_the_guaranteed_bound_is_continuous_in_the_truth():
    """Under Beta(1.0001, 1) outcomes are not equally likely: one bound is known, and nearly equal.

    At n = 10 and 95 %; without random decisions methods are longer.
    """
    near = proportion(10, BetaTruth(1.0001, 1.0))
    assert guaranteed(proportion(10), ALPHA)[0] == pytest.approx(0.43228, abs=1e-5)
    assert guaranteed(near, ALPHA)[0] == pytest.approx(0.43228, abs=1e-5)
    assert deterministic(proportion(10), ALPHA)[0] == pytest.approx(0.47596, abs=1e-5)
    assert np.isnan(deterministic(near, ALPHA)).all()


def test_the_minimal_length_of_the_truths_own_prior_is_nearly_the_least_on_average():
    _, found = compared(proportion(5), 0.05, ["minimal_length", "wald"])
    assert found.efficiency_on_average[0] == pytest.approx(1, abs=1e-4)
    assert found.efficiency_on_average[1] < 0.6


def test_a_method_that_misses_most_of_the_time_at_worst_has_no_guaranteed_efficiency():
    enumerated, found = compared(proportion(20), 0.05, ["wald", "wilson"])
    assert enumerated.worst_anywhere[0].alpha > 0.5
    assert np.isnan(found.efficiency_guaranteed).tolist() == [True, False]


def test_one_limit_has_no_least_length():
    _, found = compared(proportion(20), 0.05, ["wilson"], "upper")
    assert np.isnan(list(vars(found).values())).all()


def test_beyond_two_thousand_trials_nothing_is_computed():
    assert np.isnan(guaranteed(proportion(2001), ALPHA)).all()
    assert np.isnan(deterministic(proportion(2001), ALPHA)).all()
    assert np.isnan(on_average(proportion(2001), ALPHA)).all()


def test_least_lengths_fall_as_alpha_rises_and_a_guarantee_costs_length():
    alpha = np.linspace(0.001, 0.5, 60)
    for truth in (FLAT, BetaTruth(2.0, 8.0)):
        scenario = proportion(30, truth)
        bounds = guaranteed(scenario, alpha), on_average(scenario, alpha)
        assert all((np.diff(bound) < 0).all() for bound in bounds)
        assert (bounds[0] > bounds[1]).all()


@pytest.mark.parametrize("truth", [UniformTruth(0.0, 1.0), UniformTruth(0.1, 0.3)])
def test_a_least_length_depends_on_no_other_alpha(truth):
    scenario, alpha = (
        scenario_for(family_of("proportion"), 20, truth),
        np.array([0.001, 0.01, 0.05, 0.31]),
    )
    for bound in (least_length.guaranteed, least_length.on_average):
        together = bound(scenario, alpha)
        assert together.tolist() == [bound(scenario, alpha[[i]])[0] for i in range(4)]


def test_sets_that_hold_next_to_nothing_have_next_to_no_length():
    scenario = scenario_for(family_of("proportion"), 20, UniformTruth(0.3, 0.31))
    (least,) = on_average(scenario, np.array([1.0 - 2.0**-52]))
    assert 0 <= least < 1e-9
