"""Miss probabilities and worst cases against rational polynomials at n = 1 … 8."""

import itertools

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.designs.engines.listed import consecutive_probabilities, probability_rows
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW, miss_probabilities
from harness.designs.one_sample.worst_case import worst_case
from harness.distributions.sampling import binomial, poisson
from harness.methods.catalogue import CATALOGUE, PROPORTION
from tests.engines import arbitrary_limits
from tests.oracles import balls, beta, brute_force
from tests.oracles.accuracy_grid import promised

# A miss probability is a signed sum of at most 2(n + 1) = 18 tails of size up to one, each good
# to a few units in the last place.
EXACT = 1e-14
# At a maximum inside a gap the place enters squared, at the end of a gap to the first order of
# its rounding, with a slope of at most n.
WORST = 1e-14
# Places whose miss probabilities differ by no more than this count as equally bad.
EQUALLY_BAD = 1e-11

SIZES = range(1, 9)


def all_truths(lower, upper):
    """0, 1, every limit, and a place inside every gap."""
    ends = np.unique(np.concatenate(([0.0, 1.0], lower, upper)))
    return np.unique(np.concatenate((ends, 0.5 * (ends[:-1] + ends[1:]))))


def check_miss_probabilities(lower, upper):
    n, truths = lower.size - 1, all_truths(lower, upper)
    below, above = miss_probabilities(n, 0, lower, upper, truths, AT)
    for i, p in enumerate(truths.tolist()):
        expected = brute_force.missed_at(lower.tolist(), upper.tolist(), p)
        assert (below[i], above[i]) == pytest.approx(floats(expected), rel=0, abs=EXACT)
    for approach, at in ((FROM_ABOVE, truths[:-1]), (FROM_BELOW, truths[1:])):
        below, above = miss_probabilities(n, 0, lower, upper, at, approach)
        for i, p in enumerate(at.tolist()):
            expected = brute_force.missed_beside(
                lower.tolist(), upper.tolist(), p, from_right=approach == FROM_ABOVE
            )
            assert (below[i], above[i]) == pytest.approx(floats(expected), rel=0, abs=EXACT)


def check_worst_case(lower, upper):
    n = lower.size - 1
    found = worst_case(n, lower, upper)
    lower, upper = lower.tolist(), upper.tolist()
    worst = float(brute_force.worst_miss(lower, upper))
    assert found.alpha == pytest.approx(worst, rel=0, abs=WORST)
    # Several places may be equally bad: the one named must reach the supremum from its side, and
    # the double beside it must be as bad.
    if found.side == "at":
        there = brute_force.missed_at(lower, upper, found.truths[0])
    else:
        there = brute_force.missed_beside(
            lower, upper, found.truths[0], from_right=found.side == "above"
        )
    assert sum(floats(there)) == pytest.approx(worst, rel=EQUALLY_BAD, abs=WORST)
    if found.side != "at" and found.witness[0] in {0.0, 1.0, *lower, *upper}:
        return  # No double lies in the gap where it is worst.
    assert 0 < found.witness[0] < 1
    witnessed = sum(floats(brute_force.missed_at(lower, upper, found.witness[0])))
    assert witnessed == pytest.approx(worst, rel=EQUALLY_BAD, abs=WORST)


def floats(pair):
    return tuple(int(v.p) / int(v.q) for v in pair)


@pytest.mark.parametrize("n", SIZES)
def test_miss_probabilities_of_the_catalogue_are_exact(n):
    for _, lower, upper in arbitrary_limits.catalogue_limits(n):
        check_miss_probabilities(lower, upper)


@pytest.mark.parametrize("n", SIZES)
def test_worst_case_of_the_catalogue_is_exact(n):
    for _, lower, upper in arbitrary_limits.catalogue_limits(n):
        check_worst_case(lower, upper)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [*arbitrary_limits.RANDOM, *arbitrary_limits.ZERO_WIDTH, arbitrary_limits.EMPTY_MIDDLE],
)
def test_made_up_limits_are_exact(lower, upper):
    check_miss_probabilities(lower, upper)
    check_worst_case(lower, upper)


@given(arbitrary_limits.limits)
def test_miss_probabilities_of_any_limits_are_exact(limits):
    check_miss_probabilities(*limits)


@given(arbitrary_limits.limits)
def test_worst_case_of_any_limits_is_exact(limits):
    check_worst_case(*limits)


@pytest.mark.parametrize(("lower", "upper"), arbitrary_limits.ZERO_WIDTH)
def test_an_interval_of_no_width_misses_almost_every_truth(lower, upper):
    found = worst_case(lower.size - 1, lower, upper)
    assert found.alpha == 1
    assert 0 < found.witness[0] < 1


def test_a_maximum_inside_a_gap_is_found_where_the_covering_outcomes_are_no_run():
    # Only the ends cover: Pr(X = 1 | n = 2) = 2p(1 - p) is largest at 1/2, far from any limit.
    lower, upper = np.array([0.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0])
    found = worst_case(2, lower, upper)
    assert found.alpha == pytest.approx(0.5, abs=WORST)
    assert found.truths[0] == pytest.approx(0.5, abs=1e-7)
    assert found.side == "at"


# Sizes at which a bound serves many candidates at once, and at which it serves few.
PRUNED_SIZES = (30, 700)


def check_bound_changes_nothing(monkeypatch, n, lower, upper, over=(0.0, 1.0), sampling=binomial):
    found = worst_case(n, lower, upper, 0, over, sampling)
    with monkeypatch.context() as patch:
        patch.setattr("harness.designs.one_sample.worst_case._WIDTHS", ())
        patch.setattr("harness.designs.one_sample.worst_case._MANY", np.inf)
        assert found == worst_case(n, lower, upper, 0, over, sampling)


@pytest.mark.parametrize("n", [*PRUNED_SIZES, 3000])
def test_a_bound_changes_no_worst_case_of_the_catalogue(n, monkeypatch):
    for name, method in PROPORTION.items():
        if not method.deterministic or "bootstrap" in name or "hypergeometric" in name:
            continue
        for side in method.sides:
            for alpha in (1e-6, 0.05):
                lower, upper = limits_at(n, name, alpha, side)
                check_bound_changes_nothing(monkeypatch, n, lower, upper)
                check_bound_changes_nothing(monkeypatch, n, lower, upper, (0.2, 0.3))


UNUSUAL = {
    "in no order": lambda rng, lower, upper: rng.permutation(np.stack((lower, upper)), axis=1),
    "one wrong": lambda rng, lower, upper: np.where(
        np.arange(lower.size) == rng.integers(lower.size), 0.5, np.stack((lower, upper))
    ),
    "falling": lambda rng, lower, upper: np.stack((lower[::-1], upper[::-1])),
    "noisy": lambda rng, lower, upper: np.stack(
        (lower - 0.05 * rng.random(lower.size), upper + 0.05 * rng.random(lower.size))
    ).clip(0, 1),
    "no width": lambda rng, lower, upper: np.stack((lower, lower)),
    "coarse": lambda rng, lower, upper: np.stack((lower, upper)).round(2),
    "everything": lambda rng, lower, upper: np.stack((0 * lower, 0 * upper + 1)),
}


@pytest.mark.parametrize("change", UNUSUAL.values(), ids=list(UNUSUAL))
@pytest.mark.parametrize("n", PRUNED_SIZES)
def test_a_bound_changes_no_worst_case_of_unusual_limits(n, change, monkeypatch):
    lower, upper = change(np.random.default_rng(2003), *limits_at(n))
    check_bound_changes_nothing(monkeypatch, n, lower, upper)
    check_bound_changes_nothing(monkeypatch, n, lower, upper, (0.01, 0.02))


@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5])
def test_a_bound_changes_no_worst_case_of_a_rate(alpha, monkeypatch):
    outcomes, exposure = np.arange(1500.0), 10.0
    for method in CATALOGUE["rate"].values():
        for side in method.sides:
            data = outcomes, np.full(outcomes.size, exposure)
            lower, upper = method.limits(data, alpha, side)
            check_bound_changes_nothing(monkeypatch, exposure, lower, upper, (0.0, 100.0), poisson)


@given(arbitrary_limits.limits, st.floats(0, 1), st.floats(0, 1))
def test_outcomes_without_limits_count_as_impossible(limits, start, p):
    lower, upper = limits
    n = lower.size - 1
    first = int(start * n)
    truths = np.array([p])
    below, above = miss_probabilities(n, first, lower[first:], upper[first:], truths)
    every = [0.0] * first, [1.0] * first
    expected = brute_force.missed_at(
        every[0] + lower[first:].tolist(), every[1] + upper[first:].tolist(), p
    )
    assert (below[0], above[0]) == pytest.approx(floats(expected), rel=0, abs=EXACT)


# Exact miss probabilities at large sizes, against tails in ball arithmetic.


LARGE_SIZES = (60, 1000, 10**5, 10**6)


def limits_at(n, name="wilson", alpha=0.05, side="two-sided"):
    x = np.arange(n + 1.0)
    return PROPORTION[name].limits((x, np.full(n + 1, float(n))), alpha, side)


def truths_at(n):
    """Places in the middle and on the scale of 1/n next to both ends, ascending."""
    near = np.array([0.01, 0.5, 1.7, 3.0, 11.0, 25.0, 38.0]) / n
    return np.unique(np.concatenate((near, [0.12, 0.3, 0.5, 0.61], 1 - near)))


def missed(n, lower, upper, p):
    """Pr(X >= first with L > p) and Pr(X <= last with U < p), the limits being in order."""
    first, last = int((lower <= p).sum()), int((upper < p).sum()) - 1
    at = balls.exact(p)
    below = beta.cdf(first, n - first + 1, at) if first <= n else 0
    above = beta.sf(last + 1, n - last, at) if last >= 0 else 0
    return below, above


@pytest.mark.parametrize("n", LARGE_SIZES)
@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5])
def test_miss_probabilities_are_right_to_the_promised_relative_accuracy(n, alpha):
    lower, upper = limits_at(n, alpha=alpha)
    truths = truths_at(n)
    found = miss_probabilities(n, 0, lower, upper, truths)
    for i, p in enumerate(truths.tolist()):
        for ours, true in zip(found, missed(n, lower, upper, p), strict=True):
            if true == 0:
                assert ours[i] == 0
            else:
                assert abs(float(ours[i] / true - 1)) <= promised(n), p


@pytest.mark.parametrize("n", LARGE_SIZES)
@pytest.mark.parametrize("shift", [-2.0, 0.5, 3.0])
def test_a_block_that_misses_is_a_difference_of_tails(n, shift):
    # Every seventh outcome covers nothing: runs without end, and no monotone limits.
    x = np.arange(n + 1)
    lower, upper = np.zeros(n + 1), np.ones(n + 1)
    lower[x % 7 == 3] = 1.0
    p = min(max(0.3 + shift / np.sqrt(n), 0.05), 0.95)
    below, above = miss_probabilities(n, 0, lower, upper, np.array([p]))
    reach = 12 * np.sqrt(n * p * (1 - p)) + 12
    near = x[(x % 7 == 3) & (abs(x - n * p) < reach)].tolist()
    at = balls.exact(p)
    true = sum(balls.log_binomial(k, n - k, at).exp() for k in near)
    assert above[0] == 0
    assert abs(float(below[0] - true)) <= 10 * promised(n)


@pytest.mark.parametrize("name", ["wilson", "clopper_pearson", "minimal_length"])
def test_no_truth_is_worse_than_the_worst_case_and_its_witness_is_as_bad(name):
    n = 500
    lower, upper = limits_at(n, name)
    found = worst_case(n, lower, upper)
    ends = np.unique(np.concatenate(([0.0, 1.0], lower, upper)))
    dense = np.concatenate([np.linspace(a, b, 5) for a, b in itertools.pairwise(ends)])
    inside = np.unique(dense[(dense > 0) & (dense < 1)])
    # One part in 1e12 is the accuracy of the tails.
    assert np.sum(miss_probabilities(n, 0, lower, upper, inside), axis=0).max() <= (
        found.alpha * (1 + 1e-12)
    )
    witness = np.array([found.witness[0]])
    at_witness = np.sum(miss_probabilities(n, 0, lower, upper, witness))
    assert at_witness == pytest.approx(found.alpha, rel=1e-9)


@pytest.mark.parametrize("n", [60, 1000])
def test_the_limit_from_a_side_counts_the_intervals_that_end_there(n):
    lower, upper = limits_at(n)
    for p in (float(upper[n // 3]), float(lower[n // 2])):
        for approach in (FROM_BELOW, FROM_ABOVE):
            side = np.nextafter(p, 1.0 if approach == FROM_ABOVE else 0.0)
            found = miss_probabilities(n, 0, lower, upper, np.array([p]), approach)
            beside = missed(n, lower, upper, float(side))
            for ours, true in zip(found, beside, strict=True):
                assert float(ours[0]) == pytest.approx(float(true), rel=1e-11)


# Probabilities of consecutive outcomes by recurrence, against exact ones and SciPy's.


def exact_binomial(x, n, p):
    with ctx.workprec(400):
        p = arb(float(p))
        log = (
            arb(n + 1).lgamma()
            - arb(x + 1).lgamma()
            - arb(n - x + 1).lgamma()
            + x * p.log()
            + (n - x) * (1 - p).log()
        )
        return float(log.exp())


def exact_poisson(x, mean):
    with ctx.workprec(400):
        mean = arb(float(mean))
        return float((x * mean.log() - mean - arb(x + 1).lgamma()).exp())


@pytest.mark.parametrize("n", [1, 2, 17, 300])
@pytest.mark.parametrize("start", [0.0, 0.4, 1.0])
def test_rows_are_binomial_probabilities_wherever_they_start(n, start):
    p = np.array([1e-12, 0.003, 0.2, 0.5, 0.77, 1 - 2**-40])
    found = probability_rows(binomial, (0, round(start * n), n), p, n)
    expected = stats.binom(n, p[:, np.newaxis]).pmf(np.arange(n + 1))
    assert found.shape == (6, n + 1)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-290)


@pytest.mark.parametrize(("first", "start", "last"), [(0, 0, 4), (0, 4, 4), (3, 5, 9), (7, 7, 7)])
def test_rows_of_a_part_of_the_outcomes(first, start, last):
    p = np.array([0.1, 0.6])
    found = probability_rows(binomial, (first, start, last), p, 12)
    expected = stats.binom(12, p[:, np.newaxis]).pmf(np.arange(first, last + 1))
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize(("n", "p"), [(2000, 0.3), (10**6, 0.01), (10**6, 0.5), (10**9, 1e-6)])
def test_far_tails_of_large_samples_are_exact(n, p):
    mean, spread = n * p, np.sqrt(n * p * (1 - p))
    first, last = max(0, int(mean - 11 * spread)), int(mean + 11 * spread)
    rows = probability_rows(binomial, (first, round(mean), last), np.array([p]), n)[0]
    for x in {first, round(mean - 5 * spread), round(mean), round(mean + 8 * spread), last}:
        assert rows[x - first] == pytest.approx(
            exact_binomial(x, n, p), rel=1e-10 if n > 2000 else 1e-12
        )


def test_a_start_without_a_probability_is_no_harm():
    """The outcome 0 of 3000 has the probability 1e-903 at one half: no double."""
    p = np.array([1e-6, 0.5])
    found = probability_rows(binomial, (0, 0, 3000), p, 3000)
    expected = stats.binom(3000, p[:, np.newaxis]).pmf(np.arange(3001))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-290)


@pytest.mark.parametrize("exposure", [1e-3, 1.0, 250.0])
def test_rows_are_poisson_probabilities(exposure):
    rate = np.array([1e-9, 0.1, 2.0, 30.0]) / exposure
    found = probability_rows(poisson, (0, 3, 90), rate, exposure)
    for row, each in enumerate(rate):
        for x in (0, 1, 3, 10, 50, 90):
            expected = exact_poisson(x, each * exposure)
            assert found[row, x] == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    ("sampling", "size", "truths", "last"),
    [
        (binomial, 1, np.linspace(0.001, 0.999, 500), 1),
        (binomial, 40, np.linspace(0.001, 0.999, 500), 40),
        (binomial, 2000, np.linspace(1e-6, 1 - 1e-6, 300), 2000),
        (poisson, 3.0, np.linspace(1e-9, 40.0, 400), 300),
    ],
)
def test_blocks_cover_every_pair_with_a_probability_once(sampling, size, truths, last):
    first = last // 5
    found, times = np.zeros((2, truths.size, last + 1 - first))
    for rows, columns, probability in consecutive_probabilities(
        sampling, first, last, truths, size
    ):
        assert probability.shape == found[rows, columns].shape
        found[rows, columns] += probability
        times[rows, columns] += 1
    x = np.arange(first, last + 1)
    known = (
        stats.binom(size, truths[:, np.newaxis])
        if sampling is binomial
        else stats.poisson(truths[:, np.newaxis] * size)
    )
    expected = known.pmf(x)
    assert times.max() == 1
    assert expected[times == 0].max(initial=0.0) < 1e-38
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-38)


def test_outcomes_that_no_truth_can_bring_yield_nothing():
    truths = np.array([0.001, 0.002])
    assert list(consecutive_probabilities(binomial, 9000, 9100, truths, 10**4)) == []


@pytest.mark.parametrize(
    ("sampling", "size", "theta"),
    [
        (binomial, 9, np.array([1e-9, 0.3, 1 - 2**-45])),
        (poisson, 2.5, np.array([1e-9, 0.3, 80.0])),
    ],
)
def test_ratio_is_that_of_two_neighbours(sampling, size, theta):
    x = np.arange(8)
    pmf = sampling.pmf(np.arange(9), theta[:, np.newaxis], size)
    found = sampling.ratio(x, theta[:, np.newaxis], size)
    np.testing.assert_allclose(found, pmf[:, 1:] / pmf[:, :-1], rtol=1e-12)


@pytest.mark.parametrize("nats", [5.0, 39.2, 92.0])
def test_a_window_leaves_out_no_more_than_it_says(nats):
    for n, p in ((50, 0.1), (10**4, 0.5), (10**6, 1e-5)):
        first, last = binomial.window(p, p, n, nats)
        left_out = stats.binom(n, p).cdf(first - 1) + stats.binom(n, p).sf(last)
        assert left_out <= 2 * np.exp(-nats)
    for mean in (0.0, 0.3, 50.0, 1e5):
        first, last = poisson.window(mean / 7, mean / 7, 7.0, nats)
        left_out = stats.poisson(mean).cdf(first - 1) + stats.poisson(mean).sf(last)
        assert left_out <= 2 * np.exp(-nats)
    assert (
        binomial.window(0.2, 0.6, 1000, nats)[0]
        <= 200
        < 600
        <= binomial.window(0.2, 0.6, 1000, nats)[1]
    )
