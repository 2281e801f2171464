"""The key ``sampling``: how outcomes arise, what fits it, and its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.base.errors import ConfigError
from harness.config.load import load_experiment
from harness.config.resolve import serialize
from harness.distributions.sampling.laws.beta_binomial import BetaBinomial
from harness.distributions.sampling.laws.clusters import Clusters
from harness.distributions.sampling.laws.gamma_poisson import GammaPoisson
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.families.family import ENUMERATION, MONTE_CARLO

LISTED = {"values": [0.1, 0.5]}
CLUSTERS = {"clusters": {"size": 10, "rho": 0.1}}
SAMPLINGS = {
    "beta_binomial": ({"rho": 0.1}, BetaBinomial(0.1)),
    "clusters": ({"size": 10, "rho": 0}, Clusters(10, 0.0)),
    "hypergeometric": ({"population": 1000}, Hypergeometric(1000)),
    "gamma_poisson": ({"dispersion": 1.5}, GammaPoisson(1.5)),
}


def config(sampling: Any = None, **changes: Any) -> dict[str, Any]:
    """A config of a proportion; a change to None leaves the key out."""
    document = {
        "name": "x", "family": "proportion", "n": [20, 30], "methods": ["wald"], "truth": LISTED,
        "trials": {"per_size": 10}, "seed": 1, "sampling": sampling, **changes,
    }  # fmt: skip
    return {key: value for key, value in document.items() if value is not None}


def of_rate(sampling: Any = None, **changes: Any) -> dict[str, Any]:
    return config(sampling, **{"family": "rate", "n": None, "exposure": 10, **changes})


def issues(document: Mapping[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_experiment(document)
    return [line.removeprefix("config: ") for line in str(caught.value).splitlines()]


@pytest.mark.parametrize("name", SAMPLINGS)
def test_a_law_is_read_and_written_back(name: str) -> None:
    settings, law = SAMPLINGS[name]
    make = of_rate if name == "gamma_poisson" else config
    experiment = load_experiment(make({name: settings}))
    assert experiment.sampling == law
    document = serialize(experiment)
    assert document["sampling"] == {name: settings}
    assert load_experiment(document) == experiment


def test_the_proportions_of_a_population_are_the_doubles_of_its_lattice() -> None:
    """Limits are M/N too, and a truth at a limit is covered."""
    listed = {"values": [0.1 + 0.2, 0.3, 1 - 0.9, 0.7]}
    found = load_experiment(config({"hypergeometric": {"population": 100}}, truth=listed))
    assert found.truth.content() == {"values": [10 / 100, 30 / 100, 70 / 100]}
    assert load_experiment(serialize(found)).truth == found.truth


@pytest.mark.parametrize("make", [config, of_rate])
def test_the_familys_own_law_is_the_default_and_is_not_written(make: Any) -> None:
    own = "binomial" if make is config else "poisson"
    experiment = load_experiment(make())
    assert experiment.sampling is None
    assert load_experiment(make(own)) == experiment
    assert "sampling" not in serialize(experiment)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (
            config("poisson"),
            "sampling: expected binomial, or a mapping with one of the keys beta_binomial, "
            "clusters, hypergeometric, found 'poisson'",
        ),
        (
            config({"beta_binomail": {"rho": 0.1}}),
            "sampling.beta_binomail: expected one of the keys beta_binomial, clusters, "
            "hypergeometric, found 'beta_binomail'; did you mean beta_binomial?",
        ),
        (
            config({"gamma_poisson": {"dispersion": 2}}),
            "sampling.gamma_poisson: expected one of the keys beta_binomial, clusters, "
            "hypergeometric, found gamma_poisson, which is for a rate",
        ),
        (
            config({"beta_binomial": {"rho": 1}}),
            "sampling.beta_binomial.rho: expected a number of at least 0 and below 1, found 1",
        ),
        (
            config({"clusters": {"size": 10}}),
            "sampling.clusters.rho: expected this key, found nothing",
        ),
        (
            config({"clusters": {"size": 10.5, "rho": 0.1}}),
            "sampling.clusters.size: expected a whole number from 1 to 1000000000, found 10.5",
        ),
        (
            of_rate({"gamma_poisson": {"dispersion": 0.5}}),
            "sampling.gamma_poisson.dispersion: expected a number of at least 1 and at most "
            "1e+06, found 0.5",
        ),
        (
            config(CLUSTERS, n=[20, 25, 30]),
            "n: n should be a multiple of the size of a cluster, 10, such as 20 or 30, found 25",
        ),
        (
            config({"hypergeometric": {"population": 25}}, truth={"values": [0.2]}),
            "n: n should be at most the population, 25, found 30",
        ),
        (
            config({"hypergeometric": {"population": 100}}, truth={"values": [0.2, 0.105]}),
            "truth: p should be M/100 with a whole number M, such as 0.1 or 0.11, found 0.105",
        ),
        (
            config({"hypergeometric": {"population": 100}}, truth={"uniform": [0, 1]}),
            "truth: expected a list of values M/100 for a sample of a population of 100, found "
            "uniform",
        ),
        (
            config(CLUSTERS, engines=["posterior", "monte_carlo"]),
            "engines[0]: expected monte_carlo or enumeration with clusters of 10, ρ = 0.1, found "
            "posterior, which holds for binomial outcomes",
        ),
        (
            config(CLUSTERS, engines=["enumeration"], truth={"beta": [2, 3]}),
            "truth: expected a grid or a list of values with enumeration, which has no exact "
            "values under a distribution for clusters of 10, ρ = 0.1, found {beta: [2, 3]}",
        ),
        (
            config(CLUSTERS, trials=None, truth={"beta": [2, 3]}),
            "trials: expected trials (per_outcome, per_size or half_width), found none: under a "
            "distribution of truths monte_carlo is the only engine for clusters of 10, ρ = 0.1",
        ),
        (
            config(CLUSTERS, draws="thinned", truth={"beta": [2, 3]}),
            "draws: expected numpy, found thinned, which needs sampling: binomial",
        ),
        (
            config(CLUSTERS, reference="truth", truth={"beta": [2, 3]}),
            "reference: expected prior, found truth, which needs posterior among the engines",
        ),
        (
            config(
                CLUSTERS,
                family="risk_ratio",
                methods=["katz"],
                n=None,
                n1=5,
                n2=5,
                truth={"first": LISTED, "second": LISTED},
            ),
            "sampling: expected a family of one sample with sampling, found risk_ratio",
        ),
        (
            config(methods=["wald", "hypergeometric_exact"]),
            "methods[1]: hypergeometric_exact needs sampling: {hypergeometric: {population: N}}, "
            "found independent trials",
        ),
        (
            config(CLUSTERS, methods=["hypergeometric_wang"]),
            "methods[0]: hypergeometric_wang needs sampling: {hypergeometric: {population: N}}, "
            "found clusters of 10, ρ = 0.1",
        ),
        (
            config(
                {"hypergeometric": {"population": 200_000}},
                methods=["hypergeometric_wang", "hypergeometric_exact"],
            ),
            "methods[0]: hypergeometric_wang takes a population of at most 100000, found 200000",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(document: Mapping[str, Any], said: str) -> None:
    assert issues(document) == [said]


def test_without_engines_all_run_that_hold_under_the_law() -> None:
    assert load_experiment(config(CLUSTERS)).engines == (MONTE_CARLO, ENUMERATION)
    assert load_experiment(config(CLUSTERS, trials=None)).engines == (ENUMERATION,)
    drawn = load_experiment(config(CLUSTERS, truth={"uniform": [0, 1]}))
    assert drawn.engines == (MONTE_CARLO,)
