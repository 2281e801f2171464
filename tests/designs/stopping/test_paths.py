"""The outcomes of a stopping rule, their shares of all sequences, and their probabilities."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from flint import arb, fmpz

from harness.base.errors import InputError
from harness.designs.stopping.paths import stopped_trials
from tests.designs.stopping.rules import (
    ALPHA,
    FOUR_LOOKS,
    rule_of,
    small_rules,
    stopping_function,
    ways,
)
from tests.oracles.balls import complement, exact, sharp

# Each of up to 10^4 trials rounds a share; the roundings do not add up.
ROUNDING = 3e-14
# What is promised of a probability of 10^4 trials.
PROMISED = 1e-12


def pairs(stopped):
    outcomes = stopped.outcomes
    return list(zip(outcomes.trials.astype(int), outcomes.successes.astype(int), strict=True))


def counts_in_whole_numbers(rule):
    """K of each outcome, trial by trial in whole numbers of any length."""
    row, found = {0: 1}, {}
    for t in range(1, rule.most + 1):
        row = {x: row.get(x - 1, 0) + row.get(x, 0) for x in range(min(row), max(row) + 2)}
        if t in rule.looks:
            x = np.array([x for x, ways in row.items() if ways])
            stop = dict(zip(x.tolist(), rule.stops(np.full(x.size, t), x).tolist(), strict=True))
            found |= {(t, x): row[x] for x, stops in stop.items() if stops}
            row = {x: row[x] for x, stops in stop.items() if not stops}
            if not row:
                break
    return found


@pytest.mark.parametrize("name", list(small_rules()))
def test_shares_are_those_of_all_sequences_of_trials(name):
    rule = small_rules()[name]
    stopped, ended = stopped_trials(rule), ways(rule)
    assert pairs(stopped) == sorted(ended)
    shares = [ended[t, x] / comb(t, x) for t, x in pairs(stopped)]
    assert stopped.outcomes.share == pytest.approx(shares, rel=1e-14)
    assert [rule.looks[number] for number in stopped.look] == [t for t, _ in pairs(stopped)]


@pytest.mark.parametrize(
    "given",
    [
        {"first": 10, "every": 1, "until": {"excludes": 0.5, "of": "wilson"}},
        {"first": 10, "every": 7, "until": {"half_width": 0.06, "of": "clopper_pearson"}},
    ],
)
def test_shares_are_quotients_of_whole_numbers(given):
    rule = rule_of(given, 300, ALPHA)
    stopped, counts = stopped_trials(rule), counts_in_whole_numbers(rule)
    assert pairs(stopped) == sorted(counts)
    shares = [float(Fraction(counts[t, x], comb(t, x))) for t, x in pairs(stopped)]
    assert stopped.outcomes.share == pytest.approx(shares, rel=ROUNDING, abs=0)


def test_trials_until_the_tenth_success_are_negative_binomial():
    rule = rule_of({"first": 1, "every": 1, "until": {"successes": 10}}, 2000, ALPHA)
    outcomes = stopped_trials(rule).outcomes
    tenth = outcomes.successes == 10
    # C(t − 1, 9)/C(t, 10), also at t = 2000, at which the tenth success need not be the last one.
    expected = np.where(outcomes.trials < 2000, 10 / outcomes.trials, 10 / 2000)
    assert outcomes.share[tenth] == pytest.approx(expected[tenth], rel=ROUNDING)
    assert (outcomes.share[~tenth] == 1).all()


def narrow_band():
    """Trials that go on while the successes are within 1 of half the trials."""
    return stopping_function(lambda t, x: abs(2 * x - t) > 2, 6000)


def test_probabilities_sum_to_1_for_every_p():
    p = np.array([0.0, 1e-300, 1e-9, 0.1, 0.5, 0.63, 1 - 1e-12, 1.0])
    for rule in (*small_rules().values(), narrow_band(), rule_of(FOUR_LOOKS, 40, ALPHA)):
        total = stopped_trials(rule).outcomes.pmf(p, 1 - p).sum(axis=1)
        assert total == pytest.approx(1, abs=ROUNDING)


def test_outcomes_that_can_occur_are_kept_where_their_share_is_next_to_nothing():
    stopped = stopped_trials(narrow_band())
    assert stopped.outcomes.trials[-1] == 6000
    assert stopped.outcomes.share.min() < 1e-308


@pytest.fixture(scope="module")
def long():
    rule = rule_of({"first": 1, "every": 1, "until": {"successes": 1000}}, 10_000, ALPHA)
    return stopped_trials(rule).outcomes


@pytest.mark.parametrize("p", [1e-5, 0.02, 0.11, 0.6, 1 - 2.0**-14])
def test_probabilities_of_many_trials_keep_their_digits(long, p):
    found = long.pmf([p], [1 - p])[0]
    assert found.sum() == pytest.approx(1, rel=PROMISED)
    probable = np.flatnonzero(found > 1e-280)
    for place in probable[np.linspace(0, probable.size - 1, 5).astype(int)].tolist():
        expected = probability(int(long.trials[place]), int(long.successes[place]), exact(p))
        assert found[place] == pytest.approx(expected, rel=PROMISED, abs=0)


def probability(t, x, p):
    """Of t trials with x successes, where the 1000th success ends them; p a point."""
    count = fmpz(comb(t - 1, x - 1) if x == 1000 else comb(t, x))
    return float(sharp(lambda: arb(count) * p**x * complement(p) ** (t - x)))


def test_stagewise_order_goes_from_early_stops_below_to_early_stops_above():
    stopped = stopped_trials(rule_of(FOUR_LOOKS, 40, ALPHA))
    ordered = np.array(pairs(stopped))[stopped.stagewise()].tolist()
    assert ordered[:4] == [[10, 0], [10, 1], [20, 2], [20, 3]]
    assert ordered[4:11] == [[20, 4], [30, 5], [30, 6], [30, 7], [30, 8], [30, 9], [40, 10]]
    assert ordered[-4:] == [[20, 17], [10, 8], [10, 9], [10, 10]]
    assert len(ordered) == 41


def test_only_boundaries_have_a_stagewise_order():
    stopped = stopped_trials(small_rules()["half-width"])
    with pytest.raises(InputError, match="the stage-wise order needs a stopping rule of boundar"):
        stopped.stagewise()
