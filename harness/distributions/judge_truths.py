"""True values of a share that a judge reports: the share, and how well the judge tells right cases.

A judge has a sensitivity, the probability of its yes to a case that is right, and a specificity,
the probability of its no to a case that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.distributions.truths import CrossedTruth, RowsTruth


class JudgedTruth(RowsTruth):
    """Finitely many rows of a share, a sensitivity and a specificity.

    >>> JudgedTruth.of([(0.8, 0.9, 0.85), (0.5, 0.9, 0.85)]).values[0]
    array([0.5, 0.8])
    """


@dataclass(frozen=True)
class LabelledTruth(CrossedTruth):
    """Shares, sensitivities and specificities, crossed.

    >>> LabelledTruth((0.8,), (0.9,), (0.5, 0.85)).cells(1).round(3).tolist()
    [0.72, 0.08, 0.03, 0.17]
    """

    share: tuple[float, ...]
    """Shares of cases that are right, in [0, 1]."""
    sensitivity: tuple[float, ...]
    specificity: tuple[float, ...]

    def cells(self, number: int) -> Floats:
        """Return the probabilities of right and yes, right and no, wrong and yes, wrong and no."""
        share, sensitivity, specificity = (float(values[number]) for values in self.values)
        wrong = 1.0 - share
        return np.array(
            [
                share * sensitivity,
                share * (1.0 - sensitivity),
                wrong * (1.0 - specificity),
                wrong * specificity,
            ]
        )
