"""The protocol of a sampling model: how the count of one sample depends on the parameter."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers

NATS = 39.2
"""A window leaves out outcomes with a total probability below 2·exp(−39.2) < 2e-17."""


NUMPY, THINNED = "numpy", "thinned"
"""Where outcomes come from: NumPy's generators, or tables for ascending parameters."""


class SortedDraws(Protocol):
    """Draws of one outcome for each of many parameters in ascending order."""

    def draw(self, parameter: Floats, rng: np.random.Generator) -> Integers:
        """Return an outcome for each parameter, shape (t,).

        Args:
            parameter: ascending, shape (t,).
            rng: the source of randomness.
        """
        ...


class Sampling(Protocol):
    """The distribution of a count X that increases stochastically with the parameter θ.

    ``size`` is the amount of data: the number of trials or the exposure. A module that has these
    functions satisfies the protocol.
    """

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw one outcome for each parameter, or ``count`` outcomes for a single parameter.

        Returns:
            Outcomes, of the shape of ``parameter`` or of shape (count,).
        """
        ...

    def thinned(self, size: float, lower: float, upper: float) -> SortedDraws | None:
        """Draws from tables for parameters in [lower, upper]; None where tables do not pay."""
        ...

    def window(self, low: float, high: float, size: float, nats: float = NATS) -> tuple[int, int]:
        """The first and the last outcome with a non-negligible probability for a θ in [low, high].

        Outcomes outside the window have a total probability below 2·exp(−nats).
        """
        ...

    def mean(self, parameter: Floats, size: float) -> Floats:
        """The expected outcome at each parameter, shape of the parameter."""
        ...

    def largest_outcome(self, size: float) -> float:
        """The largest possible outcome; inf if outcomes are unbounded."""
        ...

    def pmf(self, x: npt.ArrayLike, parameter: npt.ArrayLike, size: float | Floats) -> Floats:
        """Pr(X = x), broadcast over x, the parameter and the size."""
        ...

    def ratio(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """Pr(X = x + 1) / Pr(X = x) at parameters inside the range; broadcast."""
        ...

    def cdf(self, x: Integers | Floats, parameter: Floats, size: float | Floats) -> Floats:
        """Pr(X ≤ x) for 0 ≤ x below the largest outcome; x and parameter have one shape."""
        ...

    def sf(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """Pr(X > x) for 0 ≤ x below the largest outcome; x and parameter have one shape."""
        ...

    def minus_cdf_derivative(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """−d/dθ Pr(X ≤ x), which is not negative; broadcast."""
        ...

    def variance_stabilized(self, parameter: npt.ArrayLike, size: float) -> Floats:
        """The parameter on the scale on which X has a standard deviation of about one."""
        ...

    def from_variance_stabilized(self, value: npt.ArrayLike, size: float) -> Floats:
        """The parameter whose ``variance_stabilized`` is ``value``."""
        ...
