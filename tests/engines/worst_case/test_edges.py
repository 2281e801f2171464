"""The worst case over tables is no milder than that over the tables of two cells."""

import numpy as np
import pytest

from harness.catalogue import scenario_for
from harness.designs.design import data_of
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.one_sample.worst_case import worst_case
from harness.distributions.paired_truths import DirichletTruth
from harness.distributions.sampling import binomial
from harness.families.catalogue import family_of
from harness.methods.catalogue import find


def worst_of_tables(family, name, n, alpha=0.05):
    """The published worst case over all tables of n."""
    method = find(family_of(family), name)
    truth = DirichletTruth((1, 1, 1, 1))
    scenario = scenario_for(family_of(family), n, truth, with_both=method.uses_both)
    solver = solver_of(scenario)
    outcomes = solver.possible_outcomes()
    lower, upper = method.limits(data_of(scenario, outcomes), alpha)
    limits = Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    (case,) = solver.search(limits, solver.hull())
    return case


def worst_of_proportion(name, n, alpha=0.05):
    x = np.arange(n + 1.0)
    limits = find(family_of("proportion"), name).limits((x, np.full(n + 1, float(n))), alpha)
    return worst_case(n, *limits).alpha


@pytest.mark.parametrize(
    ("family", "name", "n"),
    [
        ("jaccard", "cloglog", 100),
        ("jaccard", "wilson", 50),
        ("precision", "clopper_pearson", 50),
        ("recall", "scas", 20),
        ("specificity", "jeffreys", 20),
        ("npv", "blaker", 20),
    ],
)
def test_a_table_of_two_cells_is_a_proportion(family, name, n):
    """Searches alone had 0.1148 for ``jaccard cloglog`` at n = 100, where 0.1320 is true."""
    found = worst_of_tables(family, name, n)
    assert found.alpha >= worst_of_proportion(name, n) - 1e-12
    assert found.found_by is not None
    if (family, name) == ("jaccard", "cloglog"):
        assert found.alpha == pytest.approx(0.13201, abs=1e-5)


@pytest.mark.parametrize("family", ["f_score", "jaccard", "precision", "paired_difference"])
def test_no_table_of_two_cells_is_missed_more_often(family):
    """By the probabilities of all outcomes on a fine grid of each edge."""
    n, name = 12, "wilson" if family != "paired_difference" else "wald"
    method = find(family_of(family), name)
    scenario = scenario_for(
        family_of(family), n, DirichletTruth((1, 1, 1, 1)), with_both=method.uses_both
    )
    outcomes = solver_of(scenario).possible_outcomes()
    lower, upper = method.limits(data_of(scenario, outcomes), 0.05)
    counts = [count.astype(float) for count in scenario.counts(outcomes)]
    p = np.linspace(0.0, 1.0, 20_001)[1:-1]
    largest = 0.0
    for one in range(4):
        for other in range(one):
            cells = [np.zeros_like(p) for _ in range(4)]
            cells[one], cells[other] = p, 1.0 - p
            theta = family_of(family).parameter_at(tuple(cells))
            if not np.isfinite(theta).all():
                continue
            known = np.isin(np.arange(4), (one, other))
            on_edge = sum(count for count, kept in zip(counts, known, strict=True) if kept) == n
            x = counts[one][on_edge].astype(np.int64)
            if not method.uses_both and x.size <= n:
                continue
            misses = (theta[:, np.newaxis] < lower[on_edge] - 1e-12) | (
                theta[:, np.newaxis] > upper[on_edge] + 1e-12
            )
            missed = (binomial.pmf(x, p[:, np.newaxis], n) * misses).sum(axis=1)
            largest = max(largest, float(missed.max()))
    assert worst_of_tables(family, name, n).alpha >= largest - 1e-9


def test_a_constant_parameter_is_missed_by_the_same_outcomes():
    """Without false positives precision is 1, whatever the recall."""
    found = worst_of_tables("precision", "wald", 20)
    assert found.alpha > 0.9
