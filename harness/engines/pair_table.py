"""The limits of one column at all pairs of counts, and how often they miss a pair of truths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.engines.runs import FROM_ABOVE, FROM_BELOW
from harness.numerics.arrays import Bools, Floats
from harness.sampling.protocol import Sampling

Span = tuple[float, float]

_CELLS_AT_ONCE = 1 << 20
_ROUNDING = 4.0 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class PairTable:
    """Limits of θ = w1·t1 + w2·t2 at every pair of counts that can occur.

    The pairs of truths with one θ are a *line*, on which the missing set does not change.
    """

    lower: Floats
    """Shape (m1, m2): at the counts first[0] + i and first[1] + j."""
    upper: Floats
    first: tuple[int, int]
    sizes: tuple[float, float]
    weights: tuple[float, float]
    sampling: Sampling
    spans: tuple[Span, Span]
    """The range of each truth."""

    @property
    def range(self) -> Span:
        """The ends of the range of θ."""
        (a, b), (c, d) = (
            sorted(weight * end for end in span)
            for weight, span in zip(self.weights, self.spans, strict=True)
        )
        return a + c, b + d

    def parameter(self, first: float, second: float) -> float:
        return self.weights[0] * first + self.weights[1] * second

    def partner(self, theta: Floats | float, first: Floats | float) -> Floats:
        """The second truth that makes θ with the first one."""
        second = np.asarray((theta - self.weights[0] * first) / self.weights[1])
        low, high = self.spans[1]
        return _within(second, low, high, _ROUNDING * np.maximum(np.abs(theta), np.abs(first)))

    def on_line(self, theta: Floats | float, first: Floats) -> Floats:
        """The first truths, moved to the ends of the line where they lie beyond."""
        low, high = self._line(theta)
        return _within(first, low, high, _ROUNDING * np.abs(theta))

    def _line(self, theta: Floats | float) -> tuple[Floats, Floats]:
        """The smallest and the largest first truth on the line."""
        a, b = ((theta - self.weights[1] * end) / self.weights[0] for end in self.spans[1])
        low = np.maximum(np.minimum(a, b), self.spans[0][0])
        high = np.minimum(np.maximum(a, b), self.spans[0][1])
        return np.asarray(low), np.asarray(np.maximum(high, low))

    def unit(self, sample: int, truths: Floats) -> Floats:
        """How much truths change over one unit of the stretched scale, towards the inside."""
        size, sampling = self.sizes[sample], self.sampling
        low, high = sampling.stretched(np.array(self.spans[sample]), size)
        place = sampling.stretched(truths, size)
        half = np.where(place < 0.5 * (low + high), 0.5, -0.5)
        inner = sampling.unstretched(np.clip(place + half, low, high), size)
        return np.asarray(2.0 * np.abs(inner - truths))

    def chances(self, sample: int, truths: Floats) -> tuple[slice, Floats]:
        """The counts of one sample that matter for any of the truths, and their probabilities.

        The counts as a slice of the table; shape (t, w).
        """
        size, first = self.sizes[sample], self.first[sample]
        start, last = self.sampling.window(float(truths.min()), float(truths.max()), size)
        probability = self.sampling.pmf(np.arange(start, last + 1), truths[:, np.newaxis], size)
        return slice(start - first, last + 1 - first), probability

    def missed(self, cells: tuple[slice, slice], theta: Floats, approach: int) -> Bools:
        """Which cells miss θ, or what is next to it on one side; shape (…, w1, w2)."""
        lower, upper, at = self.lower[cells], self.upper[cells], theta[..., np.newaxis, np.newaxis]
        below = lower >= at if approach == FROM_BELOW else lower > at
        above = upper <= at if approach == FROM_ABOVE else upper < at
        return np.asarray(below | above)

    def along(self, theta: float, approach: int, first: Floats) -> Floats:
        """The miss probability at pairs of truths on one line, shape (t,).

        Sums are numpy's own and no matrix products, whose last digits depend on the threads.
        """
        rows, one = self.chances(0, first)
        columns, other = self.chances(1, self.partner(theta, first))
        missed = self.missed((rows, columns), np.array(theta), approach)
        given_first = np.zeros((first.size, other.shape[1]))
        for place in range(missed.shape[0]):
            given_first += one[:, place, np.newaxis] * missed[place]
        return np.asarray((given_first * other).sum(axis=1))

    def across(self, theta: Floats, approach: int, first: Floats) -> Floats:
        """The miss probability at pairs of truths, each with a θ of its own, shape (t,)."""
        rows, one = self.chances(0, first)
        columns, other = self.chances(1, self.partner(theta, first))
        block = max(1, _CELLS_AT_ONCE // (one.shape[1] * other.shape[1]))
        found = np.empty(first.size)
        for start in range(0, first.size, block):
            at = slice(start, start + block)
            missed = self.missed((rows, columns), theta[at], approach)
            given_first = (missed * other[at, np.newaxis, :]).sum(axis=2)
            found[at] = (given_first * one[at]).sum(axis=1)
        return found


def _within(
    truths: Floats, low: Floats | float, high: Floats | float, slack: Floats | float
) -> Floats:
    """Truths moved into a range; one that differs from an end by rounding is the end."""
    return np.where(truths > high - slack, high, np.where(truths < low + slack, low, truths))
