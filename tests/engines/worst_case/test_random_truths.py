"""No random truth is missed more often than the worst case that a run publishes."""

import numpy as np
import pytest

from benchmarks.random_truths import CASES, compared
from harness.catalogue import scenario_for
from harness.designs.design import data_of
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.distributions.paired_truths import DirichletTruth, TableTruth, table_of_cells
from harness.families.catalogue import family_of
from harness.methods.catalogue import find


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_no_random_truth_is_missed_more_often_than_the_published_worst_case(case):
    size = 1 if case.family in ("rate", "rate_difference", "rate_ratio") else 10
    beaten = [
        (found.method, found.published, found.largest, found.truth)
        for found in compared(case, size, 4_000)
        if found.is_beaten
    ]
    assert beaten == []


def searched(family, name, n, truth):
    """The worst case of one method that the search of the design finds."""
    method = find(family_of(family), name)
    scenario = scenario_for(family_of(family), n, truth, with_both=method.uses_both)
    solver = solver_of(scenario)
    outcomes = solver.range_outcomes(solver.hull())
    lower, upper = method.limits(data_of(scenario, outcomes), 0.05)
    limits = Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])
    (case,) = solver.search(limits, solver.hull())
    return case


def test_a_worst_case_at_an_edge_of_a_range_of_tables_is_found():
    """A search that moved probability between the discordant cells alone had 0.1291.

    The worst table has the most pairs right in both, and the least of both discordant cells.
    """
    tables = [
        table_of_cells(first, second, both)
        for first in (0.05, 0.2)
        for second in (0.05, 0.2)
        for both in (0.2, 0.6)
    ]
    found = searched("paired_ratio", "wald_log", 20, TableTruth.of(tables))
    assert found.alpha == pytest.approx(0.1351279, abs=1e-6)
    assert found.truths == pytest.approx((0.6, 0.05, 0.05, 0.3), abs=1e-9)


@pytest.mark.parametrize("family", ["precision", "recall", "specificity", "npv", "jaccard"])
def test_the_worst_case_of_a_share_is_one_for_all_metrics(family):
    """Searches of a grid had from 0.0868 to 0.0882 for the one coverage function."""
    found = searched(family, "agresti_coull", 20, DirichletTruth((1, 1, 1, 1)))
    assert found.alpha == pytest.approx(0.0885549, abs=1e-6)
