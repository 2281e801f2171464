"""The delta method for a confusion table: the variance of a metric, and limits on three scales.

Every metric is homogeneous of degree 0 in the counts k, so that Σ k ∂/∂k = 0, and the multinomial
variance ∇'(diag(p) − p p')∇/n at the observed fractions p = k/n is a sum without subtraction:

    V = Σ k (∂/∂k)².

The derivatives too are written such that what is known to be positive is a sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats
from harness.families.family import Data
from harness.families.metrics import Metric
from harness.methods.method import LimitPair


def delta(metric: Metric, variance: Metric, lowest: float, data: Data, tail: float) -> LimitPair:
    """t ± z √V, clipped to the range, with t the estimate and V its delta variance Σ k (∂t/∂k)².

    k are the four counts, and z is the upper ``tail`` point of the standard normal. Of no width
    where V = 0, as at an estimate at an end of the range, so that truths next to it are missed with
    certainty; the whole range where the estimate is 0/0.
    """
    estimate, deviation = _estimated(metric, variance, data, tail)
    lower, upper = np.clip((estimate - deviation, estimate + deviation), lowest, 1.0)
    return _where(~np.isnan(estimate), lower, upper, lowest)


def delta_logit(hits: float, missed: float, data: Data, tail: float) -> LimitPair:
    """Limits of logit t at logit t ± z √(1/tp + (fp + w² fn)/(fp + w fn)²), by the delta method.

    w is β² for an F score, and 1 for a Jaccard index; z is the upper ``tail`` point of the standard
    normal. Inside (0, 1), but for an estimate of 0 or 1, or 0/0, where it is the whole range.

    Takahashi, Yamamoto, Kuchiba and Koyama (2022), Appl. Intell. 52, 4961–4972, for the variance.
    """
    tp, fp, fn, _ = data
    right, wrong = hits * tp, fp + missed * fn
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(1.0 / tp + (fp + missed * missed * fn) / wrong / wrong)
        factor = np.exp(-float(ndtri(tail)) * deviation)
        lower, upper = right / (right + wrong * factor), right / (right + wrong / factor)
    return _where((right > 0) & (wrong > 0), lower, upper, 0.0)


def delta_atanh(metric: Metric, variance: Metric, data: Data, tail: float) -> LimitPair:
    """tanh(atanh t ± z √V/(1 − t²)), with t the estimate and V its delta variance Σ k (∂t/∂k)².

    k are the four counts, and z is the upper ``tail`` point of the standard normal. Inside (−1, 1),
    but for an estimate of −1 or 1, or 0/0, where it is the whole range. Of no width where V = 0
    inside.
    """
    estimate, deviation = _estimated(metric, variance, data, tail)
    inside = np.abs(estimate) < 1.0
    estimate, deviation = np.where(inside, (estimate, deviation), 0.0)
    centre, apart = np.arctanh(estimate), deviation / ((1.0 - estimate) * (1.0 + estimate))
    return _where(inside, np.tanh(centre - apart), np.tanh(centre + apart), -1.0)


def _estimated(metric: Metric, variance: Metric, data: Data, tail: float) -> tuple[Floats, Floats]:
    """The estimate t and z √V."""
    with np.errstate(invalid="ignore"):
        return metric(data), -float(ndtri(tail)) * np.sqrt(variance(data))


def _where(defined: Bools, lower: Floats, upper: Floats, lowest: float) -> LimitPair:
    return np.where(defined, lower, lowest), np.where(defined, upper, 1.0)


def hits_variance(hits: float, missed: float, cells: Sequence[Floats]) -> Floats:
    """V = (h² tp (1 − t)² + (fp + w² fn) t²)/d² of t = h tp/d, d = h tp + w fn + fp.

    h = 1 + β² and w = β² for an F score, h = w = 1 for a Jaccard index.

    Takahashi, Yamamoto, Kuchiba and Koyama (2022), Appl. Intell. 52, 4961–4972, for the delta
    method for F scores, of several classes; Lam, Gopal and Qian (2023), arXiv 2309.14621, compare
    it with others for two.
    """
    tp, fp, fn, _ = cells
    right, wrong = hits * tp, fp + missed * fn
    whole = right + wrong
    of_right, of_wrong = hits * wrong / whole / whole, right / whole / whole
    return np.asarray(tp * of_right**2 + (fp + missed * missed * fn) * of_wrong**2)


def mcc_variance(cells: Sequence[Floats]) -> Floats:
    """V = Σ k (∂φ/∂k)² of φ = (tp tn − fp fn)/r, r² the product of the four margins.

    ∂φ/∂tp = ((fp + fn)(tp tn + fp fn) + 2 fp fn (tp + tn))/(2 r (tp + fp)(tp + fn)), and likewise
    for the other cells: φ changes its sign where columns are swapped.

    Itaya, Tamura, Hayashi and Yamamoto (2025), Stat. Med. 44, e10303.
    """
    tp, fp, fn, tn = cells
    root = np.sqrt((tp + fp) * (fn + tn)) * np.sqrt((tp + fn) * (fp + tn))
    diagonal = tp * _change(tp, fp, fn, tn) ** 2 + tn * _change(tn, fp, fn, tp) ** 2
    beside = fp * _change(fp, tp, tn, fn) ** 2 + fn * _change(fn, tp, tn, fp) ** 2
    return np.asarray((diagonal + beside) / root / root)


def _change(cell: Floats, first: Floats, second: Floats, opposite: Floats) -> Floats:
    """r |∂φ/∂k| for k = ``cell``, from the cells in its row and column and the opposite one."""
    both = first * second
    part = (first + second) * (cell * opposite + both) + 2.0 * both * (cell + opposite)
    return part / (2.0 * (cell + first) * (cell + second))


def kappa_variance(cells: Sequence[Floats]) -> Floats:
    """V = Σ k (∂κ/∂k)² of κ = 2 (tp tn − fp fn)/q, q = (tp + fp)(fp + tn) + (tp + fn)(fn + tn).

    With e = fp + fn, ∂κ/∂tp = 2 e (tn + fp)(tn + fn)/q², the same with tp for tn in ∂κ/∂tn, and
    ∂κ/∂fp = −2 ((tp tn + fn²)(tp + tn) + 2 tp tn e + fn (fn − fp) e)/q², fn and fp swapped in
    ∂κ/∂fn. 0 where all cases, or all predictions, are of one class.

    Fleiss, Cohen and Everitt (1969), Psychol. Bull. 72, 323–327.
    """
    tp, fp, fn, tn = cells
    errors, right, product = fp + fn, tp + tn, tp * tn
    whole = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    twice = 2.0 * product * errors
    of_tp, of_tn = errors * (tn + fp) * (tn + fn), errors * (tp + fp) * (tp + fn)
    of_fp = (product + fn * fn) * right + twice + fn * (fn - fp) * errors
    of_fn = (product + fp * fp) * right + twice + fp * (fp - fn) * errors
    parts = zip((tp, tn, fp, fn), (of_tp, of_tn, of_fp, of_fn), strict=True)
    return np.asarray(sum(count * (2.0 * part / whole / whole) ** 2 for count, part in parts))


def informedness_variance(cells: Sequence[Floats]) -> Floats:
    """V = tp fn/(tp + fn)³ + fp tn/(fp + tn)³: that of two independent proportions.

    0 where each class is predicted alike throughout.

    Youden (1950), Cancer 3, 32–35, for the index.
    """
    tp, fp, fn, tn = cells
    positives, negatives = tp + fn, fp + tn
    of_recall = tp / positives * (fn / positives) / positives
    return np.asarray(of_recall + fp / negatives * (tn / negatives) / negatives)
