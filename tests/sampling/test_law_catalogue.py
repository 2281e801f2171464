"""Laws of counts: their catalogue, draws, and clusters."""

import numpy as np
import pytest
from scipy.stats import chi2

from harness.base.errors import InputError
from harness.distributions.sampling.laws import LAWS, clusters, law_of
from harness.distributions.sampling.laws.clusters import Clusters, ClusterSizes, draw_clusters
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.sampling.laws.mixtures import BetaBinomial, GammaPoisson
from harness.families import proportion, rate
from tests.oracles.frequencies import fits
from tests.oracles.laws import law_of_count

# The laws by name: what they are made from, what they say of themselves, and what they refuse.


SETTINGS = {
    "beta_binomial": {"rho": 0.1},
    "clusters": {"size": 10, "rho": 0.1},
    "hypergeometric": {"population": 1000},
    "gamma_poisson": {"dispersion": 1.5},
}
TITLES = {
    "beta_binomial": "beta-binomial, ρ = 0.1",
    "clusters": "clusters of 10, ρ = 0.1",
    "hypergeometric": "of a population of 1000",
    "gamma_poisson": "gamma-Poisson, dispersion 1.5",
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_is_made_from_what_it_says_of_itself(name):
    law = law_of(name, SETTINGS[name])
    assert law.name == name
    assert law.title == TITLES[name]
    assert law.content() == {name: SETTINGS[name]}
    assert law == law_of(name, law.content()[name])
    assert hash(law) == hash(law_of(name, SETTINGS[name]))
    assert law.lattice == (1000 if name == "hypergeometric" else None)
    assert LAWS[name].model in (proportion.NAME, rate.NAME)


def test_whole_numbers_may_stand_for_any_number():
    assert law_of("beta_binomial", {"rho": 0}).content() == {"beta_binomial": {"rho": 0.0}}


def test_a_part_of_a_cluster_is_refused():
    law = law_of("clusters", {"size": 10, "rho": 0.1})
    law.validate_size(100)
    with pytest.raises(
        InputError, match="multiple of the size of a cluster, 10, such as 100 or 110"
    ):
        law.validate_size(105)
    with pytest.raises(InputError, match="such as 10, found 5"):
        law.validate_size(5)


def test_a_sample_larger_than_the_population_is_refused():
    law = law_of("hypergeometric", {"population": 1000})
    law.validate_size(1000)
    with pytest.raises(InputError, match="n should be at most the population, 1000, found 1001"):
        law.validate_size(1001)


@pytest.mark.parametrize("population", [1, 3, 7, 1000, 999_983, 10**12, 10**15])
def test_truths_of_a_population_are_its_proportions_up_to_their_rounding(population):
    law = law_of("hypergeometric", {"population": population})
    for m in {0, 1, population // 7, population // 2, population - 1, population}:
        for value in (m / population, m * (1.0 / population), 1.0 - (population - m) / population):
            law.validate_truth(min(value, 1.0))


def test_a_truth_between_two_proportions_of_a_population_is_refused():
    law = law_of("hypergeometric", {"population": 1000})
    for value, near in (
        (0.1234, "0.123 or 0.124"),
        (0.3 + 1e-12, "0.3 or 0.301"),
        (1e-17, "0 or 0.001"),
    ):
        with pytest.raises(InputError, match=f"p should be M/1000 with .*, such as {near}"):
            law.validate_truth(value)


def test_other_laws_have_every_size_and_truth():
    for name, size, value in (("beta_binomial", 7, 0.123), ("gamma_poisson", 0.7, 12.3)):
        law = law_of(name, SETTINGS[name])
        law.validate_size(size)
        law.validate_truth(value)


# Draws of each law against its exact probabilities, by chi-squared with fixed seeds.


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
    (Clusters(ClusterSizes((3, 5, 20)), 0.1), 40, 0.3),
    (Clusters(ClusterSizes(mean=4.0), 0.2), 30, 0.6),
    (Clusters(ClusterSizes(mean=3.0, shape=1.5), 0.2), 30, 0.6),
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


# Counts of clusters are drawn from the beta-binomial law, one independent of the other.


# A right implementation fails a statistical test here with this probability; the seeds are fixed.


def drawn(p, rho, t=400, clusters=100, sizes=10, seed=1):
    return draw_clusters(
        np.full(t, p), np.full(t, rho), clusters, sizes, np.random.default_rng(seed)
    )


@pytest.mark.parametrize("rho", [0.0, 1e-12, 0.05, 0.5, 0.98])
@pytest.mark.parametrize("p", [0.8, 0.02])
def test_counts_of_clusters_of_one_size_are_law_of_count(p, rho):
    x, n = drawn(p, rho)
    assert x.shape == n.shape == (400, 100)
    assert (n == 10).all()
    counts = np.bincount(x.ravel().astype(int), minlength=11)
    assert fits(counts, law_of_count(p, rho, 10), FALSE_ALARM)


def test_another_correlation_is_told_apart():
    x, _ = drawn(0.8, 0.05)
    counts = np.bincount(x.ravel().astype(int), minlength=11)
    assert not fits(counts, law_of_count(0.8, 0.06, 10), FALSE_ALARM)


def test_sizes_are_uniform_and_counts_beta_binomial_given_the_size():
    x, n = drawn(0.7, 0.2, sizes=(3, 6))
    sizes = np.bincount(n.ravel().astype(int), minlength=7)
    assert fits(sizes, np.repeat([0.0, 0.25], [3, 4]), FALSE_ALARM)
    for size in (3, 6):
        counts = np.bincount(x[n == size].astype(int), minlength=size + 1)
        assert fits(counts, law_of_count(0.7, 0.2, size), FALSE_ALARM)


def test_each_data_set_has_the_law_of_its_own_proportion_and_correlation():
    p, rho = np.tile([0.3, 0.9, 0.5], 200), np.tile([0.0, 0.4, 0.1], 200)
    x, _ = draw_clusters(p, rho, 60, 5, np.random.default_rng(3))
    for place in range(3):
        counts = np.bincount(x[place::3].ravel().astype(int), minlength=6)
        assert fits(counts, law_of_count(p[place], rho[place], 5), FALSE_ALARM)


def test_clusters_are_independent():
    """The sum of two clusters has the convolution of their laws."""
    x, _ = drawn(0.6, 0.5, sizes=4)
    sums = np.bincount((x[:, ::2] + x[:, 1::2]).ravel().astype(int), minlength=9)
    one = law_of_count(0.6, 0.5, 4)
    assert fits(sums, np.convolve(one, one), FALSE_ALARM)


@pytest.mark.parametrize("rho", [0.0, 5e-324, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_sure_result_is_drawn_in_every_cluster(p, rho):
    x, n = drawn(p, rho, t=3, clusters=4)
    np.testing.assert_array_equal(x, p * n)


def test_next_to_one_the_cases_of_a_cluster_are_all_alike():
    x, n = drawn(0.5, 1 - 2**-53)
    assert ((x == 0) | (x == n)).all()
    assert fits(np.array([(x == 0).sum(), (x > 0).sum()]), np.array([0.5, 0.5]), FALSE_ALARM)


def test_the_same_generator_state_gives_the_same_counts():
    first, again, other = (drawn(0.8, 0.1, sizes=(1, 9), seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert (first[0] != other[0]).any()
