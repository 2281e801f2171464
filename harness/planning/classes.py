"""The metrics of a classifier of several classes: one class against the rest, and averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

from harness.base.numerics.arrays import Floats
from harness.base.text import first_few
from harness.catalogue import with_settings
from harness.families.catalogue import family_of
from harness.families.confusion import BETA
from harness.families.family import Family
from harness.planning.lists import SEED
from harness.planning.table_metrics import (
    REMARK,
    completed,
    data_of,
    drawn_coverage,
    record_of,
    with_error,
)

MACRO, MICRO = "macro", "micro"
"""What the averages have in place of a class: over the classes, and over the cases."""
MOST_CLASSES = 100
_DELTA = "delta_logit"
_MISSES = (
    "of so few cases a class, or so few errors, the interval misses more than twice as often as "
    "alpha in tables that are drawn from the one here: its coverage says how often"
)
# Tables that are drawn, fewer of many classes, so that all of their cells are about 10⁷ at most.
_TRIALS, _FEWEST, _CELLS = 10_000, 1_000, 10**7


def class_records(
    table: Floats, labels: Sequence[Any], beta: float, alpha: float
) -> list[dict[str, Any]]:
    """Return a record for each metric of each class against the rest, then for each average.

    Args:
        table: how many cases of each class are predicted to be of each, shape (K, K), with the true
            class first.
        labels: the K classes.
        beta, alpha: as of ``harness.metrics``.

    Raises:
        InputError: beta or alpha is out of range.
    """
    count, n = len(labels), table.sum()
    of_beta = with_settings("f_score", {BETA: beta})
    names, ends = ("precision", "recall", "f_score"), (0.0, 1.0, 0.5)
    shares = dict(zip(map(family_of, names), ends, strict=True))
    shares[of_beta] = beta**2 / (1.0 + beta**2)
    smooth = smoothed(table)
    probability = smooth / smooth.sum()
    trials = min(_TRIALS, max(_FEWEST, _CELLS // count**2))
    generator = np.random.default_rng(SEED)
    drawn = generator.multinomial(n, probability.ravel(), trials).reshape(trials, count, count)
    tables = drawn.astype(np.float64)

    def record(label: Any, family: Family, place: int | None) -> dict[str, Any]:
        """The record of a class, or without its place of the accuracy."""
        observed, simulated, truth = (
            np.array(_against_the_rest(cells, place)) for cells in (table, tables, probability)
        )
        found = record_of(family, data_of(family, observed), alpha)
        value = family.estimate(tuple(each[np.newaxis] for each in data_of(family, truth)))
        coverages = drawn_coverage(family, simulated, value, alpha)
        return {"class": str(label)} | completed(found, coverages)

    def average(family: Family, share: float) -> dict[str, Any]:
        """The record of the mean over the classes."""
        estimate, lower, upper = macro_limits(table[np.newaxis], share, alpha)
        _, low, high = macro_limits(tables, share, alpha)
        value = macro_average(probability, share)
        covered = int(((low <= value) & (value <= high)).sum())
        numbers = {"estimate": estimate.item(), "lower": lower.item(), "upper": upper.item()}
        coverage = with_error(covered, trials)
        is_low = coverage["coverage"] + 2.0 * coverage["std_error"] < 1.0 - 2.0 * alpha
        named = {"class": MACRO, "metric": family.name, **numbers, "method": _DELTA}
        return completed({**named, REMARK: _MISSES if is_low else ""}, coverage)

    records = [
        record(label, family, place) for place, label in enumerate(labels) for family in shares
    ]
    averages = [average(family, share) for family, share in shares.items()]
    return [*records, *averages, record(MICRO, family_of("proportion"), None)]


def remarks_on_classes(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what the rows of several classes are, and which classes no case is of."""
    if "class" not in records[0]:
        return
    empty = [
        record["class"]
        for record in records
        if record["metric"] == "recall" and record["estimate"] is None
    ]
    yield (
        f"{MACRO} is the mean over the classes, and {MICRO} the accuracy, which micro-averaged "
        "precision, recall and F1 are too; coverages are of tables that are drawn with the seed "
        f"{SEED}"
    )
    if empty:
        yield (
            f"no case is of {first_few(empty)}, which are predicted alone: their scores count as 0 "
            f"in {MACRO}"
        )


def _against_the_rest(tables: Floats, place: int | None) -> Sequence[Floats]:
    """The cells tp, fp, fn and tn of a class, or those that are right and wrong of all."""
    right, whole = np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1))
    if place is None:
        zero = np.zeros_like(whole)
        return right, whole - right, zero, zero
    tp = tables[..., place, place]
    fp, fn = tables[..., place].sum(axis=-1) - tp, tables[..., place, :].sum(axis=-1) - tp
    return tp, fp, fn, whole - tp - fp - fn


def smoothed(tables: Floats) -> Floats:
    """Return tables with 1/K² of a case more in each cell: one case in all.

    With the ½ of Jeffreys' prior, K²/2 cases in all, averages of many classes move so far to 1/K
    that their intervals miss nearly always.
    """
    return np.asarray(tables + 1.0 / tables.shape[-1] ** 2)


def _scores(tables: Floats, share: float) -> tuple[Floats, Floats]:
    """tₖₖ/sₖ and sₖ = w tₖ₊ + (1 − w) t₊ₖ of each class; 0 where sₖ is 0."""
    whole = share * tables.sum(axis=-1) + (1.0 - share) * tables.sum(axis=-2)
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    return np.asarray(right / np.where(whole > 0, whole, 1.0)), whole


def macro_average(tables: Floats, share: float) -> Floats:
    """Return the mean over the classes of tₖₖ/(w tₖ₊ + (1 − w) t₊ₖ), 0 for a class of 0/0.

    It is macro precision for w = 0, macro recall for w = 1, and the mean of the F scores of the
    classes for w = β²/(1 + β²), ½ of F1.

    Args:
        tables: counts or probabilities, shape (…, K, K), with the true class first.
        share: w, in [0, 1].

    >>> round(float(macro_average(np.array([[8.0, 2.0], [1.0, 9.0]]), 1.0)), 3)
    0.85
    """
    scores, _ = _scores(tables, share)
    return np.asarray(scores.mean(axis=-1))


def macro_limits(tables: Floats, share: float, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return a macro average with the limits of the delta method on the logit scale.

    The limits are expit(logit(m) ± z se/(m(1 − m))), with the average m and se² = Σ p g²/(n + 1) at
    the ``smoothed`` table, p its probabilities and g the derivative of m by them: with
    fₖ = tₖₖ/sₖ of the class k, K gᵢⱼ = [i = j]/sᵢ − w fᵢ/sᵢ − (1 − w) fⱼ/sⱼ. They are widened to
    hold the estimate, which is of the table itself.

    Args:
        tables: counts, shape (m, K, K), with the true class first.
        share: w, as of ``macro_average``.
        alpha: the probability outside, in (0, 1).

    Returns:
        The estimate and both limits, shape (m,) each.
    """
    estimate, count = macro_average(tables, share), tables.shape[-1]
    whole = smoothed(tables)
    total = whole.sum(axis=(-2, -1))
    p = whole / total[:, np.newaxis, np.newaxis]
    scores, sums = _scores(p, share)
    fall = scores / sums
    slope = np.eye(count) / sums[:, np.newaxis] - share * fall[:, :, np.newaxis]
    slope -= (1.0 - share) * fall[:, np.newaxis, :]
    error = np.sqrt((p * slope**2).sum(axis=(-2, -1)) / total) / count
    mean = scores.mean(axis=-1)
    delta = -float(ndtri(alpha / 2.0)) * error / (mean * (1.0 - mean))
    lower, upper = expit(logit(mean) - delta), expit(logit(mean) + delta)
    return estimate, np.minimum(lower, estimate), np.maximum(upper, estimate)
