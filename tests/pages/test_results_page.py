"""The page about results: its code in R reads the tables, and it names every file of a result."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from harness.tables.storage import (
    CONFIG_FILE,
    FIGURES_FOLDER,
    JOURNAL_FILE,
    MANIFEST_FILE,
    RUN_FILE,
    TABLE_FILES,
)
from tests.pages.measured import ROOT

PAGE = (ROOT / "docs/results.md").read_text("utf-8")


def test_every_file_of_a_result_is_on_the_page() -> None:
    files = (*TABLE_FILES, CONFIG_FILE, RUN_FILE, MANIFEST_FILE, JOURNAL_FILE, f"{FIGURES_FOLDER}/")
    for name in files:
        assert f"| `{name}` |" in PAGE


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_the_summary_as_the_page_says(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```r\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    stored = ROOT / "results/catalogue/summary.csv"
    folder = tmp_path / "results/quickstart"
    folder.mkdir(parents=True)
    shutil.copy(stored, folder)
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    summary = pl.read_csv(stored, infer_schema_length=None)
    row = summary.filter(engine="enumeration", method="wilson", n=5)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("wilson "))
    assert float(line.split()[1]) == round(row["actual_alpha"].item(), 4)
