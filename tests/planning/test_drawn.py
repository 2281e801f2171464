"""Sizes from data sets that are drawn: of metrics of a whole table, and of an AUC."""

import json
import math

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.distributions.score_truths import ScoreTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import find

CELLS = {"p_tp": 0.2, "p_fp": 0.05, "p_fn": 0.05}
# A false alarm in 16,000 seeds of each.
FAR = 4.0


def tables(n, count):
    drawn = np.random.default_rng(77).multinomial(n, [*CELLS.values(), 0.7], count)
    return tuple(drawn.T.astype(float))


def scores(n1, n2, auc, count):
    return ScoreTruth((auc,)).draw(0, ((count, n1), (count, n2)), np.random.default_rng(78))


def agrees(found, drawn):
    """Whether the mean of g over data sets of another seed is what was found at the answer."""
    error = math.hypot(found.std_error, drawn.std(ddof=1) / math.sqrt(drawn.size))
    return abs(found.reached - drawn.mean()) < FAR * error


@pytest.mark.parametrize(
    ("family", "method", "count"),
    [
        ("informedness", "mover_wilson", 50_000),
        ("kappa", "delta", 50_000),
        ("mcc", "delta_atanh", 50_000),
        pytest.param("mcc", "jeffreys_minimal_length", 200, marks=pytest.mark.slow),
        pytest.param("kappa", "jeffreys_minimal_length", 200, marks=pytest.mark.slow),
    ],
)
def test_a_width_of_a_large_table_is_that_of_other_draws(family, method, count):
    found = harness.size(family, method, half_width=0.05, **CELLS)
    assert found.n > 256
    lower, upper = find(family_of(family), method).limits(tables(found.n, count), 0.05, "two-sided")
    assert agrees(found, (upper - lower) / 2)
    # The width falls like 1/√n, so that n is right within 1 % where the width is within 0.5 %.
    assert found.reached == pytest.approx(0.05, rel=1e-3)
    assert found.std_error < 0.005 * found.reached


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "half_width", "n", "reached"),
    [("kappa", 0.1, 242, 0.099975), ("mcc", 0.12, 165, 0.119848), ("mcc", 0.2, 56, 0.199022)],
)
def test_a_width_by_a_posterior_is_near_its_sum_over_all_tables(family, half_width, n, reached):
    # n and what is reached there: sums over all tables, by the version before, in 13 s each.
    found = harness.size(family, half_width=half_width, p_tp=0.4, p_fp=0.1, p_fn=0.1)
    assert abs(found.n - n) <= 1
    assert abs(found.reached * math.sqrt(found.n / n) - reached) < FAR * found.std_error
    assert found.std_error < 0.002 * reached


@pytest.mark.slow
def test_a_power_of_a_large_table_is_that_of_other_draws():
    found = harness.size("mcc", "jeffreys", above=0.6, probability=0.8, alpha=0.025, **CELLS)
    chosen = find(family_of("mcc"), "jeffreys")
    beyond = chosen.is_beyond(tables(found.n, 5_000), 0.6, 0.025, "lower")
    assert agrees(found, beyond.astype(float))
    assert found.reached >= 0.8
    assert found.one_sided_alpha == 0.025


@pytest.mark.parametrize(
    ("family", "truths"),
    [
        ("auc", {"auc": 0.999999, "above": 0.01, "probability": 0.5}),
        ("informedness", {**CELLS, "half_width": 0.05, "assurance": 0.99999}),
    ],
)
def test_a_probability_that_all_draws_reach_is_no_exact_one(family, truths):
    found = harness.size(family, **truths)
    assert found.reached == 1.0
    assert found.std_error > 1e-4
    assert "two standard errors are 0," not in found.checked


def test_an_assured_width_of_a_large_table_is_that_of_other_draws():
    found = harness.size("informedness", half_width=0.05, assurance=0.9, **CELLS)
    chosen = find(family_of("informedness"), found.assumed["method"])
    lower, upper = chosen.limits(tables(found.n, 50_000), 0.05, "two-sided")
    assert agrees(found, (upper - lower <= 0.1).astype(float))


@pytest.mark.slow
def test_a_function_of_a_table_is_called_few_times():
    calls = []

    def wald(tp, fp, fn, tn, alpha):
        calls.append(tp)
        sensitivity, specificity = tp / max(tp + fn, 1), tn / max(tn + fp, 1)
        variance = sensitivity * (1 - sensitivity) / max(tp + fn, 1)
        variance += specificity * (1 - specificity) / max(tn + fp, 1)
        middle, half = sensitivity + specificity - 1, 1.96 * math.sqrt(variance)
        return max(middle - half, -1), min(middle + half, 1)

    found = harness.size("informedness", wald, half_width=0.05, **CELLS)
    other = harness.size("informedness", "delta", half_width=0.05, **CELLS)
    assert found.n == pytest.approx(other.n, rel=0.02)
    assert len(calls) <= 50_000


@pytest.mark.parametrize("ratio", [1, 3])
def test_a_width_of_an_area_is_that_of_other_draws(ratio):
    found = harness.size("auc", "delong", auc=0.8, half_width=0.05, ratio=ratio)
    assert found.n2 == ratio * found.n1
    lower, upper = find(family_of("auc"), "delong").limits(
        scores(found.n1, found.n2, 0.8, 3000), 0.05, "two-sided"
    )
    assert agrees(found, (upper - lower) / 2)
    assert found.reached <= 0.05


@pytest.mark.parametrize(("goal", "side"), [({"above": 0.75}, "lower"), ({"below": 0.9}, "upper")])
def test_a_power_of_an_area_is_that_of_other_draws(goal, side):
    found = harness.size("auc", "delong_logit", auc=0.83, probability=0.8, **goal)
    drawn = scores(found.n1, found.n2, 0.83, 3000)
    limits = find(family_of("auc"), "delong_logit").limits(drawn, 0.05, side)
    beyond = limits[0] > 0.75 if side == "lower" else limits[1] < 0.9
    assert agrees(found, beyond.astype(float))


def test_the_command_answers_and_states_the_error(run_command):
    argv = ["size", "auc", "--area", "0.8", "--half-width", "0.05"]
    result = run_command(*argv, "--format", "json")
    assert result.code == 0
    found = json.loads(result.out)
    assert found["half_width"] <= 0.05
    assert 0 < found["std_error"] < 0.001
    result = run_command(*argv)
    assert f"so that n1 = {found['n1']} is known to ±" in result.err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"auc": 0.8, "above": 0.8, "probability": 0.9}, "is equal to 0.8"),
        ({"auc": 0.8, "above": 0.85, "probability": 0.9}, "on the wrong side of 0.85"),
        ({"half_width": 0.05}, "size of auc needs auc"),
        ({"auc": 1, "half_width": 0.05}, "auc should be a number between 0 and 1, found 1"),
        pytest.param(
            {"auc": 0.8, "half_width": 1e-5},
            "no n1 and n2 of up to 1,000,000 cases together have",
            marks=pytest.mark.slow,
        ),
        ({"auc": 0.8, "half_width": 0.1, "prior": (1, 1)}, "takes no prior"),
    ],
)
def test_what_no_size_of_an_area_answers_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        harness.size("auc", **given)


@pytest.mark.parametrize(
    ("above", "words"),
    [(0, "the true value -0.05 is on the wrong side of 0"), (-0.05, "-0.05 is equal to -0.05")],
)
def test_a_difference_that_is_out_of_reach_is_rounded(above, words):
    with pytest.raises(InputError, match=words):
        harness.size("proportion_difference", p1=0.8, p2=0.85, above=above, probability=0.8)


@pytest.mark.slow
def test_a_power_at_small_shares_is_found_by_the_default():
    given = {"p1": 0.03, "p2": 0.02, "above": 0, "probability": 0.8, "alpha": 0.025}
    assert harness.size("proportion_difference", **given).n1 == 3798
