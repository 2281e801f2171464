"""The content of the tables of a calibration, from a tally made by hand."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from harness.distributions.truths import PairTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.kinds.calibration.engine import BinTally, CalibrationDesign
from harness.kinds.calibration.run import (
    calibration_cells,
    calibration_manifest,
    calibration_summary,
)
from harness.kinds.calibration.show import calibration_screen
from harness.methods.catalogue import PROPORTION
from harness.tables.columns import (
    TableKind,
    columns_of,
)
from harness.tables.results import Results

DESIGN = CalibrationDesign(
    family=family_of("proportion_difference"),
    sizes=((1.0, 9.0), (20.0, 20.0)),
    truth=PairTruth(UniformTruth(0.0, 1.0), UniformTruth(0.0, 0.5)),
    delta=(-0.5, 0.4),
    prior=(1.0, 1.0),
    bins=4,
)
SURE = BinTally(np.array([3, 0, 0, 5]), np.array([0, 0, 0, 5]), np.zeros(4), np.zeros(4))
TALLY = BinTally(
    np.array([400, 0, 100, 1000]),
    np.array([30, 0, 60, 990]),
    np.array([32.0, 0.0, 61.5, 985.0]),
    np.array([28.0, 0.0, 23.0, 14.5]),
)
DOCUMENT = {
    "name": "by/hand",
    "title": "By [hand]",
    "kind": "calibration",
    "family": DESIGN.family.name,
    "seed": 3,
    "execution": {"jobs": 2},
}


def results(*tallies: BinTally) -> Results:
    design = DESIGN
    if len(tallies) == 1:
        design = replace(DESIGN, truth=PairTruth(DESIGN.truth.first, DESIGN.truth.first))
    summary = calibration_summary(design, tallies)
    cells = calibration_cells(design, tallies)
    return Results(cells, summary, calibration_manifest(DOCUMENT, summary))


def test_columns_and_their_order_are_those_of_the_schema():
    found = results(SURE, TALLY)
    kind = TableKind("proportion_difference")
    assert dict(found.cells.schema) == columns_of("calibration_cells", kind)
    assert dict(found.summary.schema) == columns_of("calibration_summary", kind)
    assert found.cells.n_chunks() == 1


def test_a_row_per_reference_and_bin():
    cells = results(SURE, TALLY).cells
    assert cells["reference"].to_list() == ["prior"] * 4 + ["truth"] * 4
    assert cells["bin"].to_list() == [1, 2, 3, 4] * 2
    assert cells["bin_lower"].to_list() == [0, 0.25, 0.5, 0.75] * 2
    assert cells["bin_upper"].to_list() == [0.25, 0.5, 0.75, 1] * 2
    assert set(cells["family"]) == {"proportion_difference"}


def test_fractions_stand_beside_their_errors():
    rows = results(TALLY).cells.filter(pl.col("trials") > 0)
    trials, true = np.array([400, 100, 1000]), np.array([30, 60, 990])
    assert rows["trials"].to_list() == trials.tolist()
    assert rows["true"].to_list() == true.tolist()
    assert rows["mean_probability"].to_list() == [0.08, 0.615, 0.985]
    assert rows["fraction"].to_list() == (true / trials).tolist()
    expected = np.sqrt(true / trials * (1 - true / trials) / trials)
    np.testing.assert_allclose(rows["std_error"], expected, rtol=1e-12)
    lower, upper = PROPORTION["minimal_length"].limits((true * 1.0, trials * 1.0), 0.05)
    np.testing.assert_allclose(rows["ci_lower"], lower, rtol=1e-13)
    np.testing.assert_allclose(rows["ci_upper"], upper, rtol=1e-13)


def test_an_empty_bin_is_kept_and_says_nothing():
    (row,) = results(TALLY).cells.filter(pl.col("bin") == 2).to_dicts()
    assert (row["trials"], row["true"]) == (0, 0)
    unknown = ("mean_probability", "fraction", "std_error", "ci_lower", "ci_upper")
    assert [row[name] for name in unknown] == [None] * 5


def test_no_value_is_not_a_number_or_minus_zero():
    for column in results(SURE, TALLY).cells.select(pl.col(pl.Float64)):
        values = column.drop_nulls().to_numpy()
        assert np.isfinite(values).all()
        assert not np.signbit(values).any()


def test_the_summary_is_of_all_trials():
    (row,) = results(TALLY).summary.to_dicts()
    assert row["trials"] == 1500
    assert row["mean_probability"] == pytest.approx(1078.5 / 1500, rel=1e-15)
    assert row["fraction"] == 1080 / 1500
    expected = 2**2 / 28 + 1.5**2 / 23 + 5**2 / 14.5
    assert row["chi_squared"] == pytest.approx(expected, rel=1e-12)
    assert row["degrees_of_freedom"] == 3


def test_where_nothing_is_in_doubt_there_is_no_test_and_no_disagreement():
    found = results(SURE)
    (row,) = found.summary.to_dicts()
    assert [row[name] for name in ("chi_squared", "degrees_of_freedom", "p_value")] == [None] * 3
    assert found.manifest["calibration"]["agrees"]
    assert not found.manifest["calibration"]["checked"]


def test_the_manifest_holds_what_is_stable():
    manifest = results(SURE, TALLY).manifest
    assert (manifest["name"], manifest["kind"], manifest["seed"]) == ("by/hand", "calibration", 3)
    assert manifest["trials"] == {"total": 8}
    assert "execution" not in manifest["experiment"]
    references = manifest["calibration"]["references"]
    assert [row["reference"] for row in references] == ["prior", "truth"]
    assert references[1]["fraction"] == 1080 / 1500


def shown(found: Results) -> str:
    console = Console(width=100, no_color=True)
    with console.capture() as captured:
        for each in calibration_screen(found):
            console.print(each)
    return captured.get()


def test_a_person_reads_a_line_per_bin_and_a_sentence_per_reference():
    text = shown(results(SURE, TALLY))
    assert text.startswith("By [hand]\n")
    assert "p1 − p2 ≥ delta: how often, by its probability under the prior" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    row = results(TALLY).cells.row(0, named=True)
    assert f"0 … 0.25 400 0.0800 0.0750 ({row['ci_lower']:.4f}, {row['ci_upper']:.4f})" in lines
    assert "0.25 … 0.5 0" in lines
    assert "Not tested under the prior: too few uncertain trials." in text
    assert "Calibrated under the truths' own distribution: chi-squared 2.0 on 3" in text


def test_what_is_not_calibrated_is_said():
    off = replace(TALLY, true=TALLY.true + np.array([60, 0, 20, 0]))
    text = shown(results(TALLY, off))
    assert "Calibrated under the prior: " in text
    assert "Not calibrated under the truths' own distribution: chi-squared" in text
    assert not results(TALLY, off).manifest["calibration"]["agrees"]
    # A prior that is not the truths' own may well be off.
    assert results(off, TALLY).manifest["calibration"]["agrees"]
