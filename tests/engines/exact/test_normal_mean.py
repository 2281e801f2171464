"""The coverage of intervals about the mean of normal values, by other ways to the same number."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from flint import acb, arb, ctx
from scipy.special import betainc

from harness.designs.runs import closed_form
from harness.methods.catalogue.lists import MEAN as METHODS
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.oracles.balls import exact

CLOSED = [name for name, method in METHODS.items() if method.standard_errors is not None]
# A right implementation fails the test by simulation with this probability; the seed is fixed.
FALSE_ALARM = 1e-6
TRIALS = 40_000
RESULTS = Path(__file__).parents[3] / "results" / "repeated_runs"


def by_quadrature(factor: float, k: int) -> tuple[arb, arb]:
    """Pr(mean − f·sd/√k > μ) and E[sd]/σ: integrals over the density of sd/σ.

    The mean is normal and independent of sd, and (k − 1)·sd²/σ² has the chi-squared distribution.
    """
    nu = k - 1
    with ctx.workprec(120):
        half = arb(nu) / 2
        scale = (half.log() * half - half.lgamma()).exp() * 2

        def density(s: acb) -> acb:
            return scale * s ** (nu - 1) * (-half * s * s).exp()

        def missed(s: acb, _: bool) -> acb:
            return density(s) * (exact(factor) * s / arb(2).sqrt()).erfc() / 2

        end = 1 + 30 / math.sqrt(nu)
        below = acb.integral(missed, 0, end, rel_tol=arb(2) ** -80)
        sd = acb.integral(lambda s, _: s * density(s), 0, end, rel_tol=arb(2) ** -80)
    return below.real, sd.real


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("k", [2, 3, 5, 30])
@pytest.mark.parametrize("alpha", [1e-4, 0.05, 0.6])
def test_misses_and_lengths_are_the_integrals_over_sd(name, k, alpha):
    method = METHODS[name]
    for side, tail in ((TWO_SIDED, alpha / 2), (LOWER, alpha), (UPPER, alpha)):
        factor = float(method.standard_errors(np.array([float(k)]), tail)[0])
        miss, sd = by_quadrature(factor, k)
        below, above, length = closed_form(method.standard_errors, k, alpha, side, 0.3)
        assert below == (0 if side == UPPER else pytest.approx(float(miss), rel=1e-13))
        assert above == (0 if side == LOWER else pytest.approx(float(miss), rel=1e-13))
        whole = 2 * factor * 0.3 * float(sd) / math.sqrt(k)
        assert length == (pytest.approx(whole, rel=1e-13) if side == TWO_SIDED else math.inf)


@pytest.mark.parametrize("k", [2, 5, 30])
def test_simulated_intervals_miss_as_often_as_the_closed_form_says(k):
    rng = np.random.default_rng(2003)
    values = rng.normal(0.75, 0.02, (TRIALS, k))
    data = (values.mean(axis=1), values.std(axis=1, ddof=1), np.full(TRIALS, float(k)), values)
    for name in CLOSED:
        method = METHODS[name]
        lower, upper = method.limits(data, 0.05)
        below, above, length = closed_form(method.standard_errors, k, 0.05, TWO_SIDED, 0.02)
        for chance, count in ((below, (lower > 0.75).sum()), (above, (upper < 0.75).sum())):
            at_most = betainc(TRIALS - count, count + 1, 1 - chance)
            at_least = betainc(count, TRIALS - count + 1, chance)
            assert min(at_most, at_least) > FALSE_ALARM / 2
        assert np.mean(upper - lower) == pytest.approx(length, rel=5 / math.sqrt(k * TRIALS))


@pytest.mark.parametrize(("name", "percent"), [("z_population", 84.6), ("z_sample", 87.8)])
def test_coverage_of_five_runs_is_that_of_the_docstrings(name, percent):
    below, above, _ = closed_form(METHODS[name].standard_errors, 5, 0.05, TWO_SIDED, 1.0)
    assert round(100 * (1 - below - above), 1) == percent
    assert f"{percent} % at k = 5" in METHODS[name].description


def test_the_committed_results_hold_the_closed_form_and_trials_near_it():
    summary = pl.read_csv(RESULTS / "summary.csv")
    exact = summary.filter(engine="closed_form").sort("method", "k")
    drawn = summary.filter(engine="monte_carlo").sort("method", "k")
    assert set(exact["method"]) == set(CLOSED)
    assert {2, 5, 30} <= set(exact["k"])
    beside = exact.join(drawn, on=["method", "k"], suffix="_drawn")
    assert beside.height == exact.height
    for row in beside.iter_rows(named=True):
        known = METHODS[row["method"]].standard_errors
        found = closed_form(known, row["k"], 0.05, TWO_SIDED, 0.02)
        stored = (row["miss_below"], row["miss_above"], row["mean_length"])
        assert stored == pytest.approx(found, rel=1e-12)
        error = abs(row["coverage"] - row["coverage_drawn"])
        # 4.9 standard errors: one of the rows fails by chance with a probability below 1e-4.
        assert error < 4.9 * row["std_error_drawn"]


@pytest.mark.parametrize("alpha", [1e-10, 0.05, 0.5, 0.999])
def test_students_interval_has_the_nominal_coverage_at_every_k(alpha):
    for k in (2, 3, 10, 1000):
        below, above, _ = closed_form(METHODS["student_t"].standard_errors, k, alpha, TWO_SIDED, 1)
        assert below + above == pytest.approx(alpha, rel=1e-13)
