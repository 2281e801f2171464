"""What counts as worse, exactly and on the same draws."""

from dataclasses import replace

import numpy as np
import pytest

from harness.base.errors import InputError, MethodError
from harness.callers.function import FunctionHere
from harness.callers.source import CatalogueSource
from harness.checks.behaviour import measures
from harness.checks.check import check
from harness.checks.compare import (
    MARGIN,
    SEARCHED,
    compare_measures,
    compare_with_method,
    paired_test,
)
from harness.checks.options import Tolerance
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, PROPORTION, methods_for
from harness.methods.method import Method

SIZES, ALPHAS = (1, 10, 50), (0.01, 0.05, 0.1)
CELLS = len(SIZES) * len(ALPHAS)


def made_up(change, name="made up", base="wilson"):
    """A method of the catalogue with other limits: change(x, n, lower, upper) -> lower, upper."""

    def formula(data, alpha, side, prior):
        return change(*data, *PROPORTION[base].limits(data, alpha))

    return Method("", "", formula, name=name)


def stochastic(spread, name="stochastic"):
    """Wilson's limits with ends that are moved inwards, by up to ``spread`` of the width."""

    def formula(data, alpha, side, prior, rng):
        lower, upper = PROPORTION["wilson"].limits(data, alpha)
        inwards = spread * rng.random(lower.size) * (upper - lower)
        return lower + inwards, upper - inwards

    return Method("", "", formula, name=name, deterministic=False)


def compared(one, other, at=(10, 30, 100), **options):
    """On the same draws, at other sizes, where one is stochastic."""
    both = subject(one), subject(other)
    if all(each.deterministic for each in both):
        return compare_with_method(*both, SIZES, ALPHAS, **options).findings
    return paired_test(*both, at, ALPHAS, **options)


def subject(method, family="proportion"):
    return Subject(CatalogueSource(method.name, method, seed=0), family_of(family))


def measured(name, sizes, alphas, family="proportion"):
    return measures(subject(CATALOGUE[family][name], family), sizes, alphas)


def verdicts(findings):
    return {finding.verdict for finding in findings}


@pytest.mark.parametrize("family", ["proportion", "rate"])
def test_a_method_is_no_worse_than_itself(family):
    for method in methods_for(family_of(family)).values():
        if not method.deterministic or "two-sided" not in method.sides:
            continue
        each = subject(method, family)
        found = compare_with_method(each, each, (1.0, 7.0), (0.05,)).findings
        assert [finding.verdict for finding in found] == ["pass"] * 3
        assert {finding.message for finding in found} == {"no worse at 2 sizes and alphas"}


def test_wilson_is_shorter_than_clopper_pearson_and_misses_more():
    found = compared(PROPORTION["wilson"], PROPORTION["clopper_pearson"])
    failed = [finding for finding in found if finding.verdict == "fail"]
    assert {finding.check for finding in failed} == {"against clopper_pearson: worst alpha"}
    assert len(failed) == CELLS
    first = failed[0]
    assert first.cell["n"] == 1
    assert first.cell["alpha"] == 0.01
    # At n = 1 Wilson's lower limit of x = 1 is 1/(1 + z²), missed always below it.
    assert first.cell["found"] == pytest.approx(0.130977543, abs=1e-9)
    assert first.message.startswith(
        "0.130978 at n = 1, alpha = 0.01, where clopper_pearson has 0.005"
    )


def test_worse_at_one_size_and_one_alpha_is_found_there_alone():
    longer = made_up(lambda x, n, low, high: (np.where(n == 10, 0.99 * low, low), high))
    found = compared(longer, PROPORTION["wilson"])
    length = [finding for finding in found if finding.check == "against wilson: length"]
    assert {finding.cell["n"] for finding in length} == {10}
    assert len(length) == len(ALPHAS)


def test_better_is_no_failure():
    shorter = made_up(lambda x, n, low, high: (low + 0.01 * (high - low), high))
    found = compared(shorter, PROPORTION["wilson"])
    assert {f.verdict for f in found if f.check == "against wilson: length"} == {"pass"}


def test_a_mean_alpha_error_is_worse_the_further_it_is_from_0_on_either_side():
    base = measured("wilson", (10,), (0.05,))
    for error in (0.5, -0.5):
        moved = base.with_columns(mean_alpha_error=error)
        assert {f.check for f in compare_measures(moved, base, "it") if f.verdict == "fail"} == {
            "against it: mean alpha error"
        }
        assert verdicts(compare_measures(base, moved, "it")) == {"pass"}


@pytest.mark.parametrize("column", ["worst_alpha", "mean_alpha_error", "mean_length"])
def test_a_difference_counts_from_the_tolerance_on(column):
    base = measured("wilson", (10,), (0.05,))
    sign = np.sign(base[column])
    within, beyond = (
        base.with_columns(base[column] + sign * part * Tolerance.alpha) for part in (0.4, 1.6)
    )
    assert verdicts(compare_measures(within, base, "it")) == {"pass"}
    assert verdicts(compare_measures(beyond, base, "it")) == {"pass", "fail"}


def test_the_tolerance_of_a_length_is_relative_since_a_rate_has_any_unit():
    base = measured("garwood", (1e-6,), (0.05,), "rate")
    moved = base.with_columns(base["mean_length"] * (1 + 0.5 * Tolerance.length))
    assert verdicts(compare_measures(moved, base, "it")) == {"pass"}


def test_what_fails_on_the_way_is_a_finding():
    def fails(data, alpha, side, prior):
        raise MethodError("mine: failed at x = 3, n = 10, alpha = 0.05: ZeroDivisionError")

    found = compared(replace(PROPORTION["wilson"], formula=fails), PROPORTION["wald"])
    assert [(f.check, f.verdict) for f in found] == [("against wald", "fail")]
    assert "x = 3, n = 10" in found[0].message


@pytest.mark.parametrize("limit", [np.nan, np.inf, 2.0])
def test_limits_that_are_not_sound_are_a_finding_with_their_outcome(limit):
    def f(x, n, alpha):
        return np.where((x == 2) & (n == 10), limit, 0.0), np.ones(np.shape(x))

    found = compare_with_method(
        Subject(FunctionHere("f", f), family_of("proportion")),
        subject(PROPORTION["wald"]),
        SIZES,
        ALPHAS,
    ).findings
    assert [finding.verdict for finding in found] == ["fail"]
    assert found[0].message == (
        f"f: expected finite limits with lower ≤ upper, found {limit:g} and 1 "
        "at x = 2, n = 10, alpha = 0.01"
    )


# The stochastic method lies within Wilson's limits: whatever it draws, it misses no less often.
DRAWS = {"at": (10, 30), "seed": 1}


def test_stochastic_methods_are_compared_on_the_same_draws():
    found = compared(stochastic(0.0), PROPORTION["wilson"], **DRAWS)
    assert verdicts(found) == {"pass"}
    assert all(finding.cell["only_found"] == 0 for finding in found)
    assert all(finding.cell["only_reference"] == 0 for finding in found)
    assert len(found) == 2 * len(ALPHAS)


def test_a_stochastic_method_against_itself_draws_the_same():
    method = stochastic(0.3)
    assert verdicts(compared(method, method, **DRAWS)) == {"pass"}


def test_a_stochastic_method_that_misses_more_fails_and_one_that_misses_less_passes():
    worse = compared(stochastic(0.3), PROPORTION["wilson"], **DRAWS)
    assert verdicts(worse) == {"fail"}
    for finding in worse:
        assert finding.cell["lower"] > finding.cell["margin"]
        assert finding.cell["only_reference"] == 0
        assert finding.cell["p_value"] < 1e-6
    assert verdicts(compared(PROPORTION["wilson"], stochastic(0.3), **DRAWS)) == {"pass"}


def test_the_same_seed_gives_the_same_findings_and_another_seed_others():
    again = [compared(stochastic(0.1), PROPORTION["wilson"], **DRAWS) for _ in range(2)]
    assert again[0] == again[1]
    assert compared(stochastic(0.1), PROPORTION["wilson"], at=(10, 30)) != again[0]


def test_a_significant_difference_within_the_margin_passes():
    found = compared(stochastic(0.01), PROPORTION["wilson"], at=(100,))
    assert verdicts(found) == {"pass"}
    # The ends of stochastic(0.01) lie inside, so that all discordant trials are its misses.
    assert min(finding.cell["p_value"] for finding in found) < 0.001


def test_an_inconclusive_comparison_says_how_many_trials_would_conclude_it():
    [finding] = paired_test(
        subject(stochastic(0.04)),
        subject(PROPORTION["wilson"]),
        (30,),
        (0.05,),
        trials=200,
    )
    assert finding.verdict == "inconclusive"
    assert finding.cell["lower"] <= MARGIN * 0.05 < finding.cell["upper"]
    assert "trials would conclude it" in finding.message
    needed = int(finding.message.split("; ")[-1].split()[0])
    assert needed > 200


def test_the_margin_can_be_set():
    found = compared(stochastic(0.3), PROPORTION["wilson"], margin=0.5, **DRAWS)
    assert verdicts(found) == {"pass"}
    assert {finding.cell["margin"] for finding in found} == {0.5}


# Two samples.
TWO = {
    "proportion_difference": ((3.0, 4.0), (6.0, 5.0)),
    "rate_difference": ((0.5, 0.7), (0.5, 0.5)),
    "balanced_accuracy": ((3.0, 4.0), (6.0, 5.0)),
}
SAMPLES_OF_TWO = [(family, name) for family in TWO for name in ("wald", "balanced_tail")]


def changed(name, family, change):
    """A method for two samples with other limits: change(n1, n2, lower, upper) -> the same."""

    def formula(data, alpha, side, prior):
        return change(data[1], data[3], *CATALOGUE[family][name].limits(data, alpha))

    return subject(Method("", "", formula, name="changed"), family)


@pytest.mark.parametrize(("family", "name"), SAMPLES_OF_TWO)
def test_a_method_of_two_samples_is_no_worse_than_itself(family, name):
    each = subject(CATALOGUE[family][name], family)
    found = compare_with_method(each, each, TWO[family], (0.05,)).findings
    assert [finding.verdict for finding in found] == ["pass"] * 3
    assert {finding.message for finding in found} == {"no worse at 2 sizes and alphas"}


@pytest.mark.parametrize("family", TWO)
def test_a_longer_interval_at_one_pair_of_sizes_is_found_there_alone(family):
    first, second = TWO[family][1]
    longer = changed(
        "wald",
        family,
        lambda n1, n2, low, high: (low, np.where((n1 == first) & (n2 == second), 1, 0) + high),
    )
    reference = subject(CATALOGUE[family]["wald"], family)
    found = compare_with_method(longer, reference, TWO[family], (0.05,)).findings
    length = [each for each in found if each.check == "against wald: length"]
    first_size, second_size = family_of(family).sizes
    assert {(f.cell[first_size], f.cell[second_size]) for f in length} == {(first, second)}
    assert [finding.verdict for finding in length] == ["fail"]
    assert f"at {first_size} = {first:g}, {second_size} = {second:g}, alpha = 0.05" in (
        length[0].message
    )


def test_the_minimal_length_is_shorter_than_balanced_tails_and_not_the_other_way_round():
    family = "balanced_accuracy"
    tails, shortest = (
        measured(name, TWO[family], (0.05,), family) for name in ("balanced_tail", "minimal_length")
    )
    found = compare_measures(tails, shortest, "minimal_length")
    assert {f.verdict for f in found if f.check.endswith("length")} == {"fail"}
    found = compare_measures(shortest, tails, "balanced_tail")
    assert {f.verdict for f in found if f.check.endswith("length")} == {"pass"}


def test_a_worst_alpha_that_was_searched_counts_from_what_the_search_may_leave_out():
    family = "proportion_difference"
    base = measured("newcombe", TWO[family], (0.05,), family)
    within, beyond = (
        base.with_columns(worst_alpha=base["worst_alpha"] * (1 + part * SEARCHED))
        for part in (0.9, 1.1)
    )
    assert verdicts(compare_measures(within, base, "it")) == {"pass"}
    assert {f.check for f in compare_measures(beyond, base, "it") if f.verdict == "fail"} == {
        "against it: worst alpha"
    }


def drawn(spread, family):
    """Wald's limits with ends that are moved inwards, by up to ``spread`` of the width."""

    def formula(data, alpha, side, prior, rng):
        lower, upper = CATALOGUE[family]["wald"].limits(data, alpha)
        inwards = spread * rng.random(lower.size) * (upper - lower)
        return lower + inwards, upper - inwards

    return subject(Method("", "", formula, name="drawn", deterministic=False), family)


@pytest.mark.parametrize("family", TWO)
def test_stochastic_methods_of_two_samples_are_compared_on_the_same_draws(family):
    wald = subject(CATALOGUE[family]["wald"], family)
    same = paired_test(drawn(0.0, family), wald, TWO[family], (0.05,))
    assert verdicts(same) == {"pass"}
    assert {finding.cell["only_found"] for finding in same} == {0}
    worse = paired_test(drawn(0.3, family), wald, TWO[family], (0.05,))
    assert verdicts(worse) == {"fail"}
    assert {finding.cell["only_reference"] for finding in worse} == {0}
    sizes = family_of(family).sizes
    place = ", ".join(f"{k} = {v:g}" for k, v in zip(sizes, TWO[family][1], strict=True))
    assert f"{place}, alpha = 0.05" in worse[1].message
    assert verdicts(paired_test(wald, drawn(0.3, family), TWO[family], (0.05,))) == {"pass"}


def test_draws_of_two_samples_miss_as_often_as_the_exact_numbers_say():
    """So that truths, counts and limits of a trial belong together."""
    family = "proportion_difference"
    never = changed("wald", family, lambda n1, n2, low, high: (0 * low - 1, 0 * high + 1))
    wald = subject(CATALOGUE[family]["wald"], family)
    [found] = paired_test(wald, never, ((5.0, 20.0),), (0.1,), trials=100_000)
    mean = 0.1 - measured("wald", ((5.0, 20.0),), (0.1,), family)["mean_alpha_error"][0]
    # Four standard errors: a false alarm in 16,000 seeds.
    error = 4 * np.sqrt(mean * (1 - mean) / 100_000)
    assert found.cell["only_found"] / 100_000 == pytest.approx(mean, abs=error)


def one_sided(side):
    """Clopper and Pearson's limit of one side, as a function that says so."""

    def f(x, n, alpha):
        counts = np.atleast_1d(np.asarray(x, np.float64))
        data = counts, np.full(counts.size, float(n))
        lower, upper = PROPORTION["clopper_pearson"].limits(data, alpha, side)
        return (lower, upper) if np.ndim(x) else (lower[0], upper[0])

    f.side = side
    return f


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_a_limit_of_one_side_is_held_against_the_same_side_of_another_method(side):
    quick = {"grid": "n=3,10;alpha=0.05", "contract": "none"}
    report = check(one_sided(side), against="clopper_pearson", **quick)
    assert [each.verdict for each in report.findings if each.kind == "against"] == ["pass"] * 3


def test_limits_of_different_sides_are_not_compared():
    quick = {"grid": "n=3;alpha=0.05", "contract": "none"}
    for one, another in (("lower", "upper"), ("upper", "lower")):
        with pytest.raises(InputError, match=f"{one}.*{another}.*no side in common"):
            check(one_sided(one), against=one_sided(another), **quick)


@pytest.mark.parametrize("against", ["no/such/folder", ".", "there"])
def test_the_message_about_a_missing_baseline_says_how_to_write_one(against, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    expected = f"^{against} holds no baseline; --update {against} writes one$"
    with pytest.raises(InputError, match=expected):
        check("wilson", against=against, grid="n=3;alpha=0.05")


def test_methods_in_files_and_modules_and_of_the_catalogue_are_no_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wilson").mkdir()
    (tmp_path / "mine.py").write_text("def f(x, n, alpha): return 0.0, 1.0\n")
    quick = {"grid": "n=3;alpha=0.05", "contract": "none"}
    assert check("wilson", against="wilson", **quick).passed
    for mine in (f"{tmp_path}/mine.py:f", "./mine.py:f"):
        assert "against" in {each.kind for each in check("wilson", against=mine, **quick).findings}
    with pytest.raises(InputError, match=r"other\.py is no file"):
        check("wilson", against="no/other.py:f", **quick)
    with pytest.raises(InputError, match="method should be a name of the catalogue"):
        check("wilson", against="./mine.py", **quick)
    with pytest.raises(InputError, match="did you mean wilson"):
        check("wilson", against="wilsn", **quick)
