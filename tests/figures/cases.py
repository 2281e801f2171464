"""One of every figure, and the awkward ones: many outcomes, many methods, long labels, blanks."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from tests.figures.tables import FakeResults, Spec, outcome_cells, surface_cells, truth_cells

DECADES = tuple(sorted({round(10 ** (i / 5)) for i in range(21)}))
"""The paper's sizes: 21 from 1 to 10,000, equally spaced in log n."""
LONG = "my own interval with a name that goes on and on for $ever$ and_a_day"


def renamed(cells: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    return cells.with_columns(pl.col("method").replace(names))


def many(cells: pl.DataFrame, count: int) -> pl.DataFrame:
    """The same method under many labels."""
    return pl.concat([cells.with_columns(method=pl.lit(f"method_{i}")) for i in range(count)])


def _by_chance() -> pl.DataFrame:
    """Monte Carlo cells in which the outcome 0 never came up."""
    cells = [outcome_cells(n, ["balanced_tail"]) for n in (10, 20, 50)]
    simulated = pl.concat(cells).filter(pl.col("engine") == "monte_carlo")
    return simulated.filter(pl.col("x") != 0)


CASES: dict[str, Callable[[], tuple[FakeResults, Spec]]] = {
    "few outcomes": lambda: (
        FakeResults(outcome_cells(5, ["wald"])),
        Spec("alpha_by_outcome"),
    ),
    "paper's outcomes": lambda: (
        FakeResults(outcome_cells(100, ["clopper_pearson"])),
        Spec("alpha_by_outcome", {"n": 100}),
    ),
    "many outcomes": lambda: (
        FakeResults(outcome_cells(1000, ["balanced_tail"])),
        Spec("alpha_by_outcome"),
    ),
    "long label by outcome": lambda: (
        FakeResults(renamed(outcome_cells(20, ["wald"]), {"wald": LONG})),
        Spec("alpha_by_outcome"),
    ),
    "surface cut at the scale": lambda: (
        FakeResults(surface_cells(DECADES, ["wald"])),
        Spec("alpha_surface"),
    ),
    "surface of rounding errors": lambda: (
        FakeResults(surface_cells(DECADES, ["balanced_tail"])),
        Spec("alpha_surface"),
    ),
    "surface of few sizes": lambda: (
        FakeResults(
            renamed(
                surface_cells((20, 50), ["clopper_pearson"], fractions=5),
                {"clopper_pearson": LONG},
            )
        ),
        Spec("alpha_surface", {"fractions": 5}),
    ),
    "surface with blanks": lambda: (
        FakeResults(_by_chance()),
        Spec("alpha_surface", {"engine": "monte_carlo", "fractions": 11}),
    ),
    "surface too fine for values": lambda: (
        FakeResults(surface_cells((50, 100, 1000), ["clopper_pearson"], fractions=51)),
        Spec("alpha_surface", {"fractions": 51}),
    ),
    "lengths": lambda: (
        FakeResults(surface_cells(DECADES, ["wald", "balanced_tail"])),
        Spec("length_surface", {"reference": "balanced_tail"}),
    ),
    "lengths over one without length": lambda: (
        FakeResults(surface_cells((10, 100, 1000), ["wald", "balanced_tail"])),
        Spec("length_surface", {"reference": "wald"}),
    ),
    "coverage": lambda: (
        FakeResults(truth_cells(50, ["wald", "clopper_pearson", "balanced_tail"])),
        Spec("coverage_curve"),
    ),
    "coverage of one method": lambda: (
        FakeResults(renamed(truth_cells(50, ["wald"]), {"wald": LONG})),
        Spec("coverage_curve", {"lowest": 0}),
    ),
    "coverage of many methods": lambda: (
        FakeResults(many(truth_cells(30, ["wald"], count=29), 9)),
        Spec("coverage_curve"),
    ),
    "expected length": lambda: (
        FakeResults(truth_cells(50, ["wald", "clopper_pearson", "balanced_tail"])),
        Spec("length_curve"),
    ),
    "expected length of many methods": lambda: (
        FakeResults(renamed(many(truth_cells(30, ["wald"], count=29), 9), {"method_4": LONG})),
        Spec("length_curve"),
    ),
}
