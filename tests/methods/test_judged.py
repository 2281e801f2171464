"""Intervals of a share that a judge with errors reports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, ndtri, rel_entr
from scipy.stats import beta, binom

import harness
from harness.base.errors import InputError
from harness.methods.judged import (
    contradicts_labels,
    lang_reiczigel,
    lang_reiczigel_modified,
    likelihood_limits,
    profile_deviance,
    profile_likelihood,
    rogan_gladen_delta,
)
from harness.methods.judged_posterior import posterior

JEFFREYS = (0.5, 0.5)
ROOT = Path(__file__).parents[1]

# positives, negatives, n, alpha, share, sensitivity, specificity; then of lang_reiczigel and of
# rogan_gladen_delta the miss below, the miss above and the mean length over all outcomes, from sums
# in another program.
EXACT = [
    (
        (25, 40, 50, 0.05, 0.8, 0.9, 0.85),
        (0.01813764239463911, 0.018361705237772082, 0.3690921324242255),
        (0.00941562345575361, 0.031385146683889024, 0.3602670206567762),
    ),
    (
        (10, 10, 20, 0.1, 0.0, 0.9, 0.85),
        (0.028561838231665786, 0.0, 0.29811467725068763),
        (0.12506915546875536, 0.0, 0.30797929111901967),
    ),
    (
        (20, 12, 30, 0.05, 1.0, 0.99, 0.99),
        (0.0, 1.4252916337349165e-06, 0.13995671949140606),
        (0.0, 0.00018206710193243293, 0.03550114670496883),
    ),
    (
        (25, 40, 50, 0.1, 0.1, 0.75, 0.95),
        (0.03172981096609538, 0.03586767253492759, 0.23838875627467324),
        (0.036453546500402764, 0.054023147436081866, 0.21632612176238397),
    ),
]


def columns(*outcomes):
    return tuple(np.array(column, np.float64) for column in zip(*outcomes, strict=True))


CASES = columns(
    (430, 500, 45, 50, 44, 50),
    (300, 500, 45, 50, 44, 50),
    (10, 20, 8, 10, 9, 10),
    (5, 20, 9, 10, 10, 10),
    (250, 500, 48, 50, 49, 50),
)


@pytest.mark.parametrize(("setting", "added", "plain"), EXACT)
def test_coverage_and_mean_length_agree_with_sums_over_all_outcomes(setting, added, plain):
    positives, negatives, n, alpha, share, sensitivity, specificity = setting
    for method, expected in (("lang_reiczigel", added), ("rogan_gladen_delta", plain)):
        found = harness.coverage(
            "judged_share",
            method,
            n=n,
            positives=positives,
            negatives=negatives,
            alpha=alpha,
            share=share,
            sensitivity=sensitivity,
            specificity=specificity,
        )
        numbers = found.miss_below, found.miss_above, found.mean_length
        assert numbers == pytest.approx(expected, abs=1e-12)


def test_posterior_agrees_with_draws():
    lower, upper = posterior(CASES, 0.05, "two-sided", JEFFREYS)
    rng = np.random.default_rng(20)
    for place, (x, n, a, m, b, k) in enumerate(zip(*CASES, strict=True)):
        q = rng.beta(x + 0.5, n - x + 0.5, 400_000)
        se = rng.beta(a + 0.5, m - a + 0.5, 400_000)
        u = rng.beta(k - b + 0.5, b + 0.5, 400_000)
        inside = (u <= q) & (q <= se)
        share = ((q - u) / (se - u))[inside]
        # Six standard errors of a fraction: at most once in 10^8 seeds.
        error = 6 * np.sqrt(0.025 / share.size)
        assert (share < lower[place]).mean() == pytest.approx(0.025, abs=error)
        assert (share > upper[place]).mean() == pytest.approx(0.025, abs=error)


def test_posterior_has_the_tails_that_are_asked_for_on_either_side():
    lower, upper = posterior(CASES, 0.1, "two-sided", JEFFREYS)
    assert posterior(CASES, 0.05, "lower", JEFFREYS)[0] == pytest.approx(lower, abs=1e-12)
    assert posterior(CASES, 0.05, "upper", JEFFREYS)[1] == pytest.approx(upper, abs=1e-12)


RIGHT_LIMITS = [
    ((364, 500, 5, 5, 4, 5), 0.05, 0.346413, 0.935585),
    ((445, 500, 10, 10, 9, 10), 0.05, 0.827936, 0.985660),
    ((80, 100, 9, 10, 8, 10), 0.05, 0.629536, 0.986432),
    ((218, 500, 0, 3, 202, 400), 0.05, 0.003324, 0.788680),
    ((100, 100, 72, 100, 3, 3), 0.001, 0.769685, 0.999994),
]
"""Limits by another program, that integrates over se and u at 300 angles of each."""


@pytest.mark.parametrize(("outcome", "alpha", "lower", "upper"), RIGHT_LIMITS)
def test_posterior_is_right_where_few_labels_leave_it_near_the_constraints(
    outcome, alpha, lower, upper
):
    limits = posterior(columns(outcome), alpha, "two-sided", JEFFREYS)
    assert limits[0] == pytest.approx(lower, abs=1e-6)
    assert limits[1] == pytest.approx(upper, abs=1e-6)


def panels(rates, least):
    """Angles from the least to a right one, with panels that end at those of some rates."""
    angles = np.arcsin(np.sqrt(rates))
    inside = angles[(angles > least) & (angles < np.pi / 2 - 1e-6)]
    x, weight = np.polynomial.legendre.leggauss(30)
    half = np.diff([least, *inside, np.pi / 2])[:, np.newaxis] / 2
    middle = np.array([least, *inside])[:, np.newaxis] + half
    return (middle + half * x).ravel(), (half * weight).ravel()


def tails_by_nested_integrals(outcome, lower, upper):
    """The probabilities of a share below and above two limits: over u, then over se and q."""
    x, n, a, m, b, k = outcome
    q, se, u = beta(x + 0.5, n - x + 0.5), beta(a + 0.5, m - a + 0.5), beta(k - b + 0.5, b + 0.5)
    ends, masses = [1e-6, 0.01, 0.5, 0.99, 1 - 1e-6], np.zeros(3)
    for angle, weight in zip(*panels(u.ppf(ends), 0.0), strict=True):
        low = np.sin(angle) ** 2
        angles, weights = panels(se.ppf(ends), angle)
        high = np.sin(angles) ** 2
        shares = np.array([0, lower, upper, 1])[:, np.newaxis]
        at = low + shares * (high - low)
        of_q = q.cdf(at) if low < q.mean() else -q.sf(at)
        density = weight * u.pdf(low) * np.sin(2 * angle) * se.pdf(high) * np.sin(2 * angles)
        masses += np.diff(of_q, axis=0) @ (weights * density)
    return masses[[0, 2]] / masses.sum()


def test_posterior_has_its_tails_by_nested_integrals():
    rng = np.random.default_rng(7)
    for _ in range(6):
        n, m, k = (int(size) for size in rng.choice([3, 10, 40, 150], 3))
        share, se, u = rng.uniform(0, 1), rng.uniform(0.6, 1), rng.uniform(0, 0.4)
        x = rng.binomial(n, share * se + (1 - share) * u)
        outcome = x, n, rng.binomial(m, se), m, rng.binomial(k, 1 - u), k
        (lower,), (upper,) = posterior(columns(outcome), 0.05, "two-sided", JEFFREYS)
        tails = tails_by_nested_integrals(outcome, lower, upper)
        assert tails == pytest.approx(0.025, rel=1e-6), outcome


def test_posterior_is_mirrored_with_yes_and_no():
    x, n, a, m, b, k = columns((364, 500, 5, 5, 4, 5), (3, 30, 10, 10, 12, 15), (0, 50, 8, 9, 3, 9))
    lower, upper = posterior((x, n, a, m, b, k), 0.05, "two-sided", JEFFREYS)
    mirrored = posterior((n - x, n, b, k, a, m), 0.05, "two-sided", JEFFREYS)
    assert mirrored[0] == pytest.approx(1 - upper, rel=1e-8)
    assert mirrored[1] == pytest.approx(1 - lower, rel=1e-8)


def test_profile_likelihood_is_maximized_over_both_error_rates():
    share = np.array([0.9, 0.7, 0.3, 0.4, 0.5])
    found, slope = profile_deviance(CASES, share)
    beside, _ = profile_deviance(CASES, share + 1e-6)
    assert (beside - found) / 1e-6 == pytest.approx(slope, rel=1e-3)
    for place, (x, n, a, m, b, k) in enumerate(zip(*CASES, strict=True)):
        samples = (x, n), (a, m), (k - b, k)

        def deviance(logits, share=share[place], samples=samples):
            se, u = expit(logits)
            rates = share * se + (1 - share) * u, se, u
            at = zip(samples, rates, strict=True)
            return 2 * sum(rel_entr(x, n * p) + rel_entr(n - x, n * (1 - p)) for (x, n), p in at)

        least = minimize(deviance, [1.0, -1.0], method="Nelder-Mead", tol=1e-10)
        assert found[place] == pytest.approx(least.fun, abs=1e-6)


def test_profile_likelihood_is_that_of_a_proportion_where_labels_are_many():
    many = 10**9
    data = columns((30, 50, many, many, many, many))
    lower, upper = likelihood_limits(data, 0.025)
    known = harness.interval("proportion", "likelihood_ratio", x=30, n=50)
    assert lower[0] == pytest.approx(known.lower, abs=1e-6)
    assert upper[0] == pytest.approx(known.upper, abs=1e-6)


def test_limits_are_the_whole_range_where_the_labels_do_not_show_that_the_judge_knows():
    data = columns((10, 20, 4, 10, 5, 10), (3, 20, 5, 10, 5, 10))
    for formula in (lang_reiczigel, rogan_gladen_delta, likelihood_limits):
        lower, upper = formula(data, 0.025)
        assert lower.tolist() == [0, 0]
        assert upper.tolist() == [1, 1]


AGAINST_LABELS = columns(
    (0, 500, 95, 100, 70, 100), (500, 500, 70, 100, 95, 100), (300, 500, 45, 50, 44, 50)
)
"""Data that contradict their labels, twice, and others."""


@pytest.mark.parametrize(
    ("method", "usual"),
    [(lang_reiczigel_modified, lang_reiczigel), (profile_likelihood, likelihood_limits)],
)
def test_limits_are_the_posteriors_where_the_data_contradict_the_labels(method, usual):
    assert contradicts_labels(AGAINST_LABELS, 0.025).tolist() == [True, True, False]
    clipped = lang_reiczigel(AGAINST_LABELS, 0.025)
    assert (clipped[0][:2] == clipped[1][:2]).all()
    lower, upper = method(AGAINST_LABELS, 0.05, "two-sided")
    others = usual(AGAINST_LABELS, 0.025)
    by_posterior = posterior(AGAINST_LABELS, 0.05, "two-sided", JEFFREYS)
    assert lower.tolist() == [*by_posterior[0][:2], others[0][2]]
    assert upper.tolist() == [*by_posterior[1][:2], others[1][2]]
    assert 0 < lower[0] < upper[0] < 0.01


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2, 0.6])
def test_the_default_is_never_a_point(alpha):
    counts = np.meshgrid(np.arange(0, 31, 6), np.arange(9), np.arange(9), indexing="ij")
    x, a, b = (count.ravel().astype(np.float64) for count in counts)
    sizes = {"n": 30, "positives": 8, "negatives": 8}
    data = {"x": x, "positives_right": a, "negatives_right": b, **sizes}
    found = harness.interval("judged_share", alpha=alpha, **data)
    assert found.method == "lang_reiczigel_modified"
    assert (found.upper - found.lower).min() > 1e-9
    points = harness.interval("judged_share", "lang_reiczigel", alpha=alpha, **data)
    assert (points.upper == points.lower).any() == (alpha > 0.05)


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_the_default_says_that_it_answers_by_the_posterior_at_its_own_alpha(side):
    labels = {"positives_right": 70, "positives": 100, "negatives_right": 95, "negatives": 100}
    known = {"side": side, "x": 395, "n": 500, **labels}
    said = {}
    for alpha in (0.01, 0.2):
        found = harness.interval("judged_share", alpha=alpha, **known)
        said[alpha] = any(
            "contradict the labels" in remark and "those of the posterior" in remark
            for remark in found.remarks
        )
    assert said == {0.01: False, 0.2: True}


def as_if_the_judge_were_right(x, n, positives_right, positives, negatives_right, negatives, alpha):
    """Wilson's interval of x of n, which the judge's errors are no part of."""
    square = ndtri(alpha / 2) ** 2
    center = (x + square / 2) / (n + square)
    reach = np.sqrt(square * (x * (n - x) / n + square / 4)) / (n + square)
    return np.maximum(center - reach, 0.0), np.minimum(center + reach, 1.0)


def test_the_default_covers_the_share_by_a_judge_without_errors_and_the_likelihood_does_not():
    labels = {"positives_right": 20, "positives": 20, "negatives_right": 20, "negatives": 20}
    data = {"x": 18, "n": 20, **labels}
    assert not harness.interval("judged_share", **data).remarks
    remarks = harness.interval("judged_share", "profile_likelihood", **data).remarks
    assert any("the judge is right on all labels" in remark for remark in remarks)
    rates = {"share": 0.905, "sensitivity": 0.999, "specificity": 0.999}
    sizes = {"n": 20, "positives": 20, "negatives": 20}
    covered = {
        method: harness.coverage("judged_share", method, **sizes, **rates).coverage
        for method in ("profile_likelihood", "lang_reiczigel_modified")
    }
    assert covered["profile_likelihood"] == pytest.approx(0.860, abs=5e-4)
    assert covered["lang_reiczigel_modified"] == pytest.approx(0.998, abs=5e-4)


LEAST_COVERAGES = [
    ((20, 8, 8), 0.9523),
    ((20, 20, 20), 0.9392),
    ((20, 40, 40), 0.929),
    ((100, 10, 40), 0.921),
]
RATES = np.array([0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0])


@pytest.mark.parametrize(("sizes", "least"), LEAST_COVERAGES)
def test_the_default_misses_little_whatever_judge_and_share(sizes, least):
    """Judges with these rates whose sum is at least 1.2, and 201 shares from 0 to 1."""
    n, positives, negatives = sizes
    counts = np.meshgrid(*(np.arange(size + 1.0) for size in sizes), indexing="ij")
    columns = [each for pair in zip(counts, sizes, strict=True) for each in pair]
    data = tuple(np.broadcast_to(each, counts[0].shape).ravel() for each in columns)
    lower, upper = (
        limit.reshape(counts[0].shape) for limit in lang_reiczigel_modified(data, 0.05, "two-sided")
    )
    of_se = binom.pmf(np.arange(positives + 1)[:, None], positives, RATES)
    of_sp = binom.pmf(np.arange(negatives + 1)[:, None], negatives, RATES)
    usable = RATES[:, None] + RATES > 1.19
    covered = []
    for share in np.linspace(0, 1, 201).round(3):
        holds = ((lower <= share) & (share <= upper)).astype(float)
        given_x = np.einsum("xab,ai,bj->xij", holds, of_se, of_sp, optimize=True)
        yes = share * RATES[:, None] + (1 - share) * (1 - RATES)
        of_x = binom.pmf(np.arange(n + 1)[:, None, None], n, yes)
        covered.append((given_x * of_x).sum(axis=0)[usable].min())
    assert min(covered) == pytest.approx(least, abs=5e-4)


def test_a_check_finds_that_the_errors_of_the_judge_are_ignored():
    found = harness.check(
        as_if_the_judge_were_right,
        family="judged_share",
        contract="nominal",
        grid="n=20;positives=10;negatives=10;alpha=0.05",
    )
    failed = {finding.check for finding in found.findings if finding.verdict == "fail"}
    assert failed
    # Limits are numbers in order; what is wrong with them is how often they miss.
    assert not failed & {"answers every outcome", "has exact numbers"}
    assert found.keeps.startswith("keeps: no contract; not approximate or conservative")


def test_a_coverage_of_many_outcomes_is_drawn_and_agrees_with_their_sum():
    """The sum over all 256,000 outcomes that can occur was 0.9550, by the same limits."""
    truths = {"share": 0.8, "sensitivity": 0.9, "specificity": 0.9}
    sizes = {"n": 500, "positives": 50, "negatives": 50}
    drawn = harness.coverage("judged_share", "lang_reiczigel", **sizes, **truths)
    assert abs(drawn.coverage - 0.9550) < 4 * drawn.std_error
    assert 0.001 < drawn.std_error < 0.002
    few = harness.coverage(
        "judged_share", "lang_reiczigel", n=20, positives=9, negatives=9, **truths
    )
    assert few.std_error is None


KNOWN = json.loads((ROOT / "data" / "known_judge.json").read_text())["rows"]
OF_R = {"c-p": "clopper_pearson"}
BEYOND = {"c-p": 1e-13, "wilson": 1e-13, "sterne": 1e-6, "blaker": 1e-4}
"""How far a limit of epiR may be outside ours, of the judge's share of yes: it looks for Sterne's
with a tolerance, and for Blaker's in steps of 1e-4."""


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: f"{row['method']}-{row['x']}-{row['n']}")
def test_a_known_judge_has_the_limits_of_epir(row):
    rates = {"sensitivity": row["se"], "specificity": row["sp"]}
    method = OF_R.get(row["method"], row["method"])
    ours = harness.interval("judged_share", method, x=row["x"], n=row["n"], **rates)
    gain, beyond = row["se"] + row["sp"] - 1, BEYOND[row["method"]]
    for limit, theirs, outwards in ((ours.lower, row["lower"], -1), (ours.upper, row["upper"], 1)):
        if 0 < limit < 1:
            difference = outwards * (theirs - limit) * gain
            assert -max(1e-13, beyond / 100) <= difference <= beyond
        else:
            assert np.clip(theirs, 0, 1) == limit


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sensitivity": 0.5, "specificity": 0.4}, "should have a sum above 1, found 0.9"),
        ({"sensitivity": 1.5, "specificity": 0.4}, "sensitivity should be a number from 0 to 1"),
        ({"sensitivity": 0.9}, "needs both sensitivity and specificity"),
    ],
)
def test_wrong_error_rates_are_refused(given, said):
    with pytest.raises(InputError, match=said):
        harness.interval("judged_share", x=3, n=9, **given)


def test_the_power_of_a_known_judge_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="the power of judged_share is not computed"):
        harness.power("judged_share", sensitivity=0.9, specificity=0.9, n=9, share=0.5, above=0.1)
