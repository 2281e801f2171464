"""The record that ``harness.interval`` returns: its default method, its text and its data frame."""

import json
import pickle
import sys
from functools import cache

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import InputError
from harness.cli import main
from harness.families.catalogue import FAMILIES, family_of
from harness.methods.catalogue import default_method
from harness.one.result import limits_text

DATA = {
    "proportion": {"x": [3, 9], "n": 10},
    "rate": {"x": [3, 9], "exposure": 2.5},
    "rate_difference": {"x1": 3, "exposure1": 2.0, "x2": [9, 0], "exposure2": 1.0},
    "rate_ratio": {"x1": 3, "exposure1": 2.0, "x2": [9, 1], "exposure2": 1.0},
    "paired_difference": {"both": [5, 6], "first_only": 3, "second_only": 1, "neither": 2},
    "paired_ratio": {"both": [5, 6], "first_only": 3, "second_only": 1, "neither": 2},
    **{
        name: {"tp": [5, 6], "fp": 3, "fn": 1, "tn": 2}
        for name, each in FAMILIES.items()
        if each.as_pairs is not None
    },
    "auc": {"positives": [[3.0, 2.0, 5.0], [1.0, 4.0, 2.0]], "negatives": [[1.0, 2.5]] * 2},
    "auc_difference": {
        **dict.fromkeys(("positives1", "positives2"), ((3.0, 2.0, 5.0), (1.0, 4.0, 2.0))),
        **dict.fromkeys(("negatives1", "negatives2"), ((1.0, 2.5), (1.0, 2.5))),
    },
    "labelled_share": {
        "table": [[12, 3, 1, 4], [18, 0, 0, 2]],
        "verdicts": [[80, 20], [90, 10]],
    },
    "judged_share": {
        "x": [30, 0],
        "n": 50,
        "positives_right": 18,
        "positives": 20,
        "negatives_right": 17,
        "negatives": 20,
    },
    "mean": {"values": [[1.0, 2.0, 4.0], [1.0, 1.0, 2.0]]},
    "bounded_mean": {"values": [[0.1, 0.2, 0.4], [1.0, 0.0, 0.2]]},
    "clustered_mean": {"values": [[1.0, 2.0, 4.0], [1.0, 1.0, 2.0]], "cluster": [1, 2, 2]},
    "clustered_difference": {
        "first": [[1.0, 2.0, 4.0], [1.0, 1.0, 2.0]],
        "second": [0.0, 1.0, 3.5],
        "cluster": [1, 2, 3],
    },
    "clustered_proportion": {"x": [[3, 5, 2], [9, 8, 0]], "n": [10, 10, 10]},
    "pass_at": {"x": [[3, 5, 2], [9, 8, 0]], "n": [10, 10, 10]},
    "pass_hat": {"x": [[3, 5, 2], [9, 8, 0]], "n": [10, 10, 10]},
}
TWO_PROPORTIONS = {"x1": [3, 5], "n1": 10, "x2": [7, 9], "n2": 12}
STRATA = {"x1": [[3, 5], [4, 6]], "n1": [10, 12], "x2": [[7, 9], [2, 1]], "n2": [12, 15]}


def data_of(family):
    return DATA.get(family, STRATA if family == "stratified_difference" else TWO_PROPORTIONS)


@cache
def default_of(family):
    return harness.interval(family, alpha=0.1, **data_of(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_without_a_method_it_is_the_default_of_the_command(family):
    found = default_of(family)
    name = default_method(family_of(family), "two-sided").name
    named = harness.interval(family, name, alpha=0.1, **data_of(family))
    assert (found.family, found.method, found.side) == (family, name, "two-sided")
    np.testing.assert_array_equal(found.lower, named.lower)
    np.testing.assert_array_equal(found.upper, named.upper)


def test_the_default_of_one_side_has_that_side():
    assert harness.interval("proportion", x=3, n=10, side="upper").method == "mid_p"
    assert harness.interval("mean", values=[1, 2, 4], side="lower").method == "student_t"


def test_the_command_and_the_function_have_the_same_default(capsys):
    assert main(["interval", "mean", "--values", "75,72,78", "--format", "json"]) == 0
    found = harness.interval("mean", values=[75, 72, 78])
    record = json.loads(capsys.readouterr().out)
    assert (record["lower"], record["method"]) == (found.lower, found.method)


def test_a_wrong_side_is_named_where_no_method_is():
    with pytest.raises(InputError, match=r"^side should be one of two-sided, lower, upper"):
        harness.interval("proportion", x=1, n=2, side="left")


def test_one_interval_prints_in_one_line():
    found = harness.interval("proportion", "exact_tail", x=90, n=100)
    assert repr(found) == (
        "<Interval 0.9000 [0.8238, 0.9510]: proportion, clopper_pearson, alpha 0.05>"
    )
    found = harness.interval("rate", "one_sided", x=1234, exposure=1, side="lower", alpha=0.1)
    assert (
        repr(found) == "<Interval 1234.00 [1190.18, inf]: rate, one_sided, alpha 0.1, side lower>"
    )


def test_small_numbers_keep_their_digits():
    found = harness.interval("proportion", "clopper_pearson", x=1, n=10**6)
    assert "1.000e-06 [2.532e-08, 5.572e-06]" in repr(found)


@pytest.mark.parametrize(("x", "n"), [(93, 100), (3, 3000), (1, 10**6), (0, 5)])
def test_an_interval_has_the_digits_that_the_command_shows(x, n):
    found = harness.interval("proportion", "wilson", x=x, n=n)
    shown = limits_text(found.lower, found.upper).replace(" …", ",")
    assert f"[{shown}]" in repr(found)


def test_an_interval_of_no_width_prints():
    assert "0.0000 [0.0000, 0.0000]" in repr(harness.interval("proportion", "wald", x=0, n=9))


def test_arrays_print_as_a_table_of_at_most_ten_rows():
    found = harness.interval("proportion", "wilson", x=range(3), n=60)
    assert repr(found).splitlines() == [
        "<Interval, 3 rows: proportion, wilson, alpha 0.05>",
        " x   n  estimate    lower    upper",
        " 0  60   0.00000  0.00000  0.06017",
        " 1  60   0.01667  0.00295  0.08855",
        " 2  60   0.03333  0.00919  0.11364",
    ]
    lines = repr(harness.interval("proportion", "wilson", x=range(10_001), n=10_000)).splitlines()
    assert len(lines) == 13
    assert lines[0].startswith("<Interval, 10001 rows: ")
    assert [line.split()[0] for line in lines[2:]] == [
        *("0", "1", "2", "3", "4", "…", "9996", "9997", "9998", "9999", "10000"),
    ]
    found = harness.interval("proportion", x=1, n=2, alpha=[0.1, 0.2])
    assert repr(found).splitlines()[1].split()[:3] == ["x", "n", "alpha"]
    assert repr(harness.interval("proportion", x=[], n=2)).startswith("<Interval, 0 rows: ")


def test_a_long_list_is_cut_in_its_cell():
    values = np.arange(40.0).reshape(2, 20)
    assert " [20, 21, 22, 23, 24, …] " in repr(harness.interval("mean", values=values))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_frame_has_the_data_then_the_interval(family):
    given, found = data_of(family), default_of(family)
    frame = found.to_frame()
    assert frame.columns == [*given, "estimate", "lower", "upper", "alpha", "method", "side"]
    assert frame.height == 2
    np.testing.assert_array_equal(frame["lower"].to_numpy(), found.lower)
    assert frame["method"].to_list() == [found.method] * 2
    assert frame["alpha"].to_list() == [0.1] * 2
    for name, values in given.items():
        whole = np.broadcast_to(values, (2, *np.shape(frame[name][0])))
        np.testing.assert_array_equal(np.array(frame[name].to_list()), whole)


def test_counts_are_whole_numbers_in_a_frame_and_exposures_are_not():
    kinds = harness.interval("rate", x=3, exposure=2.0).to_frame().schema
    assert (kinds["x"], kinds["exposure"], kinds["lower"]) == (pl.Int64, pl.Float64, pl.Float64)


def test_arrays_of_two_axes_go_into_a_frame_row_by_row():
    frame = harness.interval("proportion", x=[[1], [2]], n=9, alpha=[0.1, 0.2, 0.3]).to_frame()
    assert frame["x"].to_list() == [1, 1, 1, 2, 2, 2]
    assert frame["alpha"].to_list() == [0.1, 0.2, 0.3] * 2


def test_a_summary_and_a_population_are_columns_too():
    frame = harness.interval("mean", mean=[3, 4], sd=1, k=5).to_frame()
    assert frame.select("mean", "sd", "k").rows() == [(3, 1, 5), (4, 1, 5)]
    found = harness.interval("proportion", "hypergeometric_exact", x=3, n=20, population=100)
    assert found.to_frame()["population"].to_list() == [100]


def test_an_undefined_estimate_is_missing():
    found = harness.interval("risk_ratio", x1=[0, 3], n1=10, x2=0, n2=10)
    assert found.to_frame()["estimate"].to_list() == [None, np.inf]


def test_a_frame_keeps_the_data_when_their_array_changes():
    x = np.array([1, 2])
    found = harness.interval("proportion", x=x, n=9)
    x[:] = 7
    assert found.to_frame()["x"].to_list() == [1, 2]


def test_other_libraries_read_an_interval_as_arrow_data():
    found = harness.interval("proportion", x=[1, 2], n=9)
    assert pl.DataFrame(found).equals(found.to_frame())


def test_a_frame_of_pandas_holds_the_same():
    pandas = pytest.importorskip("pandas")
    found = harness.interval("clustered_proportion", **DATA["clustered_proportion"])
    frame = found.to_frame("pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert frame.to_dict("list") == found.to_frame().to_dict(as_series=False)


def test_a_table_of_pyarrow_holds_the_same():
    pyarrow = pytest.importorskip("pyarrow")
    found = harness.interval("clustered_proportion", **DATA["clustered_proportion"])
    table = found.to_frame("pyarrow")
    assert isinstance(table, pyarrow.Table)
    assert table.to_pydict() == found.to_frame().to_dict(as_series=False)


def test_a_library_that_is_not_there_is_named(monkeypatch):
    found = harness.interval("proportion", x=1, n=9)
    with pytest.raises(InputError, match=r"^library should be one of polars, pandas, pyarrow, "):
        found.to_frame("duckdb")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"needs the package pyarrow, which is not installed$"):
        found.to_frame("pyarrow")


def test_intervals_of_equal_numbers_are_equal():
    found = harness.interval("proportion", "clopper_pearson", x=3, n=10)
    assert found == harness.interval("proportion", "exact_tail", x=3, n=10)
    assert found != harness.interval("proportion", "wilson", x=3, n=10)
    assert pickle.loads(pickle.dumps(found)).to_frame().equals(found.to_frame())
