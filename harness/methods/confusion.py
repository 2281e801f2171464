"""Intervals for the metrics of a classifier, from the counts of its confusion table.

A metric that is a binomial fraction of the table, or rises with one, has the methods of a
proportion. Given tp + fp, tp is binomial with the precision; and so are the other three fractions
of two cells, and the Jaccard index of tp in tp + fp + fn. Since F = 2J/(1 + J) rises with that
index J, an interval for J is one for F with β = 1. What a method promises at every n it promises
here.

Other metrics have the delta method, on three scales, and the bootstrap. Every metric is homogeneous
of degree 0 in the counts k, so that Σ k ∂/∂k = 0, and the multinomial variance
∇'(diag(p) − p p')∇/n at the observed fractions p = k/n is a sum without subtraction:

    V = Σ k (∂/∂k)².

The derivatives too are written such that what is known to be positive is a sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats
from harness.distributions.criteria import Criterion, balanced_tail
from harness.distributions.posteriors.correlation import MetricOfRates, quantiles, shortest
from harness.distributions.truths import Prior
from harness.families.catalogue import PROPORTION
from harness.families.family import Data, Family
from harness.families.metrics import Metric
from harness.methods.bayes import over_beta, over_posterior
from harness.methods.bootstrap import RESAMPLES, outermost
from harness.methods.comparison import mover
from harness.methods.method import (
    LOWER,
    NONE,
    TWO_SIDED,
    UPPER,
    Formula,
    LimitPair,
    Method,
    Promise,
    for_family,
)
from harness.methods.proportion.score import wilson

Fraction = tuple[int, ...]
"""The places of the cells of which the fraction is taken, that of its numerator first."""
TP, FP, FN, TN = range(4)
PRECISION, RECALL, SPECIFICITY, NPV = (TP, FP), (TP, FN), (TN, FP), (TN, FN)
JACCARD = (TP, FP, FN)

FLAT_PRIOR: Prior = (1.0, 1.0, 1.0, 1.0)
_JEFFREYS: Prior = (0.5, 0.5, 0.5, 0.5)
_CELLS = ("tp", "fp", "fn", "tn")
# The property of one count, and that of a table.
_RENAMED = {"rises with x": "is monotone"}
_OF_JACCARD = {
    "add_four": {"is monotone": "without a case it is the whole range, and with one hit it is not"}
}


def method_of(method: Method, name: str, fraction: Fraction) -> Method:
    """The method of a proportion as one of the metric that is a fraction of the table.

    Where there is no case the interval is the whole range, which keeps the promise "at-least", but
    not that of a mean error of zero.

    Args:
        method: as the list of a proportion has it.
        name: its name there.
        fraction: what the proportion is.
    """
    of_cases = for_family(method, name, PROPORTION)
    form = partial(of_proportion, of_cases.formula, fraction)
    x, n = _CELLS[fraction[0]], " + ".join(_CELLS[cell] for cell in fraction)
    form.__doc__ = f"{of_cases.description}\n\nx is {x}, and n is {n}; [0, 1] where n = 0."
    exceptions = {_RENAMED.get(part, part): why for part, why in of_cases.exceptions.items()}
    if fraction == JACCARD:  # which has no mirror image
        exceptions.pop("mirrors", None)
        exceptions |= _OF_JACCARD.get(name, {})
    elif name == "probit":  # It falls at larger sizes than those of tables that are checked.
        exceptions.pop("is monotone", None)
    promise: Promise = "at-least" if of_cases.promise == "at-least" else "none"
    return replace(
        of_cases,
        formula=form,
        promise=promise,
        keeps=NONE,
        default_prior=FLAT_PRIOR if of_cases.takes_prior else None,
        uses_both=False,
        exceptions=exceptions,
    )


def of_proportion(
    formula: Formula,
    cells: Fraction,
    data: Data,
    alpha: float,
    side: str,
    prior: Prior,
    rng: Generator | None = None,
) -> LimitPair:
    """The limits of a formula for a proportion, of a fraction; [0, 1] where there is no case.

    Args:
        formula: (data, alpha, side, prior) of a proportion, and the generator if it draws.
        cells: what the proportion is.
        data, alpha, side: as of a method.
        prior: that of the table; a method that takes none is given one of a proportion.
        rng: the generator of a method that draws, else None.
    """
    x, n = _counts(cells, data)
    lower, upper = np.zeros_like(x), np.ones_like(x)
    some = np.flatnonzero(n > 0)
    if some.size:
        shapes = _shapes(cells, prior) if len(prior) == len(_CELLS) else prior
        if rng is not None:
            lower[some], upper[some] = formula((x[some], n[some]), alpha, side, shapes, rng)
        else:
            pairs, back = np.unique(np.stack((x[some], n[some])), axis=1, return_inverse=True)
            low, high = formula((pairs[0], pairs[1]), alpha, side, shapes)
            lower[some], upper[some] = low[back], high[back]
    return lower, upper


def _counts(fraction: Fraction, data: Data) -> tuple[Floats, Floats]:
    """x and n of the fraction, shape (m,) each."""
    return data[fraction[0]], np.sum([data[cell] for cell in fraction], axis=0)


def _shapes(fraction: Fraction, prior: Prior) -> Prior:
    """The Beta prior of the fraction under a Dirichlet prior of the table."""
    return prior[fraction[0]], sum(prior[cell] for cell in fraction[1:])


def f_score_method_of(method: Method, name: str) -> Method:
    """The method of a Jaccard index J, by this name, as one of F = 2J/(1 + J) with β = 1."""
    of_index = for_family(method, name, PROPORTION)
    form = partial(of_jaccard, of_index.formula)
    rule = "Limits j of J = tp/(tp + fp + fn) are 2j/(1 + j) of F."
    form.__doc__ = f"{of_index.description}\n\n{rule}"
    return replace(of_index, formula=form)


def of_jaccard(
    formula: Formula,
    data: Data,
    alpha: float,
    side: str,
    prior: Prior,
    rng: Generator | None = None,
) -> LimitPair:
    """The limits of a formula for J, of F = 2J/(1 + J)."""
    if rng is None:
        lower, upper = formula(data, alpha, side, prior)
    else:
        lower, upper = formula(data, alpha, side, prior, rng)
    return 2.0 * lower / (1.0 + lower), 2.0 * upper / (1.0 + upper)


def jeffreys_equal_tailed(data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of J ~ Beta(tp + ½, fp + fn + 1), J = tp/(tp + fp + fn).

    The posterior under a Dirichlet(½, ½, ½, ½) prior of the four cells, which favours small J. At
    estimates of 0 and 1 the interval does not hold the estimate, and truths next to the ends are
    missed with certainty. Where the estimate is 0/0 the limits are those of the prior.

    Goutte and Gaussier (2005), ECIR 27, 345–359, for posteriors of an F score; Brown, Cai and
    DasGupta (2001), Stat. Sci. 16, 101–133, section 3, for equal tails.
    """
    counts, prior = _counts(JACCARD, data), _shapes(JACCARD, _JEFFREYS)
    with np.errstate(invalid="ignore"):  # x/n is 0/0, which the limits do not depend on
        return over_beta(balanced_tail, counts, alpha, side, prior)


def f_jeffreys_equal_tailed(family: Family, data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of the posterior of F under a Dirichlet(½, ½, ½, ½) prior of the four cells.

    At estimates of 0 and 1 the interval does not hold the estimate, and truths next to the ends are
    missed with certainty. Where the estimate is 0/0 the limits are those of the prior.

    Goutte and Gaussier (2005), ECIR 27, 345–359, for posteriors of an F score; Brown, Cai and
    DasGupta (2001), Stat. Sci. 16, 101–133, section 3, for equal tails.
    """
    return over_posterior(family, balanced_tail, data, alpha, side, _JEFFREYS)


def over_hits(
    family: Family, criterion: Criterion[Any], data: Data, alpha: float, side: str, prior: Prior
) -> LimitPair:
    """The limits of a criterion over the posterior of F or J, with a rule at both ends.

    A prior with a density at each of two kinds of error has none at 1, where there is no error. So
    u = 1 at fp = fn = 0, and l = 0 at tp = 0: no truth next to an end is missed with certainty.
    Where the estimate is 0/0 the interval is [0, 1].
    """
    tp, fp, fn, _ = data
    lower, upper = over_posterior(family, criterion, data, alpha, side, prior)
    return np.where(tp == 0, 0.0, lower), np.where(fp + fn == 0, 1.0, upper)


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


def mover_wilson(data: Data, tail: float) -> LimitPair:
    """MOVER with the Wilson limits l, u of s = tp/(tp + fn) and f = fp/(fp + tn), for s − f.

    s − f − √((s − l₁)² + (u₂ − f)²), above likewise. Where a class has no case its proportion may
    be any of [0, 1], and the limits are l₁ − 1 and u₁ without a negative, −u₂ and 1 − l₂ without a
    positive. Its mean coverage is near nominal.

    Newcombe (1998), Stat. Med. 17, 873–890, method 10; Zou and Donner (2008), Stat. Med. 27,
    1693–1702.
    """
    tp, fp, fn, tn = data
    first, second = _of_class(tp, tp + fn, tail), _of_class(fp, fp + tn, tail)
    lower, upper = mover.difference(first, second)
    empty = (tp + fn == 0) | (fp + tn == 0)
    (_, low_1, high_1), (_, low_2, high_2) = first, second
    return np.where(empty, low_1 - high_2, lower), np.where(empty, high_1 - low_2, upper)


def _of_class(x: Floats, n: Floats, tail: float) -> mover.Term:
    """The share of a class that is predicted to be a positive, with its Wilson limits.

    Without a case it is ½, with limits 0 and 1.
    """
    some = np.maximum(n, 1.0)
    lower, upper = wilson((x, some), tail)
    is_known = n > 0
    return (
        np.where(is_known, x / some, 0.5),
        np.where(is_known, lower, 0.0),
        np.where(is_known, upper, 1.0),
    )


def jeffreys(metric: MetricOfRates, data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of the posterior under a Dirichlet(½, ½, ½, ½) prior of the four cells.

    But u = 1 at fp = fn = 0, and l = −1 at tp = tn = 0. The other limit stays there, also where the
    estimate is 0/0: a table of one class has an interval that is not the whole range. Limits are
    computed by quadrature, to 1e-3.

    Goutte and Gaussier (2005), ECIR 27, 345–359, for the posterior of a metric of a confusion
    table; Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 3, for the rule at the
    ends.
    """
    tail = alpha / 2 if side == TWO_SIDED else alpha
    lower, upper = np.full_like(data[0], -1.0), np.ones_like(data[0])
    if side != UPPER:
        lower = quantiles(metric, data, tail)
    if side != LOWER:
        upper = quantiles(metric, data, 1.0 - tail)
    return _to_the_ends(data, lower, upper)


def jeffreys_minimal_length(metric: MetricOfRates, data: Data, alpha: float) -> LimitPair:
    """The shortest interval of the posterior under a Dirichlet(½, ½, ½, ½) prior of the four cells.

    But u = 1 at fp = fn = 0, and l = −1 at tp = tn = 0; the other limit stays there. Its posterior
    probability is 1 − alpha to 1e-3, elsewhere.

    Goutte and Gaussier (2005), ECIR 27, 345–359, for the posterior of a metric of a confusion
    table; Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 4, for the criterion.
    """
    return _to_the_ends(data, *shortest(metric, data, alpha))


def _to_the_ends(data: Data, lower: Floats, upper: Floats) -> LimitPair:
    """The limits, at an end of the range where all cases are wrong, or all are right."""
    tp, fp, fn, tn = data
    return np.where(tp + tn == 0, -1.0, lower), np.where(fp + fn == 0, 1.0, upper)


# Tables whose resamples are in memory at once: a quarter of a million numbers in each array.
_BLOCK = 256


def bootstrap_percentile(
    metric: Metric, data: Data, alpha: float, side: str, rng: Generator
) -> LimitPair:
    """From t*₍ₖ₎ to t*₍B+1−ₖ₎, k = ⌊(B + 1)·alpha/2⌋, of B = 999 resamples of the table.

    t*₍ₖ₎ is the k-th smallest value of the metric in resamples of the n cases, which are
    multinomial with the observed fractions. A resample at which the metric is 0/0 counts as outside
    on either side: as the least one for the lower limit, and as the largest one for the upper
    limit, which are ends of the range then. A one-sided limit takes alpha whole. Of no width where
    the estimate is at an end of the range; the whole range where it is 0/0.

    Efron (1979), Ann. Stat. 7, 1–26; Davison and Hinkley (1997), Bootstrap Methods and their
    Application, equation 5.18; k as in Efron and Tibshirani (1993), An Introduction to the
    Bootstrap, p. 160.
    """
    tables = np.stack(data, axis=1)
    lower, upper = np.empty_like(data[0]), np.empty_like(data[0])
    for start in range(0, lower.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        n = tables[block].sum(axis=1, keepdims=True)
        shares = (tables[block] / n)[:, None]
        drawn = rng.multinomial(n.astype(np.int64), shares, (len(n), RESAMPLES))
        values = metric(list(np.moveaxis(drawn.astype(np.float64), -1, 0)))
        undefined = np.isnan(values)
        lower[block], _ = outermost(np.where(undefined, -1.0, values), alpha, side)
        _, upper[block] = outermost(np.where(undefined, 1.0, values), alpha, side)
    return lower, upper
