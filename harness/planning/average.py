"""The weighted mean of the proportions of strata, as of the accuracies on several subjects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import unwrap
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import names_arguments, validate_choice, validate_number
from harness.base.errors import InputError
from harness.base.frames import Tabular
from harness.base.numerics.arrays import Floats
from harness.designs.lists import sums_at_truths, table_count
from harness.families.csv_rows import CsvTable, read_rows
from harness.families.data import validate_values
from harness.families.lists import counts_of_lists, list_of_numbers, refuse_empty, weighted_mean
from harness.methods.proportion.score import WEIGHTED, WeightedFormula, effective_size
from harness.planning.lists import SEED
from harness.planning.table_metrics import with_error

# Tables of counts that are enumerated; where there are more, tables are drawn, fewer of many
# strata, so that all of their counts are about 4·10⁶ at most.
_MOST_TABLES = 2**16
_TRIALS, _FEWEST, _COUNTS = 10_000, 400, 4_000_000


@dataclass(frozen=True, repr=False)
class Average(Tabular):
    """A weighted mean of proportions with its limits, and what these cover near the data."""

    estimate: float
    lower: float
    upper: float
    alpha: float
    method: str
    strata: int
    """How many strata there are; of cases with weights how many different weights."""
    cases: int
    effective_size: float
    """As many cases of equal weights have as much variance: (Σw)²/Σw² of weights of cases."""
    coverage: float
    """That at the proportions (x + p)/(n + 1) of the strata, p = (Σx + ½)/(Σn + 1)."""
    std_error: float | None
    """The standard error of the coverage; None where it is exact."""
    remarks: tuple[str, ...] = field(default=(), compare=False)
    """What is assumed, in sentences."""

    def record(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {name: value for name, value in vars(self).items() if name != "remarks"}

    def _columns(self) -> dict[str, Any]:
        return {name: [value] for name, value in self.record().items()}

    def _caption(self) -> str:
        return "A weighted mean of the proportions of strata"


@names_arguments
def average(
    x: npt.ArrayLike | None = None,
    n: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    *,
    rows: Any = None,
    correct: str | None = None,
    stratum: str | None = None,
    weight: str | None = None,
    method: str | None = None,
    alpha: float = 0.05,
) -> Average:
    """Compute the weighted mean of the proportions of strata, with an interval and its coverage.

    The accuracy of one system on several subjects, each of which counts as much, is the mean over
    subjects Σwp̂/Σw with equal weights. Strata count as independent, each with a proportion of its
    own. Of cases that have weights themselves, without strata, it is the Hájek mean Σwy/Σw, and
    cases of one weight are a stratum.

    Args:
        x: how many cases are right in each stratum.
        n: how many cases each stratum has, at least 1.
        weights: of the strata, above 0 and at most 10^100 times as large as another; by default all
            are equal.
        rows: in place of x and n a data frame, a mapping of columns, or the path of a CSV file, or
            of one of JSON lines or Parquet, with a row for each case.
        correct: the column with 1 or true where a case is right, else 0 or false.
        stratum: the column of the stratum of a case.
        weight: the column of the weight: that of the stratum, which all its cases have, or without
            strata that of the case.
        method: "wider_wilson", the default; "effective_wilson", Wilson's limits at the effective
            size; or "mover_wilson", from Wilson's limits of each stratum.
        alpha: the probability outside the interval, in both tails together; in (0, 1).

    Returns:
        The mean, its limits, and their coverage near the data: the sum over all tables, or where
        there are more than 65,536 the fraction of drawn ones, with its standard error and the seed
        2003.

    Raises:
        InputError: data are missing or out of range, a weight differs within a stratum, or there is
            no such method.

    Example:
        >>> import harness
        >>> harness.average([9, 45, 8], [10, 50, 20]).effective_size
        52.94...
        >>> cases = {"ok": [1, 1, 0, 1, 0, 1], "subject": ["a", "a", "a", "b", "b", "b"]}
        >>> found = harness.average(rows=cases, correct="ok", stratum="subject")
        >>> round(found.estimate, 4), round(found.lower, 4), round(found.upper, 4)
        (0.6667, 0.3, 0.9032)
    """
    validate_number("alpha", alpha)
    if not 0 < alpha < 1:
        raise InputError(f"alpha should be a number between 0 and 1, found {alpha:.15g}")
    name = next(iter(WEIGHTED)) if method is None else validate_choice("method", method, WEIGHTED)
    if rows is None:
        if x is None or n is None or (correct, stratum, weight) != (None, None, None):
            raise InputError(
                "average needs x and n, or rows with the names of its columns correct, stratum and "
                "weight"
            )
        counts: Sequence[Floats] = counts_of_lists(("x", "n"), {"x": x, "n": n}, _STRATUM)
        given = list_of_numbers(
            "weights", np.ones(np.shape(n)) if weights is None else weights, _STRATUM
        )
    else:
        if x is not None or n is not None or weights is not None or correct is None:
            raise InputError("rows needs correct, the name of a column, and no x, n and weights")
        *counts, given = _counted(read_rows(rows), correct, stratum, weight)
    right, size = counts
    if right.ndim != 1 or given.shape != size.shape:
        raise InputError(
            f"x, n and weights should be a list each, with a number for each {_STRATUM}, found the "
            f"shapes {right.shape}, {size.shape} and {given.shape}"
        )
    refuse_empty("n", size, _STRATUM)
    # Neither sums nor drawn tables depend on the order of the rows.
    order = np.lexsort((right, size, given))
    right, size, given = right[order], size[order], given[order]
    largest = given[-1]
    validate_values(
        given, ~((given > 0) & (given >= 1e-100 * largest)), "weights", "numbers above 0"
    )
    share = given / largest
    share = share / share.sum()
    formula = WEIGHTED[name]
    lower, upper = formula(right[np.newaxis], size[np.newaxis], share, alpha / 2.0)
    return Average(
        float(weighted_mean(share, right / size)),
        lower.item(),
        upper.item(),
        alpha,
        name,
        size.size,
        int(size.sum()),
        effective_size(size, share).item(),
        **_coverage(formula, right, size, share, alpha / 2.0),
        remarks=(_OF_CASES if stratum is None and rows is not None else _OF_STRATA,),
    )


_STRATUM = "stratum"
_OF_CASES = (
    "the mean is Σwy/Σw; weights are taken as known, and cases as independent, those of one weight "
    "with one proportion; effective_size is (Σw)²/Σw²"
)
_OF_STRATA = "strata are taken as independent, each with a proportion of its own and a known weight"


def averages(
    rows: Any,
    correct: str,
    by: Sequence[str],
    *,
    stratum: str | None,
    weight: str | None,
    **options: Any,
) -> list[tuple[dict[str, str], Average]]:
    """Return the average of each group of rows, with the values that tell it apart.

    Args:
        rows, correct, stratum, weight: as of ``average``.
        by: the columns of the groups; none for one of all rows.
        **options: the method and alpha of ``average``.

    Raises:
        InputError: as of ``average``.
    """
    table = read_rows(rows)
    given: Any = {"correct": correct, "stratum": stratum, "weight": weight, **options}
    return [
        (dict(zip(by, key, strict=True)), unwrap(average)(rows=table.at(places), **given))
        for key, places in table.groups(by).items()
    ]


def _counted(
    table: CsvTable, correct: str, stratum: str | None, weight: str | None
) -> tuple[Floats, Floats, Floats]:
    """The counts, sizes and weights of strata from cases."""
    if stratum is None and weight is None:
        raise InputError("--rows needs --stratum or --weight, the name of a column")
    right = np.array(table.right(correct, takes_positive=False), np.float64)
    weights = np.ones(right.size) if weight is None else np.array(table.finite(weight))
    labels: Sequence[Any] = weights.tolist() if stratum is None else table.keys(stratum, "stratum")
    places = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    of_rows = np.array([places[label] for label in labels])
    n = np.bincount(of_rows).astype(np.float64)
    x = np.bincount(of_rows, weights=right).astype(np.float64)
    own = np.zeros(n.size)
    own[of_rows] = weights
    if (differs := own[of_rows] != weights).any():
        row = int(differs.argmax())
        raise InputError(
            f"expected one weight in {weight} for {stratum} = {labels[row]}, found "
            f"{weights[row]:.15g} and {own[of_rows][row]:.15g}"
        )
    return x, n, own * n if stratum is None else own


def _coverage(
    formula: WeightedFormula, x: Floats, n: Floats, share: Floats, tail: float
) -> dict[str, Any]:
    """The coverage near the data, and its standard error if tables are drawn."""
    p = (x + (x.sum() + 0.5) / (n.sum() + 1.0)) / (n + 1.0)
    value = np.array([weighted_mean(share, p)])
    # A second sample of no cases makes the strata those of one.
    none = (0.0,) * n.size
    sizes, truths = (*n.tolist(), *none), [(*p.tolist(), *none)]
    if n.size <= math.log2(_MOST_TABLES) and table_count(sizes, truths) <= _MOST_TABLES:
        below, above, _ = sums_at_truths(
            lambda data: formula(data[0], data[1], share, tail), sizes, truths, value
        )
        return {"coverage": max(0.0, 1.0 - below.item() - above.item()), "std_error": None}
    trials = min(_TRIALS, max(_FEWEST, _COUNTS // n.size))
    drawn = np.random.default_rng(SEED).binomial(n.astype(np.int64), p, (trials, n.size))
    lower, upper = formula(drawn.astype(np.float64), n, share, tail)
    return with_error(int(((lower <= value) & (value <= upper)).sum()), trials)
