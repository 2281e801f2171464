"""Limits of one sample held against what the programs of Ross (2003) print on their test grids."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from harness.base.numerics.points import UnitPoints
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from tests.methods import one_outcome

# What the programs promise of alpha (section 4): their searches stop there, so compare no closer.
ROSS_ALPHA_ERROR = 5e-5
CRITERIA = {2: "minimal_length", 3: "balanced_width", 4: "balanced_tail"}


@dataclass(frozen=True)
class Program:
    """What one of the programs printed, and what ours is called with."""

    file: str
    rows: int
    size: str
    printed: float
    """Half a unit of the last decimal of a limit."""
    tail: float
    """How far a printed tail may be off."""
    limits: Callable[..., tuple[float, float]]
    posterior: Callable[[float, float, np.ndarray, np.ndarray], tuple[Any, Any]]
    """Both tails of the flat-prior posterior at limits."""
    formulas: dict[int, str]

    def printed_rows(self, *methods):
        """The rows of these methods as (method, x, size, alpha, lower, upper, printed tails)."""
        for row in csv.DictReader((one_outcome.DATA / self.file).read_text().splitlines()):
            if int(row["Method"]) in methods:
                yield (
                    *(int(row["Method"]), int(row["x"]), float(row[self.size])),
                    *(float(row["Desired alpha"]), float(row["Lower CI Bound"])),
                    *(float(row["Upper CI Bound"]), float(row["Lower Tail"])),
                    float(row["Upper Tail"]),
                )

    def tails_around(self, x, size, lower, upper):
        """Both tails at the limits and at the ends of their rounding."""
        shifts = np.array([-self.printed, 0.0, self.printed])
        below, above = self.posterior(x, size, lower + shifts, upper - shifts)
        return below.tolist(), above.tolist()


def beta_tails(x, n, lower, upper):
    posterior = Beta(np.full(3, x + 1.0), np.full(3, n - x + 1.0))
    return posterior.cdf(UnitPoints.of(lower)), posterior.sf(UnitPoints.of(upper))


def gamma_tails(x, exposure, lower, upper):
    posterior = Gamma(np.full(3, x + 1.0), np.full(3, exposure))
    return posterior.cdf(np.maximum(lower, 0.0)), posterior.sf(np.maximum(upper, 0.0))


PROPORTION = Program(
    *("ross_prop_ci.csv", 252, "n", 5e-7, 5e-7, one_outcome.limits, beta_tails),
    {5: "clopper_pearson", 6: "wald"},
)
# Six decimals of a tail are printed for a rate too, but its quadrature is off by more: at x = 0 the
# tail above 9.17969, which is exp(-9.17969) = 1.0311e-4, is printed as 0.000102.
RATE = Program(
    *("ross_rate_ci.csv", 44, "A", 5e-6, 1.5e-6, one_outcome.rate_limits, gamma_tails),
    {5: "garwood", 6: "wald"},
)
programs = pytest.mark.parametrize("ross", [PROPORTION, RATE], ids=["proportion", "rate"])


def within(value, low, high, slack):
    return low - slack <= value <= high + slack


@programs
def test_every_row_of_ross_is_compared(ross):
    text = (one_outcome.DATA / ross.file).read_text()
    assert len(text.splitlines()) - 1 == len(list(ross.printed_rows(*range(1, 7)))) == ross.rows


@programs
def test_our_posterior_gives_the_tails_that_ross_prints_for_his_limits(ross):
    for _, x, size, _, lower, upper, below, above in ross.printed_rows(*range(1, 7)):
        ours_below, ours_above = ross.tails_around(x, size, lower, upper)
        assert within(below, ours_below[0], ours_below[2], ross.tail), (x, size, lower)
        assert within(above, ours_above[0], ours_above[2], ross.tail), (x, size, upper)


def test_the_alpha_that_ross_prints_for_a_proportion_is_of_the_tails_beside_it():
    rows = csv.DictReader((one_outcome.DATA / PROPORTION.file).read_text().splitlines())
    for row in rows:
        # Method 1 has two limits of one tail each; its "Actual alpha" is the mean of the two.
        shown = (float(row["Lower Tail"]) + float(row["Upper Tail"])) / (1 + (row["Method"] == "1"))
        assert float(row["Actual alpha"]) == pytest.approx(shown, abs=3 * PROPORTION.printed), row


@programs
def test_limits_of_ross_have_the_alpha_that_his_program_promises(ross):
    for method, x, size, alpha, lower, upper, *_ in ross.printed_rows(1, 2, 3, 4):
        below, above = ross.tails_around(x, size, lower, upper)
        if method == 1:
            assert within(alpha, below[0], below[2], ROSS_ALPHA_ERROR)
            assert within(alpha, above[0], above[2], ROSS_ALPHA_ERROR)
        else:
            assert within(alpha, below[0] + above[0], below[2] + above[2], ROSS_ALPHA_ERROR)


@programs
def test_one_sided_limits_agree_with_ross_within_his_tolerance(ross):
    for _, x, size, alpha, lower, upper, *_ in ross.printed_rows(1):
        near, far = alpha - ROSS_ALPHA_ERROR, alpha + ROSS_ALPHA_ERROR
        low, high = (ross.limits("one_sided", x, size, a, "lower")[0] for a in (near, far))
        assert within(lower, low, high, ross.printed), (x, size, alpha)
        low, high = (ross.limits("one_sided", x, size, a, "upper")[1] for a in (far, near))
        assert within(upper, low, high, ross.printed), (x, size, alpha)


@programs
@pytest.mark.parametrize("method", CRITERIA)
def test_two_sided_limits_agree_with_ross_within_his_tolerance(ross, method):
    # The interval shrinks about its middle as alpha grows, so that his limits must lie between ours
    # at the two ends of the tolerance. What balances the two limits is judged by what he promises
    # of alpha too: each tail may be off by as much.
    for _, x, size, alpha, lower, upper, *_ in ross.printed_rows(method):
        wide = ross.limits(CRITERIA[method], x, size, alpha - ROSS_ALPHA_ERROR)
        narrow = ross.limits(CRITERIA[method], x, size, alpha + ROSS_ALPHA_ERROR)
        assert within(lower, wide[0], narrow[0], ross.printed), (x, size, alpha)
        assert within(upper, narrow[1], wide[1], ross.printed), (x, size, alpha)


@programs
@pytest.mark.parametrize("method", [5, 6])
def test_formulas_agree_with_ross_to_print_rounding(ross, method):
    for _, x, size, alpha, lower, upper, *_ in ross.printed_rows(method):
        found = ross.limits(ross.formulas[method], x, size, alpha)
        assert found == pytest.approx((lower, upper), rel=0, abs=ross.printed), (x, size, alpha)
