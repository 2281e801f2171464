"""The comparison of what is published of two samples, which an error in either engine breaks."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from harness.catalogue import scenario_for
from harness.designs.design import crossed_outcomes, data_of
from harness.designs.engines.posterior import integrate_under_truth
from harness.designs.engines.solver import solver_of
from harness.designs.engines.verification import TOLERANCE
from harness.designs.limits import Limits
from harness.designs.two_samples import quadrature
from harness.designs.two_samples.quadrature import (
    LARGEST_TABLE,
    blocks,
    integrate_pairs,
    is_integrated,
    is_whole,
)
from harness.designs.two_samples.verification import outcomes_to_verify
from harness.distributions.sampling import binomial
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
)
from harness.families.catalogue import family_of
from tests.engines.verification.test_one_sample import compared, published, verdicts

FLAT = UniformTruth(0.0, 1.0)
DIFFERENCE, ACCURACY, RATES = "proportion_difference", "balanced_accuracy", "rate_difference"
LISTED = DiscreteTruth((0.1, 0.2, 0.6))
WHOLE = [
    (DIFFERENCE, (1, 1), FLAT, FLAT),
    (DIFFERENCE, (12, 13), FLAT, FLAT),
    (ACCURACY, (12, 5), FLAT, UniformTruth(0.2, 0.7)),
    (DIFFERENCE, (10, 10), BetaTruth(2.0, 8.0), BetaTruth(2.0, 8.0)),
    (ACCURACY, (10, 10), BetaTruth(2.0, 8.0), BetaTruth(3.0, 1.0)),
]
IN_BLOCKS = [
    (DIFFERENCE, (100, 100), FLAT, FLAT),
    (ACCURACY, (50, 10**4), UniformTruth(0.5, 1.0), FLAT),
    (DIFFERENCE, (10**6, 10**5), BetaTruth(200.0, 300.0), BetaTruth(200.0, 300.0)),
    (DIFFERENCE, (10**6, 10**6), FLAT, FLAT),
    (DIFFERENCE, (1000, 1000), UniformTruth(0.2, 0.25), UniformTruth(0.3, 0.35)),
    (RATES, (50.0, 2.0), GammaTruth(2.0, 3.0), GammaTruth(2.0, 3.0)),
    (RATES, (0.5, 2.0), GammaTruth(2.0, 3.0), GammaTruth(9.5, 3.0)),
    (RATES, (1.0, 2.0), UniformTruth(0.0, 10.0), UniformTruth(0.0, 10.0)),
]
SINGULAR = (DIFFERENCE, (5, 4), BetaTruth(0.5, 2.0), FLAT)
FAULT = 1e-9


def scenario_of(family, sizes, first, second):
    return scenario_for(family_of(family), sizes, PairTruth(first, second))


def prior_of(scenario):
    return scenario.model.FLAT_PRIOR


def limits_at(scenario, outcomes):
    """Limits about the estimate, too narrow above for the second column."""
    x1, n1, x2, n2 = data_of(scenario, outcomes)
    (p, q), weights = (
        ((x1 + 1) / (n1 + 2), (x2 + 1) / (n2 + 2)),
        scenario.family.combination.weights,
    )
    if scenario.family.name == RATES:
        (p, q), spread = (x1 / n1, x2 / n2), np.sqrt((x1 + 1) / n1**2 + (x2 + 1) / n2**2)
    else:
        spread = np.sqrt(p * (1 - p) / n1 + q * (1 - q) / n2)
    centre, spread = weights[0] * p + weights[1] * q, spread * abs(weights[0])
    lower = np.array([centre - 1.9 * spread, centre - 1.5 * spread])
    return Limits(outcomes, lower, np.array([centre + 1.9 * spread, centre + 0.4 * spread]))


def table(scenario):
    """The limits of all outcomes that the comparison needs."""
    return limits_at(scenario, outcomes_to_verify(scenario, prior_of(scenario)))


@pytest.mark.parametrize("case", WHOLE, ids=str)
def test_small_tables_meet_as_a_whole(case):
    scenario = scenario_of(*case)
    found = compared(scenario, table(scenario), prior_of(scenario))
    assert is_integrated(scenario)
    assert set(found) == {"means", "outcomes", "weights", "worst cases"}
    assert max(found.values()) <= 0.3 * TOLERANCE
    assert found["means"] <= 1e-2 * TOLERANCE


@pytest.mark.parametrize("case", [*IN_BLOCKS, SINGULAR], ids=str)
def test_large_tables_meet_in_blocks(case):
    scenario = scenario_of(*case)
    found = compared(scenario, table(scenario), prior_of(scenario), mean=False)
    assert not is_integrated(scenario)
    assert set(found) == {"outcomes", "weights", "worst cases"}
    assert max(found.values()) <= 0.5 * TOLERANCE


@pytest.mark.parametrize(
    ("family", "sizes", "values"),
    [
        (DIFFERENCE, (7, 6), LISTED),
        (ACCURACY, (40, 2), DiscreteTruth((0.0, 0.3, 1.0))),
        (RATES, (3.0, 0.5), DiscreteTruth((0.0, 0.2, 9.0))),
    ],
)
def test_listed_truths_meet_a_second_computation(family, sizes, values):
    scenario = scenario_of(family, sizes, values, values)
    limits = limits_at(scenario, solver_of(scenario).possible_outcomes())
    found = compared(scenario, limits, prior_of(scenario), engines=("enumeration",))
    assert set(found) == {"means", "truths", "outcomes", "weights", "worst cases"}
    assert max(found.values()) <= 1e-2 * TOLERANCE


def test_both_sides_equal_a_sum_over_outcomes_and_a_fine_grid():
    """P(p1 − p2 < θ) for two Beta posteriors, by the midpoint rule in the first one's quantiles."""
    scenario = scenario_of(DIFFERENCE, (3, 2), FLAT, FLAT)
    limits = table(scenario)
    share = (np.arange(20000) + 0.5) / 20000
    below = above = 0.0
    for place, outcome in enumerate(limits.outcomes):
        x, y = divmod(int(outcome), 3)
        first, second = stats.beta(x + 1, 4 - x).ppf(share), stats.beta(y + 1, 3 - y)
        below += second.sf(first - limits.lower[1, place]).mean() / 12
        above += second.cdf(first - limits.upper[1, place]).mean() / 12
    enumerated = solver_of(scenario).enumerate(limits, worst=False).mean
    for side in (enumerated, integrate_under_truth(scenario, limits).mean()):
        assert side.below[1] == pytest.approx(below, abs=1e-6)
        assert side.above[1] == pytest.approx(above, abs=1e-6)
        assert side.length[1] == pytest.approx(limits.length[1].mean(), abs=1e-12)


@pytest.mark.parametrize("case", [*WHOLE, *IN_BLOCKS], ids=str)
def test_few_outcomes_are_compared_whatever_the_sizes(case):
    scenario = scenario_of(*case)
    outcomes = outcomes_to_verify(scenario, prior_of(scenario))
    assert is_whole(scenario) == (case in WHOLE)
    assert 0 < outcomes.size <= (LARGEST_TABLE if case in WHOLE else 96)
    assert (np.diff(outcomes) > 0).all()
    # All of them can occur, and so are among those that are published.
    possible = solver_of(scenario).range_outcomes if case in WHOLE else None
    if possible is not None:
        assert np.isin(outcomes, possible(solver_of(scenario).whole_range())).all()
    for counts, size, sample in zip(
        scenario.counts(outcomes), scenario.sizes, scenario.samples(), strict=True
    ):
        first, last = sample.model.SAMPLING.window(*sample.truth.effective_support, size)
        assert first <= counts.min() <= counts.max() <= last


def test_blocks_of_listed_truths_are_where_the_lists_are():
    values = DiscreteTruth((0.2, 0.5, 0.9))
    scenario = scenario_of(DIFFERENCE, (1000, 1000), values, values)
    low, middle, mixed = blocks(scenario)
    assert low[0].mean() == pytest.approx(200, abs=1)
    assert middle[1].mean() == pytest.approx(500, abs=1)
    assert (mixed[0].mean(), mixed[1].mean()) == pytest.approx((500, 200), abs=1)


@cache
def known_of(place, is_whole_table):
    """A scenario with its limits and what the engines publish of it."""
    scenario = scenario_of(*(WHOLE if is_whole_table else IN_BLOCKS)[place])
    limits = table(scenario)
    return scenario, limits, published(scenario, limits, prior_of(scenario), mean=is_whole_table)


@pytest.mark.parametrize("case", [*WHOLE[1:], IN_BLOCKS[0], IN_BLOCKS[3], IN_BLOCKS[5]], ids=str)
@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize("engine", ["enumerated", "integrated"])
def test_a_fault_of_one_in_a_billion_in_what_is_published_is_seen(case, side, engine):
    cases = WHOLE if case in WHOLE else IN_BLOCKS
    scenario, limits, known = known_of(cases.index(case), case in WHOLE)
    record = getattr(known, engine)
    parts = ["by_outcome"]
    parts += ["mean"] if record.mean is not None else []
    parts += ["under_prior"] if engine == "integrated" and not _has_own_prior(scenario) else []
    for part in parts:
        if part == "by_outcome" and engine == "integrated" and case not in WHOLE:
            continue  # Enumeration publishes the same cells, which are compared.
        right = getattr(record, part)
        wrong = replace(right, **{side: getattr(right, side) * (1 + FAULT)})
        broken = replace(known, **{engine: replace(record, **{part: wrong})})
        assert max(verdicts(scenario, limits, broken).values()) > 10 * TOLERANCE, part


def _has_own_prior(scenario):
    return all(sample.truth == FLAT for sample in scenario.samples())


@pytest.mark.parametrize("case", [WHOLE[1], IN_BLOCKS[0], IN_BLOCKS[3]], ids=str)
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_limits_that_one_engine_has_shifted_are_seen(case, side):
    scenario = scenario_of(*case)
    limits = table(scenario)
    shifted = replace(limits, **{side: getattr(limits, side) * (1 + 10 * FAULT)})
    right, wrong = (
        published(scenario, each, prior_of(scenario), mean=case in WHOLE)
        for each in (limits, shifted)
    )
    known = replace(right, enumerated=wrong.enumerated)
    assert max(verdicts(scenario, limits, known).values()) > 10 * TOLERANCE


@pytest.mark.parametrize("case", [WHOLE[1], IN_BLOCKS[0], IN_BLOCKS[3]], ids=str)
@pytest.mark.parametrize("broken", ["ratio", "posterior", "comparison"])
def test_an_error_in_one_engine_alone_is_seen(monkeypatch, broken, case):
    scenario = scenario_of(*case)
    limits = table(scenario)
    if broken == "ratio":
        ratio = binomial.ratio
        monkeypatch.setattr(binomial, "ratio", lambda *args: ratio(*args) * (1 + FAULT))
    elif broken == "posterior":
        data = data_of(scenario, limits.outcomes)
        kind = type(scenario.family.posterior(data, (1.0, 1.0)))
        cdf = kind.cdf
        monkeypatch.setattr(kind, "cdf", lambda *args: cdf(*args) * (1 + FAULT))
    else:
        missed = quadrature.split_missed
        monkeypatch.setattr(
            quadrature,
            "split_missed",
            lambda theta, chance, lower, upper: missed(theta, chance * (1 + FAULT), lower, upper),
        )
    found = compared(scenario, limits, prior_of(scenario), mean=case in WHOLE)
    assert max(found.values()) > 10 * TOLERANCE


def test_a_parameter_that_is_taken_for_missed_where_it_is_covered_is_seen(monkeypatch):
    def swapped(parameter, chance, lower, upper):
        return np.where(parameter > upper, chance, 0.0), np.where(parameter < lower, chance, 0.0)

    monkeypatch.setattr(quadrature, "split_missed", swapped)
    scenario = scenario_of(*WHOLE[1])
    assert compared(scenario, table(scenario), (1.0, 1.0))["outcomes"] > 0.1


@pytest.mark.parametrize("part", ["by_truth", "by_outcome"])
@pytest.mark.parametrize("side", ["below", "above", "length"])
def test_a_single_cell_of_a_list_is_seen(part, side):
    scenario = scenario_of(DIFFERENCE, (7, 6), LISTED, LISTED)
    limits = limits_at(scenario, solver_of(scenario).possible_outcomes())
    known = published(scenario, limits, (1.0, 1.0), engines=("enumeration",))
    cells = getattr(known.enumerated, part)
    values = getattr(cells, side).copy()
    row, place = np.argwhere(values > 0.01)[1]
    values[row, place] *= 1 + FAULT
    wrong = replace(known.enumerated, **{part: replace(cells, **{side: values})})
    found = verdicts(scenario, limits, replace(known, enumerated=wrong))
    assert max(found.values()) > 10 * TOLERANCE


def test_a_miss_that_swaps_its_side_in_a_list_is_seen(monkeypatch):
    from harness.designs.engines import listed as exact

    right = exact.split_missed
    scenario = scenario_of(DIFFERENCE, (7, 6), LISTED, LISTED)
    limits = limits_at(scenario, solver_of(scenario).possible_outcomes())
    monkeypatch.setattr(exact, "split_missed", lambda *args: right(*args)[::-1])
    found = compared(scenario, limits, (1.0, 1.0), engines=("enumeration",))
    assert min(found["means"], found["truths"], found["outcomes"]) > 0.01


@pytest.mark.parametrize("engine", ["enumerated", "integrated"])
@pytest.mark.parametrize("truths", [FLAT, LISTED], ids=str)
def test_the_weight_of_a_single_cell_is_seen(engine, truths):
    scenario = scenario_of(DIFFERENCE, (7, 6), truths, truths)
    limits = limits_at(scenario, solver_of(scenario).possible_outcomes())
    known = published(scenario, limits, (1.0, 1.0))
    record = getattr(known, engine)
    weight = record.by_outcome.weight.copy()
    weight[np.argmax(weight)] *= 1 + FAULT
    cells = replace(record.by_outcome, weight=weight)
    wrong = replace(known, **{engine: replace(record, by_outcome=cells)})
    assert verdicts(scenario, limits, wrong)["weights"] > 10 * TOLERANCE


def test_limits_without_an_end_leave_the_rest_to_be_compared():
    scenario = scenario_of(*IN_BLOCKS[5])
    limits = table(scenario)
    open_above = replace(limits, upper=np.full_like(limits.upper, np.inf))
    found = compared(scenario, open_above, prior_of(scenario), mean=False)
    assert max(found.values()) <= 0.5 * TOLERANCE
    block = blocks(scenario)[0]
    part = open_above.at(crossed_outcomes(scenario, block))
    assert (integrate_pairs(scenario, block, part).above == 0).all()
