"""A design that is added while a program runs is used as those of the package are."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import harness
from harness.catalogue import register
from harness.checks import plans
from harness.cli import main
from harness.designs.catalogue import DESIGNS
from harness.designs.design import Outcomes
from harness.designs.engines.solver import Solver
from harness.designs.one_sample.design import ONE_SAMPLE
from harness.distributions.sampling import binomial
from harness.distributions.truths import DiscreteTruth
from harness.families import proportion
from harness.families.catalogue import FAMILIES
from harness.families.family import ENUMERATION
from harness.families.model import model_like
from harness.families.samples import family_of_one_sample
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import Method
from harness.methods.proportion import clopper_pearson

CASES = 5
"""Of each of n pools; a pool is positive where any of its cases is."""


def of_pool(p):
    return 1.0 - (1.0 - np.asarray(p)) ** CASES


def of_case(p):
    return 1.0 - (1.0 - np.asarray(p)) ** (1 / CASES)


def of_pools(function):
    return lambda x, p, n: function(x, of_pool(p), n)


SAMPLING = SimpleNamespace(
    **{
        **vars(binomial),
        **{name: of_pools(getattr(binomial, name)) for name in ("pmf", "cdf", "sf")},
    }
)
FAMILY = family_of_one_sample(
    "pooled_proportion",
    "a proportion of cases: x of n pools are positive",
    "p",
    model_like(
        proportion,
        NAME="pooled proportion",
        HAS_MIRROR=False,
        SAMPLING=SAMPLING,
        estimate=lambda x, n: of_case(x / n),
    ),
    design="pools",
    exact_engines=(ENUMERATION,),
)


def draw(scenario, truths, rng, count):
    return rng.binomial(int(scenario.size), of_pool(truths[0]), count)


def probabilities(scenario, truths, outcomes):
    return binomial.pmf(outcomes, of_pool(truths[0]), scenario.size)


POOLS = replace(
    ONE_SAMPLE,
    name="pools",
    outcomes=Outcomes(lambda scenario: scenario.size + 1.0, draw, probabilities),
    distributions=None,
    exact=Solver,
)


def exact_of_pools(data, tail):
    """The exact interval of the probability of a positive pool, as one of a case."""
    lower, upper = map(of_case, clopper_pearson(data, tail))
    return lower, upper


def naive(data, tail):
    """The share of positive pools, over the cases of a pool, give or take a tenth."""
    share = data[0] / data[1] / CASES
    return np.maximum(share - 0.1, 0.0), share + 0.1


METHODS = {
    "exact": Method("Exact", "", exact_of_pools, promise="at-least"),
    "naive": Method("Naive", "", naive),
}

CONFIG = {
    "name": "pools",
    "family": FAMILY.name,
    "n": [10, 20],
    "methods": ["exact", "naive"],
    "truth": {"values": [0.05, 0.1, 0.3]},
    "trials": {"per_truth": 4000},
    "seed": 5,
}


@pytest.fixture(scope="module", autouse=True)
def added():
    register(POOLS, {FAMILY: METHODS})
    truth = DiscreteTruth((0.02, 0.1, 0.2, 0.4))
    plans.register(
        POOLS, replace(plans.plan_of(FAMILIES["proportion"]), truth=lambda family: truth)
    )
    yield
    del DESIGNS[POOLS.name], plans.PLANS[POOLS.name]
    for table in (FAMILIES, CATALOGUE):
        del table[FAMILY.name]


def expected_miss(limits, n, p):
    x = np.arange(n + 1)
    lower, upper = limits((x.astype(float), np.full(n + 1, float(n))), 0.025)
    return float(binomial.pmf(x, of_pool(p), n)[(p < lower) | (p > upper)].sum())


@pytest.fixture(scope="module")
def results(added, tmp_path_factory):
    return harness.run(CONFIG, out=tmp_path_factory.mktemp("results") / "pools")


def test_engines_agree_with_a_sum_by_hand(results):
    for (name, limits), n in (
        (each, n) for each in (("exact", exact_of_pools), ("naive", naive)) for n in (10, 20)
    ):
        rows = results.summary.filter((pl.col("method") == name) & (pl.col("n") == n))
        exact, drawn = (
            rows.row(by_predicate=pl.col("engine") == engine, named=True)
            for engine in (ENUMERATION, "monte_carlo")
        )
        mean = np.mean([expected_miss(limits, n, p) for p in CONFIG["truth"]["values"]])
        assert exact["actual_alpha"] == pytest.approx(mean, abs=1e-12)
        # At most once in 10^6 seeds.
        assert abs(drawn["actual_alpha"] - mean) < 5 * drawn["std_error"]


def test_processes_of_workers_know_the_design_that_this_process_has_added(results, tmp_path):
    config = {**CONFIG, "execution": {"jobs": 2, "backend": "loky"}}
    shared = harness.run(config, out=tmp_path / "pools")
    assert shared.summary.equals(results.summary)
    assert shared.cells.equals(results.cells)


def test_an_interval_and_its_coverage_are_computed():
    found = harness.interval(FAMILY.name, "exact", x=4, n=10)
    lower, upper = exact_of_pools((np.array([4.0]), np.array([10.0])), 0.025)
    assert (found.lower, found.upper) == (lower[0], upper[0])
    covered = harness.coverage(FAMILY.name, "exact", n=10, p=0.1)
    assert covered.coverage == pytest.approx(1 - expected_miss(exact_of_pools, 10, 0.1), abs=1e-12)


def test_a_check_passes_the_exact_method_and_finds_that_the_other_does_not_keep_its_level():
    exact, other = (harness.check(name, family=FAMILY.name) for name in METHODS)
    assert {finding.verdict for finding in exact.findings} == {"pass"}
    assert exact.keeps.startswith("keeps: at-least")
    assert "at-least" not in other.keeps.split(";")[0]


def test_a_report_shows_the_methods(results):
    assert main(["report", str(results.path)]) == 0
    page = (results.path / "report.html").read_text(encoding="utf-8")
    assert "Exact" in page
