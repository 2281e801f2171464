"""The key ``sampling``: how outcomes arise, what fits it, and its default."""

from collections.abc import Mapping
from typing import Any

import pytest

from harness.base.errors import ConfigError
from harness.distributions.sampling.laws.clusters import Clusters, ClusterSizes
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.sampling.laws.mixtures import BetaBinomial, GammaPoisson
from harness.families.family import ENUMERATION, MONTE_CARLO
from harness.kinds.load import load_experiment
from tests.config.conftest import WRONG

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
    document = experiment.document
    assert document["sampling"] == {name: settings}
    assert load_experiment(document) == experiment


@pytest.mark.parametrize(
    ("size", "law"),
    [
        ([3, 5, 20], ClusterSizes((3, 5, 20))),
        ({"poisson": 10}, ClusterSizes(mean=10.0)),
        ({"negative_binomial": {"mean": 5, "shape": 2}}, ClusterSizes(mean=5.0, shape=2.0)),
    ],
)
def test_clusters_have_sizes_of_a_law(size: Any, law: ClusterSizes) -> None:
    experiment = load_experiment(config({"clusters": {"size": size, "rho": 0.1}}))
    assert experiment.sampling == Clusters(law, 0.1)
    assert load_experiment(experiment.document) == experiment


def test_what_is_no_law_of_sizes_is_refused() -> None:
    for size in ([], [0], {"poisson": 0.5}, {"uniform": 3}, {"negative_binomial": {"mean": 5}}):
        found = issues(config({"clusters": {"size": size, "rho": 0.1}}))
        assert all(line.startswith("sampling.clusters.size") for line in found), found
    (line,) = issues(config({"clusters": {"size": {"poisson": 10}, "rho": 0.1}}, n=5000))
    assert "n should be at most 1" in line


def test_the_proportions_of_a_population_are_the_doubles_of_its_lattice() -> None:
    """Limits are M/N too, and a truth at a limit is covered."""
    listed = {"values": [0.1 + 0.2, 0.3, 1 - 0.9, 0.7]}
    found = load_experiment(config({"hypergeometric": {"population": 100}}, truth=listed))
    assert found.truth.content() == {"values": [10 / 100, 30 / 100, 70 / 100]}
    assert load_experiment(found.document).truth == found.truth


@pytest.mark.parametrize("make", [config, of_rate])
def test_the_familys_own_law_is_the_default_and_is_not_written(make: Any) -> None:
    own = "binomial" if make is config else "poisson"
    experiment = load_experiment(make())
    assert experiment.sampling is None
    assert load_experiment(make(own)) == experiment
    assert "sampling" not in experiment.document


@pytest.mark.parametrize("case", WRONG["sampling"], ids=lambda case: case["says"][:40])
def test_what_does_not_fit_is_one_sentence(case: dict[str, Any]) -> None:
    assert issues(config(**case["change"])) == [case["says"]]


def test_without_engines_all_run_that_hold_under_the_law() -> None:
    assert load_experiment(config(CLUSTERS)).engines == (MONTE_CARLO, ENUMERATION)
    assert load_experiment(config(CLUSTERS, trials=None)).engines == (ENUMERATION,)
    drawn = load_experiment(config(CLUSTERS, truth={"uniform": [0, 1]}))
    assert drawn.engines == (MONTE_CARLO,)
