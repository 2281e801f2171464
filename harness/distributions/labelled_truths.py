"""Where the true share of right cases comes from, with how well a judge tells right from wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from harness.base.numerics.arrays import Floats


@dataclass(frozen=True)
class LabelledTruth:
    """Shares, sensitivities and specificities, crossed; the last one varies fastest.

    >>> LabelledTruth((0.8,), (0.9,), (0.5, 0.85)).cells(1).round(3).tolist()
    [0.72, 0.08, 0.03, 0.17]
    """

    share: tuple[float, ...]
    """Ascending and distinct, in [0, 1]: of cases that are right."""
    sensitivity: tuple[float, ...]
    """The probability of the judge's yes to a case that is right."""
    specificity: tuple[float, ...]
    """The probability of its no to a case that is wrong."""
    is_discrete: ClassVar[Literal[True]] = True

    @property
    def count(self) -> int:
        """The number of triples."""
        return len(self.share) * len(self.sensitivity) * len(self.specificity)

    @property
    def values(self) -> tuple[Floats, ...]:
        """The share, the sensitivity and the specificity of each triple, shape (count,) each."""
        parts = (np.array(part) for part in (self.share, self.sensitivity, self.specificity))
        return tuple(grid.ravel() for grid in np.meshgrid(*parts, indexing="ij"))

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

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {
            "share": {"values": list(self.share)},
            "sensitivity": {"values": list(self.sensitivity)},
            "specificity": {"values": list(self.specificity)},
        }
