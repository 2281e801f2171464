"""The coverages that the README and the page on the choice of an interval quote are measured."""

from __future__ import annotations

import re

import polars as pl
import pytest

from tests.pages.measured import ROOT, SIZES, exact_row, length, mean_and_least, percent, summary

README = (ROOT / "README.md").read_text("utf-8")
PAGE = (ROOT / "docs/which_interval.md").read_text("utf-8")


@pytest.mark.parametrize("folder", SIZES)
def test_a_table_of_the_page_has_the_numbers_of_the_results(folder: str) -> None:
    (section,) = (part for part in PAGE.split("\n### ") if f"`configs/{folder}.yaml`" in part)
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$", section, re.MULTILINE)
    assert len(rows) >= 5
    for method, mean, least, width in rows:
        assert (mean, least, width) == (*mean_and_least(folder, method), length(folder, method))


def rows_of_the_readme() -> list[tuple[str, ...]]:
    table = README.split("## Use this\n")[1].split("\n## ")[0]
    rows = [tuple(each.strip("| ").split(" | ")) for each in re.findall(r"^\|.*$", table, re.M)]
    return rows[2:]


def test_the_readme_advises_on_five_kinds_of_data() -> None:
    assert [len(row) for row in rows_of_the_readme()] == [5] * 5


@pytest.mark.parametrize(("row", "folder"), [(0, "catalogue"), (1, "two_test_sets"), (2, "paired")])
def test_an_advice_on_proportions_has_the_numbers_of_the_results(row: int, folder: str) -> None:
    _, advised, covers, other, falls_short = rows_of_the_readme()[row]
    assert covers == ", ".join(mean_and_least(folder, advised.strip("`")))
    assert falls_short == ", ".join(mean_and_least(folder, other.strip("`")))


def test_the_advice_on_runs_has_the_exact_coverage_at_five_runs() -> None:
    table = summary("repeated_runs").filter(engine="closed_form", k=5)
    exact = {
        name: percent(1 - alpha) for name, alpha in table.select("method", "actual_alpha").rows()
    }
    _, advised, covers, _, falls_short = rows_of_the_readme()[3]
    assert covers == f"{exact[advised.strip('`')]} of normal runs"
    assert falls_short == exact["z_population"]


def test_the_advice_on_clusters_has_the_simulated_coverage_at_a_hundred_documents() -> None:
    cells = pl.read_parquet(ROOT / "results/clustered_questions/cells.parquet")
    cells = cells.filter(clusters=100, rho=0.3)
    _, advised, covers, other, falls_short = rows_of_the_readme()[4]
    found = {
        name: percent(1 - alpha) for name, alpha in cells.select("method", "actual_alpha").rows()
    }
    assert covers == f"{found[advised.strip('`')]} at a correlation of 0.3"
    assert falls_short == found[other.strip("`")]


def test_blaker_is_as_much_shorter_as_the_readme_says() -> None:
    lengths = [
        exact_row("catalogue", each)["mean_length"] for each in ("blaker", "clopper_pearson")
    ]
    ratio = lengths[0] / lengths[1]
    assert f"{100 * (1 - ratio):.0f} % shorter than Clopper-Pearson at n = 100" in README
