"""``metrics``: one table of all metrics of a classifier."""

import csv
import io
import json

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.planning.table_metrics import metric_records

CELLS = {"tp": 41, "fp": 9, "fn": 14, "tn": 436}
COUNTS = [f"--{name}={count}" for name, count in CELLS.items()]
LABELS = {"tp": ("cat", "cat"), "fp": ("dog", "cat"), "fn": ("cat", "dog"), "tn": ("dog", "dog")}
SHOWN = ["metric", "estimate", "lower", "upper", "method", "coverage", "std_error"]
KEYS = [*SHOWN, "remark"]
NAMES = ["accuracy", "precision", "recall", "specificity", "npv", "f_score", "jaccard"]
NAMES += ["mcc", "kappa", "informedness"]
DRAWN = ("mcc", "kappa")
"""The metrics whose coverage at 500 cases is estimated from draws."""


def cases(cells):
    """The classes and the predicted classes of a table, and scores that are mixed in rank."""
    pairs = [LABELS[name] for name, count in cells.items() for _ in range(count)]
    y, yhat = zip(*pairs, strict=True)
    return y, yhat, [(7 * place % 13) + 2.0 * (each == "cat") for place, each in enumerate(y)]


def records(run_command, *argv):
    result = run_command("metrics", *argv, "--format", "json")
    assert result.code == 0
    return json.loads(result.out)


def test_each_row_is_what_interval_and_coverage_say_of_the_metric(run_command):
    found = records(run_command, *COUNTS)
    assert [each["metric"] for each in found] == NAMES
    n = sum(CELLS.values())
    p = {f"p_{name}": (CELLS[name] + 0.5) / (n + 2) for name in CELLS}
    for record in found:
        assert list(record) == KEYS
        family, data, truth = record["metric"], CELLS, {k: v for k, v in p.items() if k != "p_tn"}
        if family == "accuracy":
            family, data, truth = "proportion", {"x": 477, "n": 500}, {"p": p["p_tp"] + p["p_tn"]}
        expected = harness.interval(family, **data)
        assert record["method"] == expected.method
        limits = expected.estimate, expected.lower, expected.upper
        assert (record["estimate"], record["lower"], record["upper"]) == limits
        if family in DRAWN:
            assert abs(record["coverage"] - 0.95) < 4 * record["std_error"]
            continue
        exact = harness.coverage(family, expected.method, n=n, **truth)
        assert (record["coverage"], record["std_error"]) == (exact.coverage, None)


def test_the_coverage_of_a_small_table_is_exact_for_every_metric(run_command):
    cells = {"tp": 4, "fp": 1, "fn": 2, "tn": 5}
    found = records(run_command, *(f"--{name}={count}" for name, count in cells.items()))
    truth = {f"p_{name}": (cells[name] + 0.5) / 14 for name in ("tp", "fp", "fn")}
    for record in found[7:]:
        exact = harness.coverage(record["metric"], record["method"], n=12, **truth)
        assert (record["coverage"], record["std_error"]) == (exact.coverage, None)


def test_the_table_has_as_many_digits_as_an_interval_and_leaves_exact_errors_empty(run_command):
    result = run_command("metrics", *COUNTS, "--confidence", "0.9")
    lines = [line.split() for line in result.out.splitlines() if line.strip()]
    assert lines[0] == SHOWN
    for name, cells in (("mcc", len(SHOWN)), ("informedness", len(SHOWN) - 1)):
        row = next(line for line in lines if line[0] == name)
        expected = harness.interval(name, alpha=0.1, **CELLS)
        numbers = [f"{each:.4f}" for each in (expected.estimate, expected.lower, expected.upper)]
        assert row[1:5] == [*numbers, expected.method]
        assert len(row) == cells


def test_a_file_its_counts_and_python_agree(run_command, here):
    y, yhat, score = cases({name: count // 4 for name, count in CELLS.items()})
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in zip(y, yhat, score, strict=True))
    (here / "cases.csv").write_text("y,yhat,s\n" + rows)
    columns = ["--truth", "y", "--prediction", "yhat", "--score", "s", "--positive", "cat"]
    of_file = records(run_command, "--csv", "cases.csv", *columns, "--beta", "3")
    counts = [f"--{name}={count // 4}" for name, count in CELLS.items()]
    assert of_file[:-1] == records(run_command, *counts, "--beta", "3")
    assert [each["metric"] for each in of_file[5:7]] == ["f_score", "f_score(beta=3)"]
    arrays = np.array(y), np.array(yhat), np.array(score)
    frame = harness.metrics(*arrays, positive="cat", beta=3)
    assert frame.rows(named=True) == of_file


def test_the_area_is_that_of_the_scores_and_has_no_coverage():
    y, yhat, score = cases({"tp": 4, "fp": 2, "fn": 1, "tn": 9})
    (row,) = harness.metrics(y, yhat, score, positive="cat").filter(metric="auc").rows(named=True)
    positives = [s for s, each in zip(score, y, strict=True) if each == "cat"]
    negatives = [s for s, each in zip(score, y, strict=True) if each == "dog"]
    expected = harness.interval("auc", positives=positives, negatives=negatives)
    assert (row["estimate"], row["lower"], row["method"]) == (
        *(expected.estimate, expected.lower, expected.method),
    )
    assert (row["coverage"], row["std_error"]) == (None, None)


@pytest.mark.parametrize("labels", [[True, False], [1, 0], [1.0, -1.0]])
def test_one_and_true_are_positive(labels):
    positive, negative = labels
    y, yhat = [positive, positive, negative], [positive, negative, negative]
    recall = harness.metrics(y, np.array(yhat)).filter(metric="recall")
    assert recall["estimate"].item() == 0.5


def test_a_series_of_polars_and_of_pandas_is_read():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    y, yhat, score = cases({"tp": 4, "fp": 2, "fn": 1, "tn": 9})
    expected = harness.metrics(y, yhat, score, positive="cat")
    for series in (pandas.Series, polars.Series):
        found = harness.metrics(series(y), series(yhat), series(score), positive="cat")
        assert found.equals(expected)
    of_pandas = harness.metrics(y, yhat, score, positive="cat", library="pandas")
    assert polars.from_pandas(of_pandas).equals(expected)


def test_what_is_0_over_0_has_no_estimate_and_what_the_data_leave_possible(run_command):
    argv = ["metrics", "--tp", "0", "--fp", "0", "--fn", "3", "--tn", "7", "--format", "csv"]
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(run_command(*argv).out))}
    row = rows["precision"]
    assert (row["estimate"], row["lower"], row["upper"]) == ("", "0.0", "1.0")
    row = rows["mcc"]
    assert row["estimate"] == ""
    assert -0.5 < float(row["lower"]) < 0.0 < float(row["upper"]) < 0.75


def test_intervals_of_no_use_have_a_remark_as_interval_has_it(run_command):
    argv = ["--tp", "0", "--fp", "0", "--fn", "20", "--tn", "380"]
    result = run_command("metrics", *argv)
    whole = "the data leave every value possible, as no case is predicted to be a positive"
    assert (
        f"remark: precision: minimal_length is the whole range at these data: {whole}" in result.err
    )
    assert "remark: mcc: the estimate is 0/0" in result.err
    rows = {each["metric"]: each for each in records(run_command, *argv)}
    assert whole in rows["precision"]["remark"]
    assert rows["accuracy"]["remark"] == ""
    y, yhat = [1] * 20 + [0] * 380, [0] * 400
    frame = harness.metrics(y, yhat)
    assert frame.rows(named=True) == list(rows.values())


def test_a_test_set_of_one_class_has_what_is_defined(run_command, here):
    result = run_command("metrics", "--tp", "0", "--fp", "0", "--fn", "0", "--tn", "10")
    assert result.code == 0
    assert "as there is no positive" in result.err
    frame = harness.metrics([0] * 10, [0] * 10, [0.5] * 10)
    rows = {row["metric"]: row for row in frame.rows(named=True)}
    assert rows["recall"]["estimate"] is None
    assert rows["specificity"]["estimate"] == 1.0
    assert (
        rows["specificity"]["lower"]
        == harness.interval("specificity", tp=0, fp=0, fn=0, tn=10).lower
    )
    assert "auc" not in rows
    named = harness.metrics(["dog"] * 10, ["cat", *["dog"] * 9], positive="cat")
    assert named.filter(metric="specificity")["estimate"].item() == 0.9
    with pytest.raises(InputError, match="have the labels dog: of one class"):
        harness.metrics(["dog"] * 10, ["dog"] * 10)
    (here / "cases.csv").write_text("y,yhat,s\n" + "0,0,0.2\n" * 9 + "0,1,0.7\n")
    argv = ["--rows", "cases.csv", "--truth", "y", "--prediction", "yhat", "--score", "s"]
    result = run_command("metrics", *argv)
    assert result.code == 0
    assert "auc needs scores of positives and of negatives, and is left out" in result.err


def test_metrics_that_need_no_true_negatives_are_computed_without_them(run_command):
    result = run_command("metrics", *COUNTS[:3])
    assert "specificity, npv, mcc, kappa, informedness and every coverage need --tn" in result.err
    whole = {row["metric"]: row for row in records(run_command, *COUNTS)}
    rows = records(run_command, *COUNTS[:3])
    assert [row["metric"] for row in rows] == ["precision", "recall", "f_score", "jaccard"]
    for row in rows:
        assert row == whole[row["metric"]] | {"coverage": None, "std_error": None}
    assert run_command("metrics", *COUNTS[:2]).code == 2


def test_coverage_of_a_large_table_is_drawn_with_its_error_and_again_the_same():
    cells = {"tp": 410, "fp": 90, "fn": 140, "tn": 4360}
    found = metric_records(cells, None, 2, 0.05)
    assert found == metric_records(cells, None, 2, 0.05)
    n = sum(cells.values())
    truth = {f"p_{name}": (cells[name] + 0.5) / (n + 2) for name in ("tp", "fp", "fn")}
    by_name = {each["metric"]: each for each in found}
    for name in ("f_score(beta=2)", "mcc"):
        assert 0 < by_name[name]["std_error"] < 0.01
    # Exact: 70,000 outcomes. Drawn with a fixed seed; 4.4 errors are passed once in 10^5 seeds.
    row = by_name["precision"]
    exact = harness.coverage("precision", row["method"], n=n, **truth).coverage
    assert abs(row["coverage"] - exact) < 4.4 * row["std_error"]


def test_a_table_that_is_too_large_to_be_one_number_has_drawn_coverage_too():
    cells = {"tp": 1_000_000, "fp": 10_000, "fn": 20_000, "tn": 3_000_000}
    (mcc,) = (each for each in metric_records(cells, None, 1, 0.05) if each["metric"] == "mcc")
    assert abs(mcc["coverage"] - 0.95) < 4.4 * mcc["std_error"]


def test_the_command_holds_each_of_three_classes_against_the_rest(run_command, here):
    y, yhat = ["a", "b", "c", "a", "b", "c"] * 5, ["a", "b", "c", "a", "c", "a"] * 5
    rows = "".join(f"{a},{b}\n" for a, b in zip(y, yhat, strict=True))
    (here / "cases.csv").write_text("y,yhat\n" + rows)
    argv = "metrics --rows cases.csv --truth y --prediction yhat --format json"
    result = run_command(*argv.split())
    assert json.loads(result.out) == harness.metrics(y, yhat).rows(named=True)
    assert result.err == ""
