"""Rows of JSON lines and Parquet, and files that are joined by a key."""

import json
from pathlib import Path

import polars as pl
import pytest

COUNTS = {"both": 2, "first_only": 1, "second_only": 2, "neither": 1}
FIRST = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
SECOND = [True, True, False, True, True, False]


def write_lines(name, records):
    Path(name).write_text("".join(json.dumps(each) + "\n" for each in records))


def samples(right):
    """Samples as lm-evaluation-harness writes them, with values of several types in a field."""
    return [
        {"doc_id": i, "doc": {"q": "a" if i % 2 else [i]}, "resps": [["a", 1]], "acc": each}
        for i, each in enumerate(right)
    ]


@pytest.fixture
def files(run_command):
    write_lines("a.jsonl", samples(FIRST))
    write_lines("b.jsonl", samples(SECOND)[::-1])
    cases = {"doc_id": range(6), "first": FIRST, "second": SECOND}
    pl.DataFrame(cases).write_parquet("both.parquet")
    pl.DataFrame(cases).write_csv("both.csv")


def found(run_command, command):
    result = run_command(*command.split(), "--format", "json")
    # Six pairs are fewer than those that the default was chosen for.
    assert result.code == 0
    assert "was chosen as the default" in result.err or not result.err
    return json.loads(result.out)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "rows",
    [
        "--rows both.parquet --correct first --correct second",
        "--csv both.csv --correct first --correct second",
        "--rows a.jsonl --rows b.jsonl --key doc_id --correct acc",
        "--rows a.jsonl --rows both.parquet --key doc_id --correct acc --correct second",
    ],
)
def test_pairs_are_the_same_from_every_form_of_file(run_command, rows):
    record = found(run_command, f"interval paired_difference {rows}")
    assert {name: record[name] for name in COUNTS} == COUNTS


def test_files_of_one_name_are_told_apart_by_their_paths(run_command):
    for folder, right in (("m", FIRST), ("n", SECOND)):
        Path(folder).mkdir()
        write_lines(f"{folder}/s.jsonl", samples(right))
    rows = "--rows m/s.jsonl --rows n/s.jsonl --key doc_id"
    correct = "--correct n/s.jsonl:acc --correct m/s.jsonl:acc --method tango"
    record = found(run_command, f"interval paired_difference {rows} {correct}")
    assert (record["first_only"], record["second_only"]) == (2, 1)


def test_a_missing_field_of_json_is_a_missing_number(run_command):
    write_lines("counts.jsonl", [{"x": 3, "n": 9}, {"n": 9}, {"x": None, "n": 9}])
    result = run_command(
        *["interval", "proportion", "--rows", "counts.jsonl", "--x", "x", "--n", "n"]
    )
    assert result.code == 0
    assert "counts.jsonl:2" in result.err


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("bad.jsonl", '{"acc": 1}\n{"acc"\n', "bad.jsonl:2: no JSON, "),
        ("list.json", "[1]\n", "list.json:1: expected a JSON object on each line"),
        ("empty.jsonl", "\n", "empty.jsonl should have a row for each case, found none"),
        ("bad.parquet", "x", "bad.parquet: no Parquet, "),
        ("two.jsonl", '{"acc": 2}\n', "two.jsonl:1: expected 0 or 1, or true or false, in acc"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(run_command, name, text, said):
    Path(name).write_text(text)
    result = run_command("interval", "proportion", "--rows", name, "--correct", "acc")
    assert (result.code, result.out) == (2, "")
    assert said in result.err


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (
            samples(FIRST)[:-2],
            "should have the same cases, found 2 that one of them lacks, the first with doc_id = 4",
        ),
        (samples([*FIRST, 1]), "a.jsonl and other.jsonl should have the same cases, found 1 "),
        (samples(FIRST) + samples([1]), "other.jsonl:7: doc_id = 0 is that of other.jsonl:1 too"),
    ],
)
def test_files_with_other_cases_are_not_joined(run_command, cases, said):
    write_lines("other.jsonl", cases)
    rows = "--rows a.jsonl --rows other.jsonl --key doc_id --correct acc"
    result = run_command("interval", "paired_difference", *rows.split())
    assert (result.code, result.out) == (2, "")
    assert said in result.err


@pytest.mark.usefixtures("files")
def test_several_files_need_a_key(run_command):
    rows = "--rows a.jsonl --rows b.jsonl --correct acc"
    result = run_command("interval", "paired_difference", *rows.split())
    assert result.code == 2
    assert "several files need --key" in result.err


@pytest.mark.usefixtures("files")
def test_metrics_reads_parquet(run_command):
    options = ["--truth", "first", "--prediction", "second"]
    parquet, text = (
        run_command("metrics", "--rows", f, *options) for f in ("both.parquet", "both.csv")
    )
    assert parquet.code == 0
    assert parquet.out == text.out
