"""Limits held against numbers that other programs and papers print."""

import csv
import json
import math

import numpy as np
import pytest
import yaml
from scipy.special import ndtri

from harness.designs.one_sample.worst_case import worst_case
from harness.distributions.posteriors.gamma import Gamma
from harness.methods.catalogue import CATALOGUE, PROPORTION
from harness.methods.proportion.score import wilson_cc
from tests.methods.one_outcome import DATA, limits, limits_of, rate_limits
from tests.sample import sampled

# How far the other programs' own solutions lie from the true limits (R's binom at 1 of 30 is
# 3e-11 off, at 4 of 200 it is 5e-12); a row's ``error`` where a program solves less closely, as
# R's binom does by uniroot for the likelihood ratio, and MetidaFreq.jl by an iteration.
CONVERGENCE_OF_OTHERS = {"proportion": 5e-11, "rate": 5e-11}
ROUNDING = 1e-14


def published(file):
    """The rows of a file with their family and data, under names of their own."""
    for row in json.loads((DATA / file).read_text()):
        size = next((size for size in ("n", "exposure") if size in row), None)
        if size is not None:
            row["family"] = {"n": "proportion", "exposure": "rate"}[size]
            row["data"] = [row["x"], row[size]]
        allowed = CONVERGENCE_OF_OTHERS.get(row["family"], ROUNDING)
        if row["method"] == "mee":
            allowed += 2e-10
        row = {"side": "two-sided", "prior": None, "cut": False, "error": allowed} | row
        yield pytest.param(
            row, id=f"{row['family']}-{row['method']}-{row['side']}-{row['data']}-{row['alpha']}"
        )


def last_digit(text):
    """One unit in the last place of a printed number; nothing for a limit at an end."""
    if text in ("0", "1"):
        return 0.0
    mantissa, _, power = text.partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


@pytest.mark.parametrize(
    "row",
    sampled(
        (
            row
            for of in ("proportion", "rate", "difference")
            for row in published(f"published_{of}.json")
        ),
        one_in=4,
        by=lambda row: (row["family"], row["method"]),
    ),
)
def test_published_limits_hold_to_their_last_digit(row):
    prior = tuple(row["prior"]) if row["prior"] else None
    found = limits_of(row["family"], row["method"], row["data"], row["alpha"], row["side"], prior)
    for ours, printed in zip(found, (row["lower"], row["upper"]), strict=True):
        # A limit beyond the range, which its source leaves out, is clipped here.
        if printed is None:
            assert ours == 1
            continue
        # Digits that were cut off instead of rounded leave a whole unit.
        unit = last_digit(printed) * (1.0 if row["cut"] else 0.5)
        assert abs(ours - float(printed)) <= unit + row["error"]
        if unit == 0:
            assert ours == float(printed)


OTHERS = [
    pytest.param(group, *row, id="-".join(map(str, row[:5])) + f"-{row[5]:g}")
    for group in yaml.safe_load((DATA / "limits_of_others.yaml").read_text("utf-8"))
    for row in group["rows"]
]


@pytest.mark.parametrize(
    ("group", "family", "name", "side", "data", "prior", "alpha", "lower", "upper"),
    sampled(OTHERS, one_in=4, by=lambda case: case[1:3]),
)
def test_limits_agree_with_those_of_other_programs(
    group, family, name, side, data, prior, alpha, lower, upper
):
    found = limits_of(family, name, data, alpha, side, tuple(prior) if prior else None)
    lower = found[0] if math.isnan(lower) else lower
    expected = lower, math.inf if upper is None else upper
    assert found == pytest.approx(expected, rel=group["relative"], abs=group["absolute"])


# Proportions.


def test_jeffreys_equal_tailed_is_balanced_tail_under_its_prior_also_at_the_ends():
    name = "jeffreys_equal_tailed"
    for x in (0, 8, 17):
        found = limits(name, x, 17, 0.05)
        assert found == limits("balanced_tail", x, 17, 0.05, prior=(0.5, 0.5))
        assert 0 < found[0] < found[1] < 1


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_jeffreys_moves_one_limit_at_each_end_and_no_other(side):
    for x in range(18):
        lower, upper = limits("jeffreys_equal_tailed", x, 17, 0.05, side)
        expected = (0.0 if x == 0 else lower, 1.0 if x == 17 else upper)
        assert limits("jeffreys", x, 17, 0.05, side) == expected


# Exact, by the worst case over (0, 1); Brown, Cai and DasGupta's is the first.
WORST_ALPHA = {
    "jeffreys": {5: 0.1076, 20: 0.1066, 100: 0.1199, 1000: 0.1023},
    "jeffreys_equal_tailed": dict.fromkeys((5, 20, 100, 1000), 1.0),
    "jeffreys_modified": {5: 0.0734, 20: 0.0822, 100: 0.0732, 1000: 0.0762},
}


@pytest.mark.parametrize("name", WORST_ALPHA)
def test_the_three_jeffreys_intervals_differ_in_their_worst_alpha(name):
    method = PROPORTION[name]
    for n, expected in WORST_ALPHA[name].items():
        found = method.limits((np.arange(n + 1.0), np.full(n + 1, float(n))), 0.05)
        assert worst_case(n, *found).alpha == pytest.approx(expected, rel=0, abs=5e-5)


def test_the_papers_example_90_of_100():
    # Ross (2003), the first example of section 4.
    lower, upper = limits("minimal_length", 90, 100, 0.05)
    assert (round(lower, 4), round(upper, 4)) == (0.8313, 0.9485)


# Rates.


def test_jeffreys_equal_tailed_is_balanced_tail_under_its_prior_also_at_zero():
    for x in (0, 8, 1000):
        found = rate_limits("jeffreys_equal_tailed", x, 17, 0.05)
        assert found == rate_limits("balanced_tail", x, 17, 0.05, prior=(0.5, 0.0))
        assert 0 < found[0] < found[1]


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_jeffreys_of_a_rate_moves_the_lower_limit_at_zero_and_no_other(side):
    for x in (0, 1, 8, 1000):
        lower, upper = rate_limits("jeffreys_equal_tailed", x, 17, 0.05, side)
        assert rate_limits("jeffreys", x, 17, 0.05, side) == (0.0 if x == 0 else lower, upper)


def test_ten_events_in_an_exposure_of_fifty():
    lower, upper = rate_limits("balanced_tail", 10, 50, 0.05)
    assert f"{10 / 50:.4f} {lower:.4f} {upper:.4f}" == "0.2000 0.1098 0.3678"


def length(name, x, alpha=0.05):
    lower, upper = rate_limits(name, x, 1, alpha)
    return upper - lower


def test_minimal_length_saves_fifteen_per_cent_at_one_event_and_three_at_fifty():
    # Ross (2003), section 7: about 15 % and 3 % shorter than the exact tails.
    saved = [1 - length("minimal_length", x) / length("garwood", x) for x in (1, 50)]
    assert saved == pytest.approx([0.1485, 0.0342], abs=1e-4)


def test_minimal_length_is_the_shortest_of_the_posterior_intervals():
    for x in (0, 1, 10, 1000):
        for other in ("balanced_tail", "balanced_width"):
            assert length("minimal_length", x) <= length(other, x)


def test_half_of_alpha_is_missing_from_the_exact_tails_at_one_event():
    # Ross (2003), section 7: their alpha error under the flat prior is about half of alpha.
    lower, upper = rate_limits("garwood", 1, 1, 0.05)
    posterior = Gamma.given(np.array([1.0]), np.array([1.0]), (1.0, 0.0))
    alpha_error = 0.05 - (posterior.cdf(lower) + posterior.sf(upper))[0]
    assert alpha_error / 0.05 == pytest.approx(0.4937, abs=1e-4)


# Two samples.

ROSS_ROWS = list(csv.DictReader((DATA / "ross_prop_diff_ci_56.csv").read_text().splitlines()))
# Half a unit of the six digits that the program of Ross (2003) prints.
ROSS_PRINTED = 5e-7


def test_every_row_of_ross_is_compared():
    assert [row["Method"] for row in ROSS_ROWS].count("5") == 94
    assert [row["Method"] for row in ROSS_ROWS].count("6") == 95


@pytest.mark.parametrize(("number", "method"), [("5", "fagan"), ("6", "rss_normal")])
def test_limits_agree_with_ross_to_print_rounding(number, method):
    for row in ROSS_ROWS:
        if row["Method"] == number:
            data = (row["x1"], row["n1"], row["x2"], row["n2"])
            found = limits_of("proportion_difference", method, data, float(row["Desired alpha"]))
            printed = float(row["Lower CI Bound"]), float(row["Upper CI Bound"])
            assert found == pytest.approx(printed, rel=0, abs=ROSS_PRINTED), row


def test_the_papers_example_5_of_12_against_36_of_112():
    # Ross (2003), section 6: "the method 5 interval is -0.1878 to 0.4151".
    lower, upper = limits_of("proportion_difference", "fagan", (5, 12, 36, 112), 0.05)
    assert (round(lower, 4), round(upper, 4)) == (-0.1878, 0.4151)


@pytest.mark.parametrize("of_one", ["proportion", "rate"])
def test_mover_jeffreys_takes_the_limits_of_jeffreys_equal_tailed_at_no_success_too(of_one):
    def term(x, size):
        median, _ = limits_of(of_one, "jeffreys_equal_tailed", (x, size), 0.5, "lower")
        lower, upper = limits_of(of_one, "jeffreys_equal_tailed", (x, size), 0.05)
        return median, lower, upper

    (m1, l1, u1), (m2, l2, u2) = term(5, 56), term(0, 29)
    assert l2 > 0
    expected = (m1 - m2 - math.hypot(m1 - l1, u2 - m2), m1 - m2 + math.hypot(u1 - m1, m2 - l2))
    found = limits_of(f"{of_one}_difference", "mover_jeffreys", (5, 56, 0, 29), 0.05)
    assert found == pytest.approx(expected, rel=0, abs=ROUNDING)


def test_one_sided_limits_are_the_two_sided_ones_at_twice_the_alpha():
    data = {"proportion_difference": (7, 34, 1, 34), "rate_difference": (7, 3.5, 1, 4.0)}
    data["balanced_accuracy"] = data["proportion_difference"]
    for family, outcome in data.items():
        for name, method in CATALOGUE[family].items():
            if len(method.sides) == 3:
                both = limits_of(family, name, outcome, 0.05)
                lower, _ = limits_of(family, name, outcome, 0.025, "lower")
                _, upper = limits_of(family, name, outcome, 0.025, "upper")
                assert (lower, upper) == pytest.approx(both, rel=1e-9), name


# Closed forms of a proportion.

# Both sides are a few operations in double precision.
CLOSED = 1e-13


def test_transforms_have_the_exact_limits_at_the_ends():
    for name in ("logit", "probit", "cloglog"):
        for x, n in ((0, 1), (1, 1), (0, 30), (30, 30), (10**6, 10**6)):
            for alpha in (1e-10, 0.05, 0.9):
                exact = limits("clopper_pearson", x, n, alpha)
                assert limits(name, x, n, alpha) == pytest.approx(exact, rel=CLOSED)


def test_a_negative_radicand_leaves_the_whole_range():
    # z = 6.5, γ₁ = −31 and γ₂ = 2.5: V + (γ₁V + γ₂)/n is −0.28 at 5 of 10.
    assert limits("second_order", 5, 10, 1e-10) == (0.0, 1.0)
    assert limits("second_order", 5, 10, 1e-10, "lower") == (0.0, 1.0)


def test_one_observation_has_no_t_interval():
    for x in (0, 1):
        assert limits("wald_t", x, 1, 0.05) == (0.0, 1.0)


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.5, 0.9])
def test_modified_wilson_is_never_shorter_than_wilson(alpha):
    for n in (1, 2, 3, 10, 50, 51, 200):
        for x in range(n + 1):
            lower, upper = limits("wilson_modified", x, n, alpha)
            inner_lower, inner_upper = limits("wilson", x, n, alpha)
            assert lower <= inner_lower < inner_upper <= upper
            changed = 0 < min(x, n - x) <= (3 if n > 50 else 2)
            if alpha == 0.05 and not changed and 0 < x < n:
                assert (lower, upper) == (inner_lower, inner_upper)


def test_log_log_limits_for_failures_are_the_complementary_ones():
    # log(−log(1 − p)) of x is log(−log q) of n − x.
    x, n, z = 4, 20, 1.959963984540054
    p = x / n
    link = np.log(-np.log1p(-p))
    delta = z * np.sqrt(p / (1 - p) / n) / -np.log1p(-p)
    expected = [-np.expm1(-np.exp(link + sign * delta)) for sign in (-1, 1)]
    lower, upper = limits("cloglog", n - x, n, 0.05)
    assert (1 - upper, 1 - lower) == pytest.approx(expected, rel=0, abs=CLOSED)


@pytest.mark.parametrize("n", [1, 2, 9, 100])
def test_a_limit_of_wilson_cc_is_half_an_outcome_and_z_deviations_from_the_estimate(n):
    x = np.arange(n + 1.0)
    for tail in (1e-10, 0.025, 0.45, 0.7):
        z = -ndtri(tail)
        lower, upper = wilson_cc((x, np.full_like(x, n)), tail)
        for limit, distance, inner in (
            (lower, x / n - lower, x > 0),
            (upper, upper - x / n, x < n),
        ):
            deviations = z * np.sqrt(limit * (1 - limit) / n)
            # Both sides of the equation are of order one.
            np.testing.assert_allclose(
                (distance - 0.5 / n)[inner], deviations[inner], rtol=0, atol=1e-14
            )
        assert lower[0] == 0
        assert upper[-1] == 1
