"""The identity for two samples, which an error in either engine breaks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from harness.engines import posterior
from harness.engines.identity import two_samples as pair_identity
from harness.engines.identity.one_sample import TOLERANCE
from harness.engines.identity.two_samples import (
    evaluate_identity,
    outcomes_to_check,
    scenarios_to_check,
    weight_discrepancy,
)
from harness.families.catalogue import family_of
from harness.sampling import binomial
from harness.scenario import Limits, PairScenario, data_of
from harness.truths import BetaTruth, DiscreteTruth, GammaTruth, PairTruth, UniformTruth

FLAT = UniformTruth(0.0, 1.0)
DIFFERENCE, ACCURACY, RATES = "proportion_difference", "balanced_accuracy", "rate_difference"
CASES = [
    (DIFFERENCE, (1, 1), FLAT, FLAT),
    (DIFFERENCE, (12, 13), FLAT, FLAT),
    (ACCURACY, (12, 5), FLAT, UniformTruth(0.2, 0.7)),
    (DIFFERENCE, (10, 10), BetaTruth(2.0, 8.0), BetaTruth(2.0, 8.0)),
    (ACCURACY, (10, 10), BetaTruth(2.0, 8.0), BetaTruth(3.0, 1.0)),
    (DIFFERENCE, (100, 100), FLAT, FLAT),
    (ACCURACY, (50, 10**4), UniformTruth(0.5, 1.0), FLAT),
    (DIFFERENCE, (10**6, 10**5), BetaTruth(200.0, 300.0), BetaTruth(200.0, 300.0)),
    (DIFFERENCE, (10**6, 10**6), FLAT, FLAT),
    (RATES, (50.0, 2.0), GammaTruth(2.0, 3.0), GammaTruth(2.0, 3.0)),
    (RATES, (0.5, 2.0), GammaTruth(2.0, 3.0), GammaTruth(9.5, 3.0)),
    (RATES, (1.0, 2.0), UniformTruth(0.0, 10.0), UniformTruth(0.0, 10.0)),
]


def scenario_of(family, sizes, first, second):
    return PairScenario(family, sizes, PairTruth(first, second))


def limits_at(scenario, outcomes):
    """Limits about the estimate, too narrow above for the second column."""
    x1, n1, x2, n2 = data_of(scenario, outcomes)
    (p, q), weights = ((x1 + 1) / (n1 + 2), (x2 + 1) / (n2 + 2)), family_of(scenario.family).weights
    if scenario.family == RATES:
        (p, q), spread = (x1 / n1, x2 / n2), np.sqrt((x1 + 1) / n1**2 + (x2 + 1) / n2**2)
    else:
        spread = np.sqrt(p * (1 - p) / n1 + q * (1 - q) / n2)
    centre, spread = weights[0] * p + weights[1] * q, spread * abs(weights[0])
    lower = np.array([centre - 1.9 * spread, centre - 1.5 * spread])
    return Limits(outcomes, lower, np.array([centre + 1.9 * spread, centre + 0.4 * spread]))


def checked(scenario):
    (single,) = scenarios_to_check(scenario)
    return evaluate_identity(single, limits_at(single, outcomes_to_check(single)))


@pytest.mark.parametrize(("family", "sizes", "first", "second"), CASES, ids=str)
def test_both_sides_meet_far_within_the_tolerance(family, sizes, first, second):
    found = checked(scenario_of(family, sizes, first, second))
    assert found.discrepancy().shape == (2,)
    assert found.discrepancy().max() <= 1e-2 * TOLERANCE
    assert found.over_truths.above[1] > 1e-3


def test_both_sides_equal_a_sum_over_outcomes_and_a_fine_grid():
    """P(p1 − p2 < θ) for two Beta posteriors, by the midpoint rule in the first one's quantiles."""
    scenario = scenario_of(DIFFERENCE, (3, 2), FLAT, FLAT)
    limits = limits_at(scenario, outcomes_to_check(scenario))
    found = evaluate_identity(scenario, limits)
    share = (np.arange(20000) + 0.5) / 20000
    below = above = 0.0
    for place, outcome in enumerate(limits.outcomes):
        x, y = divmod(int(outcome), 3)
        first, second = stats.beta(x + 1, 4 - x).ppf(share), stats.beta(y + 1, 3 - y)
        below += second.sf(first - limits.lower[1, place]).mean() / 12
        above += second.cdf(first - limits.upper[1, place]).mean() / 12
    for side in (found.over_truths, found.over_outcomes):
        assert side.below[1] == pytest.approx(below, abs=1e-6)
        assert side.above[1] == pytest.approx(above, abs=1e-6)
        assert side.length[1] == pytest.approx(limits.length[1].mean(), abs=1e-12)


def test_lists_and_singular_densities_are_checked_under_flat_ones_and_others_under_their_own():
    listed = DiscreteTruth((0.1, 0.2))
    (found,) = scenarios_to_check(scenario_of(DIFFERENCE, (5, 5), listed, listed))
    assert found.truth == PairTruth(FLAT, FLAT)
    (found,) = scenarios_to_check(scenario_of(DIFFERENCE, (5, 5), BetaTruth(0.5, 2.0), FLAT))
    assert found.truth == PairTruth(FLAT, FLAT)
    listed = DiscreteTruth((0.5, 7.0))
    (found,) = scenarios_to_check(scenario_of(RATES, (2.0, 5.0), listed, GammaTruth(0.3, 1.0)))
    assert found.truth.first == UniformTruth(0.0, 7.0)
    assert found.truth.second.support == (0.0, GammaTruth(0.3, 1.0).effective_support[1])
    for case in CASES:
        assert scenarios_to_check(scenario_of(*case)) == [scenario_of(*case)]


@pytest.mark.parametrize(("family", "sizes", "first", "second"), CASES, ids=str)
def test_few_outcomes_are_checked_whatever_the_sizes(family, sizes, first, second):
    scenario = scenario_of(family, sizes, first, second)
    outcomes = outcomes_to_check(scenario)
    assert 0 < outcomes.size <= 200
    assert (np.diff(outcomes) > 0).all()
    for counts, size in zip(scenario.counts(outcomes), sizes, strict=True):
        assert counts.min() >= 0
        assert counts.max() <= scenario.model.SAMPLING.largest_outcome(size)


@pytest.mark.parametrize("error", [-1e-6, 1e-6])
@pytest.mark.parametrize("case", [CASES[1], CASES[5]], ids=str)
@pytest.mark.parametrize("broken", ["pmf", "posterior", "comparison"])
def test_an_error_of_one_in_a_million_on_either_side_is_seen(monkeypatch, broken, case, error):
    if broken == "pmf":
        pmf = binomial.pmf
        monkeypatch.setattr(binomial, "pmf", lambda *args: pmf(*args) * (1 + error))
    elif broken == "posterior":
        posterior = type(posterior_of(case))
        cdf = posterior.cdf
        monkeypatch.setattr(posterior, "cdf", lambda *args: cdf(*args) * (1 + error))
    else:
        missed = pair_identity.split_missed
        monkeypatch.setattr(
            pair_identity,
            "split_missed",
            lambda parameter, chance, lower, upper: missed(parameter, chance, lower + error, upper),
        )
    assert checked(scenario_of(*case)).discrepancy().max() > 10 * TOLERANCE


def posterior_of(case):
    """A posterior of the parameter, of the kind that the engine has."""
    scenario = scenario_of(*case)
    data = data_of(scenario, outcomes_to_check(scenario))
    return family_of(scenario.family).posterior(data, (1.0, 1.0))


def test_a_parameter_that_is_taken_for_missed_where_it_is_covered_is_seen(monkeypatch):
    def swapped(parameter, chance, lower, upper):
        return np.where(parameter > upper, chance, 0.0), np.where(parameter < lower, chance, 0.0)

    monkeypatch.setattr(pair_identity, "split_missed", swapped)
    assert checked(scenario_of(*CASES[1])).discrepancy().max() > 0.1


def test_the_posterior_under_the_flat_prior_is_checked_where_the_truths_are_a_beta(monkeypatch):
    """Equal Beta truths are integrated under their own prior, all others under the truth."""
    seen = []
    for name in ("integrate_under_prior", "integrate_under_truth"):
        right = getattr(posterior, name)
        monkeypatch.setattr(
            posterior, name, lambda *args, name=name, right=right: seen.append(name) or right(*args)
        )
    checked(scenario_of(*CASES[3]))
    checked(scenario_of(*CASES[4]))
    assert seen == ["integrate_under_prior", "integrate_under_truth"]


@pytest.mark.parametrize(("family", "sizes", "first", "second"), CASES, ids=str)
def test_weights_sum_to_one_and_have_the_mean_of_the_truths(family, sizes, first, second):
    assert weight_discrepancy(scenario_of(family, sizes, first, second)) < 1e-1 * TOLERANCE


def test_millions_of_counts_are_not_summed():
    assert weight_discrepancy(scenario_of(DIFFERENCE, (10**9, 10**9), FLAT, FLAT)) == 0.0


def test_limits_without_an_end_leave_the_rest_to_be_compared():
    scenario = scenario_of(RATES, (50.0, 2.0), GammaTruth(2.0, 3.0), GammaTruth(2.0, 3.0))
    limits = limits_at(scenario, outcomes_to_check(scenario))
    open_above = Limits(limits.outcomes, limits.lower, np.full_like(limits.upper, np.inf))
    found = evaluate_identity(scenario, open_above)
    assert found.discrepancy().max() <= 1e-2 * TOLERANCE
    assert (found.over_truths.above == 0).all()
