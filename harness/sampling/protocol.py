"""What engines may ask of the way in which the count of one sample arises."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from harness.numerics.arrays import Floats, Integers


class Sampling(Protocol):
    """A count X whose distribution rises with the parameter; the size says how much is sampled.

    A module with these functions will do.
    """

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """One outcome for each parameter, or ``count`` for a single one; shape (t,) or (count,)."""
        ...

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """First and last outcome that matter for any parameter of [low, high]."""
        ...

    def largest(self, size: float) -> float:
        """The largest outcome there is; may be infinite."""
        ...

    def pmf(self, x: npt.ArrayLike, parameter: npt.ArrayLike, size: float) -> Floats:
        """Pr(X = x), broadcast over x and the parameter."""
        ...

    def at_most(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """Pr(X ≤ x) for 0 ≤ x below the largest outcome; one shape."""
        ...

    def more_than(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """Pr(X > x) for 0 ≤ x below the largest outcome; one shape."""
        ...

    def fall(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """−d/dθ Pr(X ≤ x), broadcast."""
        ...

    def stretched(self, parameter: npt.ArrayLike, size: float) -> Floats:
        """The parameter on a scale where X has a standard deviation of about one everywhere."""
        ...

    def unstretched(self, place: npt.ArrayLike, size: float) -> Floats:
        """The inverse of ``stretched``."""
        ...
