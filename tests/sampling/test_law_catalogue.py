"""The laws by name: what they are made from, what they say of themselves, and what they refuse."""

from __future__ import annotations

import math

import pytest

from harness.base.errors import InputError
from harness.distributions.sampling.laws.catalogue import LAWS, law_of
from harness.families import proportion, rate

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


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("betabinomial", {}, "sampling should be one of beta_binomial, clusters"),
        ("betabinomial", {}, "found 'betabinomial'; did you mean beta_binomial?"),
        (["clusters"], {}, "sampling should be one of"),
        (
            "beta_binomial",
            {},
            "beta_binomial needs rho, the correlation of two trials, "
            "a number of at least 0 and below 1",
        ),
        (
            "clusters",
            {"rho": 0.1},
            "clusters needs size, the number of trials of a cluster, a whole",
        ),
        ("clusters", {"size": 5, "roh": 1}, "are size and rho, found 'roh'; did you mean rho?"),
        ("clusters", {"size": 0, "rho": 0.1}, "size of clusters should be a whole number from 1"),
        ("clusters", {"size": 2.5, "rho": 0.1}, "size of clusters should be a whole number from 1"),
        ("clusters", {"size": True, "rho": 0.1}, "size of clusters should be a whole number"),
        ("clusters", {"size": 10**10, "rho": 0.1}, "from 1 to 1000000000, found 10000000000"),
        (
            "beta_binomial",
            {"rho": 1.0},
            "rho of beta_binomial should be a number of at least 0 and",
        ),
        ("beta_binomial", {"rho": -0.1}, "at least 0 and below 1, found -0.1"),
        ("beta_binomial", {"rho": math.nan}, "at least 0 and below 1, found nan"),
        ("beta_binomial", {"rho": "0.1"}, "at least 0 and below 1, found '0.1'"),
        ("hypergeometric", {"population": 10**16}, "from 1 to 1000000000000000, found"),
        ("gamma_poisson", {"dispersion": 0.9}, "at least 1 and at most 1e+06, found 0.9"),
        ("gamma_poisson", {"dispersion": math.inf}, "at most 1e+06, found inf"),
    ],
)
def test_what_is_no_law_is_refused_in_one_sentence(name, settings, message):
    with pytest.raises(InputError) as refused:
        law_of(name, settings)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


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
