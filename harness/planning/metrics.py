"""All metrics of a classifier, from the classes of cases and those that are predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import names_arguments, quoted
from harness.base.errors import InputError
from harness.base.frames import Library, data_frame
from harness.base.text import enumerated
from harness.families.confusion import CELLS
from harness.families.csv_rows import RIGHT, read_rows
from harness.families.data import numbers, validate_values
from harness.planning.table_metrics import MOST_CLASSES, class_records, metric_records

_OUTCOMES = dict(zip(CELLS, ((1, 1), (0, 1), (1, 0), (0, 0)), strict=True))
"""The cells by whether a case is a positive, and is predicted to be."""
_KINDS = dict.fromkeys(("class", "metric", "method", "remark"), np.str_)
"""The columns of a data frame that are no numbers."""


@names_arguments
def metrics(
    y: Iterable[Any] | None = None,
    yhat: Iterable[Any] | None = None,
    score: npt.ArrayLike | None = None,
    *,
    rows: Any = None,
    truth: str | None = None,
    prediction: str | None = None,
    positive: Any = None,
    beta: float = 1.0,
    alpha: float = 0.05,
    library: Library = "polars",
) -> Any:
    """Compute the metrics of a classifier, each with an interval and its coverage.

    The interval is two-sided, of the method that is recommended for the metric. Its coverage is at
    the table whose cells have the probabilities (count + ½)/(n + 2): the exact sum over all tables,
    or where these are many, as large n has them, the fraction of drawn tables with its standard
    error. An AUC is no function of the cells, and has no coverage here.

    Of K > 2 classes without ``positive`` there are precision, recall and F score of each class
    against the rest; then "macro", their means over the classes, in which 0/0 counts as 0, with
    intervals of the delta method on the logit scale; and "micro", over the cases: the accuracy,
    which micro-averaged precision, recall and F1 are too. The coverages are fractions of drawn
    tables, whose cells have the probabilities (count + 1/K²)/(n + 1).

    Args:
        y: the class of each case, one of two labels or more; of a test set of one class the other
            label is that of yhat or ``positive``, or 0 of 1 and 1 of 0.
        yhat: the class that is predicted for it, in the same order and by the same labels.
        score: a finite score of each case, larger ones for positives; adds the AUC. With ``rows``
            the name of its column.
        rows: in place of y and yhat a data frame, a mapping of columns, or the path of a CSV file,
            or of one of JSON lines or Parquet, with a row for each case.
        truth: the column of the class.
        prediction: the column of the predicted class.
        positive: the label of positives; None for 1 or True. Of more than two labels it is that of
            the class whose metrics against the rest are computed.
        beta: adds the F score with this β to that of 1, where it is another; from 0.01 to 100.
        alpha: the probability outside each interval; in (0, 1).
        library: whose data frame it is: "polars", or "pandas" or "pyarrow" where installed.

    Returns:
        A row for each metric with the columns metric, estimate, lower, upper, method, coverage and
        std_error, which is missing where the coverage is exact. An estimate that is 0/0 is
        missing; its interval is the whole range where the data leave every value possible. Of
        several classes the first column is class.

    Raises:
        InputError: y has no label or more than 100, or yhat others; there is no second label; the
            lists differ in length; a score is not finite; there is no such label of positives, or
            no such column; beta or alpha is out of range.

    Example:
        >>> import harness
        >>> y, yhat = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
        >>> found = harness.metrics(y, yhat)
        >>> found.select("metric", "estimate", "upper").rows()[0]
        ('accuracy', 0.75, 0.94...)
        >>> animals = {"is": ["cat", "dog", "cow"] * 9, "said": ["cat", "dog", "dog"] * 9}
        >>> found = harness.metrics(rows=animals, truth="is", prediction="said")
        >>> found.filter(metric="f_score").select("class", "estimate").rows()[-1]
        ('macro', 0.555...)
    """
    if rows is None:
        if y is None or yhat is None or truth is not None or prediction is not None:
            raise InputError(
                "metrics needs y and yhat, or rows with the names of its columns truth and "
                "prediction"
            )
        records = metrics_of_cases(y, yhat, score, positive, beta, alpha)
    else:
        if y is not None or yhat is not None or truth is None or prediction is None:
            raise InputError(
                "rows needs truth and prediction, each the name of a column, and no y and yhat"
            )
        column: Any = score
        records = metrics_of_rows(rows, truth, prediction, column, positive, beta, alpha)
    columns_found = {
        name: np.array([record[name] for record in records], dtype=_KINDS.get(name, np.float64))
        for name in records[0]
    }
    return data_frame(columns_found, library)


def metrics_of_rows(
    rows: Any,
    truth: str,
    prediction: str,
    score: str | None,
    positive: Any,
    beta: float,
    alpha: float,
) -> list[dict[str, Any]]:
    """Return a record for each metric of rows, one for each case.

    Args:
        rows: as of ``metrics``.
        truth, prediction, score: names of columns, as ``y``, ``yhat`` and ``score`` of ``metrics``.
        positive, beta, alpha: as of ``metrics``. 1, 1.0 and true are one label, and so are 0, 0.0
            and false.

    Raises:
        InputError: as of ``metrics``; or rows cannot be read.
    """
    table = read_rows(rows)
    y, yhat = ([_label(text) for text in table.keys(name, "class")] for name in (truth, prediction))
    values = None if score is None else table.finite(score)
    label = None if positive is None else _label(str(positive))
    names = f"{table.file}: {truth}", f"{table.file}: {prediction}"
    return metrics_of_cases(y, yhat, values, label, beta, alpha, names)


def _label(text: str) -> str | int:
    return RIGHT.get(text.lower(), text)


def metrics_of_cases(
    y: Iterable[Any],
    yhat: Iterable[Any],
    score: npt.ArrayLike | None,
    positive: Any,
    beta: float,
    alpha: float,
    names: Sequence[str] = ("y", "yhat"),
) -> list[dict[str, Any]]:
    """Return a record for each metric of cases.

    Args:
        y, yhat, score, positive, beta, alpha: as of ``metrics``.
        names: those of y and yhat in messages.

    Raises:
        InputError: as of ``metrics``.
    """
    classes, predicted = _labels(names[0], y), _labels(names[1], yhat)
    labels, n = list(dict.fromkeys(classes)), len(classes)
    some = ", ".join(map(str, labels[:5])) + ", …" * (len(labels) > 5)
    if not 1 <= len(labels) <= MOST_CLASSES:
        clause = f"found {len(labels)}: {some}".removesuffix(": ")
        raise InputError(f"{names[0]} should have from one to {MOST_CLASSES} labels, {clause}")
    if len(labels) == 1:
        # The other class of a test set of one class may be predicted, named, or never be seen.
        labels = list(
            dict.fromkeys([*labels, *predicted, *([] if positive is None else [positive])])
        )
        labels += [1 - labels[0]] if labels in ([0], [1]) else []
        some = ", ".join(map(str, labels[:5]))
        if len(labels) != 2:
            raise InputError(
                f"{names[0]} and {names[1]} have the labels {some}: of one class there should be "
                "one other label, that is predicted or is positive"
            )
    several = len(labels) > 2
    every = f"{some if several else enumerated(map(str, labels))} of {names[0]}"
    label = 1 if positive is None else positive
    if label not in labels and not (several and positive is None):
        raise InputError(f"positive should be one of the labels {every}, found {quoted(positive)}")
    if len(predicted) != n:
        raise InputError(
            f"{names[1]} should have a label for each of {n} cases, found {len(predicted)}"
        )
    label_set = set(labels)
    others = list(dict.fromkeys(case for case in predicted if case not in label_set))
    # Of several classes a prediction may be of a further one, unless all are.
    if others and (not several or label_set.isdisjoint(predicted)):
        raise InputError(f"{names[1]} should have the labels {every}, found {others[0]}")
    if several and positive is None:
        if score is not None:
            raise InputError(
                f"score needs positive, the class whose cases should have larger ones, of the "
                f"labels {every}"
            )
        order = _in_order([*labels, *others])
        if len(order) > MOST_CLASSES:
            raise InputError(
                f"{names[1]} should have at most {MOST_CLASSES} labels with those of {names[0]}, "
                f"found {len(order)}"
            )
        places = {class_label: place for place, class_label in enumerate(order)}
        table = np.zeros((len(order), len(order)))
        rows, columns = ([places[case] for case in column] for column in (classes, predicted))
        np.add.at(table, (rows, columns), 1.0)
        return class_records(table, order, beta, alpha)
    actual = np.array([case == label for case in classes])
    counts = Counter(zip(actual.tolist(), [case == label for case in predicted], strict=True))
    cells = {name: counts[key] for name, key in _OUTCOMES.items()}
    if score is None:
        return metric_records(cells, None, beta, alpha)
    values = numbers("score", score, "a finite number")
    if values.shape != (n,):
        raise InputError(f"score should have a number for each of {n} cases, found {values.shape}")
    validate_values(values, ~np.isfinite(values), "score", "a finite number")
    return metric_records(cells, (values[actual], values[~actual]), beta, alpha)


def _in_order(labels: Sequence[Any]) -> list[Any]:
    """Labels in the order of their numbers where all are numbers, or else of their texts."""
    try:
        return sorted(labels, key=float)
    except (TypeError, ValueError):
        return sorted(labels, key=str)


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
