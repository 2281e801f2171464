"""Differences of two systems in clusters, of a file with a row for each system and answer."""

import json

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import InputError


@pytest.fixture
def answers():
    """Two samples of two systems at 24 questions on 8 texts, and another of the first at one."""
    rng = np.random.default_rng(5)
    rows = [
        {
            "topic": f"t{q // 3}",
            "question": f"q{q}",
            "llm": llm,
            "try": s,
            "ok": int(rng.random() < p),
        }
        for q in range(24)
        for llm, p in (("new", 0.8), ("old", 0.5))
        for s in range(2)
    ]
    return pl.DataFrame([*rows, {**rows[0], "try": 2, "ok": 0}])


OF_LONG = {"key": "question", "by": "llm", "cluster": "topic"}


def test_a_long_file_has_the_interval_of_the_means_of_its_items(answers, tmp_path, run_command):
    means = answers.group_by("topic", "question", "llm").agg(pl.col("ok").mean())
    wide = means.pivot("llm", index=["topic", "question"])
    direct = harness.interval(
        "clustered_difference", first=wide["new"], second=wide["old"], cluster=wide["topic"]
    )
    found = harness.interval("clustered_difference", rows=answers, correct="ok", **OF_LONG)
    assert (found.lower, found.upper) == pytest.approx((direct.lower, direct.upper), rel=1e-12)
    answers.write_csv(tmp_path / "a.csv")
    argv = "interval clustered_difference --correct ok --key question --by llm --cluster topic"
    result = run_command(*argv.split(), "--rows", str(tmp_path / "a.csv"), "--format", "json")
    (row,) = json.loads(result.out) if result.out.startswith("[") else [json.loads(result.out)]
    assert (row["llm1"], row["llm2"]) == ("new", "old")
    assert row["lower"] == pytest.approx(direct.lower, rel=1e-12)


def test_it_is_the_difference_of_a_leaderboard(answers):
    board = harness.leaderboard(answers, correct="ok", joint=0.95, **OF_LONG)
    found = harness.interval("clustered_difference", rows=answers, correct="ok", **OF_LONG)
    (pair,) = board.differences
    assert (pair.lower, pair.upper) == pytest.approx((found.lower, found.upper), rel=1e-12)


def test_differences_of_0_and_1_are_cut_at_1():
    ok = {("new", q): q > 0 for q in range(4)} | {("old", q): False for q in range(4)}
    # Two samples of one item have the mean 1/2.
    rows = [(llm, q, int(right)) for (llm, q), right in ok.items()] + [("new", 0, 1)]
    frame = pl.DataFrame(rows, ["llm", "question", "ok"], orient="row")
    options = {"correct": "ok", "key": "question", "by": "llm", "cluster": "question"}
    found = harness.interval("clustered_difference", rows=frame, **options)
    assert found.estimate == 0.875
    assert found.upper == 1.0
    (pair,) = harness.leaderboard(frame, joint=0.95, **options).differences
    assert pair.upper == 1.0


def test_scores_and_the_rows_of_each_group_are_read_too(answers):
    graded = answers.with_columns(grade=pl.col("ok") * 1.5, half=pl.col("topic") < "t4")
    found = harness.interval(
        "clustered_difference",
        rows=graded,
        score="grade",
        key="question",
        by=["llm", "half"],
        cluster="topic",
    )
    assert found.groups["half"] == ["true", "false"]
    assert np.shape(found.lower) == (2,)


def test_without_a_key_the_items_are_the_clusters(answers):
    by_key, without = (
        harness.interval(
            "clustered_difference", rows=answers, correct="ok", by="llm", cluster="question", **key
        )
        for key in ({"key": "question"}, {})
    )
    assert (by_key.lower, by_key.upper) == (without.lower, without.upper)


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (pl.lit("one").alias("llm"), {}, "compares two systems, found in llm one"),
        (pl.col("question"), {"cluster": None}, "needs `cluster`"),
        (pl.col("try").cast(pl.String).alias("topic"), {}, "should belong to one cluster"),
        (
            pl.when(pl.col("question") == "q3").then(pl.lit("new")).otherwise("llm").alias("llm"),
            {},
            "1 of 24 items are missing for some llm",
        ),
    ],
)
def test_what_is_no_comparison_is_refused_in_a_sentence(answers, change, options, said):
    asked = {name: each for name, each in {**OF_LONG, **options}.items() if each is not None}
    rows = answers.with_columns(change)
    with pytest.raises(InputError, match=said):
        harness.interval("clustered_difference", rows=rows, correct="ok", **asked)
