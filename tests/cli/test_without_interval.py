"""``interval`` of equal values, or of clusters of one mean, has no limits, and says why."""

import json

import pytest

from harness.families.uninformative import WITHOUT_INTERVAL

WORDS = WITHOUT_INTERVAL["mean"].words


@pytest.mark.parametrize("data", ["3 3 3", "--mean 3 --sd 0 --k 4"])
def test_equal_values_end_with_1_and_the_reason(run_command, data):
    result = run_command("interval", "mean", *data.split(), "--format", "json")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"harness: student_t: {WORDS}\n"


@pytest.mark.parametrize("values", ["1 1 1 1", "0.1 0.1 0.1 0.1", "0.3 0.7 0.7 0.3"])
def test_clusters_of_one_mean_end_with_1_and_the_reason(run_command, values):
    data = ["--values", values.replace(" ", ","), "--cluster", "a,a,b,b"]
    for method in ("cr2", "cluster_t"):
        result = run_command("interval", "clustered_mean", *data, "--method", method)
        assert (result.code, result.out) == (1, "")
        assert result.err == f"harness: {method}: {WITHOUT_INTERVAL['clustered_mean'].words}\n"


def test_sums_that_round_do_not_hide_that_clusters_have_one_mean(run_command):
    # 49 times the mean 1/49 is not 1.
    values, clusters = ",".join(["1", *"0" * 48] * 2), ",".join(["a"] * 49 + ["b"] * 49)
    result = run_command("interval", "clustered_mean", "--values", values, "--cluster", clusters)
    assert result.code == 1


def test_differences_that_are_the_same_in_all_clusters_have_no_interval(run_command):
    data = ["--first", "1,0.9,0.8", "--second", "0.9,0.8,0.7", "--cluster", "a,b,c"]
    result = run_command("interval", "clustered_difference", *data)
    assert (result.code, result.out) == (1, "")
    assert WITHOUT_INTERVAL["clustered_difference"].words in result.err


def test_a_row_of_equal_values_has_null_limits_beside_the_others(run_command, here):
    (here / "runs.csv").write_text("model,score\na,1\na,1\nb,1\nb,2\n")
    argv = ["--rows", "runs.csv", "--values", "score", "--by", "model", "--format", "json"]
    result = run_command("interval", "mean", *argv)
    first, second = json.loads(result.out)
    assert (first["lower"], first["upper"]) == (None, None)
    assert second["lower"] < 1.5 < second["upper"]
    assert (result.code, result.err) == (
        0,
        f"remark: student_t at runs.csv (model = a) has no interval: {WORDS}\n",
    )


def test_limits_of_a_prior_alone_are_remarked_with_their_row(run_command):
    data = ["--x1", "0,3", "--exposure1", "1", "--x2", "0,4", "--exposure2", "1"]
    result = run_command(
        "interval", "rate_ratio", *data, "--method", "mover_jeffreys", "--format", "json"
    )
    assert result.err == (
        "remark: mover_jeffreys at x1 = 0, exposure1 = 1, x2 = 0, exposure2 = 1: the data leave "
        "every value possible, as there is no event in either sample, and the limits come from a "
        "prior, or from what the method adds to the counts, alone\n"
    )
