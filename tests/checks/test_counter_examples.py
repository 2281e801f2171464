"""What pictures of findings show: the limits, tails and probabilities that the check computed."""

import numpy as np
import pytest
from scipy.stats import binom

from harness.checks.check import check
from harness.checks.findings import PASS, IntervalExample, MissExample, NumberExample, TailExample
from harness.families.catalogue import family_of
from tests.checks.planted.textbook import wald, wilson

GRID = {"n": [8, 20], "alpha": [0.05, 0.1]}


def falling(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return np.where(x == 4, 0.2 * lower, lower), upper


def not_nested(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return (lower, upper) if alpha < 0.07 else (0.0 * lower, 1.0 + 0.0 * upper)


def lopsided(x, n, alpha):
    lower, upper = wilson(x, n, alpha)
    return lower, np.minimum(1, upper + 0.03 * (x > n / 2))


def gap(x, n, alpha):
    if np.any(np.asarray(x) == 3):
        raise ValueError("no root")
    return wilson(x, n, alpha)


def example(name, *, of=None, family="proportion", grid=GRID, **options):
    """The counter-example of the first finding of a check that is no pass."""
    report = check(of, family=family, grid=grid, counter_examples=True, **options)
    finding = next(each for each in report.worst(99) if each.check == name)
    return finding, finding.counter_example


def test_without_being_asked_for_there_is_none():
    report = check(wald, grid=GRID)
    assert not report.passed
    assert all(each.counter_example is None for each in report.findings)


def test_a_finding_that_passes_has_none():
    report = check(wald, grid=GRID, counter_examples=True)
    assert all(e.counter_example is None for e in report.findings if e.verdict == PASS)
    assert sum(e.counter_example is not None for e in report.findings) > 4


def test_no_limit_is_computed_for_them():
    calls = []

    def counted(x, n, alpha):
        calls.append(np.size(x))
        return wald(x, n, alpha)

    check(counted, grid=GRID)
    before = sum(calls)
    calls.clear()
    check(counted, grid=GRID, counter_examples=True)
    assert sum(calls) == before


def test_a_limit_that_falls_stands_beside_the_next_outcome():
    finding, shown = example("rises with x", of=falling)
    assert isinstance(shown, IntervalExample)
    one, other = shown.rows
    assert (one.cell["x"], other.cell["x"]) == (3, 4)
    assert one.lower == finding.cell["lower"] == wilson(3, 8, 0.05)[0]
    assert other.lower == falling(4, 8, 0.05)[0] < one.lower
    assert "the lower limit falls from 0.136844 to 0.0430432" in shown.sentence
    assert "upper" not in shown.sentence


def test_an_interval_stands_beside_that_at_the_next_larger_alpha():
    _, shown = example("is nested in alpha", of=not_nested)
    assert [row.cell["alpha"] for row in shown.rows] == [0.05, 0.1]
    assert (shown.rows[1].lower, shown.rows[1].upper) == (0.0, 1.0)
    assert shown.grid == {"n": (8.0,), "alpha": (0.05, 0.1)}


def test_an_interval_stands_beside_the_mirrored_one_mirrored_back():
    _, shown = example("mirrors", of=lopsided)
    here, image = shown.rows
    x, n = here.cell["x"], here.cell["n"]
    lower, upper = lopsided(n - x, n, 0.05)
    assert image.cell["x"] == n - x
    assert (image.lower, image.upper) == pytest.approx((1 - upper, 1 - lower), abs=1e-15)
    apart = max(abs(here.lower - image.lower), abs(here.upper - image.upper))
    assert f"differ by up to {apart:.3g}" in shown.sentence


def test_an_outcome_without_limits_stands_between_its_neighbours_with_the_reason():
    _, shown = example("answers every outcome", of=gap)
    assert [row.cell["x"] for row in shown.rows] == [2, 3, 4]
    here = shown.rows[1]
    assert here.is_fault
    assert np.isnan([here.lower, here.upper]).all()
    assert "ValueError: no root" in here.fault
    assert shown.rows[0].lower == wilson(2, 8, 0.05)[0]


def test_limits_outside_of_the_range_are_named_with_the_range():
    finding, shown = example("stays in range", of=wald)
    row = next(each for each in shown.rows if each.is_fault)
    assert (row.lower, row.upper) == (finding.cell["lower"], finding.cell["upper"])
    assert shown.support == (0.0, 1.0)
    assert row.estimate == row.cell["x"] / row.cell["n"]
    assert "leaves the range of p, 0 to 1" in shown.sentence


def test_tails_are_those_of_the_limits_around_the_outcome():
    finding, shown = example("tail probabilities", of=wald)
    assert isinstance(shown, TailExample)
    name, x = shown.place
    n, alpha = finding.cell["n"], finding.cell["alpha"]
    at = int(np.flatnonzero(shown.outcomes == x)[0])
    limit = finding.cell[name]
    beyond = binom.sf(x, n, limit) if name == "lower" else binom.cdf(x - 1, n, limit)
    assert shown.tails[name][at] == pytest.approx(beyond + 0.5 * binom.pmf(x, n, limit), rel=1e-9)
    assert shown.tails[name][at] == pytest.approx(finding.cell["found"], rel=1e-9)
    assert shown.expected == alpha / 2
    assert shown.is_half


def test_a_tail_under_at_least_is_whole_and_has_a_bound():
    finding, shown = example("tail probabilities", of=wald, contract="at-least")
    at = int(np.flatnonzero(shown.outcomes == shown.place[1])[0])
    assert shown.tails[shown.place[0]][at] == finding.cell["found"]
    assert (shown.expected, shown.is_bound, shown.is_half) == (finding.cell["alpha"], True, False)


def test_the_curve_has_its_worst_value_where_the_contract_is_broken():
    finding, shown = example("worst alpha", of=wald, grid="n=10;alpha=0.05")
    assert isinstance(shown, MissExample)
    assert shown.inside == (0.1, 0.9)
    inside = (shown.truths >= 0.1) & (shown.truths <= 0.9)
    assert shown.missed[inside].max() == pytest.approx(finding.cell["found"], rel=1e-6)
    assert shown.worst[1] == pytest.approx(finding.cell["found"], rel=1e-6)
    assert shown.allowed == finding.cell["expected"]


def test_the_mean_of_the_curve_is_that_of_the_finding():
    finding, shown = example("mean alpha error", of=wald)
    mean = np.trapezoid(shown.missed, shown.truths)
    # The trapezoids of a thousand points of a curve with jumps.
    assert mean == pytest.approx(shown.mean, abs=2e-4)
    assert shown.mean == finding.cell["alpha"] - finding.cell["found"]


def test_the_curve_of_two_samples_holds_the_second_truth_of_the_worst_case():
    finding, shown = example(
        "worst alpha",
        of="wald_log",
        family="rate_ratio",
        grid="exposure1=1;exposure2=1;alpha=0.05",
        contract="at-least",
    )
    assert shown.worst == (finding.cell["worst_truth1"], finding.cell["found"])
    near = np.abs(shown.truths - shown.worst[0]).argmin()
    assert shown.missed[near] == pytest.approx(shown.worst[1], rel=0.01)
    assert shown.held.startswith("rate2 = 5, ")


def test_a_comparison_has_both_numbers():
    finding, shown = example(
        "against clopper_pearson: worst alpha", of=wilson, against="clopper_pearson"
    )
    assert isinstance(shown, NumberExample)
    assert (shown.found, shown.expected) == (finding.cell["found"], finding.cell["expected"])
    assert (shown.measured, shown.expected_words) == ("worst alpha", "clopper_pearson")


@pytest.mark.parametrize("method", [falling, not_nested, lopsided, wald], ids=lambda f: f.__name__)
def test_a_check_at_the_place_of_a_counter_example_finds_it_again(method):
    report = check(method, grid=GRID, counter_examples=True)
    seen = set()
    for finding in report.worst(99):
        if finding.counter_example is None or finding.check in seen:
            continue
        seen.add(finding.check)
        again = check(method, grid=finding.counter_example.grid)
        found = {each.verdict for each in again.findings if each.check == finding.check}
        assert finding.verdict in found, finding.check
    assert seen


@pytest.mark.parametrize(
    ("family", "method", "grid"),
    [
        ("proportion_difference", "wald", "n1=5;n2=10;alpha=0.05"),
        ("paired_difference", "wald", "n=5;alpha=0.05"),
        ("rate", "wald", "exposure=1;alpha=0.05"),
        ("mean", "student_t", "alpha=0.05"),
    ],
)
def test_every_family_has_them(family, method, grid):
    options = {"trials": 200} if not family_of(family).has_outcomes else {}
    report = check(method, family=family, grid=grid, counter_examples=True, **options)
    placed = [each for each in report.worst(99) if "lower" in each.cell]
    assert all(each.counter_example is not None for each in placed)
    assert placed
