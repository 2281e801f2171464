"""The metrics of a classifier: functions of its confusion table.

The cells are tp, fp, fn and tn, as counts or as probabilities, in arrays of one shape or such that
broadcast. A metric is not a number (NaN) where it is 0/0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.base.numerics.special import DoubleDouble

Metric = Callable[[Sequence[Floats]], Floats]
"""cells -> the metric, in the shape that the cells broadcast to."""


def precision(cells: Sequence[Floats]) -> Floats:
    """Return tp/(tp + fp), the positive predictive value.

    >>> precision([np.array([3.0, 0.0]), np.array([1.0, 0.0]), np.zeros(2), np.ones(2)])
    array([0.75,  nan])
    """
    tp, fp, _, _ = cells
    return _quotient(tp, tp + fp)


def recall(cells: Sequence[Floats]) -> Floats:
    """Return tp/(tp + fn), the sensitivity."""
    tp, _, fn, _ = cells
    return _quotient(tp, tp + fn)


def specificity(cells: Sequence[Floats]) -> Floats:
    """Return tn/(tn + fp)."""
    _, fp, _, tn = cells
    return _quotient(tn, tn + fp)


def npv(cells: Sequence[Floats]) -> Floats:
    """Return tn/(tn + fn), the negative predictive value."""
    _, _, fn, tn = cells
    return _quotient(tn, tn + fn)


def f_score(cells: Sequence[Floats], beta: float = 1.0) -> Floats:
    """Return F = (1 + β²) tp/((1 + β²) tp + β² fn + fp).

    The harmonic mean of precision and recall, in which recall has β² times the weight. 0/0 without
    tp, fp and fn; where tp alone is 0 it is 0, also where precision or recall is 0/0.
    """
    tp, fp, fn, _ = cells
    hits = (1.0 + beta * beta) * tp
    return _quotient(hits, hits + (beta * beta * fn + fp))


def jaccard(cells: Sequence[Floats]) -> Floats:
    """Return tp/(tp + fp + fn), which is F/(2 − F) of the F score with β = 1."""
    tp, fp, fn, _ = cells
    return _quotient(tp, tp + (fp + fn))


def mcc(cells: Sequence[Floats]) -> Floats:
    """Return (tp tn − fp fn)/√((tp + fp)(tp + fn)(tn + fp)(tn + fn)), Matthews' correlation, or φ.

    Computed as the geometric mean of tp/(tp + fn) − fp/(fp + tn) and tp/(tp + fp) − fn/(fn + tn),
    with the sign that both have: exactly 1 without errors, and exactly −1 with errors only.
    """
    tp, fp, fn, tn = cells
    product = _determinant(cells)
    of_classes = _quotient(product, (tp + fn) * (fp + tn))
    of_predictions = _quotient(product, (tp + fp) * (fn + tn))
    return np.asarray(np.sign(product) * np.sqrt(of_classes * of_predictions))


def kappa(cells: Sequence[Floats]) -> Floats:
    """Return 2 (tp tn − fp fn)/((tp + fp)(fp + tn) + (tp + fn)(fn + tn)), Cohen's kappa.

    The same as (a − c)/(1 − c), a the share of cases that are predicted right and c its value where
    predictions are independent of classes.
    """
    tp, fp, fn, tn = cells
    whole = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    # (fp² + fn²)/2 may round to below fp·fn.
    return np.maximum(_quotient(2.0 * _determinant(cells), whole), -1.0)


def informedness(cells: Sequence[Floats]) -> Floats:
    """Return tp/(tp + fn) + tn/(tn + fp) − 1, Youden's index."""
    tp, fp, fn, tn = cells
    return _quotient(_determinant(cells), (tp + fn) * (fp + tn))


def _determinant(cells: Sequence[Floats]) -> Floats:
    """tp tn − fp fn: exact products are subtracted, since nearly equal ones would cancel."""
    tp, fp, fn, tn = cells
    right = DoubleDouble(tp, np.zeros_like(tp)).times(tn)
    wrong = DoubleDouble(fp, np.zeros_like(fp)).times(fn)
    return np.asarray((right.high - wrong.high) + (right.low - wrong.low))


def _quotient(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(part / whole)
