"""The coverage and the length of a method, as the stored results have them."""

from functools import cache
from pathlib import Path

import polars as pl

import harness

ROOT = Path(harness.__file__).parents[1]

SIZES: dict[str, dict[str, float]] = {
    "catalogue": {"n": 100},
    "paired": {"n": 40},
}
"""The size that the pages quote, by the folder of the results; exact values by enumeration."""

RECOMMENDED_AT: dict[str, dict[str, float]] = {
    "recommendation/proportion_difference": {"n1": 40, "n2": 40},
    "recommendation/paired_difference": {"n": 40},
    "classifier/f1_rare": {"n": 50},
}
"""The size at which the README quotes a recommended method."""


@cache
def summary(folder: str, file: str = "summary") -> pl.DataFrame:
    return pl.read_csv(ROOT / "results" / folder / f"{file}.csv", infer_schema_length=None)


def exact_row(folder: str, method: str) -> dict[str, float]:
    """The row of the exact values of a method at the size that the pages quote.

    Of a recommendation it is under the flat truth.
    """
    table = summary(folder)
    if folder.startswith("recommendation/"):
        table = summary(folder, "truths").filter(truth="flat", side="two-sided", alpha=0.05)
    table = table.filter(
        pl.col("engine") == "enumeration",
        pl.col("method") == method,
        *(pl.col(size) == value for size, value in (SIZES | RECOMMENDED_AT)[folder].items()),
    )
    return table.row(0, named=True)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def mean_and_least(folder: str, method: str) -> tuple[str, str]:
    """Coverage in per cent: the mean over the truths, and the least.

    The least is over the range of the truths where the worst case was sought there, and else over
    the listed truths.
    """
    row = exact_row(folder, method)
    worst = row["worst_alpha"]
    least = worst if worst is not None else row["alpha"] - row["alpha_error_min"]
    return percent(1 - row["actual_alpha"]), percent(1 - least)


def length(folder: str, method: str) -> str:
    return f"{exact_row(folder, method)['mean_length']:.3f}"
