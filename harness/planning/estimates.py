"""Expectations from the limits at few counts, with an error that their differences show.

Limits that are formulas are smooth in the counts, so that the mean over nine or twenty-nine of them
tells sizes that are far from the answer, and that over some hundreds nearly all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from harness.base.numerics.arrays import Floats
from harness.callers.source import CatalogueSource, Source
from harness.families.family import Family
from harness.planning.decisions import NATS
from harness.planning.expectations import Expectations
from harness.planning.goals import AssuredWidth

_RULES = (2, 3, 4, 6, 9, 13)
"""Counts of each sample in the rules whose means are compared, the first three in each case."""
_POINTS = 6
"""Chebyshev's points of each sample in the coarser of two interpolations; the finer has one more
between two of them."""
_LEAST = 1e-13
"""The probability of a count below which it is left out, beside those that windows leave out."""
_SAFETY = 6.0
"""The error of a rule, over the largest difference between it and the two rules before."""
_ROUGH = 0.1
"""The least error of the first rules, relative to the mean and over the number of cases."""
_SHRINKS = 0.1
"""The least error of a rule, over that of the rule before: two means may be near by chance."""


def estimates(
    expectations: Expectations,
    sizes: Floats,
    truths: Sequence[float],
    room: float | None = None,
    most: float = np.inf,
) -> tuple[Floats, Floats]:
    """Return E[g] at each size from the limits at few counts, and its error, shape (N,) each.

    Rules of more and more counts are taken until the error is small enough: six times the
    largest difference between the means of the last three rules, or a tenth of the error of
    the rule before if that is more, for the first three rules 0.1/n of the mean.

    Args:
        expectations: the expectations, of a g that is smooth in the counts.
        sizes: the sizes of each sample, shape (N, samples).
        truths: the true value of each sample.
        room: the largest error that is small enough; by default where it decides whether E[g]
            is above or below the target.
        most: the most limits of a rule at a size.
    """
    is_count = expectations.family.model.SIZE_IS_COUNT
    cases = np.maximum(sizes.min(axis=1) * (1.0 if is_count else max(truths)), 1.0)
    means = np.full((len(_RULES), len(sizes)), np.nan)
    error, pending = np.full(len(sizes), np.inf), np.arange(len(sizes))
    for place in range(2, len(_RULES)):
        # The first three rules in one call.
        rules = _RULES[: place + 1] if place == 2 else _RULES[place : place + 1]
        if place > 2 and rules[-1] ** len(truths) > most:
            break
        parts = [expectations.rule(sizes[pending], truths, m) for m in rules]
        weights = np.concatenate([rule_weights for _, rule_weights in parts], axis=1)
        used = weights != 0.0
        columns = zip(*[counts for counts, _ in parts], strict=True)
        data = tuple(np.concatenate(column, axis=1)[used] for column in columns)
        terms = np.zeros(weights.shape)
        terms[used] = weights[used] * expectations.goal.values(*expectations.limits(data))
        ends = np.cumsum([rule_weights.shape[1] for _, rule_weights in parts])[:-1]
        for row, part in enumerate(np.split(terms, ends, axis=1), place + 1 - len(rules)):
            means[row, pending] = part.sum(axis=1)
        last = means[place - 2 : place + 1, pending]
        before = error[pending]
        if place == 2:
            before = _ROUGH / _SHRINKS * np.abs(last[2]) / cases
        differences = np.abs(last[:2] - last[2]).max(axis=0)
        error[pending] = np.maximum(_SAFETY * differences, _SHRINKS * before)
        needed = np.abs(last[2] - expectations.goal.target) if room is None else room
        pending = pending[~(error[pending] < needed)]
        if not pending.size:
            break
    last_places = np.where(np.isnan(means), -1, np.arange(len(_RULES))[:, np.newaxis]).max(axis=0)
    return means[last_places, np.arange(len(sizes))], error


def chances(expectations: Expectations, sizes: Floats, truths: Sequence[float]) -> Floats:
    """Return the probability that the width is at most the one asked for, shape (N,).

    Between Chebyshev's points the squared width, or of a ratio its inverse, is a polynomial in the
    counts. Where it is as near to the one asked for as its error, six times the largest
    difference about there from a polynomial through every second point, the limits decide.

    Args:
        expectations: the expectations of an ``AssuredWidth`` that is smooth in the counts.
        sizes: the sizes of each sample, shape (N, samples).
        truths: the true value of each sample.
    """
    goal, sampling = expectations.goal, expectations.family.model.SAMPLING
    assert isinstance(goal, AssuredWidth)
    probabilities, scale = np.empty(len(sizes)), goal.width.family.scale
    places = 0.5 - 0.5 * np.cos(np.pi * np.arange(2 * _POINTS - 1) / (2 * _POINTS - 2))
    for row, size in enumerate(sizes):
        chance, counts, nodes = np.ones(()), [], []
        for truth, n in zip(truths, size.tolist(), strict=True):
            first, last = sampling.window(truth, truth, n, NATS)
            x = np.arange(first, last + 1.0)
            pmf = np.asarray(sampling.pmf(x, truth, n))
            x, pmf = x[pmf > _LEAST], pmf[pmf > _LEAST]
            counts.append(x)
            nodes.append(np.rint(x[0] + (x[-1] - x[0]) * places))
            chance = np.multiply.outer(chance, pmf)
        near, narrow = np.ones(chance.shape, bool), np.zeros(chance.shape)
        if min(sample_counts.size for sample_counts in counts) > 3 * places.size:
            widths = replace(expectations, goal=goal.width).values_at(size, nodes)
            fine = scale.nearly_polynomial(np.append(widths, goal.width.target))
            fine, target = fine[:-1].reshape(widths.shape), fine[-1]
            coarse = fine[(slice(None, None, 2),) * len(nodes)]
            for axis, (x, node) in enumerate(zip(counts, nodes, strict=True)):
                fine = _interpolated(fine, axis, node, x)
                coarse = _interpolated(coarse, axis, node[::2], x)
            error = _SAFETY * np.abs(fine - coarse)
            for axis, x in enumerate(counts):
                reach, beside = x.size // (2 * _POINTS), [(0, 0)] * len(counts)
                beside[axis] = (reach, reach)
                about = sliding_window_view(np.pad(error, beside), 2 * reach + 1, axis=axis)
                error = about.max(axis=-1)
            near = ~(np.abs(fine - target) > error)
            narrow = (fine < target).astype(np.float64)
        if near.any():
            data = [np.full(near.sum(), n) for n in np.repeat(size, 2)]
            data[::2] = [x[place] for x, place in zip(counts, np.nonzero(near), strict=True)]
            narrow[near] = goal.values(*expectations.limits(tuple(data)))
        probabilities[row] = (chance * narrow).sum()
    return probabilities


def _interpolated(values: Floats, axis: int, nodes: Floats, x: Floats) -> Floats:
    """Return the polynomial through values along an axis at x, by the barycentric formula."""
    scaled = (nodes[:, np.newaxis] - nodes) / (nodes[-1] - nodes[0]) * 4.0
    np.fill_diagonal(scaled, 1.0)
    distance = x[:, np.newaxis] - nodes
    at_node = distance == 0.0
    distance[at_node] = 1.0
    basis = 1.0 / (distance * scaled.prod(axis=1))
    basis /= basis.sum(axis=1, keepdims=True)
    basis[at_node.any(axis=1)] = at_node[at_node.any(axis=1)]
    return np.asarray(np.moveaxis(np.tensordot(basis, values, axes=(1, axis)), 0, axis))


def limits_of_rules(samples: int) -> int:
    """Return the number of limits that a mean from few counts takes at least."""
    return sum(m**samples for m in _RULES[:3])


def is_smooth(source: Source) -> bool:
    """Whether the limits are formulas that are smooth in the counts, so that few suffice."""
    if not isinstance(source, CatalogueSource):
        return False
    method = source.method
    return method.category not in ("exact", "inequality") and not method.jumps


def cost(family: Family, source: Source) -> float:
    """Return about how many times as long a limit takes as one of Wilson's, a power of two."""
    if not isinstance(source, CatalogueSource):
        return 16.0
    iterates = source.method.category in ("Bayes", "exact", "likelihood")
    if family.shares_size:
        # The posterior of a function of a whole confusion table is a quadrature of two dimensions.
        of_table = family.as_pairs is not None and source.uses_both
        return (8192.0 if of_table else 256.0) if iterates else 1.0
    if family.samples == 1:
        return 16.0 if iterates else 1.0
    return 256.0 if iterates else 16.0
