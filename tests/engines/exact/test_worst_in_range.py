"""The table at which a method misses most often lies in the range of the true values."""

import pytest

import harness
from harness.families.confusion import CELLS

TRUTH = {"prevalence": [0.05], "sensitivity": [0.6, 0.95], "specificity": [0.9, 0.99]}


@pytest.mark.parametrize("family", ["precision", "recall", "npv", "f_score", "jaccard"])
def test_the_worst_table_of_a_box_lies_in_it(family):
    # Wald's interval collapses without hits, which no true value of this range makes likely.
    config = {"name": "box", "family": family, "n": [12, 30], "methods": ["wald"], "truth": TRUTH}
    results = harness.run({**config, "engines": ["enumeration"], "figures": []}, out=None)
    listed = results.cells.filter(given="truth", engine="enumeration")
    for row in results.summary.filter(engine="enumeration").iter_rows(named=True):
        for cell in CELLS:
            low, high = row[f"worst_from_{cell}"], row[f"worst_to_{cell}"]
            assert low - 1e-12 <= row[f"worst_truth_{cell}"] <= high + 1e-12
        missed = listed.filter(n=row["n"])["actual_alpha"]
        assert row["worst_alpha"] >= missed.max() - 1e-12
