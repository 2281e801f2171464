"""The configs that compare many intervals have the methods, and give the results, of the commit.

Results of the exact engines are computed again and agree to a relative 1e-9. Alpha errors, which
are differences of nearly equal numbers, agree to 1e-12 absolutely.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from polars.testing import assert_frame_equal

import harness
from harness.config.load import load_experiment
from harness.methods.catalogue import PROPORTION
from harness.methods.method import TWO_SIDED
from harness.tables.answers import ranking, recommendation

ROOT = Path(__file__).parent.parent
CONFIGS, REFERENCE = ROOT / "configs", ROOT / "results"
BROWN = ["brown2001/others", "brown2001/recommended"]
WHOLE = ["catalogue", "sixty_images"]

RELATIVE, ABSOLUTE_ERROR = 1e-9, 1e-12
ERRORS = {"alpha_error", "alpha_error_min", "alpha_error_max"}
# Lengths are sums of some fifty terms.
SUMMED = 1e-12
SMALL = [5, 50]


@cache
def exact(name: str) -> harness.Results:
    """The results of enumeration alone; of the catalogue at two sizes only."""
    document = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))
    for drawn in ("trials", "seed", "figures", "reference"):
        document.pop(drawn, None)
    document["engines"] = ["enumeration"]
    if name == "catalogue":
        document["n"] = SMALL
    return harness.run(document, out=None)


def committed(name: str) -> pl.DataFrame:
    """The committed rows that are computed again."""
    schema = exact(name).summary.schema
    stored = pl.read_csv(REFERENCE / name / "summary.csv", schema=schema)
    sizes = exact(name).summary["n"].unique().to_list()
    return stored.filter(pl.col("engine") == "enumeration", pl.col("n").is_in(sizes))


@pytest.mark.parametrize("name", WHOLE)
def test_the_catalogue_is_compared_as_a_whole(name: str) -> None:
    """Every deterministic two-sided interval, in the order of the catalogue."""
    methods = load_experiment(CONFIGS / f"{name}.yaml").methods
    expected = [
        label
        for label, method in PROPORTION.items()
        if method.deterministic and TWO_SIDED in method.sides
    ]
    assert [method.name for method in methods] == expected
    assert all(method.side == TWO_SIDED for method in methods)


@pytest.mark.parametrize("name", [*BROWN, *WHOLE])
def test_exact_results_are_as_committed(name: str) -> None:
    found, expected = exact(name).summary, committed(name)
    assert found.height == expected.height
    for column, kind in expected.schema.items():
        if kind != pl.Float64:
            assert found[column].equals(expected[column]), column
            continue
        a, b = (table[column].cast(pl.Float64).to_numpy() for table in (found, expected))
        absolute = ABSOLUTE_ERROR if column in ERRORS else 0.0
        np.testing.assert_allclose(a, b, rtol=RELATIVE, atol=absolute, err_msg=column)


@pytest.mark.parametrize("name", [*BROWN, *WHOLE])
def test_the_committed_ranking_is_that_of_the_committed_summary(name: str) -> None:
    folder = REFERENCE / name
    summary = pl.read_csv(folder / "summary.csv", schema=exact(name).summary.schema)
    expected = ranking(summary)
    assert expected is not None
    stored = pl.read_csv(folder / "ranking.csv", schema=expected.schema)
    assert_frame_equal(stored, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE_ERROR)


@pytest.mark.parametrize("name", [*BROWN, *WHOLE])
def test_the_committed_recommendation_is_that_of_the_committed_summary(name: str) -> None:
    folder = REFERENCE / name
    summary = pl.read_csv(folder / "summary.csv", schema=exact(name).summary.schema)
    expected = recommendation(summary)
    assert expected is not None
    stored = pl.read_csv(folder / "recommendation.csv", schema=expected.schema)
    assert_frame_equal(stored, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE_ERROR)


def over_truths(method: str, n: int, column: str) -> np.ndarray:
    name = BROWN[0] if "modified" in method else BROWN[1]
    cells = exact(name).cells.filter(
        pl.col("method") == method, pl.col("n") == n, pl.col("given") == "truth"
    )
    assert cells.height == 1999
    return cells[column].to_numpy()


@pytest.mark.parametrize("n", [10, 50])
def test_clopper_pearson_holds_its_alpha_at_every_truth(n: int) -> None:
    assert over_truths("clopper_pearson", n, "actual_alpha").max() <= 0.05


@pytest.mark.parametrize("n", [10, 50])
def test_agresti_coull_is_nowhere_shorter_than_wilson(n: int) -> None:
    """It has the same centre and is longer at every outcome at which it is not clipped."""
    longer, shorter = (over_truths(name, n, "length") for name in ("agresti_coull", "wilson"))
    assert (longer >= shorter * (1 - SUMMED)).all()


@pytest.mark.parametrize("n", [10, 50])
def test_the_modified_forms_raise_coverage_next_to_the_boundary(n: int) -> None:
    """There half a success is expected, or half a failure."""
    for name in ("wilson", "jeffreys"):
        plain, modified = (
            over_truths(method, n, "actual_alpha") for method in (name, f"{name}_modified")
        )
        near = 1000 // n
        for end in (slice(None, near), slice(-near, None)):
            assert plain[end].max() > 0.09
            assert modified[end].max() < 0.07
