"""Solvers: what the exact engines do for a family that leaves something out."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from harness.base.errors import HarnessError
from harness.catalogue import scenario_for
from harness.designs.design import data_of
from harness.designs.engines.monte_carlo import shards, simulate
from harness.designs.engines.solver import solver_of
from harness.designs.engines.verification import TOLERANCE, Published
from harness.designs.limits import Limits
from harness.designs.miss_sets import FROM_ABOVE, FROM_BELOW, miss_probabilities
from harness.designs.one_sample.design import OneSampleSolver
from harness.designs.one_sample.exact import (
    outcome_weights,
)
from harness.distributions.sampling import poisson
from harness.distributions.truths import DiscreteTruth, GammaTruth, PairTruth, UniformTruth
from harness.families import proportion
from harness.families.catalogue import FAMILIES, PROPORTION, family_of
from harness.families.combination import ODDS_RATIO, RATIO, Combination, weighted_sum
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.families.samples import family_of_one_sample, family_of_samples
from harness.methods.catalogue import CATALOGUE
from tests.engines.verification.test_one_sample import compared

TRUTH = PairTruth(DiscreteTruth((0.2, 0.5)), DiscreteTruth((0.25, 0.5)))


@pytest.fixture
def ratio(monkeypatch):
    family = family_of_samples("ratio", "a ratio of two proportions", "p1/p2", PROPORTION, RATIO)
    monkeypatch.setitem(FAMILIES, "ratio", family)
    return family


def test_a_family_without_closed_posterior_has_no_posterior_engine(ratio):
    assert ratio.engines == (MONTE_CARLO, ENUMERATION)
    with pytest.raises(HarnessError, match="ratio has no closed posterior"):
        ratio.posterior((np.ones(1), np.ones(1), np.ones(1), np.ones(1)), (1.0, 1.0))


def test_a_ratio_is_enumerated_at_listed_truths(ratio):
    scenario = scenario_for(ratio, (3, 2), TRUTH)
    solver = solver_of(scenario)
    outcomes = solver.possible_outcomes()
    x, _ = scenario.counts(outcomes)
    upper = np.full((1, outcomes.size), np.inf)
    limits = Limits.of(scenario, outcomes, (x / 3)[np.newaxis], upper)
    found = solver.enumerate(limits)
    assert solver.outcomes_to_verify(None).size == solver.outcomes_to_verify((1.0, 1.0)).size == 0
    compared = solver.verify(limits, Published(found, None, (1.0, 1.0)))
    assert {each.of for each in compared} >= {"means", "truths", "outcomes", "weights"}
    assert max(each.discrepancy.max() for each in compared) <= TOLERANCE
    for number, (p1, p2) in enumerate(zip(*TRUTH.values, strict=True)):
        below = sum(
            proportion.SAMPLING.pmf(count, p1, 3) for count in range(4) if count / 3 > p1 / p2
        )
        assert found.by_truth.below[0, number] == pytest.approx(float(below), abs=1e-15)
    np.testing.assert_allclose(found.mean.infinite, 1.0, rtol=1e-14)
    np.testing.assert_array_equal(found.mean.length, 0.0)


def test_the_worst_case_of_a_ratio_is_as_bad_as_the_worst_of_a_grid(ratio):
    whole = DiscreteTruth((0.02, 0.98))
    scenario = scenario_for(ratio, (6, 5), PairTruth(whole, whole))
    solver = solver_of(scenario)
    outcomes = solver.range_outcomes(solver.hull())
    x, y = scenario.counts(outcomes)
    lower, upper = x / 9 / ((y + 2) / 7), (x + 1) / 6 / (y / 8 + 1e-3)
    limits = Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])
    (found,) = solver.worst_cases(limits, solver.hull())

    def chance(p1, p2):
        return proportion.SAMPLING.pmf(x, p1, 6) * proportion.SAMPLING.pmf(y, p2, 5)

    axis = np.linspace(0.02, 0.98, 97)[:, np.newaxis]
    p1, p2 = axis[:, np.newaxis], axis[np.newaxis]
    theta = p1 / p2
    missed = (chance(p1, p2) * ((theta < lower) | (theta > upper))).sum(axis=-1)
    assert missed.max() > 0.1
    assert found.alpha >= missed.max()
    theta, slack = found.truths[0] / found.truths[1], 1e-9
    near = (theta * (1 - slack) < lower) | (theta * (1 + slack) > upper)
    assert found.alpha <= (chance(*found.truths) * near).sum() + 1e-9


def test_a_family_of_three_samples_has_no_solver():
    family = family_of_samples(
        "three", "three", "p", PROPORTION, Combination((1.0, 1.0, 1.0), sum), design="three"
    )
    design = SimpleNamespace(lists=None, exact=None)
    scenario = SimpleNamespace(family=family, design=design, solver=None)
    with pytest.raises(HarnessError, match="the family three has no exact engines"):
        solver_of(scenario)


def test_a_family_without_outcome_probabilities_has_no_solver():
    sampling = SimpleNamespace(draw=proportion.SAMPLING.draw)
    model = SimpleNamespace(**{**vars(proportion), "SAMPLING": sampling})
    family = family_of_one_sample("mean", "a mean", "mean", model)
    assert family.engines == (MONTE_CARLO, POSTERIOR)
    with pytest.raises(HarnessError, match="the family mean has no exact engines"):
        solver_of(scenario_for(family, 5, DiscreteTruth((0.5,))))


# The engines for one Poisson rate, against plain sums over outcomes and against each other.


METHODS = ("garwood", "wald", "minimal_length", "blaker")
TRUTHS = [
    (UniformTruth(0.0, 20.0), 1.0),
    (UniformTruth(3.0, 5.0), 10.0),
    (GammaTruth(2.0, 0.3), 2.0),
    (GammaTruth(0.5, 0.2), 1.0),
    (UniformTruth(0.0, 458.0), 1.0),
]
# Sums of a few hundred probabilities, each good to some 1e-15.
SUMMED = 1e-12


def table(scenario, names=METHODS, outcomes=None):
    """Limits at every outcome that the scenario and its checks can bring."""
    if outcomes is None:
        first, last = poisson.window(*scenario.truth.effective_support, scenario.size)
        parts = [
            solver_of(scenario).possible_outcomes(),
            solver_of(scenario).outcomes_to_verify(None),
        ]
        outcomes = np.unique(np.concatenate([*parts, np.arange(first, last + 1)]))
    rows = [CATALOGUE["rate"][name].limits(data_of(scenario, outcomes), 0.05) for name in names]
    lower, upper = (np.array(side) for side in zip(*rows, strict=True))
    return Limits(outcomes, lower, upper)


def missed(limits, row, rate, exposure):
    """Pr(rate < L(X)) and Pr(rate > U(X)) as SciPy's Poisson probabilities add up."""
    chance = stats.poisson(rate * exposure).pmf(limits.outcomes)
    below, above = rate < limits.lower[row], rate > limits.upper[row]
    return float(chance[below].sum()), float(chance[above].sum())


@pytest.mark.parametrize("exposure", [0.01, 1.0, 50.0])
def test_miss_probabilities_are_sums_over_the_outcomes_that_miss(exposure):
    values = tuple(np.array([0.0, 0.3, 2.0, 7.5, 40.0]) / exposure)
    scenario = scenario_for(family_of("rate"), exposure, DiscreteTruth(values))
    limits = table(scenario)
    found = OneSampleSolver(scenario).enumerate(limits).by_truth
    for row in range(len(METHODS)):
        for place, rate in enumerate(values):
            expected = missed(limits, row, rate, exposure)
            assert (found.below[row, place], found.above[row, place]) == pytest.approx(
                expected, rel=0, abs=SUMMED
            )


@pytest.mark.parametrize("seed", range(6))
def test_the_worst_case_is_no_less_than_anywhere_and_reached_where_it_says(seed):
    """Made-up limits that rise and fall, so that what covers is not a run of outcomes."""
    rng = np.random.default_rng(seed)
    scenario = scenario_for(family_of("rate"), 2.0, UniformTruth(0.0, 4.0))
    shape = table(scenario, names=("garwood",))
    jolt = rng.uniform(0.7, 1.3, (2, shape.outcomes.size))
    limits = Limits(shape.outcomes, shape.lower * jolt[0], shape.upper * jolt[1])
    worst = OneSampleSolver(scenario).enumerate(limits).worst[0]
    ends = np.unique(np.clip(np.concatenate((limits.lower[0], limits.upper[0], [0, 4])), 0, 4))
    dense = np.unique(np.concatenate((np.linspace(0, 4, 4001), ends)))
    first = int(limits.outcomes[0])
    most = max(
        float(
            sum(
                miss_probabilities(
                    2.0, first, limits.lower[0], limits.upper[0], truths, side, poisson
                )
            ).max()
        )
        for truths, side in ((dense[1:], FROM_BELOW), (dense[:-1], FROM_ABOVE))
    )
    assert worst.alpha >= most - SUMMED
    # The grid's step leaves out less than this of a maximum inside a gap.
    assert worst.alpha <= most + 1e-4
    assert sum(missed(limits, 0, worst.witness[0], 2.0)) == pytest.approx(worst.alpha, abs=1e-9)


def test_garwood_never_misses_more_often_than_nominal_over_the_truths_own_range():
    scenario = scenario_for(family_of("rate"), 1.0, UniformTruth(0.0, 458.0))
    found = OneSampleSolver(scenario).enumerate(table(scenario, names=("garwood", "blaker")))
    assert [case.alpha <= 0.05 + 1e-9 for case in found.worst] == [True, True]
    assert found.worst_anywhere == (None, None)


@pytest.mark.parametrize(("truth", "exposure"), TRUTHS, ids=str)
def test_posterior_and_enumeration_meet(truth, exposure):
    scenario = scenario_for(family_of("rate"), exposure, truth)
    found = compared(scenario, table(scenario), (0.5, 0.2))
    assert {"means", "outcomes", "weights"} <= set(found)
    assert max(found.values()) <= 5e-2 * TOLERANCE


@pytest.mark.parametrize("prior", [(1.0, 0.0), (0.5, 0.0), (2.0, 3.0)])
def test_any_reference_prior_is_held_against_integrals(prior):
    scenario = scenario_for(family_of("rate"), 10.0, UniformTruth(3.0, 5.0))
    assert compared(scenario, table(scenario), prior)["outcomes"] <= 1e-2 * TOLERANCE


def test_an_error_of_one_in_a_billion_is_seen(monkeypatch):
    scenario = scenario_for(family_of("rate"), 1.0, UniformTruth(0.0, 20.0))
    limits = table(scenario)
    for broken in ("pmf", "ratio"):
        right = getattr(poisson, broken)
        with monkeypatch.context() as patch:
            wrong = lambda *args, right=right: right(*args) * (1 + 1e-9)  # noqa: E731
            patch.setattr(poisson, broken, wrong)
            assert max(compared(scenario, limits, (1.0, 0.0)).values()) > 10 * TOLERANCE


@pytest.mark.parametrize(("truth", "exposure"), TRUTHS, ids=str)
def test_outcome_probabilities_are_those_of_the_mixture(truth, exposure):
    scenario = scenario_for(family_of("rate"), exposure, truth)
    x = np.array([0, 1, 7, 40, 60])
    if isinstance(truth, GammaTruth):
        expected = stats.nbinom(truth.s, truth.t / (truth.t + exposure)).pmf(x)
    else:
        low, high = truth.support
        after = stats.gamma(x + 1.0, scale=1 / exposure)
        # The smaller tails, as the difference of two near 1 has no digits.
        mass = np.minimum(after.cdf(high) - after.cdf(low), after.sf(low) - after.sf(high))
        expected = mass / (exposure * (high - low))
    np.testing.assert_allclose(outcome_weights(scenario, x), expected, rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize(("truth", "exposure"), TRUTHS, ids=str)
def test_draws_agree_with_the_exact_means(truth, exposure):
    """False alarm below 1e-5 for each of eight fractions: 4.6 standard errors, and a fixed seed."""
    scenario = scenario_for(family_of("rate"), exposure, truth)
    limits = table(scenario)
    trials = 1 << 17
    counted = simulate(shards(scenario, trials, 2003, None)[0], limits).by_outcome
    exact = OneSampleSolver(scenario).enumerate(limits).mean
    for drawn, known in ((counted.below, exact.below), (counted.above, exact.above)):
        fraction = drawn.sum(axis=1) / trials
        error = np.sqrt(known * (1 - known) / trials)
        assert (np.abs(fraction - known) <= 4.6 * error + 1e-12).all()


@pytest.mark.parametrize("combination", [weighted_sum(1.0, -1.0), RATIO, ODDS_RATIO])
def test_the_truth_of_a_sample_follows_from_the_parameter_and_the_other_truth(combination):
    truths = np.array([0.1, 0.3]), np.array([0.7, 0.2])
    scaled = combination.scale.of(combination.parameter_at(truths))
    for sample in (0, 1):
        found = combination.on_other(sample, scaled, truths[1 - sample])
        np.testing.assert_allclose(found, truths[sample], rtol=1e-12)
