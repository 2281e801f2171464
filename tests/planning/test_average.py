"""The weighted mean of the proportions of strata."""

import json
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import harness
from harness.methods.proportion.score import WEIGHTED, effective_wilson, mover_wilson, wider_wilson

CASES = {
    "ok": [1, 0, 1, 1, 0, 1, 1, 1, 0],
    "subject": ["law", "law", "maths", "maths", "maths", "music", "music", "music", "music"],
}


@pytest.mark.parametrize("method", WEIGHTED)
@pytest.mark.parametrize("x", [0, 3, 20])
def test_one_stratum_has_the_limits_of_wilson(method, x):
    found = harness.average([x], [20], method=method)
    expected = harness.interval("proportion", "wilson", x=x, n=20)
    assert (found.estimate, found.lower, found.upper) == pytest.approx(
        (expected.estimate, expected.lower, expected.upper), abs=1e-14
    )


def test_weights_of_1_are_the_plain_proportion():
    found = harness.average(rows={**CASES, "w": [1] * 9}, correct="ok", weight="w")
    expected = harness.interval("proportion", "wilson", x=6, n=9)
    assert (found.lower, found.upper) == pytest.approx((expected.lower, expected.upper), abs=1e-14)
    assert found.effective_size == pytest.approx(9)


def test_the_effective_size_of_weights_of_cases_is_that_of_kish():
    w = np.random.default_rng(1).gamma(2.0, size=9)
    found = harness.average(rows={**CASES, "w": w}, correct="ok", weight="w")
    assert found.effective_size == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert found.estimate == pytest.approx((w * CASES["ok"]).sum() / w.sum())
    assert found.strata == 9


def test_strata_are_counted_from_rows_in_any_form(here):
    frame = pl.DataFrame(CASES)
    frame.write_csv("cases.csv")
    frame.write_ndjson("cases.jsonl")
    counted = harness.average([1, 2, 3], [2, 3, 4])
    for rows in (CASES, frame, "cases.csv", here / "cases.jsonl"):
        found = harness.average(rows=rows, correct="ok", stratum="subject")
        assert found.record() == counted.record()


def test_weights_of_strata_are_a_column_too():
    weights = {"law": 3, "maths": 1, "music": 0.5}
    rows = {**CASES, "w": [weights[each] for each in CASES["subject"]]}
    found = harness.average(rows=rows, correct="ok", stratum="subject", weight="w")
    assert found.record() == harness.average([1, 2, 3], [2, 3, 4], [3, 1, 0.5]).record()
    assert found.estimate == pytest.approx((3 / 2 + 2 / 3 + 3 / 8) / 4.5)


def test_the_exact_coverage_is_a_sum_over_all_tables():
    x, n = np.array([3, 5, 2]), np.array([6, 5, 4])
    found = harness.average(x, n, [1, 2, 3])
    share, p = np.array([1, 2, 3]) / 6, (x + 10.5 / 16) / (n + 1)
    total = 0.0
    for counts in product(*(range(size + 1) for size in n)):
        one = harness.average(counts, n, [1, 2, 3])
        total += binom.pmf(counts, n, p).prod() * (one.lower <= share @ p <= one.upper)
    assert found.std_error is None
    assert found.coverage == pytest.approx(total, abs=1e-12)


def test_drawn_coverage_agrees_with_draws_of_its_own():
    x, n = np.arange(10, 20), np.full(10, 20)
    found = harness.average(x, n)
    p = (x + (x.sum() + 0.5) / (n.sum() + 1)) / (n + 1)
    drawn = np.random.default_rng(9).binomial(n, p, (20_000, 10)).astype(float)
    lower, upper = wider_wilson(drawn, n.astype(float), np.full(10, 0.1), 0.025)
    coverage = np.mean((lower <= p.mean()) & (p.mean() <= upper))
    # At most once in 10^5 pairs of seeds.
    assert abs(found.coverage - coverage) < 4.4 * np.hypot(found.std_error, 0.0015)


def test_failures_in_place_of_successes_mirror_the_limits():
    n = np.array([7, 30, 4])
    found, mirrored = (harness.average(x, n, [1, 2, 3]) for x in ([2, 29, 0], [5, 1, 4]))
    limits = 1 - mirrored.upper, 1 - mirrored.lower
    assert (found.lower, found.upper) == pytest.approx(limits, abs=1e-14)


SCHEMES = [
    ([5, 5], [1, 1], [0.9, 0.9]),
    ([4] * 5, [1] * 5, [0.9] * 5),
    ([5, 20, 60, 200], [1, 1, 1, 1], [0.97] * 4),
    ([3] * 57, [1] * 57, [0.9] * 57),
    ([10] * 57, [1, 2, 4] * 19, [0.4, 0.99, 0.8] * 19),
    ([1] * 40, [1, 2, 4, 2] * 10, [0.5] * 40),
    ([5, 500], [0.2, 0.8], [0.5, 0.99]),
    ([4, 40, 400], [1, 1, 1], [0.6, 0.9, 0.99]),
]
"""Sizes, weights and true proportions of strata."""


def worst_coverage(formula):
    coverages = []
    for n, weights, p in SCHEMES:
        share, sizes = np.array(weights) / np.sum(weights), np.array(n, float)
        x = np.random.default_rng(2003).binomial(n, p, (4000, len(n))).astype(float)
        lower, upper = formula(x, sizes, share, 0.025)
        truth = share @ np.array(p)
        coverages.append(np.mean((lower <= truth + 1e-12) & (truth - 1e-12 <= upper)))
    return min(coverages)


def test_the_default_covers_where_each_of_its_parts_fails():
    """Standard errors are at most 0.008."""
    assert worst_coverage(wider_wilson) > 0.9
    assert worst_coverage(effective_wilson) < 0.85
    assert worst_coverage(mover_wilson) < 0.85


def test_the_command_has_a_row_of_each_model_with_what_python_finds(run_command, here):
    frame = pl.DataFrame({**CASES, "model": ["a"] * 9})
    other = frame.with_columns(ok=1 - pl.col("ok"), model=pl.lit("b"))
    pl.concat([frame, other]).write_csv("cases.csv")
    argv = "average --rows cases.csv --correct ok --stratum subject --by model --format json"
    result = run_command(*argv.split())
    first, second = json.loads(result.out)
    expected = harness.average([1, 2, 3], [2, 3, 4])
    assert first == {"model": "a", **expected.record()}
    assert second["estimate"] == pytest.approx(1 - expected.estimate)
    assert "strata are taken as independent" in result.err


def test_the_command_takes_counts(run_command):
    argv = "average --x 3,5 --n 10,10 --weights 1,3 --level 90% --format json"
    result = run_command(*argv.split())
    expected = harness.average([3, 5], [10, 10], [1, 3], alpha=0.1)
    assert json.loads(result.out) == expected.record()


def test_numbers_do_not_depend_on_the_order_of_rows():
    """200 strata, whose coverage is that of drawn tables."""
    rng = np.random.default_rng(5)
    n = rng.integers(1, 30, 200)
    x, weights = rng.binomial(n, 0.7), rng.random(200)
    order = rng.permutation(200)
    found = harness.average(x, n, weights)
    assert found.std_error is not None
    assert found.record() == harness.average(x[order], n[order], weights[order]).record()
