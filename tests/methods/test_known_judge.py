"""A judge whose error rates are known: coverage, studies and checks of its intervals."""

import pickle

import numpy as np
import pytest
from scipy.stats import binom, norm

import harness
from harness.base.errors import ConfigError, InputError
from harness.checks.check import check
from harness.families.judged import known_judge
from harness.methods.catalogue import CATALOGUE, methods_of
from harness.methods.catalogue.recommended import RECOMMENDED

RATES = {"sensitivity": 0.9, "specificity": 0.85}
CONFIG = {
    "name": "known_judge",
    "family": "judged_share",
    **RATES,
    "n": [20, 50],
    "methods": ["wilson", "clopper_pearson"],
    "truth": {"values": [0.1, 0.5, 0.97]},
    "trials": {"per_truth": 2000},
    "seed": 7,
    "figures": [],
}


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "blaker"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.97])
def test_the_coverage_is_a_sum_over_the_yes_of_the_judge(method, share):
    n, x = 30, np.arange(31)
    found = harness.coverage("judged_share", method, n=n, share=share, **RATES)
    limits = harness.interval("judged_share", method, x=x, n=n, **RATES)
    pmf = binom.pmf(x, n, 0.9 * share + 0.15 * (1 - share))
    covers = (limits.lower <= share) & (share <= limits.upper)
    assert found.coverage == pytest.approx(pmf[covers].sum(), abs=1e-12)
    assert found.mean_length == pytest.approx(pmf @ (limits.upper - limits.lower), abs=1e-12)


def test_a_method_without_one_sided_limits_has_none_of_a_known_judge():
    with pytest.raises(InputError, match="has no one-sided form"):
        harness.coverage("judged_share", "blaker", n=9, share=0.5, side="lower", **RATES)


@pytest.mark.parametrize(
    ("x", "side", "limits", "is_said"),
    [
        (490, "two-sided", (1, 1), True),
        (490, "lower", (1, 1), True),
        (490, "upper", (0, 1), False),
        (10, "two-sided", (0, 0), True),
        (440, "two-sided", None, False),
    ],
)
def test_data_that_contradict_the_error_rates_have_a_remark(x, side, limits, is_said):
    found = harness.interval("judged_share", x=x, n=500, side=side, **RATES)
    if limits is not None:
        assert (found.lower, found.upper) == limits
    said = [remark for remark in found.remarks if "the data contradict the error rates" in remark]
    assert len(said) == is_said


def test_limits_of_a_known_judge_rise_where_those_of_a_proportion_do():
    judge, yes = methods_of(known_judge(0.9, 0.85)), CATALOGUE["proportion"]
    assert {name: each.steady_from for name, each in judge.items()} == {
        name: yes[name].steady_from for name in judge
    }
    assert judge["second_order"].steady_from > 0


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_one_limit_of_a_known_judge_is_that_of_the_rule_for_a_proportion(side):
    found = harness.interval("judged_share", x=40, n=60, side=side, **RATES)
    assert found.method == RECOMMENDED["proportion"].of_side(side)


def test_a_study_agrees_with_its_sums_and_with_the_coverage(tmp_path):
    results = harness.run(CONFIG, out=tmp_path)
    assert results.manifest["agreement"]["agrees"]
    exact = results.cells.filter(engine="enumeration", method="wilson", n=50)
    direct = harness.coverage("judged_share", "wilson", n=50, share=[0.1, 0.5, 0.97], **RATES)
    given = exact.filter(exact["given"] == "truth").sort("truth")
    assert given["actual_alpha"].to_numpy() == pytest.approx(1 - direct.coverage, abs=1e-12)
    assert set(results.summary["sensitivity"]) == {0.9}
    # Clopper and Pearson's limits of q are at least as sure whatever the share is.
    worst = results.summary.filter(engine="enumeration", method="clopper_pearson")["worst_alpha"]
    assert worst.max() <= 0.05


def test_a_resolved_config_is_loaded_again_as_it_is(tmp_path):
    first = harness.run({**CONFIG, "trials": None}, out=tmp_path)
    again = harness.load(first.path)
    assert again.summary.equals(first.summary)
    assert (first.path / "config.yaml").read_text().count("sensitivity: 0.9") == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"specificity": None}, "sensitivity and specificity together"),
        ({"specificity": 0.05}, "with a sum above 1"),
        ({"positives": 9, "negatives": 9}, "without positives and negatives"),
        ({"draws": "thinned"}, "draws"),
    ],
)
def test_wrong_rates_of_a_config_are_refused_in_a_sentence(change, said, tmp_path):
    config = {key: value for key, value in {**CONFIG, **change}.items() if value is not None}
    with pytest.raises(ConfigError, match=said):
        harness.run(config, out=tmp_path)


def test_the_family_is_the_same_in_another_process():
    family = known_judge(0.9, 0.85)
    assert pickle.loads(pickle.dumps(family)) is family


def carried_over(x, n, alpha, scale=1.0):
    """Wilson's limits of the judge's share of yes, as shares that are right."""
    x, z = float(x), scale * norm.isf(alpha / 2)
    center, half = (x + z**2 / 2) / (n + z**2), z / (n + z**2) * (x * (n - x) / n + z**2 / 4) ** 0.5
    return tuple(min(max((q - 0.15) / 0.75, 0.0), 1.0) for q in (center - half, center + half))


def uncorrected(x, n, alpha):
    """The same limits, with the judge's errors ignored."""
    return tuple(0.15 + 0.75 * limit for limit in carried_over(x, n, alpha))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        (carried_over, "pass"),
        (uncorrected, "fail"),
        (lambda x, n, alpha: carried_over(x, n, alpha, 0.9), "fail"),
        ("clopper_pearson", "pass"),
    ],
)
def test_a_check_passes_what_is_sound_and_finds_errors_that_are_ignored(function, verdict):
    report = check(function, family="judged_share", **RATES)
    assert report.verdict == verdict, report.headline


def test_error_rates_of_a_check_are_refused_of_another_family():
    with pytest.raises(InputError, match="is for judged_share, found rate"):
        check("sqrt", family="rate", sensitivity=0.9)
