"""The outcomes of trials that may stop early: how many were made, and the successes among them.

The probability of t trials with x successes is K(t, x) p^x (1 − p)^(t − x), where K is the number
of sequences of trials that end there. K goes beyond the range of doubles. The *share*
K(t, x)/C(t, x) of all sequences with x successes among t trials stays in [0, 1], and the
probability is the share times the binomial one, which is accurate for every p and t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Positions, Rows
from harness.base.numerics.special import log_binomial


@dataclass(frozen=True)
class StoppedOutcomes(Rows):
    """Outcomes (t, x) with the share of sequences that end there, whatever p is; shape (m,) each.

    A share below 1e-308 has few digits or is 0; so small is its probability then at every p.
    """

    trials: Floats
    """t, whole numbers."""
    successes: Floats
    """x, whole numbers."""
    share: Floats
    """K(t, x)/C(t, x)."""

    def mirrored(self) -> StoppedOutcomes:
        """Return the outcomes in reverse order, with successes and failures swapped."""
        reverse = self.at(slice(None, None, -1))
        return StoppedOutcomes(reverse.trials, reverse.trials - reverse.successes, reverse.share)

    def pmf(self, p: npt.ArrayLike, q: npt.ArrayLike) -> Floats:
        """Return the probabilities at each p, shape (t, m).

        >>> StoppedOutcomes(np.array([1.0, 2.0, 2.0]), np.array([0.0, 1.0, 2.0]),
        ...                 np.array([1.0, 0.5, 1.0])).pmf([0.25, 1.0], [0.75, 0.0])
        array([[0.75  , 0.1875, 0.0625],
               [0.    , 0.    , 1.    ]])

        Args:
            p: in [0, 1], shape (t,).
            q: 1 − p, which has digits of its own where p is near 1.
        """
        failures = self.trials - self.successes
        column_p, column_q = (np.asarray(value, np.float64)[:, np.newaxis] for value in (p, q))
        probability = np.exp(log_binomial(self.successes, failures, column_p, column_q))
        probability *= self.share
        return probability

    def likely(self, low: float, high: float, nats: float) -> Positions:
        """Return the positions of the outcomes that are not improbable at every p of a range.

        By Bernstein's inequality the others of each t have together a probability below
        2 exp(−nats) at every p in [low, high].
        """
        below = self.successes < self.trials * low - _reach(self.trials, low, nats)
        above = self.successes > self.trials * high + _reach(self.trials, high, nats)
        return np.flatnonzero(~(below | above))


def _reach(trials: Floats, p: float, nats: float) -> Floats:
    third = nats / 3.0
    return third + np.sqrt(third * third + 2.0 * nats * p * (1.0 - p) * trials)
