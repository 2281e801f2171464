"""The two tables and the manifest of a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from harness.agreement import LEVEL
from harness.designs.precision import fraction_interval, standard_error
from harness.kinds.calibration.engine import BinTally, CalibrationDesign, chi_squared
from harness.kinds.calibration.experiment import CALIBRATION
from harness.runner.storage import manifest_of
from harness.tables.columns import (
    CELLS,
    SUMMARY,
    TableKind,
    columns_of,
    tables_of,
)

TABLES = tables_of(CALIBRATION)


def calibration_cells(design: CalibrationDesign, tallies: Sequence[BinTally]) -> pl.DataFrame:
    """The table of cells: a row per reference × bin, in that order.

    The fraction of an empty bin and all that follows from it are empty.
    """
    tables = []
    schema = columns_of(TABLES[CELLS], TableKind(design.family))
    for reference, tally in zip(design.references, tallies, strict=True):
        cells: dict[str, Any] = {
            "family": [design.family.name] * design.bins,
            "reference": [reference] * design.bins,
            "bin": np.arange(1, design.bins + 1),
            "bin_lower": design.edges[:-1],
            "bin_upper": design.edges[1:],
            "trials": tally.trials,
            "true": tally.true,
        }
        used = tally.trials > 0
        trials, true = tally.trials[used], tally.true[used]
        lower, upper = fraction_interval(true, trials)
        of_used = {
            "mean_probability": tally.probability[used] / trials,
            "fraction": true / trials,
            "std_error": standard_error(true, trials),
            "ci_lower": lower,
            "ci_upper": upper,
        }
        for name, values in of_used.items():
            cells[name] = np.full(used.size, np.nan)
            cells[name][used] = values
        tables.append(pl.DataFrame(cells, schema=schema, nan_to_null=True))
    return pl.concat(tables, rechunk=True)


def calibration_summary(design: CalibrationDesign, tallies: Sequence[BinTally]) -> pl.DataFrame:
    """The summary: a row per reference."""
    rows = []
    for reference, tally in zip(design.references, tallies, strict=True):
        trials, test = int(tally.trials.sum()), chi_squared(tally)
        rows.append(
            {
                "family": design.family.name,
                "reference": reference,
                "trials": trials,
                "mean_probability": float(tally.probability.sum() / trials),
                "fraction": float(tally.true.sum() / trials),
                "chi_squared": None if test is None else test.statistic,
                "degrees_of_freedom": None if test is None else test.degrees_of_freedom,
                "p_value": None if test is None else test.p_value,
            }
        )
    return pl.DataFrame(rows, schema=columns_of(TABLES[SUMMARY], TableKind(design.family)))


def calibration_manifest(document: Mapping[str, Any], summary: pl.DataFrame) -> dict[str, Any]:
    """Return the content of manifest.json.

    The last reference is the posterior that the truths imply, which is always calibrated unless
    the harness is wrong. The posterior under a prior need not be calibrated.
    """
    references = [
        {key: value for key, value in row.items() if key != "family"}
        for row in summary.iter_rows(named=True)
    ]
    p_value = references[-1]["p_value"]
    content = {
        "trials": {"total": references[0]["trials"]},
        "calibration": {
            "checked": p_value is not None,
            "agrees": p_value is None or p_value >= LEVEL,
            "level": LEVEL,
            "references": references,
        },
    }
    return manifest_of(document, {}, content)
