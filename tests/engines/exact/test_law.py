"""Enumeration under a law against sums of exact fractions, and against the binomial's."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import comb, prod

import numpy as np
import pytest

from harness.base.errors import HarnessError
from harness.callers.source import CatalogueSource
from harness.catalogue import scenario_for
from harness.designs.design import observed_at
from harness.designs.engines.solver import solver_of
from harness.designs.engines.verification import TOLERANCE, Published
from harness.designs.limits import Limits
from harness.distributions.sampling.law import THINNED
from harness.distributions.sampling.laws.clusters import Clusters, ClusterSizes
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.sampling.laws.mixtures import BetaBinomial, GammaPoisson
from harness.distributions.truths import DiscreteTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import find

ALPHA, N, EXPOSURE = 0.1, 12, 4.0
METHODS = {
    "proportion": ("wald", "clopper_pearson", "minimal_length", "sterne"),
    "rate": ("wald", "garwood", "minimal_length", "sterne"),
}


def limits_at(scenario, outcomes):
    """The limits of a few methods of the catalogue at outcomes."""
    found, observed = [], observed_at(scenario, outcomes)
    for name in METHODS[scenario.family.name]:
        method = find(scenario.family, name)
        source = CatalogueSource(name, method, method.default_prior)
        answers = source.limits(observed, ALPHA, "two-sided")
        found.append(answers.intervals(observed, ALPHA, "two-sided"))
    lower, upper = (np.array([getattr(each, end) for each in found]) for end in ("lower", "upper"))
    return Limits.of(scenario, outcomes, lower, upper)


def urn(p, n, rho):
    """The exact distribution of n trials of correlation rho, trial by trial."""
    found = [Fraction(1)]
    for i in range(n):
        more = [(p * (1 - rho) + x * rho) / (1 - rho + i * rho) for x in range(i + 1)]
        grown = [Fraction(0)] * (i + 2)
        for x, (chance, up) in enumerate(zip(found, more, strict=True)):
            grown[x + 1] += chance * up
            grown[x] += chance * (1 - up)
        found = grown
    return found


def summed(one, count):
    """The exact distribution of the sum of independent counts."""
    found = [Fraction(1)]
    for _ in range(count):
        found = convolved(found, one)
    return found


def convolved(first, second):
    found = [Fraction(0)] * (len(first) + len(second) - 1)
    for x, a in enumerate(first):
        for y, b in enumerate(second):
            found[x + y] += a * b
    return found


def drawn_without_replacement(p, n, population):
    successes = p * population
    assert successes.denominator == 1
    m, ways = int(successes), comb(population, n)
    return [Fraction(comb(m, x) * comb(population - m, n - x), ways) for x in range(n + 1)]


def negative_binomial(rate, dispersion, last):
    """The exact distribution up to an outcome, where mean/(dispersion − 1) is a whole number."""
    mean, d = rate * Fraction(EXPOSURE), dispersion
    size = mean / (d - 1)
    assert size.denominator == 1
    steps = [(mean + x * (d - 1)) / ((x + 1) * d) for x in range(last)]
    found = [Fraction(1) / d ** int(size)]
    for step in steps:
        found.append(found[-1] * step)
    return found


def sequences(sizes, n):
    """Every sequence of cluster sizes, the last one cut off at n trials, with its probability."""
    for m in sizes:
        if m >= n:
            yield (n,), Fraction(1, len(sizes))
        else:
            for rest, chance in sequences(sizes, n - m):
                yield (m, *rest), chance / len(sizes)


def of_random_sizes(p, sizes):
    found = [Fraction(0)] * (N + 1)
    for each, chance in sequences(sizes, N):
        total = [Fraction(1)]
        for m in each:
            total = convolved(total, urn(p, m, QUARTER))
        found = [a + chance * b for a, b in zip(found, total, strict=True)]
    return found


TENTH, QUARTER = Fraction(1, 10), Fraction(1, 4)
PROPORTIONS = (Fraction(0), TENTH, QUARTER, Fraction(1, 2), Fraction(9, 10), Fraction(1))
CASES = {
    "beta_binomial": (
        BetaBinomial(0.25), "proportion", PROPORTIONS, lambda p: urn(p, N, QUARTER)
    ),
    "clusters": (
        Clusters(4, 0.25), "proportion", PROPORTIONS, lambda p: summed(urn(p, 4, QUARTER), 3)
    ),
    "clusters of random size": (
        Clusters(ClusterSizes((2, 3, 7)), 0.25), "proportion", PROPORTIONS,
        lambda p: of_random_sizes(p, (2, 3, 7)),
    ),
    "hypergeometric": (
        Hypergeometric(40), "proportion", PROPORTIONS,
        lambda p: drawn_without_replacement(p, N, 40),
    ),
    "gamma_poisson": (
        GammaPoisson(1.5), "rate", (Fraction(0), Fraction(1, 4), Fraction(3, 2)),
        lambda rate: negative_binomial(rate, Fraction(3, 2), 250),
    ),
}  # fmt: skip


def scenario_of(name, law=None):
    known, family, truths, _ = CASES[name]
    size = N if family == "proportion" else EXPOSURE
    values = tuple(float(truth) for truth in truths)
    return scenario_for(family_of(family), size, DiscreteTruth(values), law=law or known)


@pytest.mark.parametrize("name", CASES)
def test_misses_and_lengths_are_sums_of_exact_fractions(name):
    scenario, (_, _, truths, distribution) = scenario_of(name), CASES[name]
    limits = limits_at(scenario, solver_of(scenario).possible_outcomes())
    found = solver_of(scenario).enumerate(limits, worst=False)
    rows = [distribution(truth) for truth in truths]
    for row in range(len(limits.lower)):
        lower, upper = (ends[row].tolist() for ends in (limits.lower, limits.upper))
        at = list(enumerate(limits.outcomes.tolist()))
        for place, (truth, chance) in enumerate(zip(truths, rows, strict=True)):
            below = sum(chance[x] for i, x in at if truth < lower[i])
            above = sum(chance[x] for i, x in at if truth > upper[i])
            length = sum(chance[x] * Fraction(upper[i] - lower[i]) for i, x in at)
            assert found.by_truth.below[row, place] == pytest.approx(float(below), rel=1e-12)
            assert found.by_truth.above[row, place] == pytest.approx(float(above), rel=1e-12)
            assert found.by_truth.length[row, place] == pytest.approx(float(length), rel=1e-12)
        for place, x in enumerate(found.by_outcome.conditions.tolist()):
            i = limits.outcomes.tolist().index(x)
            weight = sum(chance[x] for chance in rows)
            missed = sum(c[x] for t, c in zip(truths, rows, strict=True) if t < lower[i])
            given = float(missed / weight)
            assert found.by_outcome.below[row, place] == pytest.approx(given, rel=1e-12)
    assert found.by_outcome.weight.sum() == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("beta_binomial", BetaBinomial(1e-14)),
        ("beta_binomial", BetaBinomial(0.0)),
        ("clusters", Clusters(4, 1e-14)),
        ("hypergeometric", Hypergeometric(10**14)),
        ("gamma_poisson", GammaPoisson(1.0 + 1e-14)),
    ],
)
def test_a_law_that_is_nearly_the_familys_own_has_its_numbers(name, law):
    scenario = scenario_of(name, law)
    own = replace(scenario, law=None)
    outcomes = np.arange(13 if scenario.family.name == "proportion" else 120)
    limits = limits_at(scenario, outcomes)
    found, known = (solver_of(each).at_truths(limits) for each in (scenario, own))
    for part in ("below", "above", "length"):
        np.testing.assert_allclose(getattr(found, part), getattr(known, part), 1e-12, 1e-13)


@pytest.mark.parametrize("name", CASES)
def test_the_second_computation_confirms_what_is_published(name):
    scenario = scenario_of(name)
    limits = limits_at(scenario, solver_of(scenario).possible_outcomes())
    found = solver_of(scenario).enumerate(limits, worst=False)
    compared = solver_of(scenario).verify(limits, Published(found, None, (1.0, 1.0)))
    assert {each.of for each in compared} == {
        *("means", "truths", "outcomes", "weights", "worst cases", "moments of the outcome")
    }
    assert max(each.discrepancy.max() for each in compared) < 1e-13


@pytest.mark.parametrize("moment", ["mean", "variance"])
def test_probabilities_of_another_mean_or_variance_are_seen(moment, monkeypatch):
    scenario = scenario_of("clusters")
    limits = limits_at(scenario, solver_of(scenario).possible_outcomes())
    found = solver_of(scenario).enumerate(limits, worst=False)
    right = getattr(Clusters, moment)
    monkeypatch.setattr(Clusters, moment, lambda *given: right(*given) * (1 + 1e-9))
    compared = solver_of(scenario).verify(limits, Published(found, None, (1.0, 1.0)))
    by_what = {each.of: each.discrepancy.max() for each in compared}
    assert by_what.pop("moments of the outcome") > 10 * TOLERANCE
    assert max(by_what.values()) < TOLERANCE


def test_under_a_distribution_of_truths_there_are_no_exact_values():
    scenario = replace(scenario_of("clusters"), truth=UniformTruth(0.0, 1.0))
    assert not solver_of(scenario).has_exact_values
    assert solver_of(replace(scenario, law=None)).has_exact_values


def test_the_law_is_a_part_of_the_key_of_random_streams():
    scenario = scenario_of("clusters")
    own = replace(scenario, law=None)
    assert scenario.content()["sampling"] == {"clusters": {"size": 4, "rho": 0.25}}
    assert "sampling" not in own.content()
    first, second = (each.stream(1, 0).random() for each in (scenario, own))
    assert first != second


def test_a_law_has_no_thinned_draws():
    with pytest.raises(HarnessError, match="no tables thin the outcomes of clusters of 4"):
        replace(scenario_of("clusters"), draws=THINNED)


def test_outcomes_that_lie_apart_are_enumerated_without_those_between():
    truth = DiscreteTruth((0.001, 0.999))
    scenario = scenario_for(family_of("proportion"), 10_000, truth, law=BetaBinomial(1e-6))
    outcomes = solver_of(scenario).possible_outcomes()
    assert outcomes.size < 2000
    limits = limits_at(scenario, outcomes)
    found = solver_of(scenario).at_truths(limits)
    assert np.isfinite(found.below).all()
    weights = solver_of(scenario).outcome_weights(outcomes)
    assert weights.sum() == pytest.approx(1.0, rel=1e-14)
    assert all(a < b for a, b in pairwise(outcomes.tolist()))
    assert prod(found.length.shape) == 8
