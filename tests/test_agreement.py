"""Monte Carlo against exact: p-values, Holm's correction, and how many intervals should miss."""

from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import harness
from harness.agreement import (
    LEVEL,
    ComparedCells,
    DrawnOutcomes,
    MethodAgreement,
    compare_cells,
    compare_draws,
    holm,
    intervals_missing,
    mean_p,
    two_sided_p,
)
from harness.designs import precision
from harness.designs.precision import (
    INTERVAL_ALPHA,
    fraction_interval,
    probability_of_missing,
    standard_error,
)

ROOT = Path(harness.__file__).parents[1]

# Sums of a few hundred terms against incomplete beta functions.
SUMMED = 1e-11


def integers(*values):
    return np.array(values, dtype=np.int64)


def pmf(trials, exact):
    """Binomial probabilities of 0 … trials, as exact fractions rounded once."""
    p = Fraction(exact)
    q = 1 - p
    return [float(comb(trials, m) * p**m * q ** (trials - m)) for m in range(trials + 1)]


def cells(below, above, trials, exact_below, exact_above, method="mine", looks=0):
    size = len(trials)
    counts = [integers(*part) for part in (trials, below, above)]
    exact = [np.array(part, float) for part in (exact_below, exact_above)]
    missed, exact_missed = counts[1] + counts[2], np.minimum(exact[0] + exact[1], 1.0)
    planned = np.full(size, looks, np.int64)
    scenario = np.arange(1, size + 1)
    return ComparedCells(method, scenario, *counts, missed, *exact, exact_missed, planned)


NOTHING = cells([], [], [], [], [])


@pytest.mark.parametrize("trials", [1, 2, 7, 60, 300])
@pytest.mark.parametrize("exact", [1e-6, 0.05, 0.3, 0.5, 0.75, 1 - 2**-20])
def test_p_value_is_twice_the_smaller_tail_summed_term_by_term(trials, exact):
    probability = pmf(trials, exact)
    misses = np.arange(trials + 1)
    size = np.full(trials + 1, trials)
    found = two_sided_p(misses, size, np.full(trials + 1, exact))
    for m in range(trials + 1):
        up_to, at_least = sum(probability[: m + 1]), sum(probability[m:])
        assert found[m] == pytest.approx(min(1.0, 2 * min(up_to, at_least)), rel=SUMMED)


def test_p_value_of_a_fair_coin_by_hand():
    # Two heads or fewer of ten: (1 + 10 + 45) / 1024, and twice that.
    assert two_sided_p(integers(2), integers(10), np.array([0.5])) == pytest.approx(112 / 1024)


def test_an_exact_value_of_zero_or_one_leaves_nothing_to_chance():
    misses, trials = integers(0, 1, 10, 9, 10), integers(10, 10, 10, 10, 10)
    exact = np.array([0.0, 0.0, 1.0, 1.0, 0.0])
    assert two_sided_p(misses, trials, exact).tolist() == [1, 0, 1, 0, 0]


@given(st.integers(1, 10**9), st.floats(1e-12, 1 - 1e-12), st.data())
def test_p_values_are_probabilities_that_fall_away_from_the_mean(trials, exact, data):
    m = data.draw(st.integers(0, trials))
    further = data.draw(st.integers(m, trials) if m >= trials * exact else st.integers(0, m))
    size, chance = integers(trials, trials), np.array([exact, exact])
    near, far = two_sided_p(integers(m, further), size, chance)
    assert 0 <= far <= near <= 1


@given(st.integers(1, 400), st.floats(0.01, 0.99), st.data())
def test_p_value_mirrors_when_misses_and_hits_swap(trials, exact, data):
    m = data.draw(st.integers(0, trials))
    one = two_sided_p(integers(m), integers(trials), np.array([exact]))
    other = two_sided_p(integers(trials - m), integers(trials), np.array([1 - exact]))
    assert one == pytest.approx(other, rel=1e-10)


def test_holm_by_hand():
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04; none may fall.
    adjusted = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_never_exceeds_one_and_takes_ties_and_single_tests():
    assert holm(np.array([0.9, 0.9, 0.2])).tolist() == pytest.approx([1.0, 1.0, 0.6])
    assert holm(np.array([0.02])).tolist() == [0.02]
    assert holm(np.array([0.01, 0.01])).tolist() == [0.02, 0.02]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_lies_between_the_p_value_and_bonferronis(p_values):
    p = np.array(p_values)
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(p * p.size, 1.0)).all()
    assert (
        np.argsort(adjusted[np.argsort(p, kind="stable")], kind="stable") == range(p.size)
    ).all()


@pytest.mark.parametrize("trials", [1, 2, 5, 30, 100, 200])
def test_chance_of_missing_is_the_sum_over_all_counts(trials):
    exact = np.concatenate(([0.0, 1e-9, 1e-3, 0.0495, 0.05, 0.2, 0.5, 0.77, 0.999, 1.0],))
    lower, upper = fraction_interval(np.arange(trials + 1), np.full(trials + 1, trials))
    found = probability_of_missing(np.full(exact.size, trials), exact)
    for p, ours in zip(exact.tolist(), found.tolist(), strict=True):
        missed = (lower > p) | (upper < p)
        assert ours == pytest.approx(
            float(np.array(pmf(trials, p)) @ missed), rel=SUMMED, abs=1e-15
        )


@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.005, 1e-6])
def test_chance_of_missing_follows_the_alpha_of_the_intervals(alpha):
    """Counts are told to miss by densities; here by the intervals themselves."""
    for trials in (1, 3, 40, 2000):
        counts, exact = np.arange(trials + 1), np.linspace(0.0, 1.0, 23)
        lower, upper = fraction_interval(counts, np.full(trials + 1, trials), alpha)
        found = probability_of_missing(np.full(exact.size, trials), exact, alpha)
        for p, ours in zip(exact.tolist(), found.tolist(), strict=True):
            expected = stats.binom(trials, p).pmf(counts[(lower > p) | (upper < p)]).sum()
            assert ours == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_intervals_of_many_fractions_are_those_of_each_alone(monkeypatch):
    rng = np.random.default_rng(2003)
    trials = rng.integers(1, 30, 200)
    misses = rng.binomial(trials, 0.2)
    alone = [fraction_interval(misses[[i]], trials[[i]]) for i in range(200)]
    monkeypatch.setattr(precision, "_INTERVALS_AT_ONCE", 7)
    lower, upper = fraction_interval(misses.reshape(20, 10), trials.reshape(20, 10))
    assert lower.ravel().tolist() == [float(low[0]) for low, _ in alone]
    assert upper.ravel().tolist() == [float(high[0]) for _, high in alone]


def test_chance_of_missing_at_limits_themselves_counts_closed_intervals():
    trials = 50
    lower, upper = fraction_interval(np.arange(trials + 1), np.full(trials + 1, trials))
    for p in (float(lower[7]), float(upper[7]), float(upper[0])):
        missed = (lower > p) | (upper < p)
        ours = probability_of_missing(integers(trials), np.array([p]))[0]
        assert ours == pytest.approx(float(np.array(pmf(trials, p)) @ missed), rel=SUMMED)


def test_at_300_trials_a_95_per_cent_interval_misses_5_per_cent_six_times_in_a_hundred():
    chance = probability_of_missing(integers(300), np.array([0.05]))[0]
    assert round(chance, 4) == 0.0632
    assert chance > 1.2 * INTERVAL_ALPHA


def test_chance_of_missing_comes_near_5_per_cent_where_counts_are_large():
    trials = np.full(40, 10**9)
    exact = np.linspace(0.01, 0.99, 40)
    np.testing.assert_allclose(probability_of_missing(trials, exact), 0.05, rtol=0.02)


def test_intervals_that_miss_are_counted_with_closed_ends():
    trials = integers(300, 300, 300, 300)
    misses = integers(15, 15, 15, 15)
    lower, upper = fraction_interval(misses, trials)
    exact = [lower[0], np.nextafter(lower[0], 0), upper[0], np.nextafter(upper[0], 1)]
    some = cells(misses, [0] * 4, trials, exact, [0] * 4)
    none, found = intervals_missing([NOTHING, some])
    assert none == (0, 0.0)
    assert found[0] == 2


def test_expected_misses_are_the_sum_over_the_cells():
    trials, exact = integers(300, 100, 7), np.array([0.05, 0.5, 0.9])
    some = cells([1, 1, 1], [1, 1, 1], trials, exact / 2, exact / 2)
    ((_, expected),) = intervals_missing([some])
    assert expected == pytest.approx(probability_of_missing(trials, exact).sum())


def test_counts_drawn_from_the_exact_values_agree():
    """False alarm: LEVEL by construction; the seed is fixed."""
    lines = compare_cells(*drawn(np.random.default_rng(2003), shift=0.0))
    assert all(line.agrees for line in lines)
    assert [line.cells for line in lines] == [400, 400]
    assert [line.tests for line in lines] == [3 * 401] * 2


def test_one_method_shifted_by_one_part_in_ten_is_found_and_named():
    fine, off = compare_cells(*drawn(np.random.default_rng(2003), shift=0.1))
    assert fine.agrees
    assert not off.agrees
    assert off.method == "second"
    assert off.smallest_p_adjusted < LEVEL


def drawn(rng, shift):
    """Cells of two methods with counts drawn from their exact values, the second's shifted."""
    conditional, overall = [], []
    for method, factor in (("first", 1.0), ("second", 1.0 + shift)):
        trials = np.full(400, 3000)
        exact_below, exact_above = np.full(400, 0.02), rng.uniform(0, 0.1, 400)
        below = rng.binomial(trials, exact_below * factor)
        above = rng.binomial(trials - below, exact_above / (1 - exact_below))
        conditional.append(cells(below, above, trials, exact_below, exact_above, method))
        overall.append(
            cells(
                *([below.sum()], [above.sum()], [trials.sum()]),
                *([exact_below.mean()], [exact_above.mean()]),
                method,
            )
        )
    return conditional, overall


@pytest.mark.parametrize("which", ["below", "above", "overall"])
def test_a_count_that_cannot_be_is_a_disagreement_wherever_it_stands(which):
    fine = cells([0, 30], [0, 30], [1000, 1000], [0.0, 0.03], [0.0, 0.03])
    wrong = cells([1, 30], [0, 30], [1000, 1000], [0.0, 0.03], [0.0, 0.03])
    if which == "above":
        wrong = cells([0, 30], [1, 30], [1000, 1000], [0.0, 0.03], [0.0, 0.03])
    first, second = (fine, wrong) if which == "overall" else (wrong, fine)
    assert compare_cells([fine], [fine])[0].agrees
    line = compare_cells([first], [second])[0]
    assert not line.agrees
    assert (line.smallest_p, line.scenario) == (0.0, 1)


def test_misses_that_swap_sides_are_found_though_their_sum_is_right():
    line = compare_cells([cells([60], [0], [1000], [0.03], [0.03])], [NOTHING])[0]
    assert not line.agrees


def test_the_correction_counts_the_tests_of_all_methods():
    alone = cells([20], [30], [1000], [0.03], [0.03])
    one = compare_cells([alone], [NOTHING])[0]
    two = compare_cells([alone, alone], [NOTHING, NOTHING])[0]
    assert two.smallest_p == one.smallest_p
    assert two.smallest_p_adjusted == pytest.approx(min(1.0, 2 * one.smallest_p_adjusted))


def test_agreement_ends_at_the_level():
    line = {"cells": 1, "tests": 3, "smallest_p": 0.5, "scenario": 1, "intervals_missing": 0}
    for p, agrees in ((LEVEL, True), (float(np.nextafter(LEVEL, 0)), False)):
        found = MethodAgreement(method="m", smallest_p_adjusted=p, expected_missing=0.0, **line)
        assert found.agrees == agrees


def test_sums_of_exact_parts_above_one_are_one():
    """Both parts of a certain miss may add up to one and a rounding."""
    certain = cells([3], [7], [10], [0.3 + 2**-53], [0.7])
    assert compare_cells([certain], [NOTHING])[0].smallest_p > 0.5


@given(st.integers(1, 400), st.data())
def test_the_interval_of_a_fraction_holds_it_and_its_error_is_the_binomials(trials, data):
    m = data.draw(st.integers(0, trials))
    lower, upper = fraction_interval(integers(m), integers(trials))
    assert lower[0] <= m / trials <= upper[0]
    expected = (m / trials * (1 - m / trials) / trials) ** 0.5
    error = standard_error(integers(m), integers(trials))[0]
    known = expected or np.nan  # Of no misses, or misses alone, the formula says nothing.
    assert error == pytest.approx(known, rel=1e-9, nan_ok=True)


def binomial_outcomes(trials, p, size, rng, scenario=0, drawn_at=None, value=None):
    """Outcomes of binomial trials, drawn at p or at another proportion."""
    x = np.arange(size + 1)
    counts = rng.multinomial(trials, stats.binom(size, p if drawn_at is None else drawn_at).pmf(x))
    estimate = x / size if value is None else value
    return DrawnOutcomes(scenario, counts, stats.binom(size, p).pmf(x), estimate)


@pytest.mark.parametrize("trials", [1, 7, 60, 1000])
@pytest.mark.parametrize("p", [0.003, 0.2, 0.5, 0.97])
def test_the_bound_is_never_below_the_p_value_of_a_binomial_mean(trials, p):
    """Of outcomes 0 and 1 the sum is binomial."""
    for misses in sorted({0, 1, trials // 5, trials // 2, trials - 1, trials}):
        counts = integers(trials - misses, misses)
        drawn = DrawnOutcomes(0, counts, np.array([1 - p, p]), np.array([0.0, 1.0]))
        tail = stats.binom(trials, p).sf(misses - 1)
        if misses < trials * p:
            tail = stats.binom(trials, p).cdf(misses)
        bound = mean_p([drawn])
        assert min(1.0, 2 * tail) <= bound * (1 + 1e-9)
        assert bound <= 1.0


def test_the_bound_of_a_binomial_is_the_entropy():
    """Chernoff's bound of a binomial tail is exp(−N·KL(s/N, p))."""
    trials, misses, p = 1000, 80, 0.05
    share = misses / trials
    entropy = share * np.log(share / p) + (1 - share) * np.log((1 - share) / (1 - p))
    drawn = DrawnOutcomes(
        0, integers(trials - misses, misses), np.array([1 - p, p]), np.array([3.0, 7.0])
    )
    assert mean_p([drawn]) == pytest.approx(2 * np.exp(-trials * entropy), rel=1e-4)


def test_no_statistic_at_all_proves_nothing():
    certain = DrawnOutcomes(0, integers(50), np.array([1.0]), np.array([0.3]))
    assert mean_p([certain]) == 1.0
    same = DrawnOutcomes(0, integers(20, 30), np.array([0.5, 0.5]), np.array([0.3, 0.3]))
    assert mean_p([same]) == 1.0
    exact = DrawnOutcomes(0, integers(25, 25), np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    assert mean_p([exact]) == 1.0
    assert compare_draws([]) is None


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("scenarios", [1, 8])
def test_a_shift_of_five_standard_errors_of_the_run_is_found(sign, scenarios):
    """The trials of the run together; those of one scenario of eight are shifted by 1.8."""
    trials, size, p = 20_000, 30, 0.3
    x = np.arange(size + 1)
    spread = np.sqrt(p * (1 - p) / size)
    shift = 5.5 * spread / np.sqrt(trials * scenarios)
    drawn = []
    for number in range(scenarios):
        # The expected counts at the shifted proportion, rounded.
        counts = np.rint(trials * stats.binom(size, p + sign * shift).pmf(x)).astype(np.int64)
        drawn.append(DrawnOutcomes(number, counts, stats.binom(size, p).pmf(x), x / size))
    found = compare_draws(drawn)
    assert not found.agrees
    assert found.scenario is (None if scenarios > 1 else 0)
    assert found.smallest_p_adjusted < LEVEL


def test_one_scenario_that_is_off_is_named():
    rng = np.random.default_rng(2003)
    drawn = [binomial_outcomes(5000, 0.3, 20, rng, number) for number in range(5)]
    assert compare_draws(drawn).agrees
    drawn[3] = binomial_outcomes(5000, 0.3, 20, rng, 3, drawn_at=0.33)
    found = compare_draws(drawn)
    assert not found.agrees
    assert found.scenario == 3
    assert found.tests == 5 * 21 + 5 + 1


def test_outcomes_that_are_off_though_their_mean_is_right_are_found():
    trials, probability = 10_000, stats.binom(10, 0.5).pmf(np.arange(11))
    counts = np.rint(trials * probability).astype(np.int64)
    counts[[4, 6]] += 200
    counts[5] -= 400
    drawn = DrawnOutcomes(0, counts, probability, np.arange(11) / 10)
    assert mean_p([drawn]) > 0.5
    assert not compare_draws([drawn]).agrees


def test_draws_from_their_own_probabilities_agree():
    """The bound errs on the safe side: of 160 runs with a level of 1e-3 none is a false alarm."""
    rng = np.random.default_rng(2003)
    alarms, small = 0, 0
    for _ in range(160):
        drawn = [
            binomial_outcomes(2000, p, size, rng, number)
            for number, (p, size) in enumerate([(0.02, 5), (0.5, 12), (0.9, 40)])
        ]
        alarms += not compare_draws(drawn).agrees
        small += mean_p(drawn) < 0.05
    assert alarms == 0
    # The exact test would have 8 of them; 17 and more have a probability of 0.3 %.
    assert small <= 16


def power(planted, trials, p, errors):
    """The probability that too many misses by so many standard errors are seen, exactly.

    Args:
        planted: takes how many misses there are more than expected, and gives the agreement.
        trials: of the cell with the fault.
        p: the probability of a miss below there.
        errors: the fault, in standard errors of these trials.
    """
    expected, error = round(trials * p), np.sqrt(trials * p * (1 - p))
    fewest = next(more for more in range(round(9 * error)) if not planted(more).agrees)
    return stats.binom.sf(expected + fewest - 1, trials, p + errors * error / trials)


def test_from_which_fault_of_the_draws_on_a_run_sees_it():
    """The numbers of docs/verification.md: one method, 50 cells of 10,000 trials at 2.5 % a side.

    Other counts of misses are as expected.
    """
    size, trials, p = 50, 10_000, 0.025
    many = size * trials

    def counted(of_cell, of_run):
        below = [250 + of_cell, *[250] * (size - 1)]
        each = cells(below, [250] * size, [trials] * size, [p] * size, [p] * size)
        every = cells([12_500], [12_500], [many], [p], [p])
        total = cells([12_500 + of_run], [12_500], [many], [p], [p])
        (found,) = compare_cells([each], [every], [total])
        return found

    found = [
        round(power(lambda more: counted(more, 0), trials, p, errors), 2) for errors in (5.0, 7.8)
    ]
    of_run = [
        round(power(lambda more: counted(0, more), many, p, errors), 2) for errors in (5.0, 6.4)
    ]
    assert found == [0.49, 0.99]
    assert of_run == [0.85, 0.99]
    page = " ".join((ROOT / "docs/verification.md").read_text("utf-8").split())
    assert "from 7.8 standard errors on with a probability of 0.99 (5: 0.49)" in page
    assert "of the whole run from 6.4 on (5: 0.85)" in page


def test_cells_of_the_whole_run_are_a_group_of_their_own():
    """Misses that are 5.5 standard errors off over the run, and 0.4 in each of 200 cells."""
    size, trials, p = 200, 10_000, 0.05
    exact = np.full(size, p / 2)
    off = 5.5 * np.sqrt(p / 2 * (1 - p / 2) / (size * trials))
    below = np.rint(trials * (exact + off)).astype(np.int64)
    above = np.rint(trials * exact).astype(np.int64)
    each = cells(below, above, [trials] * size, exact, exact)
    total = cells([below.sum()], [above.sum()], [size * trials], [p / 2], [p / 2])
    total = replace(total, scenario=integers(-1))
    (without,) = compare_cells([each], [NOTHING])
    (line,) = compare_cells([each], [NOTHING], [total])
    assert without.agrees
    assert not line.agrees
    assert line.scenario is None
    assert line.tests == without.tests + 3


def test_p_values_of_stopped_trials_are_multiplied_by_the_looks():
    some = [3, 0], [1, 4], [100, 40], [0.02, 0.01], [0.01, 0.02]
    fixed, stopped = cells(*some), cells(*some, looks=7)
    assert (stopped.tests() == np.minimum(7 * fixed.tests(), 1.0)).all()
    assert (stopped.tests() > fixed.tests()).any()
    assert (stopped.tests() <= 1.0).all()


def test_intervals_of_stopped_trials_are_not_counted():
    some = [30], [0], [100], [0.02], [0.01]
    fixed, stopped = cells(*some), cells(*some, looks=7)
    assert intervals_missing([stopped, fixed]) == [(None, None), *intervals_missing([fixed])]
    assert intervals_missing([fixed])[0][0] == 1


def test_outcomes_of_stopped_trials_have_p_values_times_the_looks_and_no_mean_over_sizes():
    counts, probability, value = integers(45, 55), np.array([0.5, 0.5]), np.array([0.0, 1.0])
    one, other = (DrawnOutcomes(i, counts, probability, value) for i in range(2))
    stopped = [replace(each, looks=3) for each in (one, other)]
    both, none, half = (compare_draws(each) for each in ([one, other], stopped, [one, stopped[1]]))
    assert none.smallest_p == pytest.approx(min(3 * compare_draws([one]).smallest_p, 1.0))
    assert (both.tests, none.tests, half.tests) == (7, 6, 6)
