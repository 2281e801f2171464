"""``export``: a table of a result on standard output or in a file."""

import io
import shutil

import polars as pl
import pytest

import harness
from tests.cli.conftest import SMALL, is_one_sentence


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder of results."""
    return harness.run(SMALL, out=tmp_path_factory.mktemp("results")).path


@pytest.fixture
def folder(stored, here):
    """A copy in the working folder."""
    return shutil.copytree(stored, here / "small")


def test_the_summary_is_printed_as_markdown_where_nothing_else_is_asked_for(run_command, folder):
    result = run_command("export", "small")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("A small run; alpha = 0.3\n\n| method | side | n | engine |")
    assert "| Wald | two-sided | 3 |" in result.out
    assert "bound \\[90 %\\]" in result.out


def test_rows_columns_and_digits_are_those_asked_for(run_command, folder):
    rows = ["--where", "method=wald,n=3,8", "--where", "engine=enumeration"]
    form = ["--format", "latex", "--digits", "2", "--columns", "n,mean_length"]
    result = run_command("export", "small", *rows, *form)
    assert result.code == 0
    lengths = harness.load(folder).summary.filter(method="wald", engine="enumeration")
    rows = [line for line in result.out.splitlines() if line.startswith("$")][1:]
    assert rows == [f"${n}$ & ${m:.2f}$ \\\\" for n, m in lengths.select("n", "mean_length").rows()]


def test_csv_is_the_stored_table_with_titles(run_command, folder):
    text = run_command("export", "small", "--format", "csv").out
    summary = harness.load(folder).summary
    table = pl.read_csv(io.StringIO(text), schema=summary.schema)
    assert table.drop("method").equals(summary.drop("method"))
    labels = run_command("export", "small", "--format", "csv", "--labels").out
    assert labels == (folder / "summary.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("ending", "start"),
    [("tex", "% A small run"), ("md", "A small run"), ("html", "<table>"), ("csv", "family,")],
)
def test_a_file_has_the_format_of_its_ending(run_command, folder, here, ending, start):
    result = run_command("export", "small", "--table", "cells", "--out", f"new/table.{ending}")
    assert (result.code, result.out) == (0, f"new/table.{ending}\n")
    assert (here / f"new/table.{ending}").read_text("utf-8").startswith(start)


def test_the_dictionary_of_columns_is_a_table_as_well(run_command, folder):
    text = run_command("export", "small", "--table", "columns", "--format", "csv").out
    assert text == (folder / "columns.csv").read_text("utf-8")


def test_a_table_that_needs_no_cells_is_exported_without_them(run_command, folder):
    (folder / "cells.parquet").unlink()
    assert run_command("export", "small").code == 0
    refused = run_command("export", "small", "--table", "cells")
    assert refused.code == 2
    assert is_one_sentence(refused)
    assert "cells.parquet missing" in refused.err


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("--table rank", "no table 'rank', only summary, cells, columns"),
        ("--columns nn", "--columns: summary has no column 'nn', only family, method, side"),
        ("--where n=4", "--where: summary has no row with n=4, only 3, 8"),
        ("--out small/summary.csv", "would replace a file that the command reads"),
    ],
)
def test_what_is_not_there_is_one_sentence(run_command, folder, asked, message):
    result = run_command("export", "small", *asked.split())
    assert result.code == 2
    assert is_one_sentence(result)
    assert message in result.err


def test_a_folder_without_results_is_one_sentence(run_command, here):
    result = run_command("export", "nowhere")
    assert result.code == 2
    assert is_one_sentence(result)
    assert "nowhere holds no results: summary.csv, manifest.json missing" in result.err
