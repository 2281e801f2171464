"""The worst case under a law: exact, or else the largest one that a search finds."""

from dataclasses import replace

import numpy as np
import pytest

from harness.catalogue import scenario_for
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.one_sample.design import OneSampleSolver
from harness.designs.one_sample.law_worst_case import FOUND_BY
from harness.distributions.sampling.laws.clusters import Clusters
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.sampling.laws.mixtures import BetaBinomial, GammaPoisson
from harness.distributions.truths import DiscreteTruth
from harness.families.catalogue import family_of
from tests.engines.exact.test_law import limits_at

HULL = DiscreteTruth((0.1, 0.9))


def unordered(scenario, n, seed):
    """Limits that rise and fall with the outcome, at 0 … n."""
    rng = np.random.default_rng(seed)
    middle = np.clip(np.arange(n + 1) / n + rng.normal(0.0, 0.1, (3, n + 1)), 0.0, 1.0)
    half = rng.uniform(0.02, 0.3, (3, n + 1))
    ends = np.clip(middle - half, 0.0, 1.0), np.clip(middle + half, 0.0, 1.0)
    return Limits.of(scenario, np.arange(n + 1), *ends)


def missed_at(scenario, limits, truths):
    """The miss probability of each column at truths, shape (k, t)."""
    chance = scenario.law.probabilities(truths, scenario.size, 0, int(limits.outcomes[-1]))
    theta = truths[:, np.newaxis]
    return np.array(
        [
            np.where((theta < lower) | (theta > upper), chance, 0.0).sum(axis=1)
            for lower, upper in zip(limits.lower, limits.upper, strict=True)
        ]
    )


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("population", [40, 997])
def test_of_a_finite_population_it_is_the_largest_of_all_proportions(population, seed):
    truth = DiscreteTruth((round(0.1 * population) / population, 36 / 40))
    if population != 40:
        truth = DiscreteTruth((100 / 997, 900 / 997))
    scenario = scenario_for(family_of("proportion"), 20, truth, law=Hypergeometric(population))
    outcomes = np.arange(21)
    limits = limits_at(scenario, outcomes) if seed is None else unordered(scenario, 20, seed)
    found = solver_of(scenario).enumerate(limits)
    everywhere = np.arange(population + 1) / population
    inside = everywhere[(everywhere >= truth.values[0]) & (everywhere <= truth.values[-1])]
    for cases, truths in ((found.worst, inside), (found.worst_anywhere, everywhere)):
        missed = missed_at(scenario, limits, truths)
        for row, case in enumerate(cases):
            assert case.found_by is None
            assert case.side == "at"
            assert case.alpha == pytest.approx(missed[row].max(), rel=1e-12)
            at = missed_at(scenario, limits, np.array(case.truths))[row, 0]
            assert at == pytest.approx(case.alpha, rel=1e-12)


def test_of_a_population_with_too_many_proportions_it_is_searched_on_the_lattice():
    scenario = scenario_for(family_of("proportion"), 20, HULL, law=Hypergeometric(10**12))
    limits = unordered(scenario, 20, 5)
    own = OneSampleSolver(replace(scenario, law=None)).enumerate(limits)
    found = solver_of(scenario).enumerate(limits)
    assert found.worst_anywhere == (None,) * len(limits.lower)
    for case, exact in zip(found.worst, own.worst, strict=True):
        assert case.found_by == FOUND_BY
        assert case.alpha == pytest.approx(exact.alpha, rel=1e-6)
        assert round(case.truths[0] * 10**12) / 10**12 == case.truths[0]


LAWS = {
    "beta_binomial": (BetaBinomial(0.1), 20),
    "all but binomial": (BetaBinomial(1e-6), 40),
    "one in two": (BetaBinomial(0.7), 15),
    "clusters": (Clusters(10, 0.3), 30),
}


@pytest.mark.parametrize("seed", [None, 3, 4])
@pytest.mark.parametrize("name", LAWS)
def test_the_search_is_nowhere_below_a_fine_grid(name, seed):
    law, n = LAWS[name]
    scenario = scenario_for(family_of("proportion"), n, HULL, law=law)
    outcomes = np.arange(n + 1)
    limits = limits_at(scenario, outcomes) if seed is None else unordered(scenario, n, seed)
    fine = missed_at(scenario, limits, np.linspace(0.1, 0.9, 2001))
    for row, case in enumerate(solver_of(scenario).enumerate(limits).worst):
        assert (case.found_by is None) == (seed is None and law.is_unimodal)
        assert case.alpha >= fine[row].max() * (1.0 - (1e-12 if case.found_by is None else 1e-9))
        met = missed_at(scenario, limits, np.array(case.witness))[row, 0]
        assert met == pytest.approx(case.alpha, rel=1e-6)


def test_the_search_finds_the_exact_worst_case_where_the_law_is_all_but_binomial():
    scenario = scenario_for(family_of("proportion"), 60, HULL, law=BetaBinomial(1e-14))
    limits = limits_at(scenario, np.arange(61))
    own = OneSampleSolver(replace(scenario, law=None)).enumerate(limits)
    for case, exact in zip(solver_of(scenario).enumerate(limits).worst, own.worst, strict=True):
        # A correlation of 1e-14 of 60 trials changes a probability by about 1e-12 of it.
        assert case.alpha == pytest.approx(exact.alpha, rel=1e-11)
        mirrored = 1.0 - exact.truths[0]
        assert min(abs(case.truths[0] - each) for each in (*exact.truths, mirrored)) < 1e-9


def test_of_a_rate_it_is_searched_between_the_smallest_and_the_largest():
    truth = DiscreteTruth((0.5, 3.0))
    scenario = scenario_for(family_of("rate"), 5.0, truth, law=GammaPoisson(2.0))
    _, last = scenario.sampling.window(0.5, 3.0, 5.0)
    limits = limits_at(scenario, np.arange(last + 1))
    fine = missed_at(scenario, limits, np.linspace(0.5, 3.0, 3001))
    for row, case in enumerate(solver_of(scenario).enumerate(limits).worst):
        assert case.alpha >= fine[row].max() * (1.0 - 1e-9)


def test_of_a_single_truth_it_is_its_own_miss_probability():
    scenario = scenario_for(
        family_of("proportion"), 20, DiscreteTruth((0.3,)), law=Clusters(10, 0.1)
    )
    limits = limits_at(scenario, np.arange(21))
    found = solver_of(scenario).enumerate(limits)
    missed = found.by_truth.below[:, 0] + found.by_truth.above[:, 0]
    assert [case.alpha for case in found.worst] == pytest.approx(missed.tolist(), rel=1e-13)
    assert {case.found_by for case in found.worst} == {None}


def test_it_is_not_known_where_outcomes_have_no_limits():
    scenario = scenario_for(
        family_of("proportion"), 20, DiscreteTruth((0.0, 1.0)), law=Clusters(10, 0.1)
    )
    limits = limits_at(scenario, np.array([0, 20]))
    assert solver_of(scenario).worst_cases(limits, [(0.0, 1.0)]) == (None,) * len(limits.lower)
