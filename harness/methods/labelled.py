"""Intervals for the share that is right, from a judge's verdicts and labels of some cases.

Data are a table of four counts of n labelled cases, shape (m, 4): right and the judge's yes, right
and no, wrong and yes, wrong and no; and its yes and no among N other cases, shape (m, 2). With the
label y of a case, 1 if right, and the verdict f, 1 if yes, the labels give the means ȳ and f̄ₙ, and
the other cases the mean f̄_N.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import betainc, betaincinv, betaln, ndtri, xlog1py, xlogy

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import newton_roots
from harness.families.family import Data
from harness.methods.method import LimitPair
from harness.methods.proportion import about
from harness.methods.proportion.score import wilson


def labels_only(data: Data, tail: float) -> LimitPair:
    """All p with |ȳ − p| ≤ z √(p(1 − p)/n): the labelled cases alone, without any verdict.

    z is the upper ``tail`` point of the standard normal. It is what the verdicts have to beat.

    Wilson (1927), J. Am. Stat. Assoc. 22, 209–212.
    """
    table, _ = data
    return wilson((table[:, 0] + table[:, 1], table.sum(axis=1)), tail)


def ppi(data: Data, tail: float) -> LimitPair:
    """f̄_N + ȳ − f̄ₙ ± z √(f̄_N(1 − f̄_N)/N + s²/n), clipped to [0, 1].

    s² is the variance of y − f over the n labelled cases, with the divisor n, and z the upper
    ``tail`` point of the standard normal. Where the judge agrees with all labels s is 0, and the
    interval holds the share of its yes, and not that of right cases.

    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Science 382, 669–674.
    """
    return _rectified(data, np.ones(len(data[0])), tail)


def ppi_plus(data: Data, tail: float) -> LimitPair:
    """λf̄_N + ȳ − λf̄ₙ ± z √(λ²f̄_N(1 − f̄_N)/N + s²/n), clipped to [0, 1].

    s² is the variance of y − λf over the n labelled cases, with the divisor n, and z the upper
    ``tail`` point of the standard normal. λ = c/((1 + n/N)v), clipped to [0, 1], has the covariance
    c of y and f over the labelled cases, with the divisor n, and the variance v of f over all
    n + N cases, with the divisor n + N − 1; it is 0 where v is. Of no width where
    all labels are alike, as c is then 0, whatever the verdicts are; covers less than ``ppi`` with
    few labels.

    Angelopoulos, Duchi and Zrnic (2023), arXiv 2311.01453, section 6.
    """
    return _rectified(data, power(data), tail)


def power(data: Data) -> Floats:
    """Return λ of ``ppi_plus``, shape (m,)."""
    table, verdicts = data
    n, others = table.sum(axis=1), verdicts.sum(axis=1)
    right, yes = table[:, 0] + table[:, 1], table[:, 0] + table[:, 2]
    covariance = table[:, 0] / n - right / n * (yes / n)
    total = n + others
    share = (yes + verdicts[:, 0]) / total
    variance = share * (1.0 - share) * (total / (total - 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        tuned = covariance / ((1.0 + n / others) * variance)
    return np.where(variance > 0, np.clip(tuned, 0.0, 1.0), 0.0)


def _rectified(data: Data, weight: Floats, tail: float) -> LimitPair:
    """The interval of ``ppi_plus`` with a λ of each outcome."""
    table, verdicts = data
    n, others = table.sum(axis=1), verdicts.sum(axis=1)
    # The rectifier y − λf of right and yes, right and no, wrong and yes, wrong and no.
    zero, one = np.zeros_like(weight), np.ones_like(weight)
    rectifier = np.stack((one - weight, one, -weight, zero), axis=1)
    mean = (table * rectifier).sum(axis=1) / n
    spread = (table * (rectifier - mean[:, np.newaxis]) ** 2).sum(axis=1) / n
    share = verdicts[:, 0] / others
    variance = weight**2 * share * (1.0 - share) / others + spread / n
    return about(weight * share + mean, -float(ndtri(tail)) * np.sqrt(variance))


FEWEST_DISAGREEMENTS = 10
"""The fewest labelled cases with a wrong verdict that a prediction-powered interval should have."""


def remark_on_disagreements(data: Data, alpha: float, side: str) -> str:
    """Return what few labels that the judge got wrong mean for a prediction-powered interval.

    It is the same whatever the alpha and the side of the interval.
    """
    table, _ = data
    fewest = int((table[..., 1] + table[..., 2]).min())
    if fewest >= FEWEST_DISAGREEMENTS:
        return ""
    return (
        f"the judge is wrong in {fewest} of the labelled cases, and below {FEWEST_DISAGREEMENTS} "
        "its variance is known too poorly; post_stratified has no such need"
    )


# Nodes over the share of yes and over the share right in one part; more where a density is infinite
# at an end of its range. Over the shares right in both parts as many each.
_NODES, _NODES_WITH_EMPTY, _NODES_OF_BOTH = (5, 20), (9, 28), 10
# Outcomes whose limits are computed together.
_BLOCK = 1 << 12


def post_stratified(data: Data, tail: float) -> LimitPair:
    """Pr(q·a + (1 − q)·b < l | data) = tail = Pr(q·a + (1 − q)·b > u | data).

    a is the share right among cases with the judge's yes, b among those with its no, and q the
    share of yes. With priors Beta(½, ½) their posteriors are independent: Beta(right and yes + ½,
    wrong and yes + ½), likewise for no, and Beta(yes + ½, no + ½) of all cases, labelled or not.
    The distribution function is that of the largest part of the variance, q·a, (1 − q)·b or q,
    averaged over the other two by Gauss's rules for their Beta densities. From 20 labels on the
    tails of 0.025 differ from it by 1e-4 in most data, by at most 1e-3 where all four counts are
    above 0, and by 7e-3 where one is 0. Near nominal with few labels too, and
    conservative where the judge agrees with nearly all of them.

    Little (1993), J. Am. Stat. Assoc. 88, 1001–1012.
    """
    table, verdicts = data
    mirror = table[:, [3, 2, 1, 0]], verdicts[:, ::-1]
    return _lower_limits(table, verdicts, tail), 1.0 - _lower_limits(*mirror, tail)


def _lower_limits(table: Floats, verdicts: Floats, tail: float) -> Floats:
    """The lower limits of ``post_stratified``, those of equal outcomes computed once."""
    # Limits depend on the verdicts by the yes and the no of all cases.
    every = table[:, :2] + table[:, 2:] + verdicts
    distinct, back = np.unique(np.concatenate((table, every), axis=1), axis=0, return_inverse=True)
    limits = [
        _solved(distinct[start : start + _BLOCK], tail) for start in range(0, len(distinct), _BLOCK)
    ]
    return np.concatenate(limits)[back.ravel()]


def _solved(counts: Floats, tail: float) -> Floats:
    """The limits of distinct outcomes: tables of four counts, and the yes and no of all cases."""
    right, wrong, every = counts[:, :2] + 0.5, counts[:, 2:4] + 0.5, counts[:, 4:] + 0.5
    mean, share = right / (right + wrong), every / every.sum(axis=1, keepdims=True)
    variance = share**2 * mean * (1.0 - mean) / (right + wrong + 1.0)
    of_share = share.prod(axis=1) / (every.sum(axis=1) + 1.0) * np.diff(mean, axis=1)[:, 0] ** 2
    center = (share * mean).sum(axis=1)
    total = center * (1.0 - center) / (variance.sum(axis=1) + of_share) - 1.0
    start = betaincinv(center * total, (1.0 - center) * total, tail)
    by_share, has_empty = of_share > variance.max(axis=1), (counts[:, :4] == 0).any(axis=1)
    limits = np.empty(len(counts))
    for here, mixture in (
        (by_share, _given_parts),
        (~by_share & ~has_empty, partial(_given_share, nodes=_NODES)),
        (~by_share & has_empty, partial(_given_share, nodes=_NODES_WITH_EMPTY)),
    ):
        if here.any():
            betas = mixture(right[here], wrong[here], every[here], variance[here])
            limits[here] = _quantiles(betas, start[here], tail)
    return limits


Mixture = tuple[Floats, Floats, Floats, Floats, Floats]
"""A mixture of Betas: the start and the scale of each, its weight, and its shapes s and t."""


def _quantiles(mixture: Mixture, start: Floats, tail: float) -> Floats:
    """Return the quantiles of mixtures, shape (m,), from first guesses."""
    node, scale, weight, s, t = mixture
    constant = betaln(s, t)

    def evaluate(theta: Floats, rows: Positions) -> tuple[Floats, Floats]:
        """ln tail − ln Pr(share < θ), and its derivative."""
        x = (theta[:, np.newaxis] - node[rows]) / scale[rows]
        inside = (x > 0) & (x < 1)
        below = (weight[rows] * betainc(s[rows], t[rows], np.clip(x, 0.0, 1.0))).sum(axis=1)
        middle = np.where(inside, x, 0.5)
        log_density = xlogy(s[rows] - 1.0, middle) + xlog1py(t[rows] - 1.0, -middle)
        density = np.exp(log_density - constant[rows]) * inside / scale[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(tail / below), -(weight[rows] * density).sum(axis=1) / below

    missing = "post_stratified: no limit found for the outcome in place {}"
    return newton_roots(evaluate, np.zeros_like(start), np.ones_like(start), start, missing)


def _given_share(
    right: Floats, wrong: Floats, every: Floats, variance: Floats, nodes: tuple[int, int]
) -> Mixture:
    """The distribution of the part of larger variance, given the share of yes and the other."""
    outer = variance.argmax(axis=1)[:, np.newaxis]

    def split(columns: Floats) -> tuple[Floats, Floats]:
        """The column of the part with the larger variance, and that of the other one."""
        here, there = (np.take_along_axis(columns, place, axis=1) for place in (outer, 1 - outer))
        return here[:, 0], there[:, 0]

    (s, s_other), (t, t_other), (k, k_other) = (split(columns) for columns in (right, wrong, every))
    part, other = _gauss(k, k_other, nodes[0]), _gauss(s_other, t_other, nodes[1])
    start, weight = _crossed(1.0 - part[0], other[0]), _crossed(part[1], other[1])
    scale = _crossed(part[0], np.ones_like(other[0]))
    return start, scale, weight, s[:, np.newaxis], t[:, np.newaxis]


def _given_parts(right: Floats, wrong: Floats, every: Floats, _: Floats) -> Mixture:
    """The distribution of the share of yes, given the shares right among yes and among no."""
    yes, no = (_gauss(right[:, place], wrong[:, place], _NODES_OF_BOTH) for place in (0, 1))
    among_yes = _crossed(yes[0], np.ones_like(no[0]))
    among_no = _crossed(np.ones_like(yes[0]), no[0])
    rises = among_yes > among_no
    # The share from the lower one on: that of yes, or where it falls that of no.
    of_yes, of_no = every[:, :1], every[:, 1:]
    return (
        np.minimum(among_yes, among_no),
        np.maximum(np.abs(among_yes - among_no), np.finfo(float).tiny),
        _crossed(yes[1], no[1]),
        np.where(rises, of_yes, of_no),
        np.where(rises, of_no, of_yes),
    )


def _crossed(first: Floats, second: Floats) -> Floats:
    """The products of each number of the first with each of the second, row by row."""
    return (first[:, :, np.newaxis] * second[:, np.newaxis, :]).reshape(len(first), -1)


def _gauss(s: Floats, t: Floats, count: int) -> tuple[Floats, Floats]:
    """Gauss's nodes and weights of Beta(s, t), shape (m, count) each; of equal shapes found once.

    They are the eigenvalues of the matrix of the recurrence of Jacobi's polynomials, and the
    squares of the first components of its eigenvectors.

    Golub and Welsch (1969), Math. Comput. 23, 221–230.
    """
    distinct, back = np.unique(np.stack((s, t), axis=1), axis=0, return_inverse=True)
    a, b = distinct[:, 1:] - 1.0, distinct[:, :1] - 1.0
    k = np.arange(1.0, count)
    twice = 2.0 * k + a + b
    diagonal = np.empty((len(distinct), count))
    diagonal[:, 0] = ((b - a) / (a + b + 2.0))[:, 0]
    diagonal[:, 1:] = (b - a) * (b + a) / (twice * (twice + 2.0))
    squares = np.empty((len(distinct), count - 1))
    squares[:, 0] = (4.0 * (1.0 + a) * (1.0 + b) / ((a + b + 2.0) ** 2 * (a + b + 3.0)))[:, 0]
    later = k[1:] * (k[1:] + a) * (k[1:] + b) * (k[1:] + a + b)
    squares[:, 1:] = 4.0 * later / (twice[:, 1:] ** 2 * (twice[:, 1:] ** 2 - 1.0))
    matrix = np.zeros((len(distinct), count, count))
    place = np.arange(count)
    matrix[:, place, place] = diagonal
    beside = np.sqrt(squares)
    matrix[:, place[1:], place[:-1]] = matrix[:, place[:-1], place[1:]] = beside
    values, vectors = np.linalg.eigh(matrix)
    place = back.ravel()
    return np.clip(0.5 * (1.0 + values), 0.0, 1.0)[place], vectors[place, 0, :] ** 2
