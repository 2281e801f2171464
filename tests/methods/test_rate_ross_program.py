"""Limits of a rate held against what the program of Ross (2003) prints on its own test grid."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from harness.distributions.posteriors.gamma import Gamma
from tests.methods.one_outcome import DATA
from tests.methods.one_rate import limits

# Half a unit of the five decimals of a limit that the program prints.
PRINTED_LIMIT = 5e-6
# Six decimals of a tail are printed, but its quadrature is off by more: at x = 0 the tail above
# 9.17969, which is exp(-9.17969) = 1.0311e-4, is printed as 0.000102.
ROSS_TAIL = 1.5e-6
# What it promises of alpha (section 4): its searches stop there, so compare no closer.
ROSS_ALPHA_ERROR = 5e-5
ROSS = {2: "minimal_length", 3: "balanced_width", 4: "balanced_tail"}
ROWS = list(csv.DictReader((DATA / "ross_rate_ci.csv").read_text().splitlines()))


def rows(*methods):
    """The rows of these methods as (x, exposure, alpha, lower, upper, printed tails)."""
    for row in ROWS:
        if int(row["Method"]) in methods:
            yield (
                *(int(row["x"]), float(row["A"]), float(row["Desired alpha"])),
                *(float(row["Lower CI Bound"]), float(row["Upper CI Bound"])),
                *(float(row["Lower Tail"]), float(row["Upper Tail"])),
            )


def tails_around(x, exposure, lower, upper):
    """Both tails of the flat-prior posterior, at the limits and at the ends of their rounding."""
    shifts = np.array([-PRINTED_LIMIT, 0.0, PRINTED_LIMIT])
    posterior = Gamma(np.full(3, x + 1.0), np.full(3, exposure))
    below = posterior.cdf(np.maximum(lower + shifts, 0.0))
    above = posterior.sf(np.maximum(upper - shifts, 0.0))
    return below.tolist(), above.tolist()


def within(value, low, high, slack):
    return low - slack <= value <= high + slack


def test_every_row_of_ross_is_compared():
    assert len(ROWS) == len(list(rows(1, 2, 3, 4, 5, 6))) == 44


def test_our_posterior_gives_the_tails_that_ross_prints_for_his_limits():
    for x, exposure, _, lower, upper, below, above in rows(1, 2, 3, 4, 5, 6):
        ours_below, ours_above = tails_around(x, exposure, lower, upper)
        assert within(below, ours_below[0], ours_below[2], ROSS_TAIL), (x, lower)
        assert within(above, ours_above[0], ours_above[2], ROSS_TAIL), (x, upper)


def test_limits_of_ross_have_the_alpha_that_his_program_promises():
    for method in (1, 2, 3, 4):
        for x, exposure, alpha, lower, upper, *_ in rows(method):
            below, above = tails_around(x, exposure, lower, upper)
            if method == 1:
                assert within(alpha, below[0], below[2], ROSS_ALPHA_ERROR)
                assert within(alpha, above[0], above[2], ROSS_ALPHA_ERROR)
            else:
                low, high = below[0] + above[0], below[2] + above[2]
                assert within(alpha, low, high, ROSS_ALPHA_ERROR)


def test_one_sided_limits_agree_with_ross_within_his_tolerance():
    for x, exposure, alpha, lower, upper, *_ in rows(1):
        near, far = alpha - ROSS_ALPHA_ERROR, alpha + ROSS_ALPHA_ERROR
        low, high = (limits("one_sided", x, exposure, a, "lower")[0] for a in (near, far))
        assert within(lower, low, high, PRINTED_LIMIT), (x, alpha)
        low, high = (limits("one_sided", x, exposure, a, "upper")[1] for a in (far, near))
        assert within(upper, low, high, PRINTED_LIMIT), (x, alpha)


@pytest.mark.parametrize("method", ROSS)
def test_two_sided_limits_agree_with_ross_within_his_tolerance(method):
    # The interval shrinks as alpha grows, so that his limits must lie between ours at the two
    # ends of the tolerance. What balances the two limits is judged by what he promises of alpha
    # too: each tail may be off by as much.
    for x, exposure, alpha, lower, upper, *_ in rows(method):
        wide = limits(ROSS[method], x, exposure, alpha - ROSS_ALPHA_ERROR)
        narrow = limits(ROSS[method], x, exposure, alpha + ROSS_ALPHA_ERROR)
        assert within(lower, wide[0], narrow[0], PRINTED_LIMIT), (x, alpha)
        assert within(upper, narrow[1], wide[1], PRINTED_LIMIT), (x, alpha)


@pytest.mark.parametrize(("method", "name"), [(5, "garwood"), (6, "wald")])
def test_formulas_agree_with_ross_to_print_rounding(method, name):
    for x, exposure, alpha, lower, upper, *_ in rows(method):
        found = limits(name, x, exposure, alpha)
        assert found == pytest.approx((lower, upper), rel=0, abs=PRINTED_LIMIT), (x, alpha)
