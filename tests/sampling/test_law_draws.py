"""Draws of each law against its exact probabilities, by chi-squared with fixed seeds.

Each comparison fails with a probability of 1e-6 where the draws are right, all together with less
than 1e-4.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from harness.distributions.sampling.laws import clusters
from harness.distributions.sampling.laws.beta_binomial import BetaBinomial
from harness.distributions.sampling.laws.clusters import Clusters
from harness.distributions.sampling.laws.gamma_poisson import GammaPoisson
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric

SEED = 2003
DRAWS = 50_000
FALSE_ALARM = 1e-6
FEWEST = 25.0
"""Neighbouring outcomes are counted as one until they are expected at least so often."""

CASES = [
    (BetaBinomial(0.1), 50, 0.3),
    (BetaBinomial(0.9), 20, 0.5),
    (BetaBinomial(1.0 - 2.0**-53), 20, 0.1),
    (BetaBinomial(1e-12), 100, 0.95),
    (Clusters(10, 0.1), 100, 0.3),
    (Clusters(2, 0.7), 30, 0.05),
    (Clusters(25, 0.4), 50, 0.9),
    (Hypergeometric(60), 40, 0.25),
    (Hypergeometric(10**6), 1000, 0.1),
    (Hypergeometric(2 * 10**6), 5, 0.3),
    (Hypergeometric(2 * 10**6), 10**6, 0.4),
    (Hypergeometric(2 * 10**6), 1_999_950, 0.75),
    (Hypergeometric(10**7), 10**6, 20 / 10**7),
    (Hypergeometric(10**7), 10**6, 1.0 - 20 / 10**7),
    (Hypergeometric(10**15), 100, 0.6),
    (GammaPoisson(1.5), 2.0, 4.0),
    (GammaPoisson(20.0), 2.0, 4.0),
    (GammaPoisson(1.0 + 1e-12), 0.5, 0.3),
]
IDS = [f"{law.title}, {size}, {parameter}" for law, size, parameter in CASES]


def p_value(drawn, law, size, parameter):
    """The p-value of the chi-squared statistic of draws at one parameter."""
    first, last = law.window(parameter, parameter, size)
    assert drawn.min() >= first
    assert drawn.max() <= last
    expected = law.probabilities(np.array([parameter]), size, first, last)[0] * drawn.size
    counts = np.bincount(drawn - first, minlength=expected.size)
    cell = (np.cumsum(expected) - 0.5 * expected) // FEWEST
    observed, means = np.bincount(cell.astype(int), counts), np.bincount(cell.astype(int), expected)
    observed, means = observed[means > 0], means[means > 0]
    statistic = ((observed - means) ** 2 / means).sum()
    return float(chi2.sf(statistic, means.size - 1))


@pytest.mark.parametrize(("law", "size", "parameter"), CASES, ids=IDS)
def test_draws_have_the_law(law, size, parameter):
    drawn = law.draw(parameter, size, np.random.default_rng(SEED), DRAWS)
    assert drawn.shape == (DRAWS,)
    assert drawn.dtype == np.int64
    assert p_value(drawn, law, size, parameter) > FALSE_ALARM


@pytest.mark.parametrize(
    ("law", "size", "parameters"),
    [
        (BetaBinomial(0.2), 30, (0.1, 0.6)),
        (Clusters(10, 0.2), 30, (0.1, 0.6)),
        (Hypergeometric(100), 30, (0.1, 0.6)),
        (Hypergeometric(10**9), 30, (0.1, 0.6)),
        (GammaPoisson(3.0), 1.5, (0.5, 4.0)),
    ],
    ids=lambda value: getattr(value, "title", str(value)),
)
def test_draws_at_many_parameters_each_have_their_own_law(law, size, parameters):
    at = np.tile(parameters, DRAWS // 2)
    drawn = law.draw(at, size, np.random.default_rng(SEED))
    assert drawn.shape == at.shape
    for parameter in parameters:
        assert p_value(drawn[at == parameter], law, size, parameter) > FALSE_ALARM


@pytest.mark.parametrize("block", [3, 12])
def test_clusters_drawn_in_blocks_have_the_law(monkeypatch, block):
    monkeypatch.setattr(clusters, "BLOCK", block)
    law, rng, few = Clusters(4, 0.3), np.random.default_rng(SEED), 500
    assert p_value(law.draw(0.4, 20, rng, few), law, 20, 0.4) > FALSE_ALARM
    at = np.tile([0.4, 0.8], few)
    drawn = law.draw(at, 20, rng)
    for p in (0.4, 0.8):
        assert p_value(drawn[at == p], law, 20, p) > FALSE_ALARM


@pytest.mark.parametrize(
    ("law", "other", "size", "parameter"),
    [
        (BetaBinomial(0.1), BetaBinomial(0.11), 50, 0.3),
        (Clusters(10, 0.1), Clusters(10, 0.12), 100, 0.3),
        (Hypergeometric(1000), Hypergeometric(2000), 100, 0.3),
        (GammaPoisson(1.5), GammaPoisson(1.6), 2.0, 4.0),
    ],
    ids=lambda value: getattr(value, "title", str(value)),
)
def test_a_law_slightly_off_is_seen(law, other, size, parameter):
    drawn = law.draw(parameter, size, np.random.default_rng(SEED), DRAWS)
    assert p_value(drawn, other, size, parameter) < FALSE_ALARM


@pytest.mark.parametrize(("law", "size", "parameter"), CASES, ids=IDS)
def test_the_same_seed_gives_the_same_draws(law, size, parameter):
    draws = [law.draw(parameter, size, np.random.default_rng(7), 20) for _ in range(2)]
    assert (draws[0] == draws[1]).all()


def test_parameters_next_to_the_boundary_are_drawn():
    rng, p = np.random.default_rng(SEED), np.array([5e-324, 1e-300, 1e-17, 1.0 - 2.0**-53])
    for rho in (5e-324, 1e-300, 1e-9, 0.5, 1.0 - 2.0**-53):
        assert BetaBinomial(rho).draw(p, 10, rng).tolist() == [0, 0, 0, 10]
        assert Clusters(5, rho).draw(p, 10, rng).tolist() == [0, 0, 0, 10]
    for dispersion in (1.0 + 2.0**-52, 1e6):
        assert GammaPoisson(dispersion).draw([0.0, 5e-324, 1e-300], 1.0, rng).tolist() == [0, 0, 0]
