"""The table at which a method misses most often lies in the range of the true values."""

from typing import Any

import pytest

import harness
from harness.families.catalogue import family_of

RATES = {"prevalence": [0.05], "sensitivity": [0.6, 0.95], "specificity": [0.9, 0.99]}
CELLS = {
    "first_only": {"values": [0.1, 0.3]},
    "second_only": {"values": [0.05, 0.1]},
    "both": {"values": [0.4, 0.5]},
}
CASES = [
    *((family, "wald", RATES) for family in ("precision", "recall", "npv", "f_score", "jaccard")),
    ("informedness", "delta", RATES),
    ("paired_difference", "wald", CELLS),
    ("paired_difference", "tango", CELLS),
]


@pytest.mark.parametrize(("family", "method", "truth"), CASES)
def test_the_worst_table_of_a_box_lies_in_it(family: str, method: str, truth: Any) -> None:
    # Wald's interval collapses without hits, which no true value of this range makes likely.
    config = {"name": "box", "family": family, "n": [12], "methods": [method], "truth": truth}
    results = harness.run({**config, "engines": ["enumeration"], "figures": []}, out=None)
    (row,) = results.summary.filter(engine="enumeration").iter_rows(named=True)
    for symbol in family_of(family).truths:
        cell = symbol.removeprefix("truth_")
        low, high = row[f"worst_from_{cell}"], row[f"worst_to_{cell}"]
        assert low - 1e-12 <= row[f"worst_truth_{cell}"] <= high + 1e-12
    listed = results.cells.filter(given="truth", engine="enumeration")
    assert row["worst_alpha"] >= listed["actual_alpha"].max() - 1e-12
