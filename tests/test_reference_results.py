"""The configs of Ross (2003) still give the committed results, and show what the paper claims.

Every summary is computed anew from its config. What no draw enters agrees to a relative 1e-9, and
alpha errors, differences of nearly equal numbers, to 1e-12 absolutely; counts agree exactly, as
long as NumPy's generators draw as they did.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import harness

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs" / "ross2003").glob("*.yaml"))
REFERENCE = ROOT / "results" / "ross2003"
NAMES = [config.stem for config in CONFIGS]

RELATIVE, ABSOLUTE_ERROR = 1e-9, 1e-12
ERRORS = {"alpha_error", "alpha_error_min", "alpha_error_max"}


@cache
def fresh(name: str) -> harness.Results:
    return harness.run(ROOT / "configs" / "ross2003" / f"{name}.yaml", out=None)


def reference(name: str) -> pl.DataFrame:
    schema = fresh(name).summary.schema
    return pl.read_csv(REFERENCE / name / "summary.csv", schema=schema)


def method(table: pl.DataFrame, label: str) -> pl.DataFrame:
    return table.filter(pl.col("method") == label)


def test_the_pack_holds_the_figures_of_the_paper() -> None:
    proportions = ["fig03", "fig04-left", "fig05", "fig06", "fig07", "fig09", "fig10"]
    rates = ["fig04-right", "fig08", "fig11"]
    assert sorted([*proportions, *rates, "fig12-proportions", "fig12-rates"]) == NAMES


def differing(name: str, drawn: bool) -> list[str]:
    """Columns in which the rows that are drawn, or those that are not, are not as committed."""
    found, expected = fresh(name).summary, reference(name)
    assert found.height == expected.height
    rows = expected["trials"].is_not_null() == drawn
    found, expected = found.filter(rows), expected.filter(rows)
    columns = []
    for column, kind in expected.schema.items():
        if kind != pl.Float64:
            if not found[column].equals(expected[column]):
                columns.append(column)
            continue
        a, b = (table[column].cast(pl.Float64).to_numpy() for table in (found, expected))
        absolute = ABSOLUTE_ERROR if column in ERRORS else 0.0
        if not np.isclose(a, b, rtol=RELATIVE, atol=absolute, equal_nan=True).all():
            columns.append(column)
    return columns


MANIFESTS = sorted(ROOT.glob("results/**/manifest.json"))


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_the_engines_of_a_committed_result_agree(file: Path) -> None:
    manifest = json.loads(file.read_text(encoding="utf-8"))
    assert manifest.get("agreement", {}).get("agrees") is not False
    assert manifest.get("identity", {}).get("holds") is not False


@pytest.mark.parametrize("name", NAMES)
def test_what_no_draw_enters_is_as_committed(name: str) -> None:
    assert differing(name, drawn=False) == []


@pytest.mark.parametrize("name", ["fig03", "fig04-left"])
def test_what_is_drawn_is_exactly_as_committed(name: str) -> None:
    committed = json.loads((REFERENCE / name / "manifest.json").read_text(encoding="utf-8"))
    found = fresh(name).manifest
    assert found["content_hash"] == committed["content_hash"]
    assert found["trials"] == committed["trials"]
    counts = [[row["misses"] for row in each["overall"]] for each in (found, committed)]
    if counts[0] != counts[1] or differing(name, drawn=True):
        here, there = found["versions"]["numpy"], committed["versions"]["numpy"]
        why = f"drawn here by NumPy {here}, committed from draws by NumPy {there}"
        if here != there:
            pytest.skip(f"another NumPy may draw other binomials: {why}")
        pytest.fail(f"misses {counts[0]}, committed {counts[1]}; {why}")


def test_fig03_has_the_trials_of_the_paper_and_its_engines_agree() -> None:
    manifest = fresh("fig03").manifest
    assert manifest["trials"]["total"] == 567_900
    assert manifest["trials"]["by_size"]["1000"] == 300 * 1001
    assert manifest["agreement"]["agrees"]
    assert manifest["identity"]["holds"]


def test_posterior_methods_have_an_alpha_error_below_1e_12() -> None:
    error = fresh("fig05").cells["alpha_error"].to_numpy()
    assert error.size == 5 * (2 + 3 + 4 + 5 + 7 + 11 + 17 + 14 * 21)
    assert np.abs(error).max() <= 1e-12


def test_clopper_pearson_is_never_short_of_alpha() -> None:
    error = fresh("fig06").cells["alpha_error"]
    assert 0.0011 < error.min() < 0.0012  # type: ignore[operator]
    assert round(float(error.max()), 4) == 0.0494  # type: ignore[arg-type]


def test_wald_has_an_alpha_error_of_minus_095_where_its_interval_has_no_width() -> None:
    cells = fresh("fig07").cells
    flat = cells.filter(pl.col("length") == 0)
    assert flat.height == 2 * 21
    assert np.allclose(flat["alpha_error"].to_numpy(), -0.95, rtol=0, atol=1e-12)
    assert cells["alpha_error"].min() == pytest.approx(-0.95, abs=1e-12)


def test_clopper_pearson_is_half_a_per_cent_to_34_per_cent_longer_than_minimal_length() -> None:
    cells = fresh("fig10").cells
    shortest = method(cells, "minimal_length")["length"].to_numpy()
    longer = 100 * (method(cells, "clopper_pearson")["length"].to_numpy() / shortest - 1)
    assert 0.5 < longer.min() < 0.6
    assert 34.0 < longer.max() < 34.5


def test_no_interval_of_the_same_alpha_is_shorter_than_minimal_length() -> None:
    cells = fresh("fig09").cells
    shortest = method(cells, "minimal_length")["length"].to_numpy()
    for other in ("balanced_width", "balanced_tail"):
        assert (method(cells, other)["length"].to_numpy() >= shortest * (1 - 1e-12)).all()
