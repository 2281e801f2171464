"""What the README and the pages say is so."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from scipy.stats import binom

import harness
from harness.families.confusion import CONFUSION_FAMILIES
from harness.figures.catalogue import FIGURES
from harness.methods.catalogue.recommended import RECOMMENDED
from harness.runner.storage import (
    CONFIG_FILE,
    FIGURES_FOLDER,
    JOURNAL_FILE,
    MANIFEST_FILE,
    RUN_FILE,
    TABLE_FILES,
)
from tests.docs.snippets import blocks
from tests.pages.measured import (
    RECOMMENDED_AT,
    ROOT,
    SIZES,
    exact_row,
    length,
    mean_and_least,
    percent,
    summary,
)

# The page about configs names every kind of figure.


PAGE = (ROOT / "docs/config.md").read_text("utf-8")


def test_the_list_of_figures_has_every_kind() -> None:
    section = PAGE.split("## Figures\n")[1]
    assert [name for name in FIGURES if f"`{name}`" not in section] == []


# The step of continuous integration that docs/report.md shows does what it says.


CONFIG = """\
name: small
title: A small run
family: proportion
n: 5
methods: [wald, wilson]
truth: {uniform: [0, 1]}
trials: {per_size: 100}
seed: 1
figures: []
"""


def test_the_step_shows_what_was_found_and_keeps_the_page(tmp_path: Path) -> None:
    [shown] = [block for block in blocks("docs/report.md") if block.language == "yaml"]
    show, keep = yaml.safe_load(shown.text)
    (tmp_path / "my_config.yaml").write_text(CONFIG)
    python = Path(sys.executable).parent
    environment = {
        **os.environ,
        "GITHUB_STEP_SUMMARY": "summary.md",
        "PATH": f"{python}{os.pathsep}{os.environ['PATH']}",
    }
    subprocess.run(["sh", "-ec", show["run"]], check=True, cwd=tmp_path, env=environment)
    assert (tmp_path / "summary.md").read_text().startswith("### A small run\n")
    assert list(tmp_path.glob(keep["with"]["path"])) == [tmp_path / "results/small/report.html"]


# The page about results: its code in R reads the tables, and it names every file of a result.


RESULTS_PAGE = (ROOT / "docs/results.md").read_text("utf-8")


def test_every_file_of_a_result_is_on_the_page() -> None:
    files = (*TABLE_FILES, CONFIG_FILE, RUN_FILE, MANIFEST_FILE, JOURNAL_FILE, f"{FIGURES_FOLDER}/")
    for name in files:
        assert re.search(rf"^- `{re.escape(name)}`", RESULTS_PAGE, re.MULTILINE), name


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_the_summary_as_the_page_says(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```r\n(.*?)^```$", RESULTS_PAGE, re.DOTALL | re.MULTILINE)
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


# What a package index shows of the README has no relative links.


SETUP = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")
README = (ROOT / "README.md").read_text("utf-8")
WORKFLOW = {
    "GITHUB_SERVER_URL": "https://example.org",
    "GITHUB_REPOSITORY": "owner/name",
    "GITHUB_SHA": "abc",
}


@pytest.mark.parametrize("address", [None, "https://example.org/owner/name/raw/abc"])
def test_no_link_of_the_readme_is_relative_in_an_index(address: str | None) -> None:
    shown = SETUP["for_index"](README, address)
    outside_code = re.sub(r"^```.*?^```$", "", shown, flags=re.DOTALL | re.MULTILINE)
    assert not re.findall(r"\]\((?!https://)[^)]*\)", outside_code)
    assert ("](https://" in outside_code) == (address is not None)


def test_pictures_are_raw_files_and_pages_are_shown() -> None:
    text = "![a](results/a.png) and [b](docs/b.md), not [c](https://c)\n```\n[d](e)\n```\n"
    shown = SETUP["for_index"](text, "https://example.org/owner/name/raw/abc")
    assert shown == (
        "![a](https://example.org/owner/name/raw/abc/results/a.png) and "
        "[b](https://example.org/owner/name/blob/abc/docs/b.md), not [c](https://c)\n"
        "```\n[d](e)\n```\n"
    )
    assert SETUP["for_index"](text, None).startswith("*a* and b, not [c](https://c)\n```\n[d](e)")


def test_the_address_is_that_of_the_project_or_of_the_workflow() -> None:
    repository = SETUP["repository"]
    assert repository({}, {}) is None
    assert repository({}, WORKFLOW) == "https://example.org/owner/name/raw/abc"
    declared = {"urls": {"Repository": "https://example.org/declared/"}}
    assert repository(declared, {}) == "https://example.org/declared/raw/HEAD"


def test_the_citation_has_the_version_and_the_authors_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {harness.__version__}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
    for author in project["authors"]:
        assert f"\n  - name: {author['name']}\n" in citation


# The coverages that the README and the page on the choice of an interval quote are measured.


CHOICE_PAGE = (ROOT / "docs/which_interval.md").read_text("utf-8")


@pytest.mark.parametrize("folder", SIZES)
def test_a_table_of_the_page_has_the_numbers_of_the_results(folder: str) -> None:
    (section,) = (
        part for part in CHOICE_PAGE.split("\n### ") if f"`configs/{folder}.yaml`" in part
    )
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$", section, re.MULTILINE)
    assert len(rows) >= 5
    for method, mean, least, width in rows:
        assert (f"{mean} %", f"{least} %") == mean_and_least(folder, method)
        assert width == length(folder, method)


def rows_of_the_readme() -> list[tuple[str, ...]]:
    table = README.split("## Use this\n")[1].split("\n## ")[0]
    rows = [tuple(each.strip("| ").split(" | ")) for each in re.findall(r"^\|.*$", table, re.M)]
    return rows[2:]


def test_the_readme_advises_on_seven_kinds_of_data() -> None:
    assert [len(row) for row in rows_of_the_readme()] == [5] * 7


def test_the_advice_on_a_judge_has_the_coverage_that_is_drawn() -> None:
    _, advised, covers, _, falls_short = rows_of_the_readme()[6]
    known = {"share": 0.8, "sensitivity": 0.9, "specificity": 0.9}
    sizes = {"n": 500, "positives": 50, "negatives": 50}
    method: Any = advised.strip("`")
    drawn = harness.coverage("judged_share", method, **sizes, **known)
    assert covers == f"{100 * drawn.coverage:.1f} ± {100 * drawn.std_error:.1f} % at a share of 0.8"
    # The judge says yes to 74 % of cases.
    x = np.arange(501)
    wilson = harness.interval("proportion", "wilson", x=x, n=500)
    holds = (wilson.lower <= 0.8) & (wilson.upper >= 0.8)
    assert falls_short == f"{100 * binom.pmf(x, 500, 0.74)[holds].sum():.1f} %"


ADVICE = dict(zip(["catalogue", *RECOMMENDED_AT], [0, 1, 2, 5], strict=True))
"""The rows of the README whose numbers are exact, by the folder of the results."""


@pytest.mark.parametrize(("folder", "row"), ADVICE.items())
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


# The page on the metrics of a classifier quotes results, and one computation of its own.


CLASSIFIER_PAGE = (ROOT / "docs/classifier_metrics.md").read_text("utf-8")


def test_the_table_of_f1_has_the_numbers_of_the_results() -> None:
    folder = "classifier/f1_rare"
    section = CLASSIFIER_PAGE.partition(f"`configs/{folder}.yaml`")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", section, re.MULTILINE)
    assert len(rows) == 5
    for method, *quoted, width in rows:
        found = [
            summary(folder).filter(n=n, method=method).row(0, named=True) for n in (50, 200, 1000)
        ]
        measured = [
            f"{percent(1 - each['actual_alpha'])}, {percent(1 - each['worst_alpha'])}"
            for each in found
        ]
        assert quoted == [each.replace(" %", "") for each in measured]
        assert width == f"{found[0]['mean_length']:.3f}"


def test_the_methods_of_the_page_are_those_that_are_recommended() -> None:
    rows = re.findall(r"^\| `(\w+)`.* \| `(\w+)` \| (.*) \|$", CLASSIFIER_PAGE, re.MULTILINE)
    found = {
        family: (use, never.strip("`")) for family, use, never in rows if family in RECOMMENDED
    }
    known = {family: (RECOMMENDED[family].use, RECOMMENDED[family].never_above) for family in found}
    assert found == {name: (use, never or "none proven") for name, (use, never) in known.items()}
    assert set(found) == {each.name for each in CONFUSION_FAMILIES}


def test_intervals_of_informedness_cover_as_the_page_says() -> None:
    rows = summary("recommendation/informedness").filter(side="two-sided")
    mean, worst, other_mean, other_worst = (
        percent(1 - alpha)
        for name in ("mover_wilson", "delta_atanh")
        for alpha in rows.filter(method=name).select("mean_alpha", "worst_alpha").row(0)
    )
    assert f"`mover_wilson` covers {mean} or more on average and {worst} at the worst" in (
        CLASSIFIER_PAGE
    )
    assert f"`delta_atanh` {other_mean} and {other_worst}" in CLASSIFIER_PAGE


def test_feldman_cousins_is_as_much_shorter_as_the_readme_says() -> None:
    lengths = [
        exact_row("catalogue", each)["mean_length"]
        for each in ("feldman_cousins", "clopper_pearson")
    ]
    ratio = lengths[0] / lengths[1]
    assert f"{100 * (1 - ratio):.0f} % shorter than Clopper-Pearson at n = 100" in README
