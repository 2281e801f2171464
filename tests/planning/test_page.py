"""The tables of the page on sample sizes, and the results of the configs that belong to it."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import harness

ROOT = Path(harness.__file__).parents[1]
PAGE = (ROOT / "docs/sample_size.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (0\.\d\d) \| (.*) \|$", PAGE, re.MULTILINE)
METHODS = ("wald", "jeffreys", "minimal_length")


def half_width(method: str, n: int) -> float:
    found = harness.interval("proportion", method, x=8 * n // 10, n=n)
    return float(found.upper - found.lower) / 2


def test_the_articles_table_has_half_widths_rounded_to_three_decimals() -> None:
    assert [int(n) for n, *_ in ROWS] == [100, 200, 500, 1000, 5000]
    for n, article, rest in ROWS:
        assert rest.split(" | ") == [f"{half_width(method, int(n)):.3f}" for method in METHODS]
        assert article == f"{half_width('wald', int(n)):.2f}"


def test_the_sizes_of_the_page_are_found_anew() -> None:
    assert "From 1536 on, by the expected half-width of `wald`" in PAGE
    assert harness.size("proportion", "wald", p=0.8, half_width=0.02).n == 1536
    assert "finds 615" in PAGE
    assert harness.size("proportion", "wilson", p=0.8, above=0.75, probability=0.9).n == 615


@pytest.mark.parametrize("name", ["test_set_size", "validation_set"])
def test_committed_summaries_are_computed_anew(name: str) -> None:
    found = harness.run(ROOT / "configs/planning" / f"{name}.yaml", out=None).summary
    committed = ROOT / "results/planning" / name / "summary.csv"
    expected = pl.read_csv(committed, schema=found.schema)
    for column, kind in expected.schema.items():
        ours, theirs = found[column], expected[column]
        if kind == pl.Float64:
            assert ours.is_null().equals(theirs.is_null())
            assert ((ours - theirs).abs() <= 1e-9 * theirs.abs() + 1e-12).all()
        else:
            assert ours.equals(theirs)
