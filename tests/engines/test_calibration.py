"""The calibration engine: its draws, probabilities, counts and test."""

from dataclasses import replace

import numpy as np
import pytest

from harness.distributions.truths import BetaTruth, GammaTruth, PairTruth, UniformTruth
from harness.families import proportion, rate
from harness.families.catalogue import family_of
from harness.families.model import truth_posterior
from harness.kinds.calibration import engine as calibration
from harness.kinds.calibration.engine import (
    SMALLEST_VARIANCE,
    BinTally,
    CalibrationDesign,
    CalibrationShard,
    chi_squared,
    draw_trials,
    implied_prior,
    pool_bins,
    probabilities,
    shards,
    simulate,
    tally_by_bin,
)
from harness.methods.significance import significance

FLAT = UniformTruth(0.0, 1.0)

PROPORTIONS = CalibrationDesign(
    family=family_of("proportion_difference"),
    sizes=((1.0, 9.0), (20.0, 20.0)),
    truth=PairTruth(FLAT, UniformTruth(0.2, 0.7)),
    delta=(-0.5, 0.4),
    prior=(1.0, 1.0),
    bins=20,
)
RATES = CalibrationDesign(
    family=family_of("rate_difference"),
    sizes=((0.5, 4.0), (10.0, 10.0)),
    truth=PairTruth(UniformTruth(0.0, 8.0), GammaTruth(2.0, 0.5)),
    delta=(0.25, 0.25),
    prior=(1.0, 0.0),
    bins=7,
)
DESIGNS = pytest.mark.parametrize("design", [PROPORTIONS, RATES], ids=["proportions", "rates"])


def trials_of(design: CalibrationDesign, count: int = 2000, number: int = 0, seed: int = 3):
    return draw_trials(CalibrationShard(design, number, count, seed))


def test_numbers_of_trials_are_whole_and_reach_both_ends_and_exposures_are_real():
    _, n1, _, n2 = trials_of(PROPORTIONS).data
    np.testing.assert_array_equal(np.unique(n1), np.arange(1, 10))
    assert (n2 == 20).all()
    _, exposure1, _, exposure2 = trials_of(RATES).data
    assert np.unique(exposure1).size == 2000
    assert 0.5 <= exposure1.min() < 0.51 < 3.99 < exposure1.max() <= 4
    assert (exposure2 == 10).all()


def test_delta_is_uniform_or_fixed():
    delta = trials_of(PROPORTIONS).delta
    assert -0.5 <= delta.min() < -0.49 < 0.39 < delta.max() <= 0.4
    assert (trials_of(RATES).delta == 0.25).all()


def test_each_outcome_comes_from_the_size_and_the_truth_of_its_own_trial():
    """Truths next to 1 leave successes only; large exposures leave next to no noise."""
    sure = PairTruth(UniformTruth(1 - 1e-12, 1.0), UniformTruth(0.0, 1e-12))
    x1, n1, x2, _ = trials_of(replace(PROPORTIONS, truth=sure)).data
    np.testing.assert_array_equal(x1, n1)
    assert (x2 == 0).all()
    long = replace(RATES, sizes=((1e8, 9e8), (1e9, 1e9)))
    trials = trials_of(long)
    x1, exposure1, x2, exposure2 = trials.data
    # Six standard errors at a rate below 8 in an exposure above 1e8, and likewise.
    assert np.abs(x1 / exposure1 - x2 / exposure2 - trials.parameter).max() < 6 * 4e-4


def test_the_event_is_closed_and_of_the_familys_own_parameter():
    trials = trials_of(replace(PROPORTIONS, family=family_of("balanced_accuracy")))
    assert 0 < trials.parameter.min() < trials.parameter.max() < 1
    at = replace(trials, delta=trials.parameter)
    assert at.event.all()
    assert not replace(at, delta=np.nextafter(at.delta, 2)).event.any()


@DESIGNS
def test_prior_and_bins_change_no_draw_and_what_is_drawn_does(design):
    one = trials_of(design)
    same = trials_of(replace(design, prior=(2.0, 3.0), bins=3))
    np.testing.assert_array_equal(one.data, same.data)
    np.testing.assert_array_equal(one.delta, same.delta)
    others = [
        trials_of(replace(design, delta=(0.0, 0.1))),
        trials_of(replace(design, sizes=(design.sizes[0], (11.0, 11.0)))),
        trials_of(design, number=1),
        trials_of(design, seed=4),
    ]
    for other in others:
        assert (other.data[0] != one.data[0]).any()


def test_shards_hold_all_trials_once(monkeypatch):
    monkeypatch.setattr(calibration, "SHARD", 300)
    found = shards(PROPORTIONS, 1000, seed=5)
    assert [(shard.number, shard.trials) for shard in found] == [
        *((0, 300), (1, 300), (2, 300), (3, 100)),
    ]
    for tally in map(sum_of, zip(*map(simulate, found), strict=True)):
        assert tally.trials.sum() == 1000


def sum_of(tallies) -> BinTally:
    first, *rest = tallies
    for tally in rest:
        first = first.plus(tally)
    return first


@pytest.mark.parametrize(
    ("family", "truths", "prior", "references"),
    [
        ("proportion_difference", (FLAT, FLAT), (1.0, 1.0), ("prior",)),
        ("proportion_difference", (FLAT, BetaTruth(1.0, 1.0)), (1.0, 1.0), ("prior",)),
        ("proportion_difference", (FLAT, FLAT), (0.5, 0.5), ("prior", "truth")),
        ("proportion_difference", (BetaTruth(2.0, 8.0),) * 2, (2.0, 8.0), ("prior",)),
        ("balanced_accuracy", (FLAT, UniformTruth(0.0, 0.5)), (1.0, 1.0), ("prior", "truth")),
        ("rate_difference", (GammaTruth(1.0, 0.2),) * 2, (1.0, 0.2), ("prior",)),
        ("rate_difference", (UniformTruth(0.0, 9.0),) * 2, (1.0, 0.0), ("prior", "truth")),
    ],
)
def test_the_truths_own_posterior_comes_in_only_where_it_is_another(
    family, truths, prior, references
):
    design = replace(PROPORTIONS, family=family_of(family), truth=PairTruth(*truths), prior=prior)
    assert design.references == references


@DESIGNS
def test_probabilities_under_the_prior_are_those_a_user_gets(design):
    design = replace(design, prior=(0.5, 2.0))
    trials = trials_of(design, count=60)
    data = dict(zip(design.family.data, trials.data, strict=True))
    expected = significance(design.family.name, delta=trials.delta, prior=(0.5, 2.0), **data)
    np.testing.assert_array_equal(probabilities(design, trials, "prior"), expected)


@pytest.mark.parametrize(
    ("model", "truth"),
    [
        (proportion, FLAT),
        (proportion, UniformTruth(0.2, 0.7)),
        (proportion, BetaTruth(2.0, 0.5)),
        (rate, UniformTruth(0.5, 8.0)),
        (rate, GammaTruth(2.0, 0.5)),
    ],
)
def test_the_truths_posterior_is_that_of_each_size_by_itself(model, truth):
    x, size = np.array([0.0, 3.0, 3.0, 7.0]), np.array([1.0, 3.0, 8.0, 9.0])
    point = np.array([0.3, 0.69, 0.5, 0.6])
    together = truth_posterior(model, truth, x, size).sf(point)
    alone = [
        truth_posterior(model, truth, np.array([int(one)]), each).sf(np.array([at]))[0]
        for one, each, at in zip(x, size, point, strict=True)
    ]
    # A range that is short beside one posterior and long beside another is integrated otherwise.
    np.testing.assert_allclose(together, alone, rtol=1e-12)


def test_a_part_of_a_flat_range_is_no_prior():
    assert implied_prior(proportion, UniformTruth(0.0, 0.5)) is None
    assert implied_prior(rate, UniformTruth(0.0, 1e9)) is None


def test_trials_are_counted_in_the_bin_of_their_probability():
    """An edge belongs to the bin above it, and 1 to the last bin."""
    probability = np.array([0.0, 0.05, 0.2499, 0.25, 0.5, 0.99, 1.0, 1.0])
    event = np.array([False, True, False, True, False, True, True, False])
    tally = tally_by_bin(probability, event, np.arange(5) / 4)
    np.testing.assert_array_equal(tally.trials, [3, 1, 1, 3])
    np.testing.assert_array_equal(tally.true, [1, 1, 0, 2])
    np.testing.assert_allclose(tally.probability, [0.2999, 0.25, 0.5, 2.99], rtol=1e-15)
    np.testing.assert_allclose(
        tally.variance, [0.05 * 0.95 + 0.2499 * 0.7501, 0.1875, 0.25, 0.0099], rtol=1e-12
    )
    none = tally_by_bin(np.empty(0), np.empty(0, bool), np.arange(5) / 4)
    assert none.trials.tolist() == none.true.tolist() == none.probability.tolist() == [0] * 4


def test_pools_are_large_enough_and_grow_towards_the_middle():
    assert pool_bins(np.array([6.0, 9.0, 5.0, 7.0])).tolist() == [0, 1, 2, 3]
    assert pool_bins(np.array([1.0, 3.0, 2.0, 8.0, 9.0, 4.0])).tolist() == [0, 0, 0, 1, 2, 2]
    assert pool_bins(np.array([9.0, 9.0, 0.0, 9.0, 9.0])).tolist() == [0, 1, 1, 2, 3]
    assert pool_bins(np.array([0.0, 0.0, 9.0, 0.0])).tolist() == [0, 0, 0, 0]
    assert pool_bins(np.array([1.0, 1.0])).tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_no_pool_is_too_small_where_there_is_enough_for_one(seed):
    rng = np.random.default_rng(seed)
    variance = rng.gamma(0.3, 20.0, rng.integers(1, 30))
    pool = pool_bins(variance)
    assert ((np.diff(pool) == 0) | (np.diff(pool) == 1)).all()
    sums = np.bincount(pool, variance)
    assert sums.size == 1 or sums.min() >= SMALLEST_VARIANCE


def test_the_statistic_is_the_sum_over_pools_of_squared_excess_by_variance():
    tally = BinTally(
        np.array([40, 40, 900]),
        np.array([14, 21, 896]),
        np.array([10.0, 20.0, 898.0]),
        np.array([7.5, 10.0, 1.9]),
    )
    found = chi_squared(tally)
    assert found is not None
    expected = 4**2 / 7.5 + (1 - 2) ** 2 / 11.9
    assert found.statistic == pytest.approx(expected, rel=1e-12)
    assert found.degrees_of_freedom == 2
    # Two degrees of freedom: the upper tail is exponential.
    assert found.p_value == pytest.approx(np.exp(-expected / 2), rel=1e-12)


def test_trials_that_are_never_in_doubt_are_no_test():
    sure = tally_by_bin(np.ones(1000), np.ones(1000, bool), np.arange(21) / 20)
    assert chi_squared(sure) is None


def p_values(bend: float, repeats: int, trials: int) -> np.ndarray:
    """Of samples whose events come with probability p^bend where p is computed.

    As in Fig. 12, most of the computed probabilities are next to 0 or 1.
    """
    rng = np.random.default_rng(12)
    edges = np.arange(21) / 20
    found = []
    for _ in range(repeats):
        p = rng.beta(0.15, 0.15, trials)
        test = chi_squared(tally_by_bin(p, rng.random(trials) < p**bend, edges))
        assert test is not None
        found.append(test.p_value)
    return np.array(found)


def test_calibrated_probabilities_are_refused_as_often_as_the_level_says():
    """By simulation; a fixed seed, and five standard errors on each side (1 in 1.7 million)."""
    found = p_values(bend=1.0, repeats=2000, trials=1500)
    for level in (0.5, 0.1, 0.05, 0.01):
        error = np.sqrt(level * (1 - level) / found.size)
        # The counts are discrete and skewed: the level is held to within a tenth of itself.
        assert abs((found <= level).mean() - level) < 5 * error + 0.1 * level


def test_probabilities_a_little_off_are_refused():
    assert np.median(p_values(bend=1.1, repeats=20, trials=40000)) < 1e-3
