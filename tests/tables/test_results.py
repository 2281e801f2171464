"""Results are read as they were written, and files that cannot be read are named."""

import csv
import hashlib
import json
import math
import shutil

import polars as pl
import pytest

import harness
from harness.base.errors import HarnessError, InputError
from harness.families.catalogue import family_of
from harness.kinds.stored import load
from harness.runner.storage import digest
from harness.runner.write import write_tables
from harness.tables.columns import SUMMARY, TableKind, columns_of
from tests.study.experiments import ODD_LABEL


@pytest.fixture(params=["drawn", "listed"])
def results(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def copy(drawn, tmp_path):
    """A folder of results to spoil."""
    return shutil.copytree(drawn.path, tmp_path / "copy")


def stored_manifest(folder):
    return json.loads((folder / "manifest.json").read_text("utf-8"))


def test_what_is_read_is_what_was_written(results):
    stored = harness.load(results.path)
    assert stored.cells.equals(results.cells)
    assert stored.summary.equals(results.summary)
    assert stored.manifest == results.manifest
    assert stored.path == results.path


def test_a_path_may_be_text(results):
    assert load(str(results.path)).summary.equals(results.summary)


def test_writing_what_was_read_gives_the_same_bytes(results, tmp_path):
    write_tables(load(results.path), tmp_path)
    for name in ("cells.parquet", "columns.csv", "summary.csv"):
        assert (tmp_path / name).read_bytes() == (results.path / name).read_bytes()
    copied, first = (stored_manifest(folder) for folder in (tmp_path, results.path))
    first["files"]["figures"] = []
    assert copied == first


def test_chunks_leave_no_trace_in_the_file(results, tmp_path):
    halves = [results.cells[:100], results.cells[100:]]
    scattered = pl.concat(halves, rechunk=False)
    assert scattered.n_chunks() == 2
    write_tables(harness.Results(scattered, results.summary, results.manifest), tmp_path)
    written = (tmp_path / "cells.parquet").read_bytes()
    assert written == (results.path / "cells.parquet").read_bytes()


def test_the_summary_is_plain_csv_that_any_reader_takes(results):
    text = (results.path / "summary.csv").read_text("utf-8")
    assert "\r" not in text
    assert text.endswith("\n")
    rows = list(csv.DictReader(text.splitlines()))
    assert list(rows[0]) == list(columns_of(SUMMARY, TableKind(family_of("proportion"))))
    assert ODD_LABEL in {row["method"] for row in rows}
    for row, expected in zip(rows, results.summary.iter_rows(named=True), strict=True):
        for name, value in expected.items():
            if value is None:
                assert row[name] == ""
            elif isinstance(value, float):
                assert float(row[name]) == value
            else:
                assert row[name] == str(value)


def test_the_smallest_truths_survive_the_csv(results):
    """Next to the lower end of the range a worst case is met at the next double, the smallest."""
    known = load(results.path).summary.drop_nulls("worst_truth")
    (low,) = set(known["worst_from"])
    assert known["worst_truth"].min() == math.nextafter(low, 1.0)


def test_the_manifest_is_json_that_any_reader_takes(results):
    text = (results.path / "manifest.json").read_text("utf-8")

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    content = json.loads(text, parse_constant=refuse)
    files = content.pop("files")
    assert content == results.manifest
    assert set(files) == {"tables", "figures"}
    assert text.endswith("}\n")


@pytest.mark.parametrize("name", ["cells.parquet", "summary.csv", "manifest.json"])
def test_a_missing_file_is_named(copy, name):
    (copy / name).unlink()
    with pytest.raises(InputError, match=f"holds no results: {name} missing"):
        load(copy)


def test_a_folder_that_is_not_there_holds_no_results(tmp_path):
    with pytest.raises(InputError, match=r"holds no results: cells\.parquet, summary\.csv"):
        load(tmp_path / "nowhere")


SPOILT = {
    "half a table of cells": ("cells.parquet", lambda old: old[: len(old) // 2]),
    "no table of cells": ("cells.parquet", lambda old: b"not parquet at all"),
    "an empty table of cells": ("cells.parquet", lambda old: b""),
    "half a manifest": ("manifest.json", lambda old: old[: len(old) // 2]),
    "an empty manifest": ("manifest.json", lambda old: b""),
    "a manifest that is no mapping": ("manifest.json", lambda old: b"[1, 2]"),
    "a manifest in another encoding": ("manifest.json", lambda old: b"\xff" + old),
    "an empty summary": ("summary.csv", lambda old: b""),
    "text where a number belongs": ("summary.csv", lambda old: old.replace(b"0.05,", b"five,", 1)),
    "a summary with other columns": (
        "summary.csv",
        lambda old: old.replace(b"worst_alpha", b"worst", 1),
    ),
    "a summary with a column less": (
        "summary.csv",
        lambda old: b"\n".join(line.rpartition(b",")[0] for line in old.splitlines()),
    ),
}


@pytest.mark.parametrize("what", SPOILT)
def test_what_cannot_be_read_is_said(copy, what):
    name, spoil = SPOILT[what]
    (copy / name).write_bytes(spoil((copy / name).read_bytes()))
    with pytest.raises(HarnessError) as caught:
        load(copy)
    assert caught.value.exit_code == 2
    assert str(copy) in str(caught.value)


def test_cells_with_other_columns_are_refused(copy, drawn):
    for wrong in (drawn.cells.drop("x"), drawn.cells.with_columns(pl.col("n").cast(pl.Int32))):
        wrong.write_parquet(copy / "cells.parquet")
        sign_again(copy)
        with pytest.raises(InputError, match="other columns"):
            load(copy)


def sign_again(folder):
    """Replace the digests in the manifest with those of the tables as they are."""
    content = stored_manifest(folder)
    content["files"]["tables"] = {
        name: digest(folder / name) for name in content["files"]["tables"]
    }
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")


def test_the_manifest_has_a_digest_of_each_table(results):
    tables = stored_manifest(results.path)["files"]["tables"]
    names = {path.name for path in results.path.iterdir() if path.suffix in (".csv", ".parquet")}
    assert set(tables) == names >= {"cells.parquet", "summary.csv"}
    for name, written in tables.items():
        assert hashlib.sha256((results.path / name).read_bytes()).hexdigest() == written


CHANGED = {
    "one digit": ("summary.csv", lambda old: old.replace(b"0.05,", b"0.06,", 1)),
    "a row less": ("summary.csv", lambda old: b"".join(old.splitlines(keepends=True)[:-1])),
    "a row of the ranking less": (
        "ranking.csv",
        lambda old: b"".join(old.splitlines(keepends=True)[:-1]),
    ),
    "one bit of the cells": (
        "cells.parquet",
        lambda old: old[:100] + bytes([old[100] ^ 1]) + old[101:],
    ),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_table_that_was_changed_is_refused_by_its_name(copy, what):
    name, change = CHANGED[what]
    old = (copy / name).read_bytes()
    assert change(old) != old
    (copy / name).write_bytes(change(old))
    with pytest.raises(InputError, match=f"copy/{name} was cut or changed after the run"):
        load(copy)


TAMPERED = {
    "deep nesting": b"[" * 100_000,
    "null": b"null",
    "text": b'"experiment"',
    "experiment alone": b'{"experiment": 1}',
    "no numbers at all": b'{"experiment": {"family": "proportion"}}',
}
TAMPERED_KEYS = {
    "family in a list": {"experiment": {"family": ["proportion"]}},
    "methods that are a number": {"experiment": {"methods": 3}},
    "figures that are text": {"experiment": {"figures": "png"}},
    "a figure that is a number": {"experiment": {"figures": [7]}},
    "a figure of a strange kind": {"experiment": {"figures": [{"kind": []}]}},
    "files that are a list": {"files": ["summary.csv"]},
    "digests in a list": {"files": {"tables": ["summary.csv"]}},
    "a digest that is a number": {"files": {"tables": {"summary.csv": 1}}},
    "a table elsewhere": {"files": {"tables": {"../thesis.txt": "0"}}},
    "a figure elsewhere": {"files": {"figures": ["../../thesis.txt"]}},
    "versions that are text": {"versions": "all of them"},
    "a hash that is null": {"content_hash": None},
    "another name": {"name": "another"},
}


@pytest.mark.parametrize("what", [*TAMPERED, *TAMPERED_KEYS])
def test_a_tampered_manifest_is_one_sentence(copy, what):
    content = stored_manifest(copy)
    for key, value in TAMPERED_KEYS.get(what, {}).items():
        content[key] = {**content[key], **value} if key == "experiment" else value
    spoilt = TAMPERED.get(what, json.dumps(content).encode())
    (copy / "manifest.json").write_bytes(spoilt)
    with pytest.raises(InputError, match=r"manifest\.json is not the manifest of a run$"):
        load(copy)
