"""Expectations of a goal at one table of four probabilities, for many numbers of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.distributions.sampling import binomial
from harness.planning.sums import Sums


@dataclass(frozen=True)
class PairedSums(Sums):
    """The expectations of a goal for one method of pairs.

    The outcomes are pairs of the discordant counts, or where the limits depend on it these with the
    number of pairs that are right in both.
    """

    with_both: bool = True
    """Whether the limits depend on how many pairs are right in both."""

    def outcomes(self, sizes: Floats, truths: Sequence[float]) -> Floats:
        """Return the number of possible outcomes at each size, shape (N,).

        Args:
            sizes: the numbers of pairs, shape (N, 1).
            truths: p11, p10 and p01.
        """
        p11, p10, p01 = truths
        asked = (p10, p01, p11) if self.with_both else (p10, p01)
        widths = [
            last - first + 1.0
            for first, last in (self._window(sizes[:, 0], truth) for truth in asked)
        ]
        return np.asarray(np.prod(widths, axis=0))

    def means(self, sizes: Floats, truths: Sequence[float]) -> Floats:
        """Return E[g] at each size, shape (N,), from the limits of every possible outcome.

        Args:
            sizes: the numbers of pairs, shape (N, 1).
            truths: p11, p10 and p01.
        """
        return np.array([self._mean(size, *truths) for size in sizes[:, 0].tolist()])

    def _mean(self, size: float, p11: float, p10: float, p01: float) -> float:
        first_only, weight, _ = _next(np.array([size]), np.ones(1), p10, 1.0)
        left = size - first_only
        second_only, weight, place = _next(left, weight, p01, 1.0 - p10)
        first_only, left = first_only[place], left[place] - second_only
        both = np.zeros_like(left)
        if self.with_both:
            both, weight, place = _next(left, weight, p11, 1.0 - p10 - p01)
            first_only, second_only = first_only[place], second_only[place]
            left = left[place] - both
        lower, upper = self.limits((both, first_only, second_only, left))
        values = self.goal.values(lower, upper)
        with np.errstate(invalid="ignore"):
            return float(np.where(weight > 0, values * weight, 0.0).sum())


def _next(
    left: Floats, weight: Floats, cell: float, rest: float
) -> tuple[Floats, Floats, Positions]:
    """Return the counts of the next cell among the pairs that are left.

    Args:
        left: how many pairs the cells before leave, shape (m,).
        weight: the probability of the counts before, shape (m,).
        cell: the probability of the cell.
        rest: the probability that the cells before leave.

    Returns:
        The counts, their probability together with the counts before, and the places of these.
    """
    share = min(cell / rest, 1.0) if rest > 0 else 0.0
    counts, places = [], []
    for number, pairs in enumerate(left.tolist()):
        first, last = binomial.window(share, share, pairs)
        counts.append(np.arange(first, last + 1.0))
        places.append(np.full(counts[-1].size, number))
    count, place = np.concatenate(counts), np.concatenate(places)
    return count, weight[place] * binomial.pmf(count, share, left[place]), place
