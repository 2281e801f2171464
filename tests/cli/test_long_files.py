"""Files with a row for each item and system, what they may mean, and ids that repeat."""

import json
from pathlib import Path

import polars as pl
import pytest

import harness

LONG = "--rows r.csv --key item --by model --correct correct"
RIGHT = {
    "a": [1, 1, 1, 0, 1, 0, 1, 1],
    "b": [0, 1, 0, 0, 1, 1, 0, 1],
    "c": [1, 1, 1, 1, 0, 1, 1, 0],
}
SUBJECTS = ["law", "law", "art", "art"] * 2


def write_long(name, skip=(), models="abc"):
    """Write a row for each item and model, but for some."""
    rows = [
        f"{item},{model},{SUBJECTS[item]},{RIGHT[model][item]}"
        for item in range(8)
        for model in models
        if (item, model) not in skip
    ]
    Path(name).write_text("\n".join(["item,model,subject,correct", *rows]))


@pytest.fixture
def ask(run_command):
    """Runs a command in a folder with a long file and the same as a wide one."""
    write_long("r.csv")
    pl.DataFrame(RIGHT).write_csv("wide.csv")

    def ask(words):
        return run_command(*words.split())

    return ask


def counts(result):
    assert result.code == 0, result.err
    return [int(json.loads(result.out)[name]) for name in ("both", "first_only", "second_only")]


def test_a_leaderboard_of_a_long_file_is_that_of_the_wide_one(ask):
    long = ask(f"leaderboard {LONG} --format json")
    wide = ask("leaderboard --rows wide.csv --correct a --correct b --correct c --format json")
    assert long.code == 0
    assert json.loads(long.out) == json.loads(wide.out)


@pytest.mark.parametrize("family", ["paired_difference", "paired_ratio"])
def test_pairs_of_a_long_file_are_those_of_the_wide_one(ask, family):
    two = "--where model=a --where model=c"
    long = ask(f"interval {family} {LONG} {two} --format json")
    wide = ask(f"interval {family} --rows wide.csv --correct a --correct c --format json")
    assert counts(long) == counts(wide) == [4, 2, 2]
    assert (json.loads(long.out)["model1"], json.loads(long.out)["model2"]) == ("a", "c")


def test_a_second_by_has_an_interval_for_each_value(ask):
    result = ask(
        f"interval paired_difference {LONG} --by subject --where model=a --where model=b "
        "--format json"
    )
    assert [each["subject"] for each in json.loads(result.out)] == ["law", "art"]


def test_systems_of_several_files_stand_below_each_other(ask):
    whole = ask(f"leaderboard {LONG} --format json")
    for model in "abc":
        write_long(f"{model}.csv", models=model)
    files = " ".join(f"--rows {model}.csv" for model in "abc")
    parts = ask(f"leaderboard {files} --key item --by model --correct correct --format json")
    assert json.loads(parts.out) == json.loads(whole.out)


def test_more_than_two_systems_are_refused_with_both_commands(ask):
    result = ask(f"interval paired_difference {LONG}")
    assert result.code == 2
    assert f"harness interval paired_difference {LONG} --where model=a --where model=b`" in (
        result.err
    )
    assert f"harness leaderboard {LONG}`" in result.err


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        (
            "interval proportion --rows r.csv --correct correct",
            [
                "interval proportion --rows r.csv --by model --correct correct`",
                "interval clustered_proportion --rows r.csv --correct correct --cluster item`",
            ],
        ),
        (
            "interval paired_difference --rows r.csv --correct correct",
            [f"interval paired_difference {LONG}`"],
        ),
        ("leaderboard --rows r.csv --correct correct", [f"leaderboard {LONG}`"]),
        ("leaderboard --rows r.csv --by model --correct correct", [f"leaderboard {LONG}`"]),
        (
            f"interval proportion_difference {LONG} --where model=a --where model=b",
            [
                f"interval paired_difference {LONG} --where model=a --where model=b`",
                "interval proportion_difference --rows r.csv --by model --correct correct --where",
            ],
        ),
        (f"interval paired_difference {LONG} --cluster subject", [f"leaderboard {LONG} --cluster"]),
        # An item without its subject is not unique: samples of an item, or items of a subject.
        (
            "leaderboard --rows s.csv --key number --by model --correct correct",
            [
                "leaderboard --rows s.csv --key number --by model --correct correct --cluster "
                "number`",
                "leaderboard --rows s.csv --key subject --key number --by model --correct correct`",
            ],
        ),
        (
            "interval proportion --rows s.csv --key number --by model --correct correct",
            ["interval clustered_proportion --rows s.csv --by model --correct correct --cluster "],
        ),
    ],
)
def test_what_could_be_meant_in_two_ways_is_refused_with_commands(ask, words, commands):
    frame = pl.read_csv("r.csv").with_columns(
        number=pl.col("item").cum_count().over("subject", "model")
    )
    frame.drop("item").write_csv("s.csv")
    result = ask(words)
    assert (result.code, result.out) == (2, "")
    for command in commands:
        assert f"`python -m harness {command}" in result.err


@pytest.mark.parametrize(
    "command",
    [
        "leaderboard --rows s.csv --key doc --by model --correct ok --cluster doc",
        "leaderboard --rows s.csv --by model --correct ok --cluster doc",
    ],
)
def test_several_samples_of_an_item_are_clusters_of_each_system(ask, command):
    samples = {"doc": [i // 3 for i in range(15)], "ok": [1, 1, 0] * 3 + [1] * 6}
    every = {name: [*values, *values] for name, values in samples.items()}
    pl.DataFrame({**every, "model": ["a"] * 15 + ["b"] * 15}).write_csv("s.csv")
    systems = json.loads(ask(f"{command} --format json").out)["systems"]
    alone = harness.interval("clustered_proportion", x=[2, 2, 2, 3, 3], n=[3] * 5)
    assert [each["system"] for each in systems] == ["a", "b"]
    assert {(each["lower"], each["upper"]) for each in systems} == {(alone.lower, alone.upper)}


def test_missing_items_are_counted_and_refused(ask):
    write_long("r.csv", skip={(3, "b"), (5, "b"), (0, "c")})
    result = ask(f"leaderboard {LONG}")
    assert result.code == 2
    assert "3 of 8 items are missing for some model (b lacks 2 and c lacks 1" in result.err
    assert "--missing drop leaves these items out for all, --missing wrong" in result.err


@pytest.mark.parametrize("missing", ["drop", "wrong"])
def test_missing_items_are_left_out_for_all_or_wrong(ask, missing):
    skip = {(3, "b"), (5, "b"), (0, "c")}
    write_long("r.csv", skip=skip)
    found = json.loads(ask(f"leaderboard {LONG} --missing {missing} --format json").out)
    gone = {item for item, _ in skip} if missing == "drop" else set()
    right = {
        model: sum(cases[i] for i in range(8) if i not in gone and (i, model) not in skip)
        for model, cases in RIGHT.items()
    }
    assert {each["system"]: each["x"] for each in found["systems"]} == right
    assert {each["n"] for each in found["systems"]} == {8 - len(gone)}
    assert any("3 of 8 items are missing" in remark for remark in found["remarks"])


def test_a_case_without_an_answer_is_missing(ask):
    Path("r.csv").write_text(Path("r.csv").read_text().replace("3,a,art,0", "3,a,art,"))
    assert "1 of 24 rows have nothing in correct; --missing" in ask(f"leaderboard {LONG}").err
    wrong = ask(f"leaderboard {LONG} --missing wrong --format json")
    assert {each["system"]: each["x"] for each in json.loads(wrong.out)["systems"]}["a"] == 6


def test_missing_cases_of_joined_files_are_left_out(ask):
    for name, ids in (("a", range(8)), ("b", range(1, 8))):
        right = [RIGHT[name][i] for i in ids]
        pl.DataFrame({"id": ids, "acc": right}).write_csv(f"{name}.csv")
    words = "interval paired_difference --rows a.csv --rows b.csv --key id --correct acc"
    assert "--missing drop leaves them out" in ask(words).err
    pairs = list(zip(RIGHT["a"], RIGHT["b"], strict=True))[1:]
    expected = [pairs.count(cell) for cell in ((1, 1), (1, 0), (0, 1))]
    assert counts(ask(f"{words} --missing drop --format json")) == expected


def test_an_id_that_repeats_has_a_remark_with_the_ratio_of_the_lengths(ask):
    right = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 1]] * 4
    lines = [{"doc_id": i, "exact_match": each} for i, doc in enumerate(right) for each in doc]
    Path("s.jsonl").write_text("\n".join(map(json.dumps, lines)))
    remark = ask("interval proportion --rows s.jsonl --correct exact_match").err
    x = [sum(doc) for doc in right]
    apart = harness.interval("proportion", x=sum(x), n=72)
    together = harness.interval("clustered_proportion", x=x, n=[3] * 24)
    ratio = (together.upper - together.lower) / (apart.upper - apart.lower)
    assert "doc_id repeats: 72 rows have 24 values" in remark
    assert "clustered_proportion --rows s.jsonl --correct exact_match --cluster doc_id`" in remark
    assert f"an interval {ratio:.3g} times as long" in remark


@pytest.mark.parametrize("name", ["question_id", "item", "documentId", "id", "subject_id"])
def test_names_of_ids_are_known(ask, name):
    pl.DataFrame({name: [i // 2 for i in range(40)], "ok": [0, 1] * 20}).write_csv("s.csv")
    assert f"{name} repeats" in ask("interval proportion --rows s.csv --correct ok").err


@pytest.mark.parametrize("name", ["subject", "week", "sample"])
def test_other_columns_may_repeat(ask, name):
    pl.DataFrame({name: [i // 2 for i in range(40)], "ok": [0, 1] * 20}).write_csv("s.csv")
    assert ask("interval proportion --rows s.csv --correct ok").err == ""


def test_where_reads_rows_of_any_of_the_values(ask):
    words = "interval proportion --rows r.csv --correct correct --by model --format json"
    found = json.loads(ask(f"{words} --where model=a --where model=b --where subject=law").out)
    assert [(each["model"], each["n"]) for each in found] == [("a", 4), ("b", 4)]
    assert "no row has model = d, found a, b and c" in ask(f"{words} --where model=d").err


def test_pairs_that_are_named_are_not_noted_again(ask):
    rows = LONG.replace("--key item ", "")
    found = ask(f"interval proportion_difference {rows} --where model=a --where model=b")
    assert ("which are pairs" in found.err, "note: the samples" in found.err) == (True, False)
