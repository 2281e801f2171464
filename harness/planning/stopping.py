"""Expectations of a goal where trials end by a stopping rule; the size is the most trials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.catalogue import listed_scenarios
from harness.designs.solvers import solver_of
from harness.planning.sums import Sums


class StoppedSums(Sums):
    """The expectations of a goal for one method, from all outcomes of the rule at each size."""

    def outcomes(self, sizes: Floats, truths: Sequence[float], *, alone: bool = False) -> Floats:
        """Return the number of trials by counts that the paths of each size take, shape (N,)."""
        return np.asarray(0.5 * sizes[:, 0] ** 2)

    def means(self, sizes: Floats, truths: Sequence[float]) -> Floats:
        """Return E[g] at each size, shape (N,); of a size that the rule does not have ∞."""
        return np.array([self._mean(size, truths[0]) for size in sizes[:, 0].tolist()])

    def _mean(self, most: float, truth: float) -> float:
        try:
            ((scenario, *_),) = listed_scenarios(self.family, (most,), [np.array([truth])])
        except InputError:
            return np.inf if self.goal.at_most else 0.0
        ((_, outcomes, probability),) = solver_of(scenario).listed()
        counts = tuple(each.astype(np.float64) for each in scenario.counts(outcomes))
        limits = self.limits(self.family.columns(counts, (most,)))
        return float((self.goal.values(*limits) * probability).sum())
