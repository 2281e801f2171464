"""Limits held against what the program of Ross (2003) prints on its own test grid."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from harness.base.numerics.points import UnitPoints
from harness.distributions.posteriors.beta import Beta
from tests.methods.one_outcome import DATA, limits

# Half a unit of the six decimals that the program of Ross (2003) prints.
PRINTED = 5e-7
# What it promises of alpha (section 4): its searches stop there, so compare no closer.
ROSS_ALPHA_ERROR = 5e-5
ROSS = {2: "minimal_length", 3: "balanced_width", 4: "balanced_tail"}
ROSS_ROWS = list(csv.DictReader((DATA / "ross_prop_ci.csv").read_text().splitlines()))


def ross_rows(*methods):
    """The rows of these methods as (x, n, alpha, method, lower, upper, printed tails, alpha)."""
    for row in ROSS_ROWS:
        if int(row["Method"]) in methods:
            yield (
                *(int(row["x"]), int(row["n"]), float(row["Desired alpha"]), int(row["Method"])),
                *(float(row["Lower CI Bound"]), float(row["Upper CI Bound"])),
                *(float(row["Lower Tail"]), float(row["Upper Tail"])),
                float(row["Actual alpha"]),
            )


def tails_around(x, n, lower, upper):
    """Both tails of the flat-prior posterior, at the limits and at the ends of their rounding."""
    shifts = np.array([-PRINTED, 0.0, PRINTED])
    posterior = Beta(np.full(3, x + 1.0), np.full(3, n - x + 1.0))
    below = posterior.cdf(UnitPoints.of(lower + shifts))
    above = posterior.sf(UnitPoints.of(upper - shifts))
    return below.tolist(), above.tolist()


def within(value, low, high, slack):
    return low - slack <= value <= high + slack


def test_every_row_of_ross_is_compared():
    assert len(ROSS_ROWS) == len(list(ross_rows(1, 2, 3, 4, 5, 6))) == 252


def test_our_posterior_gives_the_tails_that_ross_prints_for_his_limits():
    for x, n, alpha, method, lower, upper, below, above, actual in ross_rows(1, 2, 3, 4, 5, 6):
        ours_below, ours_above = tails_around(x, n, lower, upper)
        assert within(below, ours_below[0], ours_below[2], PRINTED)
        assert within(above, ours_above[0], ours_above[2], PRINTED)
        # Method 1 has two limits of one tail each; its "Actual alpha" is the mean of the two.
        shown = (below + above) / 2 if method == 1 else below + above
        assert actual == pytest.approx(shown, abs=3 * PRINTED), (x, n, alpha)


def test_limits_of_ross_have_the_alpha_that_his_program_promises():
    for x, n, alpha, method, lower, upper, *_ in ross_rows(1, 2, 3, 4):
        below, above = tails_around(x, n, lower, upper)
        if method == 1:
            assert within(alpha, below[0], below[2], ROSS_ALPHA_ERROR)
            assert within(alpha, above[0], above[2], ROSS_ALPHA_ERROR)
        else:
            assert within(alpha, below[0] + above[0], below[2] + above[2], ROSS_ALPHA_ERROR)


def test_one_sided_limits_agree_with_ross_within_his_tolerance():
    for x, n, alpha, _, lower, upper, *_ in ross_rows(1):
        near, far = alpha - ROSS_ALPHA_ERROR, alpha + ROSS_ALPHA_ERROR
        lowest, highest = (limits("one_sided", x, n, a, "lower")[0] for a in (near, far))
        assert within(lower, lowest, highest, PRINTED), (x, n, alpha)
        lowest, highest = (limits("one_sided", x, n, a, "upper")[1] for a in (far, near))
        assert within(upper, lowest, highest, PRINTED), (x, n, alpha)


@pytest.mark.parametrize("method", ROSS)
def test_two_sided_limits_agree_with_ross_within_his_tolerance(method):
    # The interval shrinks about its middle as alpha grows, so that his limits must lie between
    # ours at the two ends of the tolerance.
    for x, n, alpha, _, lower, upper, *_ in ross_rows(method):
        wide = limits(ROSS[method], x, n, alpha - ROSS_ALPHA_ERROR)
        narrow = limits(ROSS[method], x, n, alpha + ROSS_ALPHA_ERROR)
        assert within(lower, wide[0], narrow[0], PRINTED), (x, n, alpha)
        assert within(upper, narrow[1], wide[1], PRINTED), (x, n, alpha)


@pytest.mark.parametrize(("method", "name"), [(5, "clopper_pearson"), (6, "wald")])
def test_formulas_agree_with_ross_to_print_rounding(method, name):
    for x, n, alpha, _, lower, upper, *_ in ross_rows(method):
        assert limits(name, x, n, alpha) == pytest.approx((lower, upper), rel=0, abs=PRINTED)
