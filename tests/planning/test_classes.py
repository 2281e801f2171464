"""Metrics of several classes: one against the rest, and averages over them."""

import numpy as np
import polars as pl
import pytest

import harness
from harness.planning.table_metrics import MACRO, MICRO, macro_limits, smoothed

WEIGHTS = {"precision": 0.0, "recall": 1.0, "f_score": 0.5}
LABELS = ["a", "b", "c"]
TABLE = np.array([[30, 3, 1], [4, 20, 2], [0, 5, 15]])


def cases(table=TABLE, labels=LABELS):
    places = [(i, j) for i, j in np.ndindex(table.shape) for _ in range(table[i, j])]
    return {"y": [labels[i] for i, _ in places], "yhat": [labels[j] for _, j in places]}


def by_hand(tables, name):
    """The average of each table, from true positives, false positives and false negatives."""
    scores = []
    for k in range(tables.shape[-1]):
        tp = tables[..., k, k]
        fp, fn = tables[..., k].sum(axis=-1) - tp, tables[..., k, :].sum(axis=-1) - tp
        whole = {"precision": tp + fp, "recall": tp + fn, "f_score": tp + (fp + fn) / 2}[name]
        scores.append(np.divide(tp, whole, out=np.zeros_like(tp), where=whole > 0))
    return np.mean(scores, axis=0)


@pytest.fixture(scope="module")
def found():
    return harness.metrics(**cases())


@pytest.mark.parametrize("place", range(3))
def test_a_class_has_the_intervals_of_its_table_against_the_rest(found, place):
    tp = int(TABLE[place, place])
    fp, fn = int(TABLE[:, place].sum()) - tp, int(TABLE[place].sum()) - tp
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": int(TABLE.sum()) - tp - fp - fn}
    rows = found.filter(pl.col("class") == LABELS[place]).rows(named=True)
    assert [row["metric"] for row in rows] == list(WEIGHTS)
    for row in rows:
        expected = harness.interval(row["metric"], **cells)
        limits = expected.estimate, expected.lower, expected.upper
        assert (row["estimate"], row["lower"], row["upper"]) == limits
        assert row["method"] == expected.method


def test_a_class_is_one_of_two_labels_where_the_others_are_merged(found):
    merged = {name: [each == "b" for each in column] for name, column in cases().items()}
    expected = harness.metrics(**merged)
    assert harness.metrics(**cases(), positive="b").equals(expected)
    expected = expected.filter(pl.col("metric").is_in(list(WEIGHTS)))
    own = found.filter(pl.col("class") == "b")
    # At most once in 10^5 seeds; the truths differ by less than a case in 80.
    apart = own["coverage"] - expected["coverage"]
    assert (apart.abs() <= 4.4 * own["std_error"] + 0.01).all()


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_macro_average_is_the_mean_over_the_classes(found, name):
    (row,) = found.filter(pl.col("class") == MACRO, metric=name).rows(named=True)
    assert row["estimate"] == pytest.approx(by_hand(TABLE.astype(float), name), abs=1e-15)


def test_the_micro_average_is_the_accuracy(found):
    (row,) = found.filter(pl.col("class") == MICRO).rows(named=True)
    expected = harness.interval("proportion", x=int(np.trace(TABLE)), n=int(TABLE.sum()))
    assert (row["metric"], row["estimate"], row["lower"]) == (
        *("accuracy", expected.estimate, expected.lower),
    )


@pytest.mark.parametrize("name", WEIGHTS)
def test_limits_of_many_cases_are_quantiles_of_a_dirichlet_posterior(name):
    table = 40.0 * TABLE
    draws = np.random.default_rng(1).dirichlet(smoothed(table).ravel(), 40_000)
    quantiles = np.quantile(by_hand(draws.reshape(-1, 3, 3), name), [0.025, 0.975])
    _, lower, upper = macro_limits(table[np.newaxis], WEIGHTS[name], 0.05)
    # A quantile has an error of 1.2 % of the length; four of them are 1 in 10^4 seeds.
    assert np.abs(np.concatenate((lower, upper)) - quantiles).max() < 0.05 * np.ptp(quantiles)


def test_coverage_of_macro_f1_is_that_of_trials_of_its_own(found):
    p = smoothed(TABLE.astype(float)) / (TABLE.sum() + 1)
    drawn = np.random.default_rng(7).multinomial(TABLE.sum(), p.ravel(), 20_000)
    _, lower, upper = macro_limits(drawn.reshape(-1, 3, 3).astype(float), 0.5, 0.05)
    truth = by_hand(p, "f_score")
    (row,) = found.filter(pl.col("class") == MACRO, metric="f_score").rows(named=True)
    apart = row["coverage"] - np.mean((lower <= truth) & (truth <= upper))
    # Both are drawn: at most once in 10^5 pairs of seeds.
    assert abs(apart) < 4.4 * np.hypot(row["std_error"], 0.0016)


def test_averages_of_ten_classes_cover():
    """A prior of ½ in each cell covers 0 % here: one case in all is added instead."""
    p = (0.8 * np.eye(10) + 0.2 * (1 - np.eye(10)) / 9) / 10
    tables = np.random.default_rng(3).multinomial(100, p.ravel(), 4000).reshape(-1, 10, 10)
    for share in WEIGHTS.values():
        _, lower, upper = macro_limits(tables.astype(float), share, 0.05)
        coverage = np.mean((lower <= 0.8) & (upper >= 0.8))
        assert 0.92 < coverage < 0.97


def test_no_error_at_all_leaves_an_interval_up_to_1():
    estimate, lower, upper = macro_limits(np.diag([5.0, 4.0, 3.0])[np.newaxis], 0.5, 0.05)
    assert estimate == upper == 1.0
    assert 0.3 < lower.item() < 0.99


def test_an_average_of_classes_of_one_case_is_remarked():
    labels = [f"c{place}" for place in range(10)]
    told = harness.metrics(y=labels, yhat=labels).filter(pl.col("remark").str.contains("so few"))
    assert told["class"].to_list() == [MACRO] * 3
    assert told["coverage"].max() < 0.2
    found = harness.metrics(**cases())
    assert found.filter(pl.col("class") == MACRO)["remark"].to_list() == [""] * 3


def test_a_class_that_is_only_predicted_is_a_class():
    found = harness.metrics(["a", "b", "c", "a"], ["a", "b", "c", "unknown"])
    row = found.filter(pl.col("class") == "unknown", metric="recall")
    assert row.select("estimate", "lower", "upper").row(0) == (None, 0.0, 1.0)
    assert found.filter(pl.col("class") == MACRO, metric="recall")["estimate"].item() == 0.625


def test_another_beta_has_rows_of_its_own():
    found = harness.metrics(**cases(), beta=2)
    rows = found.filter(pl.col("metric") == "f_score(beta=2)")
    assert rows["class"].to_list() == [*LABELS, MACRO]
    scores = rows["estimate"].to_list()
    assert scores[-1] == pytest.approx(np.mean(scores[:-1]), abs=1e-15)


def test_labels_that_are_numbers_are_in_their_order():
    table = harness.metrics(*[[10, 9, 2] * 5] * 2)
    assert table["class"].unique(maintain_order=True).to_list() == ["2", "9", "10", MACRO, MICRO]


def test_a_frame_a_mapping_and_a_file_are_rows(found, here):
    frame = pl.DataFrame(cases())
    frame.write_csv("cases.csv")
    frame.write_parquet("cases.parquet")
    several = [frame, frame.to_dict(as_series=False), "cases.csv", here / "cases.parquet"]
    try:
        several.append(frame.to_pandas())
    except ModuleNotFoundError:
        several.append(frame.to_dict())
    for rows in several:
        assert harness.metrics(rows=rows, truth="y", prediction="yhat").equals(found)


def test_the_columns_of_a_frame_have_scores_too():
    frame = {"y": [1, 1, 0, 0], "yhat": [1, 0, 0, 0], "s": [0.9, 0.2, 0.3, 0.1]}
    named = harness.metrics(rows=frame, truth="y", prediction="yhat", score="s")
    assert named.equals(harness.metrics(frame["y"], frame["yhat"], frame["s"]))
