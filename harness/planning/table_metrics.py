"""The metrics of a confusion table, of two classes or more: estimates, intervals and coverage.

Of several classes each is held against the rest, and averages follow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtri

from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated, first_few
from harness.base.underway import underway
from harness.catalogue import listed_scenarios, with_settings
from harness.designs.confusion import MOST_TABLES
from harness.designs.engines.solver import solver_of
from harness.designs.pairs.design import LARGEST_WITH_BOTH
from harness.families.catalogue import family_of
from harness.families.confusion import BETA, CELLS
from harness.families.family import Family
from harness.families.paired import validated_table
from harness.methods.catalogue import default_method
from harness.methods.method import TWO_SIDED
from harness.one.data_remarks import remark_on_sizes
from harness.one.remarks import Remarks
from harness.one.result import interval_of, limits_text
from harness.one.rows import IntervalSetting, MethodIntervals, Row
from harness.planning.coverage import coverage
from harness.planning.lists import SEED

REMARK = "remark"
"""The column of what to know of an interval before use; empty where there is nothing."""
_CLOSED = frozenset({"Wald", "score", "transform", "inequality", "MOVER"})
"""The categories of methods, of those that are defaults of a metric, that take a second for
millions of limits."""
# The most tables that are enumerated, and how many are drawn where there are more. Either takes
# about a second at most. The numbers depend on no clock, so that results are the same anywhere.
_EFFORT_CLOSED = MOST_TABLES, 20_000
_EFFORT_WHOLE_TABLE = 1_000, 1_000
_EFFORT = 40_000, 10_000


def metric_records(
    cells: Mapping[str, npt.ArrayLike],
    scores: tuple[Floats, Floats] | None,
    beta: float,
    alpha: float,
) -> list[dict[str, Any]]:
    """Return a record for each metric of a confusion table, with None where a value is missing.

    Args:
        cells: the counts tp, fp, fn and tn by name; without tn the metrics that need it are left
            out, and so is the coverage.
        scores: those of positives and of negatives, for the AUC; None without one.
        beta, alpha: as of ``metrics``.

    Raises:
        InputError: a count is missing or no whole number from 0 to 10^9, or beta or alpha is out
            of range.
    """
    has_tn = CELLS[-1] in cells
    # The metrics without tn are those of any number of it, as their intervals are.
    lacks_tn_alone = not has_tn and cells.keys() >= {*CELLS[:-1]}
    given = {**cells, CELLS[-1]: 0} if lacks_tn_alone else cells
    counts = np.array(validated_table("metrics", CELLS, given))
    shares = ("proportion", "precision", "recall", "specificity", "npv", "f_score")
    others = ("jaccard", "mcc", "kappa", "informedness")
    of_beta = with_settings("f_score", {BETA: beta})
    families = [*map(family_of, shares), of_beta, *map(family_of, others)]
    distinct, records = list(dict.fromkeys(families)), list[dict[str, Any]]()
    if not has_tn:
        estimates = [
            family.estimate(tuple(data_of(family, _FEW_AND_MANY_TN))) for family in distinct
        ]
        distinct = [
            family for family, (few, many) in zip(distinct, estimates, strict=True) if few == many
        ]
    with underway(lambda: f"computing coverage: {len(records)} of {len(distinct)} metrics done"):
        for family in distinct:
            record = record_of(family, data_of(family, counts), alpha, has_size=has_tn)
            coverages = _coverage(family, counts, alpha) if has_tn else _NO_COVERAGE
            records.append(completed(record, coverages))
    if scores is not None and all(column.size for column in scores):
        records.append(completed(record_of(family_of("auc"), scores, alpha), _NO_COVERAGE))
    return records


_NAMES = {"proportion": "accuracy"}
"""The names of metrics that differ from those of their families."""
_FEW_AND_MANY_TN = np.array([[2.0, 2.0], [1.0, 1.0], [1.0, 1.0], [1.0, 3.0]])
"""Two tables that differ in the number of true negatives alone, shape (4, 2)."""
_NO_COVERAGE = {"coverage": None, "std_error": None}


def completed(record: Mapping[str, Any], coverages: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its coverage, and the remark last."""
    numbers = {name: value for name, value in record.items() if name != REMARK}
    return {**numbers, **coverages, REMARK: record[REMARK]}


def remarks_on_metrics(
    records: Sequence[Mapping[str, Any]], has_tn: bool = True, has_score: bool = False
) -> Iterator[str]:
    """Yield the remarks on the rows, once for all rows of one remark, and what is left out.

    Args:
        records: the rows.
        has_tn: whether the number of true negatives is known.
        has_score: whether there are scores, and so should be an AUC.
    """
    alike: dict[str, list[str]] = {}
    for record in records:
        name = " ".join(str(record[key]) for key in ("class", "metric") if key in record)
        if record[REMARK]:
            alike.setdefault(record[REMARK], []).append(name)
    for remark, names in alike.items():
        yield f"{enumerated(names)}: {remark}"
    if not has_tn:
        yield (
            "accuracy, specificity, npv, mcc, kappa, informedness and every coverage need --tn, "
            "the number of negatives that are predicted to be such, and are left out"
        )
    if has_score and all(record["metric"] != "auc" for record in records):
        yield "auc needs scores of positives and of negatives, and is left out"


def data_of(family: Family, tables: Floats) -> Sequence[Floats]:
    """Return the data of the family, shape (…,) each, in tables of shape (4, …)."""
    right, cases = tables[0] + tables[3], tables.sum(axis=0)
    by_name = {**dict(zip(CELLS, tables, strict=True)), "x": right, "n": cases}
    return [by_name[name] for name in family.data]


def record_of(
    family: Family, data: Sequence[Floats], alpha: float, *, has_size: bool = True
) -> dict[str, Any]:
    """Return the estimate of a metric, the limits of its default method and the remarks on them.

    Args:
        family: of the metric.
        data: its data.
        alpha: the probability outside.
        has_size: whether the number of cases is known.
    """
    given: Any = dict(zip(family.data, data, strict=True))
    interval = interval_of(family, None, given, alpha=alpha)
    setting, method = IntervalSetting(family, alpha, TWO_SIDED), default_method(family, TWO_SIDED)
    row = Row({name: np.asarray(value).tolist() for name, value in given.items()}, {}, "these data")
    limits = interval.estimate, interval.lower, interval.upper
    estimate, lower, upper = (np.array([value]) for value in limits)
    intervals = MethodIntervals(method, estimate, lower, upper, {}, 0.0)
    remarks = [*Remarks(setting, [row], limits_text).on([intervals])]
    if has_size and not family.lists:
        remarks += remark_on_sizes(family, method.name, alpha, [tuple(data)], has_coverage=True)
    if np.isnan(interval.estimate) and not remarks:
        remarks.append("the estimate is 0/0")
    return {
        "metric": _NAMES.get(family.name, family.name),
        "estimate": None if np.isnan(interval.estimate) else interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "method": interval.method,
        REMARK: "; ".join(remarks),
    }


def _coverage(family: Family, counts: Floats, alpha: float) -> dict[str, Any]:
    """The coverage of the default method near the counts, and the standard error if drawn."""
    method, n = default_method(family, TWO_SIDED), int(counts.sum())
    cells = (counts + 0.5) / (n + 2.0)
    by_symbol = {f"p_{name}": cell for name, cell in zip(CELLS, cells, strict=True)}
    by_symbol["p"] = cells[0] + cells[3]
    free = [by_symbol[symbol] for symbol in family.free_symbols]
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
    return drawn_coverage(family, drawn.T.astype(np.float64), family.parameter_at(truths), alpha)


def drawn_coverage(family: Family, tables: Floats, value: Floats, alpha: float) -> dict[str, Any]:
    """Return the coverage of the default method in drawn tables, and its standard error.

    Args:
        family: of the metric.
        tables: the drawn cells tp, fp, fn and tn, shape (4, trials).
        value: of the metric in the cells of the law, shape (1,).
        alpha: the probability outside.
    """
    data = np.stack(data_of(family, tables))
    outcomes, times = np.unique(data, axis=1, return_counts=True)
    lower, upper = default_method(family, TWO_SIDED).limits(tuple(outcomes), alpha)
    covered = int(times[(lower <= value) & (value <= upper)].sum())
    return with_error(covered, tables.shape[1])


def with_error(covered: int, trials: int) -> dict[str, Any]:
    """Return the coverage in drawn tables, and its standard error.

    The error is above 0 where every table is covered, or none, which is no exact 1 or 0.
    """
    near = (covered + 1) / (trials + 2)
    return {"coverage": covered / trials, "std_error": math.sqrt(near * (1 - near) / trials)}


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
        metric_record = record_of(family, data_of(family, observed), alpha)
        value = family.estimate(tuple(column[np.newaxis] for column in data_of(family, truth)))
        coverages = drawn_coverage(family, simulated, value, alpha)
        return {"class": str(label)} | completed(metric_record, coverages)

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
    """Yield which classes no case is of, whose scores lower the means over the classes."""
    if "class" not in records[0]:
        return
    empty = [
        record["class"]
        for record in records
        if record["metric"] == "recall" and record["estimate"] is None
    ]
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
