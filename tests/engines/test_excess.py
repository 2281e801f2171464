"""The mean excess of one-sided limits, against closed forms, quadrature and Monte Carlo."""

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from harness.base.errors import HarnessError
from harness.callers.source import CatalogueSource
from harness.catalogue import scenario_for
from harness.designs import excess
from harness.designs.design import Scenario, observed_at
from harness.designs.engines.solver import solver_of
from harness.designs.excess import excess_beyond, mean_excess
from harness.designs.limits import Limits
from harness.distributions.paired_truths import ConfusionTruth, DirichletTruth, TableTruth
from harness.distributions.sampling.laws.mixtures import BetaBinomial
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
)
from harness.families.catalogue import FAMILIES
from harness.methods.catalogue import find

SUMMED = 1e-12
"""Means are sums of a few hundred terms of order one."""
QUAD = 1e-9
"""What is asked of scipy.integrate.quad."""
DEVIATIONS = 4.5
"""Standard errors of a Monte Carlo mean: a false alarm in 1.5e5 comparisons."""
TRIALS = 20_000
MOST = 15
"""More events than these have a probability below 1e-13 in the tests."""
UNIFORM = UniformTruth(0.0, 1.0)

DRAWN = [
    ("proportion_difference", (8, 11), PairTruth(BetaTruth(8.0, 2.0), UNIFORM), "wald"),
    ("balanced_accuracy", (8, 11), PairTruth(BetaTruth(0.5, 0.5), UNIFORM), "wald"),
    ("risk_ratio", (8, 11), PairTruth(UNIFORM, BetaTruth(6.0, 3.0)), "katz"),
    ("odds_ratio", (8, 11), PairTruth(UNIFORM, BetaTruth(6.0, 3.0)), "mover_wilson"),
    (
        "rate_difference",
        (2.0, 3.0),
        PairTruth(GammaTruth(2.0, 1.0), UniformTruth(1.0, 3.0)),
        "wald",
    ),
    ("rate_ratio", (2.0, 3.0), PairTruth(GammaTruth(2.0, 1.0), UniformTruth(1.0, 3.0)), "wald_log"),
    ("paired_difference", 9, DirichletTruth((8.0, 1.0, 1.5, 3.0)), "wald"),
    ("paired_ratio", 9, DirichletTruth((8.0, 1.0, 1.5, 3.0)), "scas"),
    ("precision", 9, DirichletTruth((8.0, 1.0, 1.5, 3.0)), "wilson"),
    ("f_score", 9, DirichletTruth((8.0, 1.0, 1.5, 3.0)), "wilson"),
    ("informedness", 9, DirichletTruth((8.0, 1.0, 1.5, 3.0)), "mover_wilson"),
]


def _of_four(x: int, p: float) -> Any:
    return stats.binom.pmf(x, 4, p)


def limits_of(scenario: Scenario, method: str, side: str) -> Limits:
    """Return the limits of a method of the catalogue at all outcomes that can occur."""
    outcomes = solver_of(scenario).possible_outcomes()
    source = CatalogueSource(method, find(scenario.family, method), None)
    answers = source.limits(observed_at(scenario, outcomes), 0.05, side, None)
    return Limits.of(scenario, outcomes, answers.lower[np.newaxis], answers.upper[np.newaxis])


def table(scenario: Scenario, *bounds: Any) -> Limits:
    """Return limits whose lower and upper ones are the same."""
    rows = np.array(bounds, np.float64)
    return Limits.of(scenario, np.arange(rows.shape[1]), rows, rows)


def test_the_excess_of_one_trial_is_that_by_hand() -> None:
    # ∫₀ᵃ (1 − p)(a − p) dp = a²/2 − a³/6 after a failure, ∫₀¹ p(1 − p) dp = 1/6 after a success.
    scenario, a = scenario_for(FAMILIES["proportion"], 1, UNIFORM), 0.7
    (found,) = mean_excess(scenario, table(scenario, [a, 1.0]), "upper")
    assert found == pytest.approx(a**2 / 2 - a**3 / 6 + 1 / 6, abs=SUMMED)


@pytest.mark.parametrize(
    ("family", "size", "truth", "density", "pmf"),
    [
        ("proportion", 4, BetaTruth(1.5, 2.0), stats.beta(1.5, 2.0), _of_four),
        ("proportion", 4, UniformTruth(0.85, 0.99), stats.uniform(0.85, 0.14), _of_four),
        ("rate", 1.0, GammaTruth(2.0, 9.0), stats.gamma(2.0, scale=1 / 9), stats.poisson.pmf),
        ("rate", 1.0, UniformTruth(0.2, 0.5), stats.uniform(0.2, 0.3), stats.poisson.pmf),
    ],
)
def test_the_excess_of_one_sample_is_the_integral_over_truths(
    family: str, size: float, truth: Any, density: Any, pmf: Any
) -> None:
    scenario = scenario_for(FAMILIES[family], size, truth)
    outcomes = solver_of(scenario).possible_outcomes()
    bounds = (outcomes + 0.3) / (outcomes[-1] + 2.0) if family == "proportion" else 0.2 * outcomes
    limits = Limits(outcomes, bounds[np.newaxis], bounds[np.newaxis])
    low, high = (float(end) for end in density.ppf([0.0, 1.0 - 1e-13]))
    for side, sign in (("upper", 1.0), ("lower", -1.0)):
        total = 0.0
        for x, bound in zip(outcomes[:MOST].tolist(), bounds[:MOST].tolist(), strict=True):

            def integrand(p: float, x: int = x, bound: float = bound, sign: float = sign) -> Any:
                return pmf(x, p) * density.pdf(p) * sign * (bound - p)

            inside = min(max(bound, low), high)
            span = (low, inside) if side == "upper" else (inside, high)
            total += integrate.quad(integrand, *span, epsabs=0.0, epsrel=QUAD)[0]
        assert mean_excess(scenario, limits, side)[0] == pytest.approx(total, rel=10 * QUAD)


@pytest.mark.parametrize(("family", "size", "truth", "method"), DRAWN)
def test_the_excess_under_a_distribution_is_that_of_trials(
    family: str, size: Any, truth: Any, method: str
) -> None:
    uses_both = find(FAMILIES[family], method).uses_both
    scenario = scenario_for(FAMILIES[family], size, truth, with_both=uses_both)
    rng = np.random.default_rng(7)
    truths = scenario.draw_truths(TRIALS, rng)
    parameter = scenario.family.parameter_at(truths)
    outcomes = scenario.draw_outcomes(truths, rng)
    for side in ("upper", "lower"):
        limits = limits_of(scenario, method, side)
        bounds = limits.upper if side == "upper" else limits.lower
        drawn = bounds[0, limits.positions(outcomes)]
        excesses = excess_beyond(scenario.family, drawn, parameter, side)
        error = excesses.std() / TRIALS**0.5
        (found,) = mean_excess(scenario, limits, side)
        assert abs(found - excesses.mean()) < DEVIATIONS * error


def test_more_nodes_change_the_excess_by_less_than_its_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Shapes far from those of a uniform distribution make the quantile functions steepest.
    truth = DirichletTruth((8.0, 1.0, 1.5, 3.0))
    scenario = scenario_for(FAMILIES["informedness"], 8, truth)
    limits = limits_of(scenario, "mover_wilson", "upper")
    found = mean_excess(scenario, limits, "upper")
    monkeypatch.setattr(excess, "NODES_OF_THREE", 23)
    assert mean_excess(scenario, limits, "upper") == pytest.approx(found, rel=1e-4)


@pytest.mark.parametrize(
    ("family", "size", "truth"),
    [
        ("proportion", 6, DiscreteTruth((0.0, 0.2, 0.7))),
        ("risk_ratio", (3, 4), PairTruth(DiscreteTruth((0.1, 0.6)), DiscreteTruth((0.3,)))),
        ("paired_difference", 5, TableTruth.of([(0.5, 0.2, 0.1, 0.2), (0.1, 0.3, 0.3, 0.3)])),
        ("mcc", 4, ConfusionTruth.of([(0.5, 0.2, 0.1, 0.2)])),
    ],
)
def test_the_excess_at_listed_truths_is_the_sum_over_truths_and_outcomes(
    family: str, size: Any, truth: Any
) -> None:
    scenario = scenario_for(FAMILIES[family], size, truth)
    outcomes = solver_of(scenario).possible_outcomes()
    bounds = np.random.default_rng(3).random(outcomes.size)
    limits = Limits(outcomes, bounds[np.newaxis], bounds[np.newaxis])
    _, parameter = scenario.listed_truths()
    expected = 0.0
    rows = np.array(scenario.design.values(scenario)).T.tolist()
    for theta, row in zip(parameter.tolist(), rows, strict=True):
        at_one = scenario.with_truths(row)
        weight = solver_of(at_one).outcome_weights(outcomes)
        expected += (weight * excess_beyond(scenario.family, bounds, theta, "lower")).sum()
    found = mean_excess(scenario, limits, "lower")[0]
    assert found == pytest.approx(expected / parameter.size, rel=SUMMED)


def test_a_law_has_an_excess_at_listed_truths() -> None:
    family, law = FAMILIES["proportion"], BetaBinomial(0.2)
    scenario = scenario_for(family, 5, DiscreteTruth((0.3,)), law=law)
    found = mean_excess(scenario, table(scenario, np.full(6, 0.5)), "upper")
    assert found == pytest.approx(0.2, rel=SUMMED)


def test_an_infinite_limit_of_a_ratio_counts_as_one() -> None:
    truth = PairTruth(DiscreteTruth((0.3,)), DiscreteTruth((0.3,)))
    scenario = scenario_for(FAMILIES["risk_ratio"], (3, 3), truth)
    found = mean_excess(scenario, table(scenario, np.full(16, np.inf)), "upper")
    assert found == pytest.approx(0.5, rel=SUMMED)


@pytest.mark.parametrize("truth", [UNIFORM, DiscreteTruth((0.3,))])
def test_a_missing_limit_leaves_no_excess_of_its_column_alone(truth: Any) -> None:
    scenario = scenario_for(FAMILIES["proportion"], 2, truth)
    found = mean_excess(scenario, table(scenario, [0.5, np.nan, 1.0], [0.5, 0.9, 1.0]), "upper")
    assert np.isnan(found).tolist() == [True, False]


def test_what_has_no_excess_is_refused() -> None:
    proportion = scenario_for(FAMILIES["proportion"], 2, UNIFORM)
    with pytest.raises(HarnessError, match="one-sided"):
        mean_excess(proportion, table(proportion, [0.1, 0.5, 1.0]), "two-sided")
    drawn = scenario_for(FAMILIES["proportion"], 2, UNIFORM, law=BetaBinomial(0.2))
    with pytest.raises(HarnessError, match="under a distribution"):
        mean_excess(drawn, table(drawn, [0.1, 0.5, 1.0]), "upper")
