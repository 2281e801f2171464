"""``harness.coverage`` of families whose data are lists, by Monte Carlo."""

import json
import math

import numpy as np
import pytest

import harness
from harness.base.errors import MethodError
from harness.designs.lists import closed_form, sums_at_truths
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from harness.methods.mean import z_population

STRATA = {"n1": [9, 5], "n2": [7, 6], "p1": [0.8, 0.6], "p2": [0.7, 0.3]}
CASES = {
    "mean": ("z_sample", {"k": 5, "mean": 1.5, "sd": 2.0}, {"normal": {"mean": 1.5, "sd": 2.0}}),
    "clustered_proportion": (
        "wilson",
        {"clusters": 12, "size": 5, "p": 0.8, "rho": 0.2},
        {"p": {"values": [0.8]}, "rho": {"values": [0.2]}},
    ),
    "stratified_difference": ("sato", STRATA, {"first": [0.8, 0.6], "second": [0.7, 0.3]}),
    "auc": (
        "delong",
        {"n1": 8, "n2": 12, "auc": 0.8, "sd_ratio": 2.0},
        {"auc": {"values": [0.8]}, "sd_ratio": {"values": [2.0]}},
    ),
    "auc_difference": (
        "delong",
        {"n1": 8, "n2": 12, "auc1": 0.8, "auc2": 0.7, "correlation": 0.5},
        {"auc1": {"values": [0.8]}, "auc2": {"values": [0.7]}, "correlation": {"values": [0.5]}},
    ),
}
SUMMARY = ("coverage", "miss_below", "miss_above", "mean_length", "std_error")


@pytest.mark.parametrize("family", CASES)
def test_numbers_are_those_of_a_run_with_the_same_seed(family):
    method, given, truth = CASES[family]
    sizes = {name: given[name] for name in ("k", "clusters", "size", "n1", "n2") if name in given}
    config = {
        "name": "one", "family": family, **sizes, "methods": [method], "alpha": 0.1,
        "truth": truth, "trials": {"per_truth": 500}, "engines": ["monte_carlo"], "seed": 7,
    }  # fmt: skip
    row = harness.run(config, out=None).summary.row(0, named=True)
    found = harness.coverage(family, method, alpha=0.1, trials=500, seed=7, **given)
    for name in (*SUMMARY, "mean_length_std_error"):
        assert getattr(found, name) == pytest.approx(row[name], rel=1e-12)


def test_runs_agree_with_the_closed_form():
    found = harness.coverage("mean", "z_population", k=[3, 8], mean=0, sd=1, trials=40_000)
    for place, k in enumerate((3.0, 8.0)):
        below, above, length = closed_form(z_population, k, 0.05, "two-sided", 1.0)
        exact = 1 - below - above
        # Each misses in one of 16,000 seeds.
        assert abs(found.coverage[place] - exact) < 4 * found.std_error[place]
        assert abs(found.mean_length[place] - length) < 4 * found.mean_length_std_error[place]


def test_strata_agree_with_the_sum_over_all_tables():
    def limits(data):
        return find(family_of("stratified_difference"), "sato").limits(data, 0.05, "two-sided")

    n1, n2, p1, p2 = map(np.array, STRATA.values())
    w = n1 * n2 / (n1 + n2)
    truth = np.array([(w * (p1 - p2)).sum() / w.sum()])
    below, above, length = sums_at_truths(limits, (*n1, *n2), [(*p1, *p2)], truth)
    found = harness.coverage("stratified_difference", "sato", **STRATA)
    assert abs(found.coverage - (1 - below[0] - above[0])) < 4 * found.std_error
    assert abs(found.mean_length - length[0]) < 4 * found.mean_length_std_error


def test_sizes_truths_and_alphas_broadcast_and_each_number_is_that_of_its_row():
    n1, auc, alpha = np.array([[4], [9]]), np.array([0.7, 0.8]), 0.2
    found = harness.coverage("auc", "delong", n1=n1, n2=8, auc=auc, alpha=alpha, trials=300)
    assert found.std_error.shape == (2, 2)
    for i, j in np.ndindex(2, 2):
        one = harness.coverage(
            "auc", "delong", n1=n1[i, 0], n2=8, auc=auc[j], alpha=alpha, trials=300
        )
        assert isinstance(one.coverage, float)
        for name in SUMMARY:
            assert getattr(found, name)[i, j] == getattr(one, name)


def test_another_seed_draws_other_data_and_the_same_one_the_same():
    def found(seed):
        return harness.coverage("mean", "student_t", k=4, mean=0, sd=1, trials=200, seed=seed)

    assert found(1) == found(1)
    assert found(1).mean_length != found(2).mean_length


def test_a_method_may_draw_its_limits():
    given = {"clusters": 15, "size": 4, "p": 0.7, "rho": 0.1, "trials": 400}
    found = harness.coverage("clustered_proportion", "cluster_bootstrap", **given)
    assert found == harness.coverage("clustered_proportion", "cluster_bootstrap", **given)
    assert abs(found.coverage - 0.92) < 0.06


def test_a_function_is_a_method_like_any_other():
    def mine(values, alpha):
        return min(values), max(values)

    found = harness.coverage("mean", mine, k=4, mean=0, sd=1, trials=2000)
    # The mean of a symmetric law lies outside where all values are on one side of it: 2/2^4.
    assert abs(found.coverage - 7 / 8) < 4 * found.std_error
    # E of the range of four normal values (Tippett 1925).
    assert abs(found.mean_length - 2.05875) < 4 * found.mean_length_std_error


def test_a_function_that_fails_is_named_with_the_data():
    def mine(values, alpha):
        return 1.0, 0.0

    with pytest.raises(MethodError, match=r"^mine: .* at values = \["):
        harness.coverage("mean", mine, k=3, mean=0, sd=1, trials=10)


def test_the_command_shows_both_standard_errors(run_command):
    argv = "coverage auc delong --n1 8 --n2 12 --auc 0.7 --auc 0.8 --trials 300 --seed 5"
    rows = json.loads(run_command(*argv.split(), "--format", "json").out)
    expected = harness.coverage("auc", "delong", n1=8, n2=12, auc=[0.7, 0.8], trials=300, seed=5)
    assert [row["auc"] for row in rows] == [0.7, 0.8]
    for name in (*SUMMARY, "mean_length_std_error"):
        assert [row[name] for row in rows] == getattr(expected, name).tolist()


def test_lists_over_strata_are_one_row_of_the_command(run_command):
    given = {name: ",".join(map(str, each)) for name, each in STRATA.items()}
    options = [part for name, text in given.items() for part in (f"--{name}", text)]
    argv = ["coverage", "stratified_difference", "sato", *options, "--trials", "300"]
    found = json.loads(run_command(*argv, "--format", "json").out)
    expected = harness.coverage("stratified_difference", "sato", trials=300, **STRATA)
    assert found == {name: getattr(expected, name) for name in found}
    assert math.isfinite(found["std_error"])
