"""Expectations from the limits at few counts, with an error that their differences show.

Limits that are formulas are smooth in the counts, so that the mean over nine or twenty-nine of them
tells sizes that are far from the answer, and that over some hundreds nearly all others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.source import CatalogueSource, Source
from harness.families.family import Family
from harness.planning.expectations import Expectations

_RULES = (2, 3, 4, 6, 9, 13)
"""Counts of each sample in the rules whose means are compared, the first three in each case."""
_SAFETY = 3.0
"""The error of a rule, over the largest difference between it and the two rules before."""
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

    Rules of more and more counts are taken until the error is small enough: three times the
    largest difference between the means of the last three rules, or a tenth of the error of
    the rule before if that is more.

    Args:
        expectations: the expectations, of a g that is smooth in the counts.
        sizes: the sizes of each sample, shape (N, samples).
        truths: the true value of each sample.
        room: the largest error that is small enough; by default where it decides whether E[g]
            is above or below the target.
        most: the most limits of a rule at a size.
    """
    means = np.full((len(_RULES), len(sizes)), np.nan)
    error, pending = np.full(len(sizes), np.inf), np.arange(len(sizes))
    for place in range(2, len(_RULES)):
        # The first three rules in one call.
        rules = _RULES[: place + 1] if place == 2 else _RULES[place : place + 1]
        if place > 2 and rules[-1] ** len(truths) > most:
            break
        parts = [expectations.rule(sizes[pending], truths, m) for m in rules]
        weights = np.concatenate([each for _, each in parts], axis=1)
        used = weights != 0.0
        columns = zip(*[counts for counts, _ in parts], strict=True)
        data = tuple(np.concatenate(each, axis=1)[used] for each in columns)
        terms = np.zeros(weights.shape)
        terms[used] = weights[used] * expectations.goal.values(*expectations.limits(data))
        ends = np.cumsum([each.shape[1] for _, each in parts])[:-1]
        for row, part in enumerate(np.split(terms, ends, axis=1), place + 1 - len(rules)):
            means[row, pending] = part.sum(axis=1)
        last = means[place - 2 : place + 1, pending]
        before = np.where(np.isfinite(error[pending]), error[pending], 0.0)
        differences = np.abs(last[:2] - last[2]).max(axis=0)
        error[pending] = np.maximum(_SAFETY * differences, _SHRINKS * before)
        needed = np.abs(last[2] - expectations.goal.target) if room is None else room
        pending = pending[~(error[pending] < needed)]
        if not pending.size:
            break
    found = np.where(np.isnan(means), -1, np.arange(len(_RULES))[:, np.newaxis]).max(axis=0)
    return means[found, np.arange(len(sizes))], error


def limits_of_rules(samples: int) -> int:
    """Return the number of limits that a mean from few counts takes at least."""
    return sum(m**samples for m in _RULES[:3])


def is_smooth(source: Source) -> bool:
    """Whether the limits are formulas that are smooth in the counts, so that few suffice."""
    rough = ("exact", "inequality")
    return isinstance(source, CatalogueSource) and source.method.category not in rough


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
