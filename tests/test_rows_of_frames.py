"""Data frames, mappings and paths in ``rows=``."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import harness
from harness.base.errors import InputError
from harness.families.judged import COUNTS

CASES = {
    "doc_id": [0, 0, 1, 1, 2, 2, 3, 3] * 2,
    "model": ["a"] * 8 + ["b"] * 8,
    "item": [*range(8), *range(8)],
    "ok": [True, True, False, False, True, False, True, True] + [True, False] * 4,
}


@pytest.fixture(params=["polars", "pandas", "mapping", "path", "text"])
def rows(request, tmp_path):
    if request.param in ("path", "text"):
        pl.DataFrame(CASES).write_csv(tmp_path / "r.csv")
        return Path(tmp_path / "r.csv") if request.param == "path" else str(tmp_path / "r.csv")
    kinds = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "mapping": dict}
    return kinds[request.param](CASES)


def test_clusters_of_rows_have_the_interval_of_their_counts(rows):
    found = harness.interval("clustered_proportion", rows=rows, cluster="doc_id", correct="ok")
    alone = harness.interval("clustered_proportion", x=[3, 1, 2, 3], n=[4] * 4)
    assert (found.lower, found.upper) == (alone.lower, alone.upper)


def test_pairs_of_long_rows_have_the_interval_of_their_counts(rows):
    found = harness.interval("paired_difference", rows=rows, key="item", by="model", correct="ok")
    alone = harness.interval("paired_difference", both=3, first_only=2, second_only=1, neither=2)
    assert (found.lower, found.upper) == (alone.lower, alone.upper)
    assert dict(found.groups) == {"model1": ["a"], "model2": ["b"]}


def test_a_leaderboard_takes_long_rows(rows):
    found = harness.leaderboard(rows, "ok", key="item", by="model")
    assert [(each.system, each.x) for each in found.systems] == [("a", 5), ("b", 4)]


VERDICTS = {
    "system": ["a"] * 9 + ["b"] * 3,
    "judge": ["yes", "yes", "yes", "no", "1", "no", "0", "TRUE", "pass", "1", "0", "0"],
    "human": ["yes", "no", "", "na", "1", "right", "wrong", "", "", "1", "0", ""],
}


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, dict])
def test_verdicts_and_labels_of_rows_have_the_interval_of_their_counts(kind):
    columns = {"rows": kind(VERDICTS), "correct": "judge", "truth": "human"}
    found = harness.interval("labelled_share", **columns, by="system")
    # right_yes, right_no, wrong_yes, wrong_no, yes, unlabelled of either system.
    for place, counts in enumerate([(2, 1, 1, 1, 3, 4), (1, 0, 0, 1, 0, 1)]):
        alone = harness.interval("labelled_share", **dict(zip(COUNTS, counts, strict=True)))
        assert (found.lower[place], found.upper[place]) == (alone.lower, alone.upper)


def test_labels_of_other_words_are_named_by_the_positive_one():
    rows = {"judge": ["good", "bad", "good"], "human": ["good", "", "bad"]}
    columns = {"rows": rows, "correct": "judge", "truth": "human"}
    found = harness.interval("labelled_share", **columns, positive="good")
    alone = harness.interval("labelled_share", **dict(zip(COUNTS, (1, 0, 1, 0, 0, 1), strict=True)))
    assert (found.lower, found.upper) == (alone.lower, alone.upper)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"correct": "judge"}, "needs `correct`, the column of the judge's verdicts, and `truth`"),
        ({"truth": "human"}, "of the labels, found `truth` alone"),
        ({"truth": "human", "correct": ["judge", "judge"]}, "takes one `correct`, found 2"),
        ({"truth": "system", "correct": "judge"}, "expected 0 or 1, or true or false, in system"),
        ({"truth": "human", "correct": "judge", "yes": "system"}, "from `correct` alone"),
    ],
)
def test_columns_that_are_no_verdicts_and_labels_are_refused(columns, said):
    with pytest.raises(InputError, match=said):
        harness.interval("labelled_share", rows=VERDICTS, **columns)


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_groups_keep_their_names_in_a_frame(rows, library):
    options = {"rows": rows, "by": "model", "correct": "ok"}
    for family in ("proportion", "clustered_proportion"):
        cluster = {"cluster": "doc_id"} if family == "clustered_proportion" else {}
        frame = harness.interval(family, **options, **cluster).to_frame(library)
        assert list(frame["model"]) == ["a", "b"]
        assert list(frame["estimate"]) == [5 / 8, 4 / 8]


def test_columns_of_counts_have_an_interval_for_each_row():
    frame = pd.DataFrame({"name": ["u", "v"], "right": [9, 14], "questions": [10, 15]})
    found = harness.interval("proportion", rows=frame, x="right", n="questions")
    assert (
        found.upper.tolist() == harness.interval("proportion", x=[9, 14], n=[10, 15]).upper.tolist()
    )
    assert found.to_frame().columns[:3] == ["name", "x", "n"]


def test_groups_of_lists_may_differ_in_length():
    values = {"model": ["a", "a", "a", "b", "b"], "score": [1.0, 2.0, 3.5, 3.0, 4.0]}
    found = harness.interval("mean", rows=values, values="score", by="model")
    alone = harness.interval("mean", values=[3.0, 4.0])
    assert (found.lower[1], found.upper[1]) == (alone.lower, alone.upper)
    assert found.to_frame()["rows"].to_list() == [3, 2]


def test_several_methods_of_rows_have_one_frame():
    found = harness.interval("proportion", ["wald", "wilson"], rows=CASES, by="model", correct="ok")
    assert found.to_frame()["model"].to_list() == ["a", "b", "a", "b"]


def test_ids_that_repeat_have_a_remark_with_the_call():
    found = harness.interval("proportion", rows=CASES, correct="ok", by="model")
    assert 'harness.interval("clustered_proportion", rows=…, by="model"' in found.remarks[0]


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, np.nan])
def test_nothing_in_a_frame_is_missing(nothing):
    frame = pd.DataFrame({"ok": pd.Series([1, 0, nothing], dtype="object")})
    with pytest.raises(InputError, match="1 of 3 rows have nothing in ok"):
        harness.interval("proportion", rows=frame, correct="ok")
    assert harness.interval("proportion", rows=frame, correct="ok", missing="drop").data["n"] == 2


def test_a_leaderboard_of_a_wide_frame_drops_cases_with_nothing():
    frame = pl.DataFrame({"a": [1, None, 1, 0], "b": [0, 1, 1, 1]})
    found = harness.leaderboard(frame, ["a", "b"], missing="drop")
    assert {each.system: (each.x, each.n) for each in found.systems} == {"a": (2, 3), "b": (2, 3)}


def test_nothing_in_a_table_of_pyarrow_is_missing():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"ok": [True, False, None]})
    assert harness.interval("proportion", rows=table, correct="ok", missing="drop").data["n"] == 2


def test_a_leaderboard_joins_data_frames():
    first, second = {"id": [1, 2, 3], "ok": [1, 0, 1]}, {"id": [3, 2, 1], "ok": [0, 0, 1]}
    found = harness.leaderboard([first, second], "ok", key="id")
    assert [(each.system, each.x) for each in found.systems] == [("cases1:ok", 2), ("cases2:ok", 1)]
    assert (found.differences[0].first_only, found.differences[0].second_only) == (1, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rows": 5, "correct": "ok"}, "rows should be the path of a file, a data frame or a"),
        ({"rows": CASES, "corect": "ok"}, "unknown beside rows: corect; did you mean correct"),
        ({"rows": CASES, "correct": "ok", "alpha": [0.1, 0.2]}, "alpha should be a number beside"),
        ({"rows": {"ok": [1], "b": [1, 0]}, "correct": "ok"}, "rows should have columns of one"),
        ({"rows": {"ok": 1}, "correct": "ok"}, "rows should have a list of values in ok, found 1"),
        ({"rows": CASES, "correct": "ok", "where": ["model=a", "model=c"]}, "no row has model = c"),
        ({"rows": CASES, "correct": "ok", "where": ["model=a", "item=9"]}, "no row has item = 9"),
        ({"rows": "no.csv", "correct": "ok"}, "no.csv cannot be read"),
        ({"rows": {"x": [1, None], "n": [2, 2]}, "x": "x", "n": "n"}, "rows:2: no number for x"),
    ],
)
def test_wrong_rows_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        harness.interval("proportion", **options)


def test_a_leaderboard_has_a_short_text():
    lines = repr(harness.leaderboard(CASES, "ok", key="item", by="model")).splitlines()
    assert lines[0] == "<Leaderboard, 2 systems: told apart 0 of 1 pairs, joint level 95 %>"
    assert [line.split()[0] for line in lines[1:]] == ["system", "a", "b"]
