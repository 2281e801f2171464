"""Trials until intervals are narrow enough: how many they are, and what the intervals promise."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from harness.agreement import two_sided_p
from harness.base.numerics.arrays import Integers
from harness.catalogue import scenario_for
from harness.designs.engines.monte_carlo import SHARD
from harness.designs.precision import (
    Aim,
    certain_look,
    estimate_interval,
    fixed_trials,
    fraction_interval,
    half_width,
    planned_looks,
    shards_between_looks,
)
from harness.distributions.truths import UniformTruth
from harness.families.catalogue import family_of
from tests.engines.stopping import Stop, bias, coverage, simulated, stops

SCENARIO = scenario_for(family_of("proportion"), 10, UniformTruth(0.0, 1.0))
ALPHAS = (1e-6, 0.0004, 0.003, 0.01, 0.013, 0.05, 0.1, 0.29, 0.5, 0.8, 0.999)


def integers(*values: int) -> Integers:
    return np.array(values, np.int64)


@pytest.mark.parametrize(
    ("most", "first", "looks"),
    [
        (2**14, 2**14, (2**14,)),
        (2**14 + 1, 2**14, (2**14, 2**14 + 1)),
        (100_000, 2**14, (16384, 32768, 65536, 100_000)),
        (2**17, 2**14, (2**14, 2**15, 2**16, 2**17)),
        (5000, 2**14, (5000,)),
    ],
)
def test_looks_double_from_the_first_to_the_most_trials(
    most: int, first: int, looks: tuple[int, ...]
) -> None:
    assert planned_looks(most, first) == looks


@pytest.mark.parametrize("first", [2**10, 2**14])
def test_shards_end_at_the_looks_and_have_at_most_a_million_trials(first: int) -> None:
    looks = planned_looks(5_000_000, first)
    found, ends = shards_between_looks(SCENARIO, looks, 7)
    sizes = [shard.trials for shard in found]
    doubled = [first, *(first << i for i in range(20) if first << i < SHARD)]
    assert sizes[: len(doubled)] == doubled
    assert set(sizes[len(doubled) : -1]) == {SHARD}
    assert sum(sizes) == 5_000_000
    assert [shard.number for shard in found] == list(range(len(found)))
    assert [shard.start for shard in found] == np.cumsum([0, *sizes[:-1]]).tolist()
    assert [sum(sizes[:end]) for end in ends] == list(looks)


@pytest.mark.parametrize("aim", [0.09, 0.2, 0.4, 0.48])
def test_fixed_trials_are_the_fewest_that_are_enough(aim: float) -> None:
    alphas = np.array([0.0, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.23, 0.3, 0.44])
    found = fixed_trials(alphas, aim, 10**9)
    for n in range(1, int(found.max()) + 1):
        misses = np.arange(n + 1)
        narrow = half_width(misses, np.full(n + 1, n), 0) <= aim
        likely = np.array([binom.pmf(misses, n, p)[narrow].sum() for p in alphas]) >= 0.999
        assert (n >= found[likely]).all()
        assert likely[found == n].all()


def test_fixed_trials_rise_towards_an_alpha_of_one_half_and_are_at_most_what_is_allowed() -> None:
    alphas = np.linspace(0.0, 0.5, 60)
    found = fixed_trials(alphas, 0.004, 10**9)
    assert (np.diff(found) >= 0).all()
    assert (fixed_trials(1.0 - alphas, 0.004, 10**9) == found).all()
    assert (fixed_trials(alphas, 0.004, 30_000) == np.minimum(found, 30_000)).all()
    assert fixed_trials(np.array([0.5]), 1e-9, 10**11).tolist() == [10**11]


def test_intervals_at_looks_are_those_of_clopper_and_pearson() -> None:
    misses, trials = integers(0, 3, 40, 1024), integers(1024, 1024, 2048, 1024)
    lower, upper = estimate_interval(misses, trials, 9)
    tail = 0.05 / 9 / 2
    assert lower[1:3] == pytest.approx(beta(misses, trials - misses + 1).ppf(tail)[1:3], rel=1e-9)
    assert upper[:3] == pytest.approx(beta(misses + 1, trials - misses).isf(tail)[:3], rel=1e-9)
    assert (lower[0], upper[3]) == (0.0, 1.0)


def test_intervals_of_a_fixed_number_of_trials_are_those_of_any_run() -> None:
    misses, trials = np.array([[0, 5], [9, 70]]), np.full((2, 2), 100)
    for ours, known in zip(
        estimate_interval(misses, trials, 0), fraction_interval(misses, trials), strict=True
    ):
        assert (ours == known).all()


@pytest.mark.parametrize("aim", [0.3, 0.04, 0.01, 0.003])
def test_any_count_is_narrow_enough_at_the_certain_look_and_not_before(aim: float) -> None:
    looks = planned_looks(10**7, 1024)
    certain = certain_look(aim, looks)
    for number, look in enumerate(looks[:certain], 1):
        near = np.unique(np.linspace(0, look, 999).astype(np.int64))
        widest = half_width(np.append(near, look // 2), np.full(near.size + 1, look), len(looks))
        assert (widest.max() <= aim) == (number == certain)


def test_all_looks_are_made_where_even_the_last_one_may_be_too_wide() -> None:
    assert certain_look(1e-4, planned_looks(10**5, 1024)) == 8


def test_trials_go_on_until_every_column_is_narrow_enough() -> None:
    aim = Aim(0.02, 8192, (1024, 2048, 4096, 8192))
    assert aim.reached(integers(0, 1024), 1024)
    assert not aim.reached(integers(0, 512), 1024)
    assert not aim.reached(integers(0, 300), 1024)
    assert not Aim(0.02, 8192, ()).reached(integers(512), 1024)


@pytest.mark.parametrize("first", [32, 256])
@pytest.mark.parametrize("aim", [0.1, 0.03, 0.012])
def test_stopped_intervals_have_alpha_with_at_least_95_percent(aim: float, first: int) -> None:
    """Exact, by the law of the counts at the looks."""
    looks = planned_looks(3000, first)
    for alpha in ALPHAS:
        found = list(stops(alpha, aim, looks))
        assert sum(each.probability.sum() for each in found) == pytest.approx(1.0, abs=1e-9)
        assert coverage(alpha, found) >= 0.95 - 1e-9


def level(alpha: float, found: list[Stop], factor: int, at: float) -> float:
    """The probability that the p-value at the stop, times a factor, is at most ``at``."""
    total = 0.0
    for each in found:
        trials = np.full_like(each.misses, each.trials)
        p_value = two_sided_p(each.misses, trials, np.full(trials.shape, alpha)) * factor
        total += float(each.probability[p_value <= at].sum())
    return total


@pytest.mark.parametrize("alpha", ALPHAS)
def test_p_values_times_the_looks_keep_their_level(alpha: float) -> None:
    looks = planned_looks(2500, 64)
    found = list(stops(alpha, 0.025, looks))
    for at in (0.5, 0.05, 1e-3, 1e-5):
        assert level(alpha, found, len(looks), at) <= at


def test_without_the_factor_a_p_value_at_the_stop_misses_its_level() -> None:
    looks = planned_looks(2500, 64)
    found = list(stops(0.08, 0.05, looks))
    assert level(0.08, found, 1, 0.05) > 0.054
    assert level(0.08, found, len(looks), 0.05) <= 0.05


def test_the_estimate_at_the_stop_is_too_small() -> None:
    """With 5, 11 and 18 looks at alpha 0.01: the later ones, never made, widen the intervals."""
    found = [bias(0.01, list(stops(0.01, 0.005, planned_looks(10**k, 1024)))) for k in (4, 6, 8)]
    assert found == pytest.approx([-0.0127, -0.0186, -0.0291], abs=1e-4)


def test_simulated_runs_follow_the_exact_law() -> None:
    """One method in 2,000 runs; false alarms at five standard errors."""
    looks = planned_looks(2**15, 1024)
    runs = simulated([0.05], 0.01, looks, 2000, seed=1)
    found = list(stops(0.05, 0.01, looks))
    for each in found:
        expected, stopped = each.probability.sum(), (runs.trials == each.trials).mean()
        assert abs(stopped - expected) <= 5 * np.sqrt(max(expected * (1 - expected), 1e-4) / 2000)


def test_the_worst_of_six_methods_is_covered_in_simulated_runs() -> None:
    """500 runs; the probability to fail is below 0.001 if every coverage is 0.95 exactly."""
    least = 456
    assert 6 * binom.cdf(least - 1, 500, 0.95) < 1e-3
    alphas = [0.004, 0.012, 0.04, 0.05, 0.06, 0.08]
    runs = simulated(alphas, 0.008, planned_looks(2**17, 1024), 500, seed=12)
    assert runs.covered.sum(axis=1).min() >= least
    assert np.unique(runs.trials).size > 1


def test_a_cell_given_an_outcome_is_covered_though_all_misses_decide_when_to_stop() -> None:
    """4,000 runs of two outcomes; false alarms below 1e-6 if the coverage is 0.95 exactly.

    The misses of one outcome are most of those that decide.
    """
    runs, alpha, aim = 4000, np.array([0.2, 0.01]), 0.0104
    looks = planned_looks(2**14, 512)
    rng = np.random.default_rng(4)
    trials, misses = np.zeros((2, 2, runs), np.int64)
    going, before = np.arange(runs), 0
    for look in looks:
        first = rng.binomial(look - before, 0.3, going.size)
        drawn = np.stack([first, look - before - first])
        trials[:, going] += drawn
        misses[:, going] += rng.binomial(drawn, alpha[:, np.newaxis])
        before = look
        total = misses[:, going].sum(axis=0)
        going = going[half_width(total, np.full_like(total, look), len(looks)) > aim]
    assert np.unique(trials.sum(axis=0)).size > 1
    lower, upper = estimate_interval(misses, trials, len(looks))
    covered = ((lower <= alpha[:, np.newaxis]) & (alpha[:, np.newaxis] <= upper)).sum(axis=1)
    least = int(binom.ppf(1e-6, runs, 0.95))
    assert (covered >= least).all()
