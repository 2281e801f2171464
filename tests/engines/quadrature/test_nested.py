"""Integrals over one sample after the other are those along lines, and those of posteriors."""

import numpy as np
import pytest

from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.posterior import integrate_under_truth
from harness.designs.two_samples.nested import integrate_block
from harness.designs.two_samples.quadrature import block_outcomes, blocks, integrate_pairs
from harness.distributions.truths import BetaTruth, GammaTruth, PairTruth, UniformTruth
from harness.families.catalogue import FAMILIES

PROPORTIONS = PairTruth(UniformTruth(0.1, 0.9), BetaTruth(2.0, 3.0))
RATES = PairTruth(GammaTruth(2.0, 1.0), UniformTruth(0.0, 4.0))
SUMS = [
    Scenario("proportion_difference", (6, 7), PROPORTIONS),
    Scenario("balanced_accuracy", (40, 30), PROPORTIONS),
    Scenario("rate_difference", (3.0, 4.0), RATES),
]
RATIOS = [
    Scenario(family, (12, 50), RATES if family == "rate_ratio" else PROPORTIONS)
    for family in FAMILIES
    if FAMILIES[family].is_ratio and FAMILIES[family].samples == 2
]


def limits_of(scenario, outcomes):
    """Limits about the middle of the parameter's range, of a ratio with both infinite ends."""
    rng = np.random.default_rng(7)
    middle = FAMILIES[scenario.family].parameter_at([np.array([0.5]), np.array([0.4])])
    below, above = rng.random((2, outcomes.size)) * 0.3
    lower, upper = middle - below, middle + above
    if FAMILIES[scenario.family].is_ratio:
        lower[0], upper[-1] = 0.0, np.inf
    return Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])


@pytest.mark.parametrize("scenario", SUMS, ids=lambda each: each.family)
def test_a_sum_has_the_integrals_along_its_lines(scenario):
    for block in blocks(scenario):
        limits = limits_of(scenario, block_outcomes(scenario, block))
        nested, lines = (
            integrate_block(scenario, block, limits),
            integrate_pairs(scenario, block, limits),
        )
        np.testing.assert_allclose(nested.below, lines.below, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(nested.above, lines.above, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(nested.weight, lines.weight, rtol=1e-12)


@pytest.mark.parametrize("scenario", RATIOS, ids=lambda each: each.family)
def test_a_ratio_has_the_tails_of_its_posterior(scenario):
    for block in blocks(scenario):
        limits = limits_of(scenario, block_outcomes(scenario, block))
        nested, tails = (
            integrate_block(scenario, block, limits),
            integrate_under_truth(scenario, limits),
        )
        np.testing.assert_allclose(nested.below, tails.below, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nested.above, tails.above, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nested.weight, tails.weight, rtol=1e-12)
