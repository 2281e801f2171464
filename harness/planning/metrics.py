"""All metrics of a classifier from one confusion table: estimates, intervals and their coverage."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.base.frames import Library, data_frame
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.catalogue import listed_scenarios, with_settings
from harness.designs.confusion import MOST_TABLES
from harness.designs.engines.solver import solver_of
from harness.designs.pairs.design import LARGEST_WITH_BOTH
from harness.families.catalogue import family_of
from harness.families.confusion import BETA, CELLS
from harness.families.csv_rows import RIGHT, read_table
from harness.families.data import numbers, validate_values
from harness.families.family import Family
from harness.families.paired import validated_table
from harness.methods.catalogue import default_method
from harness.methods.method import TWO_SIDED
from harness.one.file_rows import score_column
from harness.one.result import interval_of
from harness.planning.coverage import coverage
from harness.planning.lists import SEED

_OUTCOMES = dict(zip(CELLS, ((1, 1), (0, 1), (1, 0), (0, 0)), strict=True))
"""The cells by whether a case is a positive, and is predicted to be."""
_KINDS = {"metric": np.str_, "method": np.str_}
"""The columns of a data frame that are no numbers."""
_CLOSED = frozenset({"Wald", "score", "transform", "inequality", "MOVER"})
"""The categories of methods, of those that are defaults of a metric, that take a second for
millions of limits."""
# The most tables that are enumerated, and how many are drawn where there are more. Either takes
# about a second at most. The numbers depend on no clock, so that results are the same anywhere.
_EFFORT_CLOSED = MOST_TABLES, 20_000
_EFFORT_WHOLE_TABLE = 1_000, 1_000
_EFFORT = 40_000, 10_000


def metrics(
    y: Iterable[Any],
    yhat: Iterable[Any],
    score: npt.ArrayLike | None = None,
    *,
    positive: Any = None,
    beta: float = 1.0,
    alpha: float = 0.05,
    library: Library = "polars",
) -> Any:
    """Compute the metrics of a classifier of two classes, each with an interval and its coverage.

    The interval is two-sided, of the method that is recommended for the metric. Its coverage is at
    the table whose cells have the probabilities (count + ½)/(n + 2): the exact sum over all tables,
    or where these are many, as large n has them, the fraction of drawn tables with its standard
    error. An AUC is no function of the cells, and has no coverage here.

    Args:
        y: the class of each case, one of two labels.
        yhat: the class that is predicted for it, in the same order and by the same labels.
        score: a finite score of each case, larger ones for positives; adds the AUC.
        positive: the label of positives; None for 1 or True.
        beta: adds the F score with this β to that of 1, where it is another; from 0.01 to 100.
        alpha: the probability outside each interval; in (0, 1).
        library: whose data frame it is: "polars", or "pandas" or "pyarrow" where installed.

    Returns:
        A row for each metric with the columns metric, estimate, lower, upper, method, coverage and
        std_error, which is missing where the coverage is exact. An estimate that is 0/0 is
        missing; its interval is the whole range where the data leave every value possible.

    Raises:
        InputError: y has not two labels, or yhat others; the lists differ in length; a score is not
            finite; there is no such label of positives; beta or alpha is out of range.

    Example:
        >>> import harness
        >>> y, yhat = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
        >>> found = harness.metrics(y, yhat)
        >>> found.select("metric", "estimate", "upper").rows()[0]
        ('accuracy', 0.75, 0.94...)
    """
    records = metric_records(*_counted(y, yhat, score, positive), beta, alpha)
    columns = {
        name: np.array([record[name] for record in records], dtype=_KINDS.get(name, np.float64))
        for name in records[0]
    }
    return data_frame(columns, library)


def metrics_of_file(
    file: Path,
    truth: str,
    prediction: str,
    score: str | None,
    positive: str | None,
    beta: float,
    alpha: float,
) -> list[dict[str, Any]]:
    """Return a record for each metric of a CSV file with a row for each case.

    Args:
        file: as of ``read_table``.
        truth, prediction, score: names of columns, as ``y``, ``yhat`` and ``score`` of ``metrics``.
        positive, beta, alpha: as of ``metrics``. 1, 1.0 and true are one label, and so are 0, 0.0
            and false.

    Raises:
        InputError: as of ``metrics``; or the file cannot be read, or has no such column.
    """
    table = read_table(file, None)
    y, yhat = ([_label(text) for text in table.keys(name, "class")] for name in (truth, prediction))
    values = None if score is None else score_column(table, score)
    label = None if positive is None else _label(positive)
    names = f"{file}: {truth}", f"{file}: {prediction}"
    return metric_records(*_counted(y, yhat, values, label, names), beta, alpha)


def _label(text: str) -> str | int:
    return RIGHT.get(text.lower(), text)


def _counted(
    y: Iterable[Any],
    yhat: Iterable[Any],
    score: npt.ArrayLike | None,
    positive: Any,
    names: Sequence[str] = ("y", "yhat"),
) -> tuple[dict[str, int], tuple[Floats, Floats] | None]:
    """Return the counts of the table, and the scores of positives and of negatives.

    Args:
        y, yhat, score, positive: as of ``metrics``.
        names: those of y and yhat in messages.
    """
    classes, predicted = _labels(names[0], y), _labels(names[1], yhat)
    labels, n = list(dict.fromkeys(classes)), len(classes)
    if len(labels) != 2:
        some = ", ".join(map(str, labels[:5])) + ", …" * (len(labels) > 5)
        raise InputError(f"{names[0]} should have two labels, found {len(labels)}: {some}")
    both = f"{enumerated(map(str, labels))} of {names[0]}"
    label = 1 if positive is None else positive
    if label not in labels:
        raise InputError(f"positive should be one of the labels {both}, found {quoted(positive)}")
    if len(predicted) != n:
        raise InputError(
            f"{names[1]} should have a label for each of {n} cases, found {len(predicted)}"
        )
    others = [other for other in predicted if other not in labels]
    if others:
        raise InputError(f"{names[1]} should have the labels {both}, found {others[0]}")
    actual = np.array([case == label for case in classes])
    counts = Counter(zip(actual.tolist(), [case == label for case in predicted], strict=True))
    cells = {name: counts[key] for name, key in _OUTCOMES.items()}
    if score is None:
        return cells, None
    values = numbers("score", score, "a finite number")
    if values.shape != (n,):
        raise InputError(f"score should have a number for each of {n} cases, found {values.shape}")
    validate_values(values, ~np.isfinite(values), "score", "a finite number")
    return cells, (values[actual], values[~actual])


def _labels(name: str, values: Iterable[Any]) -> list[Any]:
    """The labels in a list, none of which is missing."""
    try:
        labels = list(values)
        are_labels = not any(label is None or bool(label != label) for label in set(labels))
    except TypeError:
        are_labels = False
    if not are_labels:
        raise InputError(
            f"{name} should be a list or an array with a label for each case, found "
            f"{quoted(values)}"
        )
    return labels


def metric_records(
    cells: Mapping[str, npt.ArrayLike],
    scores: tuple[Floats, Floats] | None,
    beta: float,
    alpha: float,
) -> list[dict[str, Any]]:
    """Return a record for each metric of a confusion table, with None where a value is missing.

    Args:
        cells: the counts tp, fp, fn and tn by name.
        scores: those of positives and of negatives, for the AUC; None without one.
        beta, alpha: as of ``metrics``.

    Raises:
        InputError: a count is missing or no whole number from 0 to 10^9, a class has no cases, or
            beta or alpha is out of range.
    """
    counts = np.array(validated_table("metrics", CELLS, cells))
    tp, fp, fn, tn = counts
    for whole, what in ((tp + fn, "positives (tp + fn)"), (fp + tn, "negatives (fp + tn)")):
        if whole == 0:
            raise InputError(f"the number of {what} should be at least 1, found 0")
    shares = ("proportion", "precision", "recall", "specificity", "npv", "f_score")
    others = ("jaccard", "mcc", "kappa", "informedness")
    of_beta = with_settings("f_score", {BETA: beta})
    families = [*map(family_of, shares), of_beta, *map(family_of, others)]
    records = [
        _record(family, _data(family, counts), alpha) | _coverage(family, counts, alpha)
        for family in dict.fromkeys(families)
    ]
    if scores is not None:
        records.append(
            _record(family_of("auc"), scores, alpha) | {"coverage": None, "std_error": None}
        )
    return records


def _data(family: Family, tables: Floats) -> Sequence[Floats]:
    """The data of the family, shape (…,) each, in tables of shape (4, …)."""
    if family.has_single_count:
        return tables[0] + tables[3], tables.sum(axis=0)
    return tuple(tables)


def _record(family: Family, data: Sequence[Floats], alpha: float) -> dict[str, Any]:
    given: Any = dict(zip(family.data, data, strict=True))
    interval = interval_of(family, None, given, alpha=alpha)
    return {
        "metric": "accuracy" if family.has_single_count else family.name,
        "estimate": None if np.isnan(interval.estimate) else interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "method": interval.method,
    }


def _coverage(family: Family, counts: Floats, alpha: float) -> dict[str, Any]:
    """The coverage of the default method near the counts, and the standard error if drawn."""
    method, n = default_method(family, TWO_SIDED), int(counts.sum())
    cells = (counts + 0.5) / (n + 2.0)
    free = [cells[0] + cells[3]] if family.has_single_count else cells[:3]
    truths = family.all_truths([np.array([value]) for value in free])
    of_whole_table = family.as_pairs is not None and method.uses_both
    most, trials = _EFFORT_WHOLE_TABLE if of_whole_table else _EFFORT
    if method.category in _CLOSED:
        most, trials = _EFFORT_CLOSED
    count = math.inf
    if not of_whole_table or n <= LARGEST_WITH_BOTH:
        scenario, *_ = next(listed_scenarios(family, [n], truths, with_both=method.uses_both))
        count = solver_of(scenario).possible_count()
    if count <= most:
        given: Any = dict(zip(family.free_symbols, free, strict=True))
        given |= {**family.settings, "alpha": alpha, "n": n}
        exact = coverage(cast(Any, family.public_name), cast(Any, method.name), **given)
        return {"coverage": exact.coverage, "std_error": None}
    drawn = np.random.default_rng(SEED).multinomial(n, cells, size=trials)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    lower, upper = method.limits(tuple(_data(family, tables.T.astype(np.float64))), alpha)
    value = family.parameter_at(truths)
    covered = int(times[(lower <= value) & (value <= upper)].sum())
    # The error is above 0 where every table is covered, or none, which is no exact 1 or 0.
    near = (covered + 1) / (trials + 2)
    return {"coverage": covered / trials, "std_error": math.sqrt(near * (1 - near) / trials)}
