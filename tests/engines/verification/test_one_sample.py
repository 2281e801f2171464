"""The comparison of what is published of one sample, which an error in either engine breaks."""

from dataclasses import replace

import numpy as np
import pytest

import harness
from harness.catalogue import scenario_for
from harness.designs.engines import posterior
from harness.designs.engines.posterior import Integrated, is_own_prior
from harness.designs.engines.solver import solver_of
from harness.designs.engines.verification import TOLERANCE, Published
from harness.designs.limits import Limits
from harness.distributions.posteriors.beta import Beta
from harness.distributions.sampling import binomial
from harness.distributions.truths import BetaTruth, DiscreteTruth, GammaTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import PROPORTION

FLAT, PRIOR = UniformTruth(0.0, 1.0), (1.0, 1.0)
TRUTHS = [FLAT, UniformTruth(0.2, 0.7), BetaTruth(2.0, 8.0), BetaTruth(0.5, 0.5)]
LISTED = DiscreteTruth((0.0, 0.1, 1 / 3, 0.5, 0.77, 1.0))
FAULT = 1e-9


def at(n, truth):
    return scenario_for(family_of("proportion"), n, truth)


def limits_at(n, outcomes=None, names=("wald", "minimal_length", "jeffreys")):
    x = np.arange(n + 1) if outcomes is None else outcomes
    data = x.astype(float), np.full(x.size, float(n))
    columns = [PROPORTION[name].limits(data, 0.05) for name in names]
    lower, upper = (np.array(side) for side in zip(*columns, strict=True))
    return Limits(x, lower, upper)


@pytest.mark.parametrize("truth", [*TRUTHS, BetaTruth(0.3, 40.0)], ids=str)
@pytest.mark.parametrize("n", [1, 10, 300, 2000])
def test_both_engines_meet_far_within_the_tolerance(truth, n):
    found = compared(at(n, truth), limits_at(n), PRIOR)
    assert set(found) == {"means", "outcomes", "weights", "worst cases"}
    assert max(found.values()) <= 1e-2 * TOLERANCE


@pytest.mark.parametrize("n", [1, 10, 300, 2000])
def test_both_engines_meet_at_strongly_singular_ends(n):
    found = compared(at(n, BetaTruth(0.05, 0.2)), limits_at(n), (0.5, 0.5))
    assert max(found.values()) <= 0.1 * TOLERANCE


@pytest.mark.parametrize("truth", [*TRUTHS, BetaTruth(0.05, 0.2)], ids=str)
@pytest.mark.parametrize("n", [2001, 10**5, 10**6, 10**9])
def test_large_sizes_are_compared_at_some_outcomes(truth, n):
    scenario = at(n, truth)
    outcomes = solver_of(scenario).outcomes_to_verify(None)
    assert 60 <= outcomes.size <= 96
    limits = limits_at(n, outcomes, names=("wald", "jeffreys"))
    found = compared(scenario, limits, PRIOR, mean=False)
    assert {"outcomes", "worst cases"} <= set(found)
    assert max(found.values()) <= 0.1 * TOLERANCE


@pytest.mark.parametrize("n", [5, 60, 2000, 10**6])
def test_listed_truths_meet_a_second_computation(n):
    scenario = at(n, LISTED)
    limits = limits_at(n, solver_of(scenario).possible_outcomes(), names=("wald", "jeffreys"))
    found = compared(scenario, limits, PRIOR, engines=("enumeration",))
    assert set(found) == {"means", "truths", "outcomes", "weights", "worst cases"}
    assert max(found.values()) <= 5e-2 * TOLERANCE


def test_outcomes_between_the_windows_of_listed_truths_need_no_limits():
    scenario = at(2000, DiscreteTruth((0.0, 0.5, 0.9)))
    outcomes = solver_of(scenario).possible_outcomes()
    assert (np.diff(outcomes) > 1).sum() == 2
    found = compared(scenario, limits_at(2000, outcomes), PRIOR, engines=("enumeration",))
    assert max(found.values()) <= 5e-2 * TOLERANCE


def test_which_outcomes_need_limits():
    assert solver_of(at(10, LISTED)).outcomes_to_verify(None).size == 0
    for truth in TRUTHS:
        np.testing.assert_array_equal(
            solver_of(at(10, truth)).outcomes_to_verify(None),
            solver_of(at(10, truth)).possible_outcomes(),
        )
    np.testing.assert_array_equal(
        solver_of(at(2000, FLAT)).outcomes_to_verify(None), np.arange(2001)
    )


def test_the_truths_own_prior():
    assert is_own_prior(at(5, FLAT), (1.0, 1.0))
    assert not is_own_prior(at(5, UniformTruth(0.0, 0.5)), (1.0, 1.0))
    assert is_own_prior(at(5, BetaTruth(2.0, 8.0)), (2.0, 8.0))
    assert not is_own_prior(at(5, BetaTruth(2.0, 8.0)), (1.0, 1.0))
    assert not is_own_prior(at(5, LISTED), (1.0, 1.0))
    assert is_own_prior(scenario_for(family_of("rate"), 2.0, GammaTruth(2.0, 3.0)), (2.0, 3.0))
    assert not is_own_prior(
        scenario_for(family_of("rate"), 2.0, UniformTruth(0.0, 9.0)), (1.0, 0.0)
    )


def scaled(record, name, row=slice(None), place=slice(None)):
    """A record with some numbers larger by one part in a billion."""
    values = getattr(record, name).copy()
    values[..., place] *= 1 + FAULT if row == slice(None) else 1.0
    if row != slice(None):
        values[row, place] *= 1 + FAULT
    return replace(record, **{name: values})


@pytest.mark.parametrize("truth", [*TRUTHS, LISTED], ids=str)
@pytest.mark.parametrize("side", ["below", "above", "length"])
@pytest.mark.parametrize("engine", ["enumeration", "posterior"])
@pytest.mark.parametrize("part", ["mean", "cells"])
def test_a_fault_of_one_in_a_billion_in_what_is_published_is_seen(truth, side, engine, part):
    n = 20
    scenario, limits = at(n, truth), limits_at(n)
    known = published(scenario, limits, PRIOR)
    record = known.enumerated if engine == "enumeration" else known.integrated
    name = "mean" if part == "mean" else "by_outcome"
    if truth is LISTED and engine == "enumeration" and part == "cells":
        name = "by_truth"
    wrong = replace(record, **{name: scaled(getattr(record, name), side)})
    field = "enumerated" if engine == "enumeration" else "integrated"
    found = verdicts(scenario, limits, replace(known, **{field: wrong}))
    assert max(found.values()) > 10 * TOLERANCE


@pytest.mark.parametrize("truth", [*TRUTHS, LISTED], ids=str)
@pytest.mark.parametrize("engine", ["enumerated", "integrated"])
def test_the_weight_of_a_single_cell_is_seen(truth, engine):
    n = 20
    scenario, limits = at(n, truth), limits_at(n)
    known = published(scenario, limits, PRIOR)
    record = getattr(known, engine)
    wrong = replace(record, by_outcome=scaled(record.by_outcome, "weight", place=7))
    found = verdicts(scenario, limits, replace(known, **{engine: wrong}))
    assert found["weights"] > 10 * TOLERANCE


@pytest.mark.parametrize("table", ["by_truth", "by_outcome"])
def test_a_single_cell_of_a_list_is_seen(table):
    scenario, limits = at(20, LISTED), limits_at(20)
    known = published(scenario, limits, PRIOR)
    cells = getattr(known.enumerated, table)
    # A cell with a probability that matters: of a thousandth part and more.
    row, place = np.argwhere(cells.above > 1e-3)[2]
    wrong = replace(known.enumerated, **{table: scaled(cells, "above", row, place)})
    found = verdicts(scenario, limits, replace(known, enumerated=wrong))
    assert found["truths" if table == "by_truth" else "outcomes"] > 10 * TOLERANCE


@pytest.mark.parametrize("truth", [*TRUTHS, LISTED], ids=str)
@pytest.mark.parametrize("n", [20, 3000, 10**5])
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_limits_that_one_engine_has_shifted_are_seen(truth, n, side):
    scenario = at(n, truth)
    outcomes = None if n == 20 else solver_of(scenario).outcomes_to_verify(None)
    if truth is LISTED:
        outcomes = solver_of(scenario).possible_outcomes()
    limits = limits_at(n, outcomes, names=("wald", "jeffreys"))
    shifted = replace(limits, **{side: getattr(limits, side) * (1 - FAULT)})
    right = published(scenario, limits, PRIOR, mean=n == 20)
    wrong = published(scenario, shifted, PRIOR, mean=n == 20)
    for known in (
        replace(right, enumerated=wrong.enumerated),
        replace(right, integrated=wrong.integrated),
    ):
        if truth is LISTED and known.enumerated is right.enumerated and n > 20:
            continue
        assert max(verdicts(scenario, limits, known).values()) > 2 * TOLERANCE


@pytest.mark.parametrize("truth", [FLAT, BetaTruth(0.5, 0.5), LISTED], ids=str)
@pytest.mark.parametrize("broken", ["pmf", "cdf", "sf", "posterior"])
def test_a_wrong_function_beneath_an_engine_is_seen(monkeypatch, truth, broken):
    n = 20
    scenario, limits = at(n, truth), limits_at(n)
    owner, name = (Beta, "sf") if broken == "posterior" else (binomial, broken)
    right = getattr(owner, name)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, lambda *args: right(*args) * (1 + FAULT))
        found = max(compared(scenario, limits, PRIOR).values())
    # Tails of counts serve enumeration at listed truths alone.
    unused = broken in ("cdf", "sf") and truth is not LISTED
    assert (found > 10 * TOLERANCE) == (not unused)


def test_a_worst_case_below_a_listed_truth_or_above_that_anywhere_is_seen():
    scenario, limits = at(20, LISTED), limits_at(20)
    known = published(scenario, limits, PRIOR, engines=("enumeration",))
    full = solver_of(scenario).enumerate(limits)
    assert verdicts(scenario, limits, replace(known, enumerated=full))["worst cases"] == 0.0
    case = replace(full.worst[0], alpha=full.by_truth.missed[0].max() - 1e-6)
    wrong = replace(full, worst=(case, *full.worst[1:]))
    found = verdicts(scenario, limits, replace(known, enumerated=wrong))
    assert found["worst cases"] == pytest.approx(1e-6)
    case = replace(full.worst[0], alpha=full.worst_anywhere[0].alpha + 1e-6)
    wrong = replace(full, worst=(case, *full.worst[1:]))
    found = verdicts(scenario, limits, replace(known, enumerated=wrong))
    assert found["worst cases"] == pytest.approx(1e-6)


# Reference priors next to an atom at 0 are integrated as exactly as others.


SIZES = {
    "rate": {"exposure": [0.5, 4], "truth": {"gamma": [2, 0.5]}},
    "proportion": {"n": [3, 9], "truth": {"uniform": [0, 1]}},
}
METHODS = {"rate": ["score", "balanced_tail"], "proportion": ["wald", "balanced_tail"]}


@pytest.mark.parametrize("shape", [0.01, 1e-3, 1e-6, 1e-20])
@pytest.mark.parametrize("family", SIZES)
@pytest.mark.parametrize("rate", [1e-3, 1.0])
def test_both_computations_of_posterior_alphas_meet(tmp_path, family, shape, rate):
    config = {
        "name": "small",
        "figures": [],
        "family": family,
        **SIZES[family],
        "methods": METHODS[family],
        "reference": "truth",
        "reference_prior": [shape, rate],
        "engines": ["posterior", "enumeration"],
    }
    identity = harness.run(config, out=tmp_path).manifest["identity"]
    assert identity["holds"]
    assert identity["largest_discrepancy_below"] <= 1e-11


def test_an_improper_prior_of_a_large_shape_does_not_overflow(tmp_path):
    config = {
        "name": "large",
        "figures": [],
        "family": "rate",
        "exposure": 2.5,
        "methods": ["score"],
    }
    config |= {"reference": "truth", "truth": {"gamma": [2, 0.5]}, "reference_prior": [100, 0]}
    manifest = harness.run({**config, "engines": ["posterior"]}, out=tmp_path).manifest
    assert manifest["identity"]["holds"]


# What the exact engines publish of a scenario, and the comparisons that are made of it.


def published(scenario, limits, prior, engines=("posterior", "enumeration"), mean=True):
    """The results of the engines for all outcomes with limits, without worst cases."""
    enumerated = integrated = None
    if "enumeration" in engines:
        enumerated = solver_of(scenario).enumerate(limits, worst=False)
    if "posterior" in engines:
        under_prior = posterior.integrate_under_prior(scenario, limits, prior)
        if scenario.truth.is_discrete:
            weight = solver_of(scenario).outcome_weights(limits.outcomes)
            cells = replace(under_prior, weight=weight)
            integrated = Integrated(cells, cells.mean() if mean else None, None)
        else:
            cells = posterior.integrate_under_truth(scenario, limits)
            under_prior = under_prior.at(cells.conditions)
            integrated = Integrated(cells, cells.mean() if mean else None, under_prior)
    return Published(enumerated, integrated, prior)


def verdicts(scenario, limits, known):
    """The largest discrepancy of each kind of comparison."""
    found = {}
    for each in solver_of(scenario).verify(limits, known):
        assert each.discrepancy.shape == (limits.lower.shape[0],)
        found[each.of] = max(found.get(each.of, 0.0), float(np.max(each.discrepancy)))
    return found


def compared(scenario, limits, prior, **options):
    """The largest discrepancy of each kind of comparison of what the engines publish."""
    return verdicts(scenario, limits, published(scenario, limits, prior, **options))
