"""Worst cases are computed a second time, and on a net of truths that no search used."""

from dataclasses import replace

import numpy as np
import pytest

from harness.catalogue import scenario_for, with_settings
from harness.designs.design import data_of
from harness.designs.engines.confirmation import BY_NET, confirmed, net_at_limits
from harness.designs.engines.solver import solver_of
from harness.designs.engines.verification import TOLERANCE
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT
from harness.designs.one_sample.design import places_of_one
from harness.designs.one_sample.worst_case import worst_case
from harness.designs.results import AT_LISTED
from harness.distributions.paired_truths import TableTruth, table_of_cells
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.distributions.truths import DiscreteTruth, PairTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, methods_of

FLAT = UniformTruth(0.0, 1.0)
NARROW = TableTruth.of(table_of_cells(p, 0.05, 0.4) for p in (0.1, 0.2, 0.4))
SCENARIOS = {
    "one sample": (scenario_for(family_of("proportion"), 20, FLAT), "wilson"),
    "a listed truth": (
        scenario_for(family_of("proportion"), 20, DiscreteTruth((0.1, 0.3))),
        "wald",
    ),
    "a rate": (scenario_for(family_of("rate"), 5.0, DiscreteTruth((0.5, 3.0))), "garwood"),
    "two samples": (
        scenario_for(family_of("proportion_difference"), (6, 5), PairTruth(FLAT, FLAT)),
        "agresti_caffo",
    ),
    "a ratio": (scenario_for(family_of("risk_ratio"), (6, 5), PairTruth(FLAT, FLAT)), "katz"),
    "pairs": (scenario_for(family_of("paired_difference"), 10, NARROW), "wald"),
    "stopped": (
        scenario_for(
            with_settings("proportion", {"stopping": {"boundaries": [{"n": 10, "at_most": 1}]}}),
            29,
            FLAT,
        ),
        "wilson",
    ),
}


def solved(scenario, *methods):
    solver = solver_of(scenario)
    outcomes = solver.range_outcomes(solver.hull())
    data = data_of(scenario, outcomes)
    pairs = [methods_of(scenario.family)[name].limits(data, 0.05) for name in methods]
    lower, upper = (np.array(ends) for ends in zip(*pairs, strict=True))
    limits = Limits.of(scenario, outcomes, lower, upper)
    return solver, limits, solver.enumerate(limits)


def apart(comparisons, against=None):
    return max(each.discrepancy.max() for each in comparisons if against in (None, each.against))


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_ten_thousandth_added_to_a_worst_case_is_found(name):
    scenario, method = SCENARIOS[name]
    solver, limits, found = solved(scenario, method)
    assert apart(confirmed(solver, limits, found)[1]) <= TOLERANCE
    for part in ("worst", "worst_anywhere"):
        (case,) = getattr(found, part)
        if case is not None:
            wrong = replace(found, **{part: (replace(case, alpha=case.alpha + 1e-4),)})
            assert apart(confirmed(solver, limits, wrong)[1], "second computation") > 1e-5


@pytest.mark.parametrize("name", ["one sample", "two samples", "a rate"])
def test_a_wrong_side_is_found(name):
    scenario, method = SCENARIOS[name]
    solver, limits, found = solved(scenario, method)
    (case,) = found.worst
    assert case.side in ("above", "below")
    turned = replace(case, side={"above": "below", "below": "above"}[case.side])
    comparisons = confirmed(solver, limits, replace(found, worst=(turned,)))[1]
    assert apart(comparisons, "second computation") > 1e-5


@pytest.mark.parametrize("end", [0, 1])
def test_a_forgotten_end_gap_is_found_on_the_net(end):
    scenario = scenario_for(family_of("proportion"), 20, FLAT)
    solver, limits, found = solved(scenario, "wald")
    lower, upper = limits.lower[0].copy(), limits.upper[0].copy()
    # Only one end is as bad as can be; the search begins behind it.
    (lower if end else upper)[::20] = 0.0 if not end else 1.0
    lower[0 if end else 20], upper[0 if end else 20] = 0.0, 1.0
    limits = Limits.of(scenario, limits.outcomes, lower[np.newaxis], upper[np.newaxis])
    forgotten = worst_case(20, lower, upper, over=((0.05, 1.0), (0.0, 0.95))[end])
    given = replace(found, worst=(forgotten,), worst_anywhere=(None,))
    assert solver.enumerate(limits).worst[0].alpha > forgotten.alpha + 0.1
    comparisons = confirmed(solver, limits, given)[1]
    assert apart(comparisons, "second computation") <= TOLERANCE
    assert apart(comparisons, "a net of truths") > 0.1


@pytest.mark.parametrize("n", [1, 7, 30])
def test_no_exact_worst_case_of_the_catalogue_is_exceeded(n):
    scenario, methods = scenario_for(family_of("proportion"), n, FLAT), CATALOGUE["proportion"]
    names = [
        name
        for name, each in methods.items()
        if not (
            each.is_for_stopping or name.startswith(("hypergeometric", "bootstrap", "one_sided"))
        )
    ]
    solver, limits, found = solved(scenario, *names)
    same, comparisons = confirmed(solver, limits, found)
    assert same.worst == found.worst
    assert len(comparisons) == 2
    assert apart(comparisons) <= TOLERANCE


def test_a_larger_value_on_the_net_replaces_what_a_search_found():
    solver, limits, found = solved(SCENARIOS["pairs"][0], "agresti_min", "wald")
    replaced, _ = confirmed(solver, limits, found)
    for before, after in zip(found.worst, replaced.worst, strict=True):
        assert after.searched == before.alpha
        assert after.alpha == max(after.searched, after.on_net)
    case = next(each for each in replaced.worst if each.found_by == BY_NET)
    row = replaced.worst.index(case)
    ((_, outcomes, probability),) = solver.rows_again(limits, np.array(case.truths)[:, np.newaxis])
    theta = case.truths[1] - case.truths[2]
    missed = (limits.lower[row, outcomes] >= theta - 1e-12) | (
        limits.upper[row, outcomes] <= theta + 1e-12
    )
    assert probability[0, missed].sum() >= case.alpha - 1e-14
    for (low, high), value in zip(solver.hull(), case.truths, strict=True):
        assert low - 1e-9 <= value <= high + 1e-9


def test_what_replaces_a_worst_case_depends_on_no_other_method():
    together = confirmed(*solved(SCENARIOS["pairs"][0], "agresti_min", "wald", "tango"))[0].worst
    for name, case in zip(("agresti_min", "wald", "tango"), together, strict=True):
        assert confirmed(*solved(SCENARIOS["pairs"][0], name))[0].worst == (case,)


def test_a_worst_case_searched_too_low_is_raised_by_the_net():
    solver, limits, found = solved(*SCENARIOS["two samples"])
    (case,) = found.worst
    low = replace(case, alpha=0.05, truths=(0.5, 0.5), witness=(0.5, 0.5), side="at")
    (raised,) = confirmed(solver, limits, replace(found, worst=(low,)))[0].worst
    assert raised.found_by == BY_NET
    assert 0.95 * case.alpha < raised.alpha <= case.alpha + 1e-14


def test_a_worst_case_of_listed_truths_is_held_against_them(monkeypatch):
    solver, limits, found = solved(SCENARIOS["a listed truth"][0], "wald")
    monkeypatch.setattr(type(solver), "rows_again", lambda *_: None)
    monkeypatch.setattr(type(solver), "places", lambda *_: None)
    largest = float(found.by_truth.missed[0].max())
    case = replace(found.worst[0], alpha=largest, found_by=AT_LISTED)
    given = replace(found, worst=(case,), worst_anywhere=(None,))
    assert apart(confirmed(solver, limits, given)[1]) == 0.0
    wrong = replace(given, worst=(replace(case, alpha=largest + 1e-4),))
    assert apart(confirmed(solver, limits, wrong)[1]) > 1e-5


def test_tables_are_searched_whose_ranges_meet_in_no_corner_of_three_cells():
    tables = [(0.3, 0.2, 0.1, 0.4), (0.2, 0.25, 0.15, 0.4), (0.25, 0.15, 0.2, 0.4)]
    scenario = scenario_for(family_of("paired_difference"), 10, TableTruth.of(tables))
    solver, limits, found = solved(scenario, "wald")
    assert found.worst[0].alpha >= found.by_truth.missed[0].max() - 1e-12
    replaced, comparisons = confirmed(solver, limits, found)
    assert replaced.worst[0].on_net > 0.5 * found.worst[0].alpha
    assert apart(comparisons, "second computation") <= TOLERANCE


@pytest.mark.parametrize("total", [50, 1000])
def test_a_net_of_whole_numbers_has_the_neighbours_of_each_limit(total):
    scenario = scenario_for(
        family_of("proportion"), 10, UniformTruth(0.0, 1.0), law=Hypergeometric(total)
    )
    limit = np.array([0.1, 0.25, 0.3001, 0.9])
    places = places_of_one(scenario, (0.0, 1.0))
    net = net_at_limits(places, scenario, limit, limit, 100)
    assert (net.approach == AT).all()
    numbers = np.rint(net.truths[0] * total)
    assert (net.truths[0] == numbers / total).all()
    for each in limit * total:
        assert {np.floor(each + 1e-9) + 1.0, np.ceil(each - 1e-9) - 1.0} <= set(numbers)
