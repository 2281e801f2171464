"""Pairs: truths, scenarios, enumeration and the search for the worst case."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import harness
from harness.base.errors import InputError
from harness.base.numerics.arrays import Integers
from harness.catalogue import scenario_for
from harness.designs.design import Scenario, data_of
from harness.designs.engines.monte_carlo import shards, simulate
from harness.designs.engines.solver import solver_of
from harness.designs.engines.verification import Published
from harness.designs.limits import Limits
from harness.designs.results import Exact
from harness.distributions.paired_truths import (
    Cells,
    DirichletTruth,
    TableTruth,
    table_of_cells,
    table_of_margins,
)
from harness.families.catalogue import family_of
from harness.methods.catalogue import find

FAMILY = "paired_difference"
UNEVEN = table_of_cells(0.12, 0.05, 0.6)
SOME = TableTruth.of([UNEVEN, table_of_margins(0.9, 0.85, 0.3), (0.0, 1.0, 0.0, 0.0)])


def scenario_of(n: int, truth: TableTruth | DirichletTruth, with_both: bool) -> Scenario:
    return scenario_for(family_of(FAMILY), n, truth, with_both=with_both)


def limits_of(
    scenario: Scenario, outcomes: Integers, names: tuple[str, ...] = ("tango", "bonett_price")
) -> Limits:
    pairs = [
        find(family_of(FAMILY), name).limits(data_of(scenario, outcomes), 0.05) for name in names
    ]
    return Limits.of(scenario, outcomes, *(np.array(side) for side in zip(*pairs, strict=True)))


def multinomial(counts: Sequence[int], table: Cells) -> Fraction:
    """The exact probability of the counts."""
    exact = Fraction(math.factorial(sum(counts)))
    for count, p in zip(counts, table, strict=True):
        exact *= Fraction(p) ** count / math.factorial(count)
    return exact


def rising(base: Fraction, count: int) -> Fraction:
    """The rising factorial base (base + 1) … of ``count`` factors."""
    return math.prod((base + i for i in range(count)), start=Fraction(1))


def enumerated(scenario: Scenario) -> Exact:
    solver = solver_of(scenario)
    found = solver.enumerate(limits_of(scenario, solver.possible_outcomes()), worst=False)
    assert found.by_truth is not None
    return found.by_truth


probabilities = st.floats(0.0, 1.0)


@given(probabilities, probabilities, probabilities)
def test_cells_that_are_given_leave_the_rest_to_the_others(first, second, both):
    if first + second + both > 1.0:
        return
    table = table_of_cells(first, second, both)
    assert table[:3] == (both, first, second)
    assert sum(table) == pytest.approx(1.0, abs=1e-15)
    assert min(table) >= 0.0


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.0, 1.0))
def test_margins_and_correlation_are_those_of_the_table(first, second, share):
    scale = np.sqrt(first * (1 - first) * second * (1 - second))
    ends = max(0.0, first + second - 1.0), min(first, second)
    low, high = ((end - first * second) / scale for end in ends)
    correlation = low + share * (high - low)
    both, first_only, second_only, neither = table_of_margins(first, second, correlation)
    assert both + first_only == pytest.approx(first, abs=1e-12)
    assert both + second_only == pytest.approx(second, abs=1e-12)
    phi = (both * neither - first_only * second_only) / scale
    assert phi == pytest.approx(correlation, abs=1e-9)


@pytest.mark.parametrize("margins", [(0.9, 0.8, 0.7), (0.5, 0.5, 1.1), (0.0, 0.5, 0.5)])
def test_a_correlation_beyond_what_the_margins_allow_is_refused(margins):
    if margins[0] in (0.0, 1.0):
        assert table_of_margins(*margins) == (0.0, 0.0, 0.5, 0.5)
        return
    with pytest.raises(InputError, match=r"which the margins .* allow, found"):
        table_of_margins(*margins)


@pytest.mark.parametrize("with_both", [False, True])
def test_outcomes_are_all_tables_once_and_ascend(with_both):
    n = 7
    scenario = scenario_of(n, DirichletTruth((1.0, 1.0, 1.0, 1.0)), with_both)
    outcomes = solver_of(scenario).possible_outcomes()
    assert outcomes.size == scenario.outcome_count == solver_of(scenario).possible_count()
    assert (np.diff(outcomes) > 0).all()
    counts = scenario.counts(outcomes)
    assert (np.sum(counts, axis=0) == n).all()
    assert min(each.min() for each in counts) == 0
    assert (scenario.outcomes(*counts) == outcomes).all()


@pytest.mark.parametrize("table", [UNEVEN, *SOME.rows])
def test_probabilities_are_those_of_the_multinomial(table):
    n = 12
    scenario = scenario_of(n, TableTruth((table,)), True)
    solver = solver_of(scenario)
    everything = solver_of(scenario_of(n, DirichletTruth((1.0,) * 4), True)).possible_outcomes()
    found = solver.outcome_weights(everything)
    for outcome, weight in zip(everything, found, strict=True):
        counts = [int(each[0]) for each in scenario.counts(np.array([outcome]))]
        assert weight == pytest.approx(float(multinomial(counts, table)), rel=2e-13, abs=1e-300)


@pytest.mark.parametrize("shapes", [(1.0, 1.0, 1.0, 1.0), (0.5, 2.5, 0.7, 9.0)])
def test_weights_under_a_dirichlet_are_dirichlet_multinomial(shapes):
    n = 9
    scenario = scenario_of(n, DirichletTruth(shapes), True)
    outcomes = solver_of(scenario).possible_outcomes()
    weights = solver_of(scenario).outcome_weights(outcomes)
    total = sum(map(Fraction, shapes))
    for outcome, weight in zip(outcomes, weights, strict=True):
        counts = [int(each[0]) for each in scenario.counts(np.array([outcome]))]
        exact = Fraction(math.factorial(n)) / rising(total, n)
        for count, shape in zip(counts, shapes, strict=True):
            exact *= rising(Fraction(shape), count) / math.factorial(count)
        assert weight == pytest.approx(float(exact), rel=1e-12)
    apart = scenario_of(n, DirichletTruth(shapes), False)
    discordant = solver_of(apart).possible_outcomes()
    assert solver_of(apart).outcome_weights(discordant).sum() == pytest.approx(1.0, abs=1e-13)


def test_enumeration_over_discordant_pairs_is_that_over_all_tables():
    apart, together = (enumerated(scenario_of(25, SOME, both)) for both in (False, True))
    assert apart.below == pytest.approx(together.below, rel=1e-12, abs=1e-16)
    assert apart.above == pytest.approx(together.above, rel=1e-12, abs=1e-16)
    assert apart.length == pytest.approx(together.length, rel=1e-12)


def test_enumeration_is_a_sum_over_all_tables():
    n, table = 8, UNEVEN
    found = enumerated(scenario_of(n, TableTruth((table,)), True))
    method, theta, missed = find(family_of(FAMILY), "tango"), table[1] - table[2], 0.0
    for both, first, second in itertools.product(range(n + 1), repeat=3):
        neither = n - both - first - second
        if neither < 0:
            continue
        counts = (both, first, second, neither)
        lower, upper = method.limits(tuple(np.array([float(c)]) for c in counts), 0.05)
        if not lower[0] <= theta <= upper[0]:
            missed += float(multinomial(counts, table))
    assert found.missed[0, 0] == pytest.approx(missed, rel=1e-12)


def test_a_second_computation_confirms_enumeration():
    for with_both in (False, True):
        scenario = scenario_of(30, SOME, with_both)
        solver = solver_of(scenario)
        limits = limits_of(scenario, solver.possible_outcomes())
        found = solver.enumerate(limits, worst=False)
        compared = solver.verify(limits, Published(found, None, (1.0,) * 4))
        assert {each.of for each in compared} == {
            "means", "truths", "outcomes", "weights", "worst cases"
        }  # fmt: skip
        assert max(each.discrepancy.max() for each in compared) < 1e-12


@pytest.mark.parametrize("truth", [SOME, DirichletTruth((1.0, 2.0, 0.5, 3.0))])
def test_discordant_pairs_are_drawn_the_same_whether_both_is_asked_for(truth):
    tallies = []
    for with_both in (False, True):
        scenario = scenario_of(15, truth, with_both)
        whole = scenario_of(15, DirichletTruth((1.0,) * 4), with_both)
        limits = limits_of(scenario, solver_of(whole).possible_outcomes())
        (shard,) = shards(scenario, 20_000, 1, None)
        tallies.append(simulate(shard, limits).by_outcome)
    apart, together = tallies
    assert (apart.below.sum(axis=1) == together.below.sum(axis=1)).all()
    assert (apart.above.sum(axis=1) == together.above.sum(axis=1)).all()
    assert together.conditions.size > apart.conditions.size


def test_the_worst_case_is_the_same_over_discordant_pairs_and_over_all_tables():
    found = []
    for with_both in (False, True):
        scenario = scenario_of(10, DirichletTruth((1.0,) * 4), with_both)
        solver = solver_of(scenario)
        limits = limits_of(scenario, solver.possible_outcomes())
        cases = solver.worst_cases(limits, solver.whole_range())
        found.append([case.alpha for case in cases if case is not None])
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_no_table_of_a_fine_grid_is_missed_more_often_than_the_worst_case():
    n = 12
    scenario = scenario_of(n, DirichletTruth((1.0,) * 4), False)
    solver = solver_of(scenario)
    limits = limits_of(scenario, solver.possible_outcomes())
    cases = solver.worst_cases(limits, solver.whole_range())
    worst = np.array([case.alpha for case in cases])
    steps = np.linspace(0.0, 1.0, 26).tolist()
    tables = [
        table_of_cells(a, b) for a, b in itertools.product(steps, steps) if a + b <= 1.0 - 1e-12
    ]
    at = solver_of(scenario_of(n, TableTruth.of(tables), False)).at_truths(limits)
    assert (at.missed.max(axis=1) <= worst * (1.0 + 1e-9)).all()
    for row, case in enumerate(cases):
        step = {"above": 1e-12, "below": -1e-12, "at": 0.0}[case.side]
        beside = scenario.with_truths(scenario.design.beside(scenario, case.truths, step))
        missed = solver_of(beside).at_truths(limits).missed[row, 0]
        assert missed == pytest.approx(case.alpha, rel=1e-8)


def test_a_worst_case_over_a_range_stays_in_it():
    truth = TableTruth.of([table_of_cells(0.1, 0.2, 0.3), table_of_cells(0.2, 0.25, 0.4)])
    for with_both in (False, True):
        scenario = scenario_of(20, truth, with_both)
        solver = solver_of(scenario)
        whole = solver_of(scenario_of(20, DirichletTruth((1.0,) * 4), with_both))
        limits = limits_of(scenario, whole.possible_outcomes())
        for case in solver.worst_cases(limits, solver.hull()):
            assert case is not None
            assert sum(case.truths) == pytest.approx(1.0, abs=1e-9)
            for p, (low, high) in list(zip(case.truths, solver.hull(), strict=True))[1:3]:
                assert low - 1e-9 <= p <= high + 1e-9


def test_a_range_in_which_nothing_is_missed_has_a_worst_case_of_zero():
    truth = TableTruth.of([table_of_margins(0.95, 0.87, 0.0), table_of_margins(0.95, 0.92, 0.5)])
    for with_both in (False, True):
        scenario = scenario_of(3, truth, with_both)
        whole = solver_of(scenario_of(3, DirichletTruth((1.0,) * 4), with_both))
        limits = limits_of(scenario, whole.possible_outcomes(), ("tango",))
        (case,) = solver_of(scenario).worst_cases(limits, solver_of(scenario).hull())
        assert case is not None
        assert case.alpha == 0.0


def test_sizes_whose_tables_are_no_whole_numbers_are_refused():
    with pytest.raises(InputError, match="needs an n of at most 2000000"):
        scenario_of(3_000_000, SOME, True)
    assert scenario_of(10**9, SOME, False).outcome_count > 1e17


@pytest.mark.parametrize("shapes", [(1.0, 1.0, 1.0, 1.0), (2.0, 1.0, 3.0, 5.0)])
def test_posterior_and_enumeration_meet_under_a_dirichlet(shapes):
    for with_both in (False, True):
        scenario = scenario_of(7, DirichletTruth(shapes), with_both)
        solver = solver_of(scenario)
        limits = limits_of(scenario, solver.possible_outcomes(), ("wald", "balanced_tail"))
        found = solver.enumerate(limits, worst=False)
        compared = solver.verify(limits, Published(found, None, (1.0,) * 4))
        assert {"outcomes", "weights", "means"} <= {each.of for each in compared}
        assert max(each.discrepancy.max() for each in compared) < 1e-11


def test_the_mean_alpha_error_of_a_criterion_under_its_prior_is_zero():
    scenario = scenario_of(9, DirichletTruth((1.0,) * 4), False)
    solver = solver_of(scenario)
    limits = limits_of(scenario, solver.possible_outcomes(), ("balanced_tail", "minimal_length"))
    found = solver.enumerate(limits, worst=False)
    assert found.mean is not None
    assert found.mean.missed == pytest.approx([0.05, 0.05], abs=1e-11)


def test_coverage_in_one_line_is_that_of_enumeration():
    tables = [table_of_cells(0.1, 0.05, 0.5), table_of_cells(0.1, 0.1, 0.5)]
    exact = enumerated(scenario_of(30, TableTruth.of(tables), False))
    found = harness.coverage(FAMILY, "tango", n=30, p11=0.5, p10=0.1, p01=[0.05, 0.1])
    assert found.coverage == pytest.approx(1.0 - exact.missed[0], abs=1e-12)
    assert found.mean_length == pytest.approx(exact.length[0], rel=1e-12)
    with pytest.raises(InputError, match=r"p00 = 1 − p11 − p10 − p01 should be at least 0"):
        harness.coverage(FAMILY, "tango", n=30, p11=0.5, p10=0.5, p01=0.1)
