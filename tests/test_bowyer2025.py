"""The page on Bowyer and others (2025) says what stored results say, as the configs give them."""

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

import harness

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "bowyer2025"
PAGE = (ROOT / "docs" / "bowyer2025.md").read_text("utf-8")
SIZES = ("n", "n1", "clusters")


@cache
def stored(name: str) -> pl.DataFrame:
    """The rows at alpha 0.05, one for each method and size: exact where there are such."""
    table = pl.read_csv(RESULTS / name / "summary.csv", infer_schema_length=None)
    table = table.filter(pl.col("alpha") == 0.05, pl.col("engine") != "posterior")
    size = next(column for column in SIZES if column in table.columns)
    table = table.with_columns(at=pl.col(size)).sort("engine")
    return table.unique(["method", "at"], keep="first", maintain_order=True).sort("at")


def coverage(name: str, method: str, at: int | None = None) -> list[float]:
    """The coverage in per cent on average over the truths, at each size or at one."""
    rows = stored(name).filter(method=method)
    rows = rows if at is None else rows.filter(at=at)
    return [round(100 * (1 - alpha), 1) for alpha in rows["actual_alpha"]]


def lowest(name: str, method: str, at: int) -> float:
    """The lowest coverage in per cent: over the range of truths, of clusters at those listed."""
    if name != "clustered_fixed":
        rows = stored(name).filter(method=method, at=at)
        return round(100 * (1 - float(rows["worst_alpha"].item())), 1)
    cells = pl.read_parquet(RESULTS / name / "cells.parquet").filter(method=method, clusters=at)
    assert cells.height == 12
    assert np.nanmax(cells["std_error"].to_numpy()) < 0.007
    return round(100 * (1 - float(cells["actual_alpha"].to_numpy().max())), 1)


def listed(values: list[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


def row(beginning: str) -> list[str]:
    """The cells of the only row of a table with this beginning."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| {beginning}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(
    ("setting", "drawn", "fixed", "methods"),
    [
        ("independent", "independent", "independent_fixed", "wald balanced_tail minimal_length"),
        ("two systems", "difference", "difference_map", "wald balanced_tail agresti_caffo"),
        ("same questions", "paired", "paired_fixed", "wald balanced_tail balanced_width"),
        ("clusters", "clustered", "clustered_fixed", "cluster_wald Bayes korn_graubard"),
        ("F1", "f1", "f1_fixed", "delta balanced_tail scas"),
    ],
)
def test_a_setting_has_the_stored_coverages(setting, drawn, fixed, methods) -> None:
    at = 20 if setting == "clusters" else 30
    clt, bayes, default = methods.split()
    found = []
    for method in (clt, bayes):
        found += [*coverage(drawn, method, at), lowest(fixed, method, at)]
    found.append(lowest(fixed, default, at))
    assert row(setting)[1:6] == [f"{value:.1f}" for value in found]


def test_claims_have_the_stored_numbers_and_the_verdicts_that_follow() -> None:
    clt = coverage("independent", "wald")
    here = f"on average {listed(clt)} % at n = 3, 10, 30, 100, 300"
    assert row("CLT too short below")[1:] == [here, "holds"]
    assert max(clt[:4]) < 94
    at_most = lowest("independent_fixed", "wald", 3000)
    assert row("CLT right")[1:] == [f"{at_most:.1f} % at the lowest at n = 3000", "holds"]
    assert at_most > 93
    bootstrap = coverage("independent", "bootstrap_percentile")
    assert row("Bootstrap")[1:] == [f"on average {listed(bootstrap)} %", "holds"]
    assert np.abs(np.subtract(bootstrap, clt)).max() < 1
    exact = min(lowest("independent", "clopper_pearson", n) for n in (3, 10, 30, 100, 300))
    wilson = [lowest("independent_fixed", "wilson", n) for n in (10, 30, 100)]
    here = f"Clopper-Pearson never below {exact:.1f} %; Wilson at the lowest {listed(wilson)} %"
    assert row("Wilson, ")[1:] == [f"{here} at n = 10, 30, 100", "holds in part"]
    few = coverage("clustered", "cluster_wald")
    here = f"on average {listed(few)} % with 2, 6, 20, 60"
    assert row("CLT too short for few")[1:] == [here, "holds"]


def test_claims_on_bayesian_intervals_depend_on_the_prior() -> None:
    average = coverage("independent", "balanced_tail")
    assert set(average) == {95.0}
    worst = [lowest("independent_fixed", "balanced_tail", n) for n in (10, 30, 100)]
    here = f"95.0 % on average; at the lowest {listed(worst)} % at n = 10, 30, 100"
    assert row("Bayes calibrated")[1:] == [here, "depends on the prior"]
    assert lowest("independent", "balanced_tail", 30) == 0.0
    average = coverage("clustered", "Bayes")
    worst = [lowest("clustered_fixed", "Bayes", clusters) for clusters in (2, 6, 20, 60)]
    here = f"on average {listed(average)} %; at the lowest {listed(worst)} %"
    assert row("Clustered Bayes")[1:] == [here, "depends on the prior"]


@pytest.mark.parametrize("name", ["independent_good", "paired_fixed"])
def test_what_no_draw_enters_is_as_committed(name: str) -> None:
    config = yaml.safe_load((ROOT / "configs" / "bowyer2025" / f"{name}.yaml").read_text("utf-8"))
    found = harness.run(config | {"n": [3, 10]}, out=None).summary
    expected = pl.read_csv(RESULTS / name / "summary.csv", schema=found.schema)
    expected = expected.filter(pl.col("n") <= 10)
    for column in ("actual_alpha", "worst_alpha", "mean_length"):
        a, b = found[column].to_numpy(), expected[column].to_numpy()
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=column)
