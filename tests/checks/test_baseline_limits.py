"""The limits that a baseline keeps: a limit that has moved is found, noise is not."""

import math
from dataclasses import replace

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.callers.function import FunctionHere
from harness.callers.naming import named
from harness.callers.source import CatalogueSource
from harness.checks.baseline.changes import LIMITS, NOTHING, compare_with_baseline, describe_change
from harness.checks.baseline.folder import Baseline, files_of, read_baseline, write_baseline
from harness.checks.baseline.limits import (
    KeptPoints,
    MovedSums,
    default_points,
    differ,
    keep_limits,
    limits_in_full,
    moved_limits,
    moved_sums,
    outcomes_at,
    sums_of_limits,
)
from harness.checks.behaviour import measures
from harness.checks.options import USUAL, Tolerance
from harness.checks.plans import checked_at
from harness.checks.subject import Subject
from harness.families.catalogue import FAMILIES, family_of
from harness.methods.catalogue import CATALOGUE

SIZES, ALPHAS = (1, 2, 7, 40, 171, 1000), (0.01, 0.05)
TOLERANCE = Tolerance.limits
FEW = KeptPoints((2, 7), ALPHAS, (7, 40), ALPHAS)


def subject(name="wilson", method=None, family="proportion"):
    return Subject(
        CatalogueSource(name, method or CATALOGUE[family][name], seed=0), family_of(family)
    )


def moved_by(change, name="wilson", family="proportion"):
    """A method of the catalogue with other limits: change(data, alpha, lower, upper) -> limits."""
    known = CATALOGUE[family][name]

    def formula(data, alpha, side, prior):
        return change(data, alpha, *known.limits(data, alpha))

    return subject(name, replace(known, formula=formula), family)


def moved_at(x, n, alpha, by, side="upper"):
    """Wilson's interval with one limit moved."""

    def change(data, level, lower, upper):
        step = np.where((data[0] == x) & (data[1] == n) & (level == alpha), by, 0.0)
        return (lower + step, upper) if side == "lower" else (lower, upper + step)

    return moved_by(change)


@pytest.fixture(scope="module")
def sums():
    return sums_of_limits(subject(), SIZES, ALPHAS)


@pytest.fixture(scope="module")
def kept():
    return Baseline(measures(subject(), (7,), (0.05,)), keep_limits(subject(), FEW))


@pytest.mark.parametrize("seed", range(20))
def test_noise_of_another_machine_moves_no_sum(sums, seed):
    """Of 1e-14 in every limit, of one sign at every second seed: 40 draws times 24 sums."""
    rng = np.random.default_rng(seed)

    def noisy(data, alpha, lower, upper):
        noise = 1e-14 * rng.uniform(-1.0, 1.0, (2, lower.size))
        noise = np.abs(noise) if seed % 2 else noise
        return lower + noise[0], upper + noise[1]

    other = moved_by(noisy)
    assert moved_sums(other, sums, TOLERANCE) == []
    assert moved_limits(other, limits_in_full(subject(), (7,), ALPHAS), TOLERANCE) == []


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("by", [1e-8, -1e-8, 1e-3])
def test_a_move_of_one_limit_is_found_in_the_sums_with_its_outcome(sums, n, side, by):
    for x in {0, 1, n // 3, n}:
        [found] = moved_sums(moved_at(x, n, 0.05, by, side), sums, TOLERANCE)
        assert (found.cell["n"], found.cell["alpha"]) == (n, 0.05)
        if n < 1000 or abs(by) > 1e-8:
            assert (found.side, found.cell["x"]) == (side, x)
            assert found.found - found.expected == pytest.approx(by, abs=1e-12)


def test_noise_and_a_move_are_told_apart(sums):
    rng = np.random.default_rng(3)

    def change(data, alpha, lower, upper):
        noise = 1e-14 * rng.uniform(-1.0, 1.0, (2, lower.size))
        at = (data[0] == 57) & (data[1] == 171) & (alpha == 0.01)
        return lower + noise[0] + 1e-8 * at, upper + noise[1]

    [found] = moved_sums(moved_by(change), sums, TOLERANCE)
    assert (found.cell["n"], found.cell["alpha"]) == (171, 0.01)


def test_several_moved_limits_are_found_by_their_size_and_alpha(sums):
    def change(data, alpha, lower, upper):
        return lower, upper + 1e-3 * np.sin(data[0]) * (data[1] == 40)

    found = moved_sums(moved_by(change), sums, TOLERANCE)
    assert [type(each) for each in found] == [MovedSums] * 2
    assert [dict(each.cell) for each in found] == [{"n": 40, "alpha": a} for a in ALPHAS]
    assert {each.sides for each in found} == {("upper",)}


def test_moves_that_cancel_in_a_plain_sum_are_found(sums):
    """Limits that were exchanged, and moves as the second difference has them."""
    for moves in ({3: 1e-6, 9: -1e-6}, {3: 1e-6, 4: -2e-6, 5: 1e-6}):

        def change(data, alpha, lower, upper, moves=moves):
            step = sum(by * (data[0] == x) for x, by in moves.items())
            return lower + step * (data[1] == 40), upper

        assert len(moved_sums(moved_by(change), sums, TOLERANCE)) == len(ALPHAS)


@pytest.mark.parametrize("family", [name for name, each in FAMILIES.items() if each.has_outcomes])
def test_a_moved_limit_of_every_family_is_found_with_all_counts(family):
    """In the last outcome but one of the default points, where a ratio may be large or infinite."""
    closed_forms = ("wald", "katz", "gart", "wald_log", "delta", "lang_reiczigel")
    name = next((each for each in closed_forms if each in CATALOGUE[family]), None)
    assert name is not None
    size = default_points(family_of(family)).sizes_in_sums[-1]
    outcomes = outcomes_at(family_of(family), size)
    place = outcomes.shape[0] - 2

    def change(data, alpha, lower, upper):
        at = np.arange(lower.size) == place
        return np.where(at, lower - 1e-5, lower), upper

    before, after = subject(name, family=family), moved_by(change, name, family)
    stored = sums_of_limits(before, (size,), (0.05,))
    assert moved_sums(before, stored, TOLERANCE) == []
    [found] = moved_sums(after, stored, TOLERANCE)
    assert found.cell == {**outcomes.cell([place]), "alpha": 0.05}


def test_a_limit_that_became_infinite_or_missing_is_found_with_its_former_value():
    garwood = CATALOGUE["rate"]["garwood"]
    stored = sums_of_limits(subject("garwood", family="rate"), (1.0,), (0.05,))
    for value in (math.inf, math.nan):

        def changed(x, exposure, alpha, value=value):
            data = np.asarray(x, float), np.full(np.shape(x), exposure)
            lower, upper = garwood.limits(data, alpha)
            return lower, np.where(x == 4, value, upper)

        user = Subject(FunctionHere("changed", changed), family_of("rate"))
        [found] = moved_sums(user, stored, TOLERANCE)
        np.testing.assert_equal(found.found, value)
        assert found.cell["x"] == 4
        # The upper limit of 4 events: half the 97.5 % quantile of chi-squared with 10 degrees.
        assert found.expected == pytest.approx(10.2415886754, abs=1e-9)


def test_differences_are_relative_for_large_limits_and_infinite_ones_equal_themselves():
    old = np.array([0.5, 1e6, math.inf, math.nan, math.inf, 0.0])
    new = np.array([0.5 + 2e-9, 1e6 + 1e-4, math.inf, math.nan, 1.0, -math.inf])
    assert differ(new, old, 1e-9).tolist() == [True, False, False, False, True, True]
    assert differ(new[:2], old[:2], 0.0).tolist() == [True, True]


def test_limits_are_read_back_bit_by_bit(tmp_path, kept):
    write_baseline(tmp_path, named("wilson"), kept.numbers, limits=kept.limits)
    found = read_baseline(tmp_path, family_of("proportion"), "wilson").limits
    assert found.in_full.equals(kept.limits.in_full)
    assert found.sums.equals(kept.limits.sums)
    text = files_of(tmp_path, "proportion", "wilson").limits.read_text("utf-8")
    assert text.splitlines()[:2] == ["n,alpha,x,lower,upper", "2,0.01,0,0,0.7683817082692724"]


def findings_of(folder, method, tolerance=USUAL):
    return {each.check: each for each in compare_with_baseline(method, folder, tolerance).findings}


def test_one_limit_moved_at_one_x_is_reported_with_its_place_and_both_values(tmp_path, kept):
    write_baseline(tmp_path, named("wilson"), kept.numbers, limits=kept.limits)
    finding = findings_of(tmp_path, moved_at(3, 7, 0.01, 1e-8))[LIMITS]
    assert finding.verdict == "fail"
    assert finding.message == (
        "the upper limit is 0.810285106 at x = 3, n = 7, alpha = 0.01, where its baseline has "
        "0.810285096: moved by 1e-08 (moved: 1 of 44 limits and 1 of 4 sums of limits)"
    )
    assert {name: finding.cell[name] for name in ("x", "n", "alpha", "limit")} == {
        "x": 3,
        "n": 7,
        "alpha": 0.01,
        "limit": "upper",
    }
    assert findings_of(tmp_path, subject())[LIMITS].verdict == "pass"


def test_a_limit_outside_the_readable_ones_is_reported_as_well(tmp_path, kept):
    write_baseline(tmp_path, named("wilson"), kept.numbers, limits=kept.limits)
    finding = findings_of(tmp_path, moved_at(11, 40, 0.05, -1e-6, "lower"))[LIMITS]
    assert "lower limit is 0.1610792" in finding.message
    assert "at x = 11, n = 40, alpha = 0.05" in finding.message
    assert finding.message.endswith("(moved: 1 of 4 sums of limits)")


def test_a_tolerance_of_limits_lets_them_move(tmp_path, kept):
    write_baseline(tmp_path, named("wilson"), kept.numbers, limits=kept.limits)
    for by, verdict in ((0.9e-6, "pass"), (5e-6, "fail")):
        found = findings_of(tmp_path, moved_at(3, 7, 0.01, by), Tolerance(limits=1e-6))
        assert found[LIMITS].verdict == verdict


def test_a_baseline_without_limits_is_read_and_says_so(tmp_path, kept):
    write_baseline(tmp_path, named("wilson"), kept.numbers)
    finding = findings_of(tmp_path, subject())[LIMITS]
    assert finding.verdict == "remark"
    assert finding.message == (
        f"{tmp_path} holds no limits of wilson; --update {tmp_path} adds them"
    )


def test_what_an_update_changes_is_told(kept):
    def as_stored(method):
        return Baseline(measures(method, (7,), (0.05,)), keep_limits(method, FEW))

    told = describe_change(None, kept, Tolerance())
    assert told == "1 rows, 44 limits and 4 sums of limits written"
    assert describe_change(kept, as_stored(subject()), Tolerance()) == NOTHING
    after = as_stored(moved_at(3, 7, 0.05, -1e-3))
    assert describe_change(kept, after, Tolerance()) == (
        "1 of 1 rows changed, the first at n = 7, alpha = 0.05; 1 of 44 limits changed; "
        "1 of 4 sums of limits changed"
    )
    assert describe_change(kept, after, Tolerance(0.01, 0.01, 0.01)) == NOTHING
    bare = Baseline(kept.numbers, None)
    assert describe_change(bare, kept, Tolerance()) == "44 limits and 4 sums of limits added"
    wider = Baseline(measures(subject(), (7, 8), (0.05,)), kept.limits)
    assert describe_change(kept, wider, Tolerance()) == "1 rows new"
    assert describe_change(wider, kept, Tolerance()) == "1 rows gone"


def test_points_of_every_family_have_outcomes_and_stay_small():
    for name, family in FAMILIES.items():
        if family.has_outcomes:
            points = default_points(family_of(name))
            rows = sum(outcomes_at(family_of(name), size).shape[0] for size in points.sizes_in_full)
            assert 0 < rows * len(points.alphas_in_full) < 300
            assert (
                default_points(family_of(name), checked_at(family_of(name)).exact[:2]).sizes_in_sums
                == (checked_at(family_of(name)).exact[:2])
            )


def test_a_large_size_has_some_of_its_outcomes():
    counts = outcomes_at(family_of("proportion"), 10**6).counts[0]
    assert counts.size < 1100
    assert {0.0, 1.0, 300.0, 10.0**6 - 300, 10.0**6} <= set(counts)
    assert outcomes_at(family_of("paired_difference"), 100).shape[0] < 600


DAMAGES = [
    ("limits", lambda lines: lines[:-1], "has 21 rows, but baseline.json says 22"),
    ("sums", lambda lines: [*lines, lines[-1]], "has n = 40, alpha = 0.05 twice: line 6"),
    ("sums", lambda lines: lines[2:], "its first line should be n,alpha,lower_sum,.* found '7,"),
    ("limits", lambda lines: ["n,x,lower,upper", *lines[1:]], "its first line should be n,alpha,x"),
    ("limits", lambda lines: [], "its first line should be n,alpha,x,lower,upper, found ''"),
    ("numbers", lambda lines: [*lines[:1], ""], "line 2 should have 6 numbers, found ''"),
    ("numbers", lambda lines: [lines[0], "<<<<<<< HEAD", lines[1]], "line 2 is the mark <<<<<<<"),
    ("limits", lambda lines: [*lines[:-1], "======="], "line 23 is the mark ======= of a merge"),
    ("limits", lambda lines: [*lines[:2], "2,0.01,1,abc,1"], "lower should be a number in line 3"),
    ("limits", lambda lines: [*lines[:2], "2,0.01,1,0;1,1"], "found '0;1'"),
    (
        "sums",
        lambda lines: [*lines[:-1], "40,0.05,1,1,1,"],
        "without a number: n = 40, .*upper",
    ),
    ("limits", lambda lines: [*lines[:-1], "7,,1,0,1"], "alpha should be a number in line 23"),
]


@pytest.mark.parametrize(("which", "damage", "message"), DAMAGES)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path, kept, which, damage, message):
    write_baseline(tmp_path, named("wilson"), kept.numbers, limits=kept.limits)
    file = getattr(files_of(tmp_path, "proportion", "wilson"), which)
    file.write_text("".join(f"{line}\n" for line in damage(file.read_text().splitlines())))
    with pytest.raises(InputError, match=rf"wilson\.csv.*{message}") as refused:
        read_baseline(tmp_path, family_of("proportion"), "wilson")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_gone_or_no_text_is_refused(tmp_path, kept):
    write_baseline(tmp_path, named("wilson"), kept.numbers, limits=kept.limits)
    file = files_of(tmp_path, "proportion", "wilson").sums
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"wilson\.csv cannot be read: it is no text in UTF-8"):
        read_baseline(tmp_path, family_of("proportion"), "wilson")
    file.unlink()
    with pytest.raises(InputError, match=r"wilson\.csv cannot be read: No such file"):
        read_baseline(tmp_path, family_of("proportion"), "wilson")
