"""How the count of one sample depends on the parameter: the protocols of a model and of a law.

A family has a law of its own, binomial or Poisson, whose functions ``Sampling`` describes. Another
one, a ``Law``, may stand in its place where trials are not independent: successes that come in
clusters, draws without replacement, or events that vary more than Poisson counts. The parameter
keeps its meaning: the mean outcome is size · θ.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from harness.base.arguments import quoted, validate_number, validate_whole
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers

NATS = 39.2
"""A window leaves out outcomes with a total probability below 2·exp(−39.2) < 2e-17."""


def bernstein_reach(variance: float, nats: float, largest: float = 1.0) -> float:
    """How far from its mean a count may be, by Bernstein's inequality.

    For a sum of independent numbers from 0 to m, of variance σ², the probability of a distance of
    w or more is at most 2 exp(−w²/(2σ² + 2mw/3)). It is 2 exp(−nats) at the distance returned.

    Args:
        variance: σ².
        nats: minus the logarithm of half the probability.
        largest: m; 1 for a binomial or a Poisson count.
    """
    third = largest * nats / 3.0
    return third + math.sqrt(third * third + 2.0 * variance * nats)


def bernstein_reaches(variance: Floats) -> Floats:
    """``bernstein_reach`` of counts of each variance, to the same bits; shape of the variance."""
    third = NATS / 3.0
    return np.asarray(third + np.sqrt(third * third + 2.0 * variance * NATS))


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

    def thinned(self, size: float, lower: float, upper: float) -> SortedDraws | None:
        """Draws from tables for parameters in [lower, upper]; None where tables do not pay."""

    def window(self, low: float, high: float, size: float, nats: float = NATS) -> tuple[int, int]:
        """The first and the last outcome with a non-negligible probability for a θ in [low, high].

        Outcomes outside the window have a total probability below 2·exp(−nats).
        """

    def windows(self, parameter: Floats, size: float) -> tuple[Integers, Integers]:
        """The first and the last outcome of the window of each θ alone, shape (t,) each."""

    def mean(self, parameter: Floats, size: float) -> Floats:
        """The expected outcome at each parameter, shape of the parameter."""

    def largest_outcome(self, size: float) -> float:
        """The largest possible outcome; inf if outcomes are unbounded."""

    def pmf(self, x: npt.ArrayLike, parameter: npt.ArrayLike, size: float | Floats) -> Floats:
        """Pr(X = x), broadcast over x, the parameter and the size."""

    def ratio(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """Pr(X = x + 1) / Pr(X = x) at parameters inside the range; broadcast."""

    def cdf(self, x: Integers | Floats, parameter: Floats, size: float | Floats) -> Floats:
        """Pr(X ≤ x) for 0 ≤ x below the largest outcome; x and parameter have one shape."""

    def sf(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """Pr(X > x) for 0 ≤ x below the largest outcome; x and parameter have one shape."""

    def minus_cdf_derivative(self, x: Integers, parameter: Floats, size: float) -> Floats:
        """−d/dθ Pr(X ≤ x), which is not negative; broadcast."""

    def variance_stabilized(self, parameter: npt.ArrayLike, size: float) -> Floats:
        """The parameter on the scale on which X has a standard deviation of about one."""

    def from_variance_stabilized(self, value: npt.ArrayLike, size: float) -> Floats:
        """The parameter whose ``variance_stabilized`` is ``value``."""


@dataclass(frozen=True)
class Setting:
    """A number that a law has, and its range."""

    name: str
    least: float
    most: float
    meaning: str
    """What the number is, in words."""
    is_whole: bool = False
    is_open: bool = False
    """Whether ``most`` itself is left out."""

    @property
    def range(self) -> str:
        """What is allowed, in words."""
        if self.is_whole:
            return f"a whole number from {self.least:.0f} to {self.most:.0f}"
        end = "below" if self.is_open else "at most"
        return f"a number of at least {self.least:g} and {end} {self.most:g}"

    def validate(self, law: str, value: Any) -> float | int:
        """Return the number.

        Raises:
            InputError: it is none, or out of range.
        """
        name = f"{self.name} of {law}"
        if self.is_whole:
            validate_whole(name, value, int(self.least))
            if value <= self.most:
                return int(value)
        else:
            validate_number(name, value, self.range)
            number = float(value)
            if self.least <= number < self.most or (number == self.most and not self.is_open):
                return number
        raise InputError(f"{name} should be {self.range}, found {quoted(value)}")


RHO = Setting("rho", 0.0, 1.0, "the correlation of two trials", is_open=True)


@dataclass(frozen=True)
class Law(ABC):
    """The distribution of a count X, given the parameter θ and the amount of data.

    ``size`` is the number of trials or the exposure. Laws are frozen dataclasses: two of the same
    settings are equal. What a law does not say is as here.
    """

    name: ClassVar[str]
    """The name of the law, as a config has it: ``beta_binomial``."""
    model: ClassVar[str]
    """The name of the model of one sample whose counts it describes: "proportion" or "rate"."""
    settings: ClassVar[tuple[Setting, ...]]
    """The numbers that make a law, in their order."""
    summary: ClassVar[str]
    """One line of what the law is."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The law with its settings, for tables and figures: ``beta-binomial, ρ = 0.1``."""

    def content(self) -> Mapping[str, Any]:
        """The law as plain data: ``{"beta_binomial": {"rho": 0.1}}``.

        It is what a config says, and a part of the key of random streams.
        """
        return {self.name: asdict(self)}

    def validate_size(self, size: float) -> None:  # noqa: B027
        """Refuse a size that the law does not have; every one will do.

        Raises:
            InputError: there is no sample of this size, as of part of a cluster.
        """

    def validate_truth(self, value: float) -> None:  # noqa: B027
        """Refuse a true value that the law does not have; every one will do.

        Raises:
            InputError: no such parameter exists, as one between the M/N of a finite population.
        """

    @abstractmethod
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

    def mean(self, parameter: Floats, size: float) -> Floats:
        """The expected outcome at each parameter, size · θ; shape of the parameter."""
        return size * parameter

    def cost(self, size: float, count: float) -> float:
        """About how many numbers ``probabilities`` computes at a truth with ``count`` outcomes."""
        return count

    @abstractmethod
    def variance(self, parameter: Floats, size: float) -> Floats:
        """The variance of the outcome at each parameter, shape of the parameter."""

    def largest_outcome(self, size: float) -> float:
        """The largest possible outcome: the number of trials; inf if outcomes are unbounded."""
        return size

    @abstractmethod
    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """The first and the last outcome with a non-negligible probability for a θ in [low, high].

        Outcomes outside of the window have a total probability below 1e-16 at each such θ.
        """

    def windows(self, parameter: Floats, size: float) -> tuple[Integers, Integers]:
        """The first and the last outcome of the window of each θ alone, shape (t,) each."""
        spans = [self.window(value, value, size) for value in parameter.tolist()]
        first, last = np.array(spans, np.int64).reshape(-1, 2).T
        return first, last

    @abstractmethod
    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        """Pr(X = x) at each parameter for x = first, …, last.

        Args:
            parameter: shape (t,).
            size: the number of trials or the exposure.
            first: the first outcome, not below 0.
            last: the last outcome, not above the largest.

        Returns:
            Probabilities, shape (t, last − first + 1).
        """

    @property
    def lattice(self) -> int | None:
        """N where parameters are M/N with whole numbers M, else None."""
        return None

    @property
    def is_unimodal(self) -> bool:
        """Whether Pr(a ≤ X ≤ b) is known to rise and then to fall with the parameter, for a ≤ b."""
        return True


def on_lattice(values: Floats, law: Law) -> Floats:
    """Return true values as the doubles M/N, where the law has only those; else as they are.

    A given value may differ from M/N by the rounding of a few operations. Limits that are M/N are
    compared with truths by closed intervals, to the last bit.
    """
    if law.lattice is None:
        return values
    return np.asarray(np.rint(values * law.lattice) / law.lattice)


def population_and_title(law: Law | None) -> tuple[int | None, str]:
    """Return the finite population of a law, None where there is none, and the law in words."""
    return (None, "independent trials") if law is None else (law.lattice, law.title)
